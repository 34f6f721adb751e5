"""Drives that come and go while the program runs.

Two sources together: the kernel's own events through pyudev (udev's are silent where no udev daemon runs),
and a look at sysfs twice a second, which is all that sees a loop device attached or detached. `change` events
are not taken: our own opening causes them.
"""

import select
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wizard.probe.host.sysfs import SYS, drive_names, name_of, text

LOOK_SECONDS = 0.5
Seen = frozenset[tuple[str, str | None, str | None]]


def watch_drives(
    stop: threading.Event, look_seconds: float = LOOK_SECONDS, sys: Path = SYS
) -> Iterator[None]:
    """Yield each time the set of drives has changed since this call, until `stop` is set: one was plugged,
    unplugged, attached, detached or resized. Whoever calls this before reading the list of drives misses
    none.
    """
    return _changes(_look(sys), stop, look_seconds, sys)


def is_attached(path: str, diskseq: int | None, sys: Path = SYS) -> bool:
    """Whether the drive that had this number of attachment is still at its node, with its medium. Other
    drives may get the node's name.

    True without a number where anything is there: kernels before 5.15 count none.
    """
    number, size = _state(sys / "block" / name_of(path))
    return size not in (None, "0") and (diskseq is None or number in (None, str(diskseq)))


def _changes(seen: Seen, stop: threading.Event, look_seconds: float, sys: Path) -> Iterator[None]:
    monitor = _monitor()
    while not stop.is_set():
        now = _look(sys)
        if now != seen:
            seen = now
            yield None
        _wait(monitor, stop, look_seconds)


def _look(sys: Path) -> Seen:
    """Each drive with its number of attachment and its size. Neither changes when a drive is opened."""
    return frozenset(
        (name, *_state(sys / "block" / name)) for name in drive_names(all_devices=False, sys=sys)
    )


def _state(folder: Path) -> tuple[str | None, str | None]:
    return text(folder / "diskseq"), text(folder / "size")


def _monitor() -> Any:  # noqa: ANN401 - pyudev has no types
    """A listener for the kernel's block events; None where there can be none, and looking has to do."""
    try:
        import pyudev

        monitor = pyudev.Monitor.from_netlink(pyudev.Context(), source="kernel")
        monitor.filter_by(subsystem="block")
        monitor.start()
    except (ImportError, OSError):
        return None
    return monitor


def _wait(monitor: Any, stop: threading.Event, seconds: float) -> None:  # noqa: ANN401
    """Until a disk comes or goes as the kernel says, or the time is over."""
    if monitor is None:
        stop.wait(seconds)
        return
    if select.select([monitor.fileno()], [], [], seconds)[0]:
        while monitor.poll(timeout=0) is not None:
            continue
