"""The programs that run, and what they have open.

psutil knows the programs. What they have open is read from the kernel's links: psutil's `open_files` leaves
out devices and folders (psutil documentation, Process.open_files).
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from psutil import PROCFS_PATH, Error, Process, pids

from wizard.model.names import printable

LONGEST_NAME = 40


def others() -> tuple[int, ...]:
    """The numbers of all programs that are seen, but for this one."""
    return tuple(number for number in pids() if number != os.getpid())


def name_of(number: int) -> str | None:
    """What a program is called, made fit to be shown; None where it is gone."""
    with suppress(Error):
        return printable(Process(number).name(), LONGEST_NAME)
    return None


def opened(number: int) -> Iterator[tuple[int, str]]:
    """The descriptors of a program, and where each leads to; of other people's programs only root sees
    them."""
    with suppress(OSError):
        for link in _folder(number, "fd").iterdir():
            with suppress(OSError):
                yield int(link.name), str(link.readlink())


def stands_in(number: int) -> Iterator[str]:
    """Where a program is: its working folder, its root, and its own file."""
    for name in ("cwd", "root", "exe"):
        with suppress(OSError):
            yield str(_folder(number, name).readlink())


def writes(number: int, descriptor: int) -> bool:
    """Whether a program opened this for writing, by the descriptor's `fdinfo`
    (Documentation/filesystems/proc.rst). Raises OSError where it is closed."""
    lines = _folder(number, "fdinfo", str(descriptor)).read_text().splitlines()
    flags = next((line.split()[1] for line in lines if line.startswith("flags:")), "0")
    return int(flags, 8) & os.O_ACCMODE != os.O_RDONLY


def _folder(number: int, *names: str) -> Path:
    return Path(PROCFS_PATH, str(number), *names)
