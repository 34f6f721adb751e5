"""Beginning a run: what must hold whatever it does, and handing it over to a process of its own."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from wizard.apply.run import words
from wizard.apply.run.journal import Journal
from wizard.apply.run.lock import lock_run, unlock
from wizard.apply.run.process import STOP, Purpose, launch
from wizard.model.errors import Failed, Refused
from wizard.model.journal import Event
from wizard.model.said import Said, t
from wizard.tools.program import find
from wizard.tools.program import run as run_command


def check_root() -> None:
    """Raises Refused for a plain user."""
    if os.geteuid() != 0:
        raise Refused(t("This needs root: say sudo before the command. Nothing was written."))


def begin_new(
    make: Callable[[], Path], sentence: Said | str, drive_locks: tuple[int, ...], secret: bytes | None = None
) -> Path:
    """Make a run, which `make` gives the folder of, and hand it over to a process of its own, as `begin`
    does; the drives' locks are let go of here. Raises Refused where either failed: nothing was written then.
    """
    try:
        run = make()
        run_lock = lock_run(run)
        try:
            begin(run, Purpose.APPLY, sentence, drive_locks, run_lock, secret)
        finally:
            os.close(run_lock)
    except Failed as error:
        raise Refused(f"{error} {words.NOTHING_WRITTEN}") from None
    finally:
        unlock(drive_locks)
    return run


def begin(
    run: Path,
    purpose: Purpose,
    sentence: Said | str,
    drive_locks: Sequence[int],
    run_lock: int,
    secret: bytes | None = None,
) -> None:
    """Write the sentence into the run's journal and hand the run over to a process of its own; raises Failed
    where there is none."""
    journal = Journal(run)
    journal.add(Event.STARTED, sentence)
    journal.close()
    launch(run, purpose, drive_locks, run_lock, secret)


def settle(seconds: int = 10) -> None:
    """Let udev finish what it has begun. Only while no drive is locked: of a locked one udev puts the events
    off."""
    if udev_runs():
        run_command(
            ["udevadm", "settle", f"--timeout={seconds}"], seconds=seconds + 10, accept=range(-64, 256)
        )


def udev_runs() -> bool:
    """Whether udev listens, and can be waited for."""
    return Path("/run/udev/control").exists() and find("udevadm") is not None


def request_stop(run: Path) -> None:
    """Ask a run to stop before its next step. The step it is in is finished first. Raises Failed where it
    cannot be asked."""
    try:
        (run / STOP).touch(mode=0o600)
    except OSError as error:
        raise Failed(
            t(
                "The run cannot be asked to stop: {file} cannot be written ({why}).",
                file=str(run / STOP),
                why=str(error.strerror),
            )
        ) from None
