"""How far a program is that does not say so: by what it has read, and by what of its writing has reached the
device.

What it has written alone says little: most of it can lie in memory until the program waits for the device at
its end. psutil counts both.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from psutil import Error, Process, disk_io_counters

from wizard.apply.block.devices import kernel_name
from wizard.migrate.effort import Effort

ALMOST = 0.99
"""What is expected can be too little; that a program is done only its end says."""


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
            with suppress(Error, OSError, RuntimeError, ValueError):
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
    """How many bytes a process has read, from memory or from a device. Raises psutil's Error, or ValueError
    where the kernel does not count."""
    process = Process(pid)
    if not hasattr(process, "io_counters"):
        raise ValueError(pid)
    return process.io_counters().read_chars


def written_to(node: str) -> int:
    """How many bytes of what was written to a device, or a snapshot of one, have reached it since it is
    there; 0 where nobody counts."""
    # Where sysfs has `!` in a name the kernel's own list has a slash.
    name = kernel_name(node).replace("!", "/")
    counted = disk_io_counters(perdisk=True, nowrap=False).get(name)
    return counted.write_bytes if counted else 0
