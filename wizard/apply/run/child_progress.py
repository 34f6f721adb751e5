"""How far a program is that does not say so: by what it has read, and by what of its writing has reached the
device.

What it has written alone says little: most of it can lie in memory until the program waits for the device at
its end. Sources: proc(5), /proc/PID/io; Linux Documentation/block/stat.rst.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from wizard.apply.block.devices import kernel_name
from wizard.migrate.effort import Effort
from wizard.model.units import KERNEL_SECTOR_BYTES

ALMOST = 0.99
"""What is expected can be too little; that a program is done only its end says."""

SECTORS_WRITTEN = 6
"""Which word of a device's statistics it is, from 0."""


@contextmanager
def watched_effort(
    node: str, effort: Effort, on_share: Callable[[float], None], every_seconds: float
) -> Iterator[Callable[[int], None]]:
    """Meanwhile `on_share` hears, from a thread of its own, which part of the effort on a node is done by a
    process; what this gives is to be told the number of that process. Nothing is heard where the kernel does
    not count what processes read.
    """
    ended, begun = Event(), Event()
    number, before = 0, written_to(node)

    def begin(pid: int) -> None:
        nonlocal number
        number = pid
        begun.set()

    def watch() -> None:
        begun.wait()
        while not ended.wait(every_seconds):
            with suppress(OSError, ValueError):
                done = min(read_by(number), effort.read_bytes) + min(
                    written_to(node) - before, effort.written_bytes
                )
                on_share(min(done / (effort.read_bytes + effort.written_bytes), ALMOST))

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield begin
    finally:
        ended.set()
        begun.set()
        thread.join()


def read_by(pid: int) -> int:
    """How many bytes a process has read, from memory or from a device. Raises OSError, or ValueError where
    the kernel does not count."""
    counted = dict(line.split(": ", 1) for line in Path(f"/proc/{pid}/io").read_text("ascii").splitlines())
    if "rchar" not in counted:
        raise ValueError(pid)
    return int(counted["rchar"])


def written_to(node: str) -> int:
    """How many bytes of what was written to a device, or a snapshot of one, have reached it since it is
    there; 0 where nobody counts."""
    try:
        words = Path("/sys/class/block", kernel_name(node), "stat").read_text("ascii").split()
        return int(words[SECTORS_WRITTEN]) * KERNEL_SECTOR_BYTES
    except (OSError, ValueError, IndexError):
        return 0
