"""Check that a copy still fits source and target, and start the run. Refuses in doubt.

The checks are read-only.
"""

from contextlib import suppress
from pathlib import Path

from wizard.apply.copy import survey
from wizard.apply.copy.places import device_of, drives_under, ground_of, held_on, refused, shown, uuid_of
from wizard.apply.copy.replace_source import check_place
from wizard.apply.copy.survey import check_room_there
from wizard.apply.plan.identity_check import drive_fault
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.settings.existing_filesystem import CLONED
from wizard.apply.settings.guard import clones_of, nodes_with
from wizard.apply.settings.system import RunningSystem
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, Refused
from wizard.model.said import t
from wizard.plan.changes import Bring
from wizard.probe.machine import probe_machine


def drives_now(bring: Bring) -> tuple[str, ...]:
    """Return the drives that are written to, by their current names.

    Raises Refused unless the target is the planned filesystem, and mounted read-write at the planned place.
    """
    to = bring.target
    location = ground_of(Path(to.place))
    device = device_of(location.mounted)
    other = t(
        "The filesystem at {place} is not the {title} target of this copy. This attempt made no changes.",
        place=shown(to.place),
        title=KINDS[to.filesystem].title,
    )
    if device is None or str(location.folder) != location.mounted.mount_point:
        raise Refused(other)
    found = held_on(device)
    if (found.filesystem, found.uuid) != (to.filesystem, to.uuid):
        raise Refused(other)
    if "ro" in location.mounted.options:
        raise refused(survey.READ_ONLY(path=shown(to.place)))
    return _own_drives(bring, found.node)


def _own_drives(bring: Bring, node: str) -> tuple[str, ...]:
    """Return the drives below the target. Raises Refused if none is the planned drive, or a copy of the
    target is attached, too."""
    paths = drives_under(node)
    drives = probe_machine(paths, seconds=LOOK_SECONDS).drives
    # The target's UUID was compared before.
    faults = [drive_fault(bring.drive, drive, lambda: bool(bring.target.uuid) or None) for drive in drives]
    if None not in faults:
        raise refused(
            t(
                "{device} is not on the target drive of this copy: {fault}.",
                device=node,
                fault=next(iter(faults), None) or "",
            )
        )
    if clones := clones_of(node, bring.target.uuid):
        raise refused(CLONED(devices=(node, *clones), uuid=bring.target.uuid))
    return paths


def is_as_copied(bring: Bring) -> bool:
    """Return True if target and source are mounted as during the copy: the target has not replaced the source
    yet."""
    try:
        drives_now(bring)
        return uuid_of(ground_of(Path(bring.source.path)).mounted) == bring.source.uuid
    except (Refused, BadInput):
        return False


def _drives_anywhere(bring: Bring) -> tuple[str, ...]:
    """Return the drives below the target wherever it is mounted, or none if it is not attached."""
    to = bring.target
    for path in (to.device, *nodes_with(to.uuid)):
        with suppress(BadInput):
            found = held_on(path)
            if (found.filesystem, found.uuid) == (to.filesystem, to.uuid):
                return _own_drives(bring, found.node)
    return ()


def check_own(bring: Bring, environment: Environment, *, anywhere: bool = False) -> tuple[str, ...]:
    """Return the drives as `drives_now`, or `_drives_anywhere` if only fstab remains to be changed.

    Raises Refused like these, or if a drive is off limits for this run.
    """
    drives = _drives_anywhere(bring) if anywhere else drives_now(bring)
    if bring.takes is not None:
        edit = bring.takes.edit
        if why := edit.foreign(RunningSystem(bring.drive, (edit,), environment)):
            raise refused(why)
    for drive in drives:
        if environment.only is not None and drive not in environment.only:
            raise refused(t("This run may not write to {drive}.", drive=drive))
    return drives


def check_new(bring: Bring) -> None:
    """Raises Refused if the copy no longer fits."""
    drives_now(bring)
    check_room_there(bring)
    check_place(bring)
