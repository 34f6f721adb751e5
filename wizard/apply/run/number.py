"""The numbers of runs: each is one more than the last ever given in its folder, whatever the clock says."""

import fcntl
import os
import re
from collections.abc import Callable
from pathlib import Path

from wizard.apply.run.journal import sync_folder

COUNTER = "counter"
"""The file in the folder of runs with the last number that was given: a number is not given twice, also where
its run was deleted."""

CLOCKED = re.compile(r"\d{8}-\d{6}-")
"""How the name of a run begins that was made by an older version: with the clock's time."""

NUMBERED = re.compile(r"(\d{4,7})-")


def number_of(name: str) -> int:
    """The number that a run's name begins with; 0 where it has none, as those of older versions."""
    found = None if CLOCKED.match(name) else NUMBERED.match(name)
    return int(found[1]) if found else 0


def in_order(run: Path) -> tuple[int, str, int, str]:
    """What runs are sorted by, the oldest first: those of older versions by the time in their names, then the
    numbered."""
    name = run.name
    return (number, "", 0, name) if (number := number_of(name)) else (0, name[:15], len(name), name)


def make_numbered(folder: Path, devices: str, is_free: Callable[[str], bool]) -> Path:
    """Make a run's folder, called for its number and its devices, by a name that `is_free`; raises OSError.

    The number is on the medium before the folder is made.
    """
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        number = max(_last_given(folder), *(number_of(run.name) for run in folder.iterdir()), 0) + 1
        while not is_free(f"{number:04}-{devices}"):
            number += 1
        _note(folder, number)
        run = folder / f"{number:04}-{devices}"
        run.mkdir(mode=0o700)
    finally:
        os.close(fd)
    return run


def _last_given(folder: Path) -> int:
    """By the counter; 0 where there is none, or none that can be read: then the runs that are there tell."""
    try:
        said = (folder / COUNTER).read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return 0
    return int(said) if re.fullmatch(r"\d{1,7}", said, re.ASCII) else 0


def _note(folder: Path, number: int) -> None:
    new = folder / f".{COUNTER}.new"
    fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="ascii") as file:
        file.write(f"{number}\n")
        file.flush()
        os.fsync(fd)
    new.rename(folder / COUNTER)
    sync_folder(folder)
