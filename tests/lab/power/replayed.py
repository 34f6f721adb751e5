"""Shared by jobs with a log of every write: marks in the log, and restarts with a state after the guest's
end."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

from tests.lab.drives.fleet import KIB
from tests.lab.power.blocklog import Write
from wizard.apply.block.devices import write_bytes

MARKS_BYTES = 512 * KIB
"""Location of the marks on the drive."""
MEMORY = Path("/dev/shm")
"""Files in memory need no waiting for a disk."""
MS_RDONLY = 1
"""From sys/mount.h."""
_KERNEL = ctypes.CDLL(None, use_errno=True)


def mark(node: str, words: bytes) -> None:
    """Write a mark into the log. All earlier writes are durable."""
    os.sync()
    write_bytes(node, MARKS_BYTES, words.ljust(512, b"\0"))


def number_of(words: bytes, writes: Sequence[Write]) -> int:
    """Return the number of writes up to and including a mark."""
    return next(
        number
        for number, write in enumerate(writes, 1)
        if write.offset_bytes == MARKS_BYTES and write.data.startswith(words)
    )


@contextmanager
def looped(image: Path, start: int, length: int) -> Iterator[str]:
    """Attach a loop device over a part of a file."""
    limits = ("--offset", str(start), "--sizelimit", str(length))
    node = subprocess.run(
        ("losetup", "--find", "--show", *limits, str(image)), check=True, capture_output=True, text=True
    ).stdout.strip()
    try:
        yield node
    finally:
        subprocess.run(("losetup", "--detach", node), check=True)
        while Path("/sys/class/block", Path(node).name, "loop").exists():
            sleep(0.005)


@contextmanager
def mounted(node: str, place: Path, kind: str = "ext4", flags: int = 0, options: str = "") -> Iterator[Path]:
    """Mount a filesystem by system calls, since starting programs would take most of the time. Raises
    OSError."""
    if _KERNEL.mount(os.fsencode(node), bytes(place), kind.encode(), flags, options.encode()):
        raise OSError(ctypes.get_errno(), f"{node} is not mounted as {kind}")
    try:
        yield place
    finally:
        failed = _KERNEL.umount2(bytes(place), 0)
        assert not failed, f"{node} stays mounted: {os.strerror(ctypes.get_errno())}"


def mounts(node: str, place: Path, kinds: Sequence[str] = ("ext4", "ext2")) -> bool:
    """Return True if the kernel accepts it as a filesystem of one of these kinds."""
    for kind in kinds:
        with suppress(OSError), mounted(node, place, kind, MS_RDONLY, "noload" if kind == "ext4" else ""):
            return True
    return False
