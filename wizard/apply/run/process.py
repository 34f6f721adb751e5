"""The process that applies: started afresh, in a session of its own, adopted by init, with nothing of the
terminal left to it.

A fresh interpreter rather than a bare fork: the face that starts it may have threads, and libparted and
libblkid must not be inherited.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from wizard.apply.run.module import PACKAGE_FOLDER
from wizard.model.errors import Failed
from wizard.model.said import t

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
            raise Failed(t("The process that applies could not be started: {why}.", why=str(error))) from None
    if done.returncode:
        raise Failed(
            t(
                "The process that applies could not be started; {log} has its last words.",
                log=str(run / "process.log"),
            )
        )
