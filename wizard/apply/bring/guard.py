"""Whether files may still be brought as it was worked out. Every doubt is a refusal; nothing here writes."""

from pathlib import Path

from wizard.apply.bring import words
from wizard.apply.bring.places import device_of, drives_under, ground_of, held_on, refused, shown
from wizard.apply.bring.planning import check_room_there
from wizard.apply.run.environment import Environment
from wizard.filesystems.registry import KINDS
from wizard.model.documents.bring import Bring
from wizard.model.errors import Refused


def drives_now(bring: Bring) -> tuple[str, ...]:
    """The drives that are written to, by the names that they have now; raises Refused unless the target is
    the filesystem that it was, mounted where it was, and can be written to."""
    to = bring.target
    ground = ground_of(Path(to.place))
    device = device_of(ground.mounted)
    other = words.OTHER_TARGET(place=shown(to.place), title=KINDS[to.filesystem].title)
    if device is None or str(ground.folder) != ground.mounted.mount_point:
        raise Refused(other)
    held = held_on(device)
    if (held.filesystem, held.uuid) != (to.filesystem, to.uuid):
        raise Refused(other)
    if "ro" in ground.mounted.options:
        raise refused(words.READ_ONLY(path=shown(to.place)))
    return drives_under(held.node)


def check_own(bring: Bring, environment: Environment) -> tuple[str, ...]:
    """The drives as `drives_now` gives them; raises Refused for one that this run may not touch, too."""
    drives = drives_now(bring)
    for drive in drives:
        if environment.only is not None and drive not in environment.only:
            raise refused(words.OTHER_DRIVE(drive=drive))
    return drives


def check_new(bring: Bring) -> None:
    """Raises Refused where it does not fit any more."""
    drives_now(bring)
    check_room_there(bring)
