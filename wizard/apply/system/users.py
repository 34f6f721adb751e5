"""Who uses what is mounted: the programs that have a file or a folder of it open, as fuser(1) finds them."""

from collections.abc import Iterator

from psutil import pids

from wizard.apply.run.words import NOTHING_WRITTEN
from wizard.apply.system.mounts import read_mounts
from wizard.model.errors import Refused
from wizard.model.names import printable
from wizard.model.said import in_a_row, t
from wizard.probe.host.programs import name_of, opened, stands_in

A_PROGRAM = t("a program")

MOST_NAMED = 5


def users_of(place: str) -> tuple[str, ...]:
    """The programs with something open at a place or below it, such as `bash (1234)`; of other people's only
    root sees all."""
    below = f"{place.rstrip('/')}/"
    return tuple(
        f"{name_of(number) or A_PROGRAM} ({number})"
        for number in pids()
        if any(path == place or path.startswith(below) for path in _open_paths(number))
    )


def check_unused(place: str) -> None:
    """Raises Refused, naming who it is, where somebody uses what is mounted at a place."""
    shown = printable(place, 200)
    below = next((one for one in read_mounts() if one.mount_point.startswith(f"{place.rstrip('/')}/")), None)
    if below is not None:
        said = t(
            "{below} is mounted below {place}; unmount that first.",
            below=printable(below.mount_point, 200),
            place=shown,
        )
        raise Refused(in_a_row(said, NOTHING_WRITTEN))
    if users := users_of(place):
        named = users[:MOST_NAMED] + ((t("others"),) if len(users) > MOST_NAMED else ())
        raise Refused(
            in_a_row(
                t("{place} is in use by {users:and}. End that first.", place=shown, users=named),
                NOTHING_WRITTEN,
            )
        )


def _open_paths(number: int) -> Iterator[str]:
    """Nothing of a program that is gone, or another person's."""
    yield from stands_in(number)
    yield from (path for _, path in opened(number))
