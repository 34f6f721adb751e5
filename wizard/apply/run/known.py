"""What is known of a drive whose run's journal cannot be written or read: said instead of what nobody has
checked."""

import errno
import os
from pathlib import Path

from wizard.apply.engine.record import load_record, power_sentence
from wizard.apply.run.journal import read_entries
from wizard.apply.run.runs import called
from wizard.model.errors import BadInput, Refused
from wizard.model.journal import Event
from wizard.model.names import printable


def known_so_far(run: Path) -> str:
    """What the journal tells of the drive. A step is on the journal's medium before it begins, so none ran
    that is not in it."""
    try:
        entries = read_entries(run)
        record = load_record(run)
    except BadInput as error:
        return str(error)
    if record is not None:
        return power_sentence(record.phase, "its drives", waits=record.waits)
    begun = {entry.step for entry in entries if entry.event is Event.STEP_STARTED}
    done = {entry.step for entry in entries if entry.event is Event.STEP_DONE}
    if not begun:
        return "By its journal the run has begun no step, so it has written nothing to the drive."
    left = begun - done
    said = [f"{_steps(done)} done"] if done else []
    said += [f"{_steps(left)} begun and not done"] if left else []
    return f"By its journal {' and '.join(said)}; nothing after that was begun."


def _steps(numbers: set[int]) -> str:
    if len(numbers) == 1:
        return f"step {min(numbers)} is"
    return f"steps {', '.join(map(str, sorted(numbers)))} are"


def journal_fault(run: Path) -> str:
    """Why nothing can be noted in a run's folder, what is known of its drive, and what to do; empty where it
    can be written to."""
    error = _tried(run)
    if error is None:
        return ""
    folder = printable(str(run), 200)
    why = "its filesystem is read-only" if error.errno == errno.EROFS else error.strerror
    return (
        f"Nothing can be noted in the journal in {folder}: {why}. {known_so_far(run)} If that filesystem "
        "turned read-only by itself, its disk may be failing: look at the kernel's messages first. When it "
        f"can be written to again (mount -o remount,rw), `diskwright resume {called(run)}` goes on, or "
        f"`diskwright undo {called(run)}` takes back what can be taken back."
    )


def _tried(run: Path) -> OSError | None:
    """What stands against writing there. It is tried: an ext4 that met an error still says that it can be
    written to."""
    trial = run / f".noted-{os.getpid()}"
    try:
        fd = os.open(trial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, b"\n")
            os.fsync(fd)
        finally:
            os.close(fd)
            trial.unlink()
    except FileNotFoundError:
        return None
    except OSError as error:
        return error
    return None


def check_noted(run: Path) -> None:
    """Raises Refused where nothing can be noted in the run's journal: then nothing may be done with its
    drive."""
    if fault := journal_fault(run):
        raise Refused(f"{fault} Nothing was written now.")
