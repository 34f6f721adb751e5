"""Start detached processes, and lock drives and runs.

The lock on a drive also makes udev wait (systemd, Locking Block Device Access). A lock belongs to the open
file; child processes inherit it with the descriptor.
"""

import fcntl
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path

from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.said import Sentence, failing, t
from wizard.process.lock import lock_within
from wizard.process.module import module_argv
from wizard.process.program import find
from wizard.process.program import run as run_command

STOP = "stop"
"""The file in a run's folder that requests a stop before the next step."""

STOPPED = t("Stopped as requested.")


class Stopped(Exception):
    """A stop was requested within a step or a rehearsal. The run can resume."""


UNDOING = "undoing"
"""The file in a run's folder that marks the start of undo, after which the run cannot be resumed."""

LOG = "process.log"
"""The output of a run's process, created when the process starts."""


class Purpose(StrEnum):
    """Task of a run's process. The values are commands; APPLY also starts a run."""

    APPLY = "resume"
    KEEP = "keep"
    UNDO = "undo"


def launch(
    run: Path, purpose: Purpose, drive_locks: Sequence[int], run_lock: int, secret: bytes | None = None
) -> None:
    """Start the run's process and pass it all locks, and the passphrase on standard input. Raises Failed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    with os.fdopen(os.open(run / LOG, flags, 0o600), "ab") as log:
        locks = ",".join(map(str, (*drive_locks, run_lock)))
        try:
            # The process forks again and its parent exits immediately, so nobody has to wait for the child.
            subprocess.run(
                module_argv("wizard.apply", str(run), purpose.value, locks),
                input=secret or b"",
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=(*drive_locks, run_lock),
                cwd="/",
                check=True,
                timeout=60,
            )
        except (OSError, subprocess.SubprocessError) as error:
            with suppress(OSError):
                log.write(f"{error}\n".encode())
                log.flush()
            raise Failed(t("Cannot start the apply process. See the end of {log}.", log=run / LOG)) from None


NOTHING_WRITTEN = t("Nothing was written.")


def refused(why: object) -> Refused:
    """Return a refusal before the first write, with the reason."""
    return Refused(why, NOTHING_WRITTEN)


@contextmanager
def refusing() -> Iterator[None]:
    """Turn errors of checks into refusals. Raises Refused."""
    try:
        yield
    except (BadInput, Failed) as error:
        raise Refused(str(error)) from None


UNWRITTEN = Sentence("Cannot write {file}: {why}.")


DAMAGED = Sentence("{place} is damaged.")

UNOPENED = Sentence("Cannot open {path}: {why}.")


@contextmanager
def opened(path: str | Path, flags: int, mode: int = 0o777) -> Iterator[int]:
    """Yield a descriptor of a file, which programs do not inherit. Raises OSError."""
    fd = os.open(path, flags | os.O_CLOEXEC, mode)
    try:
        yield fd
    finally:
        os.close(fd)


LOCK = "lock"
"""The file in a run's folder that is locked with flock(2), which needs no write permission."""


def lock_drive(path: str, wait_seconds: float = 5.0) -> int:
    """Lock a whole drive and return the descriptor. Waits briefly, since udev locks drives for moments.
    Raises Refused if the drive stays locked."""
    with failing(UNOPENED, BadInput, path=path):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    if not lock_within(fd, wait_seconds):
        os.close(fd)
        raise Refused(
            t(
                "Another program has locked {path}, perhaps a run in progress. Nothing was "
                "written. `diskwright status` lists the runs.",
                path=path,
            )
        )
    return fd


def lock_drives(paths: Iterable[str]) -> tuple[int, ...]:
    """Lock all drives or none, in order of device names, so two runs cannot deadlock. Return the descriptors.
    Raises as `lock_drive` does."""
    held: list[int] = []
    try:
        for path in sorted(paths):
            held.append(lock_drive(path))
    except BaseException:
        unlock(held)
        raise
    return tuple(held)


@contextmanager
def unlocked(locks: Iterable[int], wait_seconds: float = 30.0) -> Iterator[None]:
    """Release locks for a moment, so udev can catch up. Raises Refused if they cannot be locked again."""
    kept = tuple(locks)
    for lock in kept:
        fcntl.flock(lock, fcntl.LOCK_UN)
    try:
        yield
    finally:
        if not all([lock_within(lock, wait_seconds) for lock in kept]):
            raise Refused(t("Another program locked a drive while udev caught up."))


def unlock(locks: Iterable[int]) -> None:
    """Close the descriptors of locks. Processes that inherited a lock keep it."""
    for lock in locks:
        os.close(lock)


def lock_run(run: Path, wait_seconds: float = 2.0) -> int:
    """Lock a run and return the descriptor. Raises Refused while a process works on it, and Failed if the
    lock file cannot be created."""
    with failing(UNWRITTEN, file=run / LOCK):
        fd = os.open(run / LOCK, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if not lock_within(fd, wait_seconds):
        os.close(fd)
        raise Refused(
            t("Another process is working on the run {name}; see `diskwright status`.", name=run.name)
        )
    return fd


def is_locked(run: Path) -> bool:
    """Return True if a process works on the run. Also works on a read-only filesystem. Raises BadInput if the
    lock is unreadable."""
    try:
        with opened(run / LOCK, os.O_RDONLY) as fd:
            return not lock_within(fd, 0.0)
    except FileNotFoundError:
        return False
    except OSError as error:
        unknown = Sentence("Cannot read {file}: {why}. It is unknown if the run is active.")
        raise BadInput(unknown(file=run / LOCK, why=error)) from None


def settle(seconds: int = 10) -> None:
    """Wait until udev has processed its queue. Unlock the drives first: udev delays events of locked
    drives."""
    if udev_runs():
        run_command(
            ["udevadm", "settle", f"--timeout={seconds}"], seconds=seconds + 10, accept=range(-64, 256)
        )


def udev_runs() -> bool:
    """Return True if udev is running and `udevadm` is installed."""
    return Path("/run/udev/control").exists() and find("udevadm") is not None


def request_stop(run: Path) -> None:
    """Ask a run to stop before the next step. Raises Failed."""
    with failing(UNWRITTEN, file=run / STOP):
        (run / STOP).touch(mode=0o600)
