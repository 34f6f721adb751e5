"""Start detached processes, and lock drives and runs.

The lock on a drive also makes udev wait (systemd, Locking Block Device Access). A lock belongs to the open
file; a child process inherits it with the descriptor.
"""

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

from psutil import Error, Process, disk_io_counters

from wizard.apply.block.devices import kernel_name
from wizard.apply.run.module import PACKAGE_FOLDER
from wizard.ext4.duration import Effort
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.said import Sentence, t

ENTRY = "wizard/apply/run/module.py"
"""What runs a module, from the folder of the package."""

STOP = "stop"
"""The file in a run that asks it to stop before its next step."""

UNDOING = "undoing"
"""The file in a run that says that putting back has begun: from then on there is no way forward."""


class Purpose(StrEnum):
    """What the process is to do with the run."""

    APPLY = "apply"
    UNDO = "undo"
    KEEP = "keep"


def module_argv(module: str, *arguments: str, writes_bytecode: bool = True) -> tuple[str, ...]:
    """An argument list that runs a module of this package, whatever the working directory and the environment
    hold.

    Where compiled modules are kept stays as it was set; without `writes_bytecode` none are added there, as by
    another user.
    """
    kept = (
        *(("-B",) if sys.dont_write_bytecode or not writes_bytecode else ()),
        *(("-X", f"pycache_prefix={sys.pycache_prefix}") if sys.pycache_prefix else ()),
    )
    return (sys.executable, "-I", *kept, str(PACKAGE_FOLDER / ENTRY), module, *arguments)


def launch(
    run: Path, purpose: Purpose, drive_locks: Sequence[int], run_lock: int, secret: bytes | None = None
) -> None:
    """Start the process and hand all locks over to it, and the passphrase through a pipe; raises Failed where
    it cannot be started."""
    with _as_pipe(secret) as pipe:
        _launch(run, purpose, drive_locks, (run_lock, *pipe))


@contextmanager
def _as_pipe(secret: bytes | None) -> Iterator[tuple[int, ...]]:
    """The end to read the passphrase from, which fits into a pipe whole; none where there is none. It never
    lies in a file."""
    if secret is None:
        yield ()
        return
    here, there = os.pipe()
    try:
        try:
            os.write(there, secret)
        finally:
            os.close(there)
        yield (here,)
    finally:
        os.close(here)


def _launch(run: Path, purpose: Purpose, drive_locks: Sequence[int], others: Sequence[int]) -> None:
    argv = module_argv(
        "wizard.apply", str(run), purpose.value, ",".join(map(str, drive_locks)), *map(str, others)
    )
    with os.fdopen(
        os.open(run / "process.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600), "ab"
    ) as log:
        try:
            # It forks once more at once and this first process ends, so that nobody has to wait for the real
            # one.
            done = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=(*drive_locks, *others),
                cwd="/",
                check=False,
                timeout=60,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failed(t("Cannot start the apply process: {why}.", why=str(error))) from None
    if done.returncode:
        raise Failed(
            t(
                "Cannot start the apply process. See the end of {log}.",
                log=str(run / "process.log"),
            )
        )


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


NOTHING_WRITTEN = t("Nothing was written.")
DISK_FULL = t("the disk is full")
UNWRITTEN = Sentence("Cannot write {file}: {why}.")

# Beginning a run.

# Settling and ending it.

# The journal.
DAMAGED = Sentence("{place} is damaged.")

# Locks.
UNOPENED = Sentence("Cannot open {path}: {why}.")

# Where runs lie.

# How far it is.

# What a document says of itself.

# What was saved of drives.
NO_BAD_SECTORS = Sentence(
    "{run} moves no partition, so --over-bad-sectors does not apply. Nothing was written."
)


LOCK = "lock"
"""The file in a run that is locked, with flock(2), which wants no right to write to it."""


def lock_drive(path: str, wait_seconds: float = 5.0) -> int:
    """A descriptor that locks the whole drive; raises Refused while someone else has it. udev locks for
    moments, hence the wait."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise BadInput(UNOPENED(path=path, why=str(error.strerror))) from None
    if not _lock(fd, wait_seconds):
        os.close(fd)
        raise Refused(
            t(
                "Another program has locked {path}, perhaps a run in progress. Nothing was "
                "written. `diskwright status` lists the runs.",
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
def unlocked(locks: Iterable[int], wait_seconds: float = 30.0) -> Iterator[None]:
    """Let go of locks for a moment, as when udev is to do what it put off, and take them again; raises
    Refused where somebody has one."""
    kept = tuple(locks)
    for lock in kept:
        fcntl.flock(lock, fcntl.LOCK_UN)
    try:
        yield
    finally:
        if not all([_lock(lock, wait_seconds) for lock in kept]):
            raise Refused(t("Another program locked a drive while udev caught up."))


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
            t("Cannot lock the run in {run}: {why}.", run=str(run), why=str(error.strerror))
        ) from None
    if not _lock(fd, wait_seconds):
        os.close(fd)
        raise Refused(
            t(
                "Another process is working on the run {name}; see `diskwright status`.",
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
                "Cannot read {file}: {why}. It is unknown if the run is active.",
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
