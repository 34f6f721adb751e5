"""What is known of a drive whose run's journal cannot be written or read: said instead of what nobody has
checked."""

import errno
import os
from pathlib import Path

from wizard.apply.engine.record import load_record, power_sentence
from wizard.apply.run import words
from wizard.apply.run.journal import read_entries
from wizard.apply.run.runs import called
from wizard.model.errors import BadInput, Refused
from wizard.model.journal import Event
from wizard.model.names import printable
from wizard.model.said import in_a_row


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
        return str(words.NO_STEP_BEGUN())
    left = begun - done
    said = [words.STEPS_DONE(count=len(done), steps=(*sorted(done),))] if done else []
    said += [words.STEPS_BEGUN(count=len(left), steps=(*sorted(left),))] if left else []
    return str(words.BY_ITS_JOURNAL(steps=(*said,)))


def journal_fault(run: Path) -> str:
    """Why nothing can be noted in a run's folder, what is known of its drive, and what to do; empty where it
    can be written to."""
    error = _tried(run)
    if error is None:
        return ""
    folder = printable(str(run), 200)
    why = words.READ_ONLY() if error.errno == errno.EROFS else str(error.strerror)
    on = in_a_row(words.MAY_BE_FAILING(), words.WHEN_WRITABLE(run=called(run)))
    return f"{words.NOT_NOTED(run=folder, why=why)} {known_so_far(run)} {on}"


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
        raise Refused(f"{fault} {words.NOTHING_WRITTEN_NOW()}")
