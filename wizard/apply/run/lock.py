"""Two kinds of locks: one on each drive, which also asks udev to keep away (systemd, Locking Block Device
Access), and one on the run.

A lock belongs to the open file, so it is handed over by letting a child inherit the descriptor.
"""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from wizard.apply.run import words
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.said import t

LOCK = "lock"
"""The file in a run that is locked, with flock(2), which wants no right to write to it."""


def lock_drive(path: str, wait_seconds: float = 5.0) -> int:
    """A descriptor that locks the whole drive; raises Refused while someone else has it. udev locks for
    moments, hence the wait."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise BadInput(words.UNOPENED(path=path, why=str(error.strerror))) from None
    if not _lock(fd, wait_seconds):
        os.close(fd)
        raise Refused(
            t(
                "{path} is locked by another program, perhaps by a run that is still "
                "applying to it. Nothing was written. `diskwright status` lists the runs.",
                path=path,
            )
        )
    return fd


def lock_drives(paths: Iterable[str], check: Callable[[], None] = lambda: None) -> tuple[int, ...]:
    """Descriptors that lock all of these drives, or none: raises as `lock_drive` does, and as `check`, which
    is asked under the locks. In the order of their names, so that two runs that want the same drives never
    wait for each other.
    """
    held: list[int] = []
    try:
        for path in sorted(paths):
            held.append(lock_drive(path))
        check()
    except BaseException:
        unlock(held)
        raise
    return tuple(held)


@contextmanager
def lent(locks: Iterable[int], wait_seconds: float = 30.0) -> Iterator[None]:
    """Let go of locks for a moment, as when udev is to do what it put off, and take them again; raises
    Refused where somebody has one."""
    kept = tuple(locks)
    for lock in kept:
        fcntl.flock(lock, fcntl.LOCK_UN)
    try:
        yield
    finally:
        if not all([_lock(lock, wait_seconds) for lock in kept]):
            raise Refused(t("While udev caught up, another program locked one of the drives."))


def unlock(locks: Iterable[int]) -> None:
    """Let go of locks; a process that inherited one keeps it."""
    for lock in locks:
        os.close(lock)


def lock_run(run: Path, wait_seconds: float = 2.0) -> int:
    """A descriptor that locks a run; raises Refused while a process works on it, Failed where there can be no
    lock."""
    try:
        fd = os.open(run / LOCK, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Failed(
            t("The run in {run} cannot be locked: {why}.", run=str(run), why=str(error.strerror))
        ) from None
    if not _lock(fd, wait_seconds):
        os.close(fd)
        raise Refused(
            t(
                "The run {name} is being worked on by another process; `diskwright status` shows it.",
                name=run.name,
            )
        )
    return fd


def is_locked(run: Path) -> bool:
    """Whether a process works on the run, also on a medium that can only be read; raises BadInput where
    nobody can tell."""
    try:
        fd = os.open(run / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise BadInput(
            t(
                "{file} cannot be read: {why}. Whether the run is at work is not known.",
                file=str(run / LOCK),
                why=str(error.strerror),
            )
        ) from None
    try:
        return not _lock(fd, 0.0)
    finally:
        os.close(fd)


def _lock(fd: int, wait_seconds: float) -> bool:
    until = monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= until:
                return False
            sleep(0.05)
        else:
            return True
