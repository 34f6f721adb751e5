"""The copy job in the detached process: copy, catch up, compare and undo. Every step is journaled."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from wizard.apply.copy import survey
from wizard.apply.copy.catch_up import catch_up
from wizard.apply.copy.copying import CopyStopped, copy_listed
from wizard.apply.copy.guard import check_new, check_own, is_as_copied
from wizard.apply.copy.places import shown
from wizard.apply.copy.replace_source import restore_source_place, restore_top, take_place
from wizard.apply.copy.site import BringSite, load_again, site_of
from wizard.apply.copy.undo import NAMED, compare, remove_brought, remove_made_folders
from wizard.apply.run.backup_store import mark_durably
from wizard.apply.run.job import JobRequest, Locks, Outcome, Prepared, RunJob, RunWork, Start, check_root
from wizard.apply.run.journal import Journal, begun_steps, done_steps, read_entries
from wizard.apply.run.load import load_bring
from wizard.apply.run.process import STOP, UNDOING, Purpose, lock_drives
from wizard.apply.run.runs import check_room, load_environment, run_argument
from wizard.apply.tree.copying import telling
from wizard.apply.tree.entry import named
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.run import Event
from wizard.model.said import Message, join, reason_of, t
from wizard.operations.mounts import Top
from wizard.plan.changes import Bring, BringStep
from wizard.plan.copy import check_bring

ALL_SAME = t("All copied entries match the source")
STOPPED = t("Stopped as requested. Copied files remain.")

LISTED_BYTES = 512
"""Maximum size of an entry in the packed lists of a run."""

COPY_STEPS = (BringStep.COPY, BringStep.CATCH_UP, BringStep.COMPARE)


def _bring_files(run: Path, journal: Journal) -> tuple[Event, Message]:
    """Run the remaining steps of a copy. Return the last event and message. Raises DiskwrightError."""
    bring = load_bring(run)
    try:
        check_own(bring, load_environment(run), anywhere=_only_fstab_left(run, bring))
        if not begun_steps(read_entries(run)):
            check_new(bring)
        if not _only_fstab_left(run, bring):
            with site_of(run, bring, makes=True) as site:
                ended = _run_steps(run, bring, journal, COPY_STEPS, partial(_with_files, site, journal))
            if ended is not None:
                return ended
        if bring.takes is not None:
            ended = _run_steps(
                run, bring, journal, (BringStep.TAKE_PLACE,), partial(_replace_source, run, bring, journal)
            )
            if ended is not None:
                return ended
        return Event.DONE, _done_message(run, bring)
    except BadInput as error:
        raise Refused(str(error)) from None


def _only_fstab_left(run: Path, bring: Bring) -> bool:
    """Return True if all is copied and compared, so that the volumes are not needed. After a reboot, they may
    be mounted elsewhere."""
    return bring.takes is not None and done_steps(read_entries(run)) >= set(range(1, len(COPY_STEPS) + 1))


def _run_steps(
    run: Path,
    bring: Bring,
    journal: Journal,
    these: Sequence[BringStep],
    do: Callable[[int, BringStep], Message],
) -> tuple[Event, Message] | None:
    """Run the remaining steps among these. Return the last event and message if the run ends here."""
    done = done_steps(read_entries(run))
    for number, step in enumerate(bring.steps, 1):
        if number in done or step not in these:
            continue
        if (run / STOP).exists():
            return Event.STOPPED, STOPPED
        check_own(bring, load_environment(run), anywhere=_only_fstab_left(run, bring))
        journal.add(Event.STEP_STARTED, bring.step_sentence(step), step=number)
        try:
            message = do(number, step)
        except CopyStopped:
            return Event.STOPPED, STOPPED
        except (DiskwrightError, OSError) as error:
            reason = reason_of(error) if isinstance(error, DiskwrightError) else str(error)
            journal.add(Event.STEP_FAILED, reason, step=number)
            steps = len(bring.steps)
            return Event.FAILED, t(
                "Step {step} of {steps} failed: {error} Copied files remain.",
                step=number,
                steps=steps,
                error=reason,
            )
        journal.add(Event.STEP_DONE, message, step=number)
    return None


def _with_files(site: BringSite, journal: Journal, _number: int, step: BringStep) -> Message:
    match step:
        case BringStep.COPY:
            return copy_listed(site)
        case BringStep.CATCH_UP:
            return catch_up(site)
        case _:
            return _compare(site, journal)


def _replace_source(run: Path, bring: Bring, journal: Journal, number: int, _step: BringStep) -> Message:
    return take_place(run, bring, number, journal)


def _compare(site: BringSite, journal: Journal) -> Message:
    try:
        message, entries = compare(site)
    except Failed as error:
        journal.add(Event.NOT_VERIFIED, ALL_SAME, output=str(error))
        raise
    journal.add(
        Event.VERIFIED, ALL_SAME, output=str(t("no difference in {entries:,d} entries", entries=entries))
    )
    return message


def _done_message(run: Path, bring: Bring) -> Message:
    folder, source = (shown(path) for path in (bring.target.folder, bring.source.path))
    again = load_again(run)
    notes = (
        [t("Not copied because created during the copy: {paths:list}.", paths=_names(again.new))]
        if again.new
        else []
    )
    if bring.takes is not None:
        notes.append(
            t(
                "The next boot mounts {device} at {place}. Reboot soon: changes there before "
                "the reboot are not copied.",
                device=bring.target.device,
                place=source,
            )
        )
        notes.append(
            t(
                "The old filesystem on {old} remains unchanged. `diskwright undo {run}` "
                "restores the old mount.",
                old=bring.takes.device,
                run=run_argument(run),
            )
        )
    if again.unsteady:
        paths = _names(again.unsteady)
        return join(
            t(
                "{source} was copied to {folder}, read back and compared, except for files "
                "still changing: {paths:list}.",
                folder=folder,
                source=source,
                paths=paths,
            ),
            *notes,
        )
    return join(
        t(
            "{source} was copied to {folder}, read back and compared. `diskwright undo "
            "{run}` removes the copy.",
            folder=folder,
            source=source,
            run=run_argument(run),
        ),
        *notes,
    )


def _names(paths: tuple[str, ...]) -> tuple[Message | str, ...]:
    more = (survey.MORE_CHANGE(count=len(paths) - NAMED),) if len(paths) > NAMED else ()
    return (*(named(path.encode(errors="surrogateescape")) for path in paths[:NAMED]), *more)


def check_can_undo(run: Path) -> None:
    """Raises Refused if the run has no changes to undo."""
    if not begun_steps(read_entries(run)):
        raise Refused(t("Run {run} made no changes to undo.", run=run.name))


def undo_copy(run: Path, journal: Journal) -> tuple[Event, Message]:
    """Restore the old lines of fstab, then remove the copy. Return the last event and message. Raises
    DiskwrightError.

    If the target is mounted elsewhere, it may have replaced the source and be in use. Then no files are
    removed.
    """
    bring = load_bring(run)
    check_own(bring, load_environment(run), anywhere=bring.takes is not None)
    mark_durably(run / UNDOING)
    first: tuple[Message, ...] = ()
    if bring.takes is not None:
        number = len(bring.steps)
        if number in begun_steps(read_entries(run)):
            first = (restore_source_place(run, bring, number, journal),)
            journal.add(Event.COMMAND, str(first[0]), step=number)
        if not is_as_copied(bring):
            kept = t(
                "The copy on {device} remains, because it may be in use at the new mount "
                "point. The next boot mounts the old filesystem at {place}.",
                device=bring.target.device,
                place=shown(bring.takes.place),
            )
            return Event.UNDONE, join(*first, kept)
    try:
        with site_of(run, bring, makes=True) as site:
            message = remove_brought(site)
            if bring.takes is not None:
                _restore_top(site, bring.takes.top)
    except (Refused, BadInput) as error:
        raise Failed(
            t(
                "Undo removes only files that still exist in the source, and the source is "
                "unreadable. {why} No files were removed.",
                why=reason_of(error),
            )
        ) from None
    remove_made_folders(bring.target.makes)
    return Event.UNDONE, join(*first, message)


def _restore_top(site: BringSite, top: Top) -> None:
    with telling(b"", survey.NOT_REMOVED):
        restore_top(site.there, top)
    site.sync()


class CopyRunJob(RunJob[Bring]):
    """Runs that copy files."""

    def lock_new(self, document: Bring, how: Start, *, make: bool) -> Locks:
        """Check source, target and the space for the lists."""
        check_bring(document)
        check_root()
        check_room(how.folder, document.amount.entries * LISTED_BYTES, make=make)
        return lock_drives(check_own(document, how.environment), partial(check_new, document))

    def begun(self, document: Bring) -> Message:
        """Name source and target."""
        source, folder = shown(document.source.path), shown(document.target.folder)
        return t("Copying {source} to {folder}.", source=source, folder=folder)

    def prepare(self, run: Path, asked: JobRequest) -> Prepared:
        """Check that source and target are the run's. Undo of a replaced source works without the target."""
        bring = load_bring(run)
        folder = shown(bring.target.folder)
        if asked.purpose is Purpose.UNDO:
            check_can_undo(run)
            message = t("Removing the copied files from {folder}.", folder=folder)
        else:
            message = t(
                "Resuming the copy of {source} to {folder}.", source=shown(bring.source.path), folder=folder
            )
        anywhere = bring.takes is not None and (asked.purpose is Purpose.UNDO or _only_fstab_left(run, bring))
        drives = check_own(bring, load_environment(run), anywhere=anywhere)
        return Prepared(message, partial(lock_drives, drives))

    def apply(self, work: RunWork) -> Outcome:
        """Copy, catch up, compare, and replace the source if planned."""
        event, message = _bring_files(work.run, work.journal)
        return event, str(message)

    def undo(self, work: RunWork) -> Outcome:
        """Restore fstab, and remove the copied files."""
        event, message = undo_copy(work.run, work.journal)
        return event, str(message)


JOB = CopyRunJob()
