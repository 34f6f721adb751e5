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
from wizard.model.said import Sentence, in_a_row, t, tn

NOTHING_WRITTEN_NOW = t("Nothing was written now.")
NOT_NOTED = Sentence("Nothing can be noted in the journal in {run}: {why}.")


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
        return str(t("By its journal the run has begun no step, so it has written nothing to the drive."))
    left = begun - done
    said = (
        [
            tn(
                "step {steps:list} is done",
                "steps {steps:list} are done",
                count=len(done),
                steps=(*sorted(done),),
            )
        ]
        if done
        else []
    )
    said += (
        [
            tn(
                "step {steps:list} is begun and not done",
                "steps {steps:list} are begun and not done",
                count=len(left),
                steps=(*sorted(left),),
            )
        ]
        if left
        else []
    )
    return str(t("By its journal {steps:and}; nothing after that was begun.", steps=(*said,)))


def journal_fault(run: Path) -> str:
    """Why nothing can be noted in a run's folder, what is known of its drive, and what to do; empty where it
    can be written to."""
    error = _tried(run)
    if error is None:
        return ""
    folder = printable(str(run), 200)
    why = t("its filesystem is read-only") if error.errno == errno.EROFS else str(error.strerror)
    on = in_a_row(
        t(
            "If that filesystem turned read-only by itself, its disk may be failing: "
            "look at the kernel's messages first."
        ),
        t(
            "When it can be written to again (mount -o remount,rw), `diskwright resume "
            "{run}` goes on. Or `diskwright undo {run}` undoes what can be undone.",
            run=called(run),
        ),
    )
    return f"{NOT_NOTED(run=folder, why=why)} {known_so_far(run)} {on}"


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
        raise Refused(f"{fault} {NOTHING_WRITTEN_NOW}")
