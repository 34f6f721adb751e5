"""Convert, undo and keep in the detached process: guard, steps in order, verify. All is journaled."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import protect
from wizard.apply.block.extents import DeviceMedium
from wizard.apply.conversion import guard, state
from wizard.apply.conversion.commit import Committer
from wizard.apply.conversion.rehearsal import MigratingSite, rehearse
from wizard.apply.engine import record
from wizard.apply.engine.held_drive import HeldDrive
from wizard.apply.engine.stores import FOLDER
from wizard.apply.run import job, journal, process
from wizard.apply.run.backup_store import mark_durably
from wizard.apply.run.progress_log import noting
from wizard.apply.run.runs import run_argument
from wizard.apply.settings.run import setting_checks
from wizard.apply.settings.states import How, do, undo
from wizard.apply.settings.system import RunningSystem, system_in
from wizard.ext4.ways import look_sentence
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.run import Event
from wizard.model.said import Message, join, t
from wizard.operations.fstab import EditFstab
from wizard.plan.changes import Migration

KEEPING = "keeping"
"""File in a run's folder: keeping has begun, so undo is impossible."""


def migrate(site: MigratingSite) -> job.Outcome:
    """Run the remaining steps of a conversion. Return the last event and message. Raises DiskwrightError."""
    run, migration = site.run, site.migration
    check_can_start(run, migration)
    if migration.way.converts:
        if state.phase_of(run) in state.TO_REHEARSE and (ended := rehearse(site)):
            return ended
        site.journal.add(Event.COMMAND, str(_commit(site)))
    total = len(migration.steps)
    edits = (
        (number, step.sentence, partial(do, step.operation, _system(site)))
        for number, step in enumerate(migration.steps, 1)
        if isinstance(step.operation, EditFstab)
    )
    if ended := job.carry_steps(run, site.journal, total, edits, lambda: reached(run)):
        return ended
    if wrong := site.journal.verify(setting_checks(migration)):
        return Event.FAILED, str(wrong)
    return Event.DONE, str(_done_sentence(run, migration))


def _system(site: MigratingSite) -> RunningSystem:
    """Return the system for the last step, the edit of fstab."""
    return system_in(site.run, site.migration, site.journal, site.drive_locks, len(site.migration.steps))


def _commit(site: MigratingSite) -> Message:
    """Write the saved change to the device, or continue an interrupted commit. Return a result message.
    Raises Failed or Refused."""
    device = site.migration.device
    with _committer(site, HeldDrive) as committer:
        committer.commit(noting(site.run))
        if committer.is_as_put:
            return t(
                "{device} contains the result checked on the scratch copy, read back from the drive.",
                device=device,
            )
        return t(
            "{device} contains the result checked on the scratch copy. The device was written to after the "
            "commit.",
            device=device,
        )


@contextmanager
def _committer(site: MigratingSite, medium_class: type[DeviceMedium] = DeviceMedium) -> Iterator[Committer]:
    """Yield the committer of a run. Raises Refused if the device contains another filesystem."""
    device = site.migration.device
    if not state.is_filesystem_of(state.filesystem_of(site.run), device):
        other = state.OTHER_FILESYSTEM(device=device, uuid=site.migration.before.uuid)
        raise Refused(join(other, process.NOTHING_WRITTEN))
    with medium_class(device) as medium:
        yield Committer(site.run, device, medium, site.journal.add)


def _done_sentence(run: Path, migration: Migration) -> Message | str:
    if not migration.way.converts:
        return t(
            "{device} now mounts as ext4. `diskwright undo {run}` reverts this.",
            device=migration.device,
            run=run_argument(run),
        )
    shown = t("{device} is ext4 as shown; all checks passed.", device=migration.device)
    if closed := state.why_closed(run, migration):
        return f"{shown} {closed}"
    protected = state.can_be_undone(run, migration) and protect(migration.device)
    left = (
        t("The filesystem is unmounted. Writes are blocked until you keep or undo the conversion, or reboot.")
        if protected
        else t("The filesystem is unmounted.")
    )
    return join(
        shown,
        left,
        look_sentence(migration.device),
        t(
            "Then run `diskwright keep {run}` or `diskwright undo {run}`.",
            run=run_argument(run),
        ),
    )


def check_can_start(run: Path, migration: Migration) -> None:
    """Raises Refused unless the device is as planned or, for a started run, as the run left it."""
    try:
        if state.has_started(run):
            guard.check_resumable(migration)
            guard.check_fstab(migration, {How.BEFORE, How.AFTER})
        else:
            guard.check_new(migration)
    except (BadInput, Failed) as error:
        raise Refused(str(error)) from None


def reached(run: Path) -> str:
    """Report whether a run that ended early wrote nothing. Empty if it did write."""
    try:
        return "" if state.has_started(run) else str(process.NOTHING_WRITTEN)
    except BadInput as error:
        return str(error)


def check_state(run: Path, purpose: process.Purpose) -> None:
    """Raises Refused if the state or files of a run do not allow this purpose."""
    now, name = journal.state(run), run.name
    if now is journal.RunState.KEPT:
        raise Refused(job.KEPT(name=name))
    if purpose is process.Purpose.KEEP and (
        now is journal.RunState.UNDONE or (run / process.UNDOING).exists() or not journal.was_done(run)
    ):
        raise Refused(
            t("Run {name} is {state}: only a completed and verified run can be kept.", name=name, state=now)
        )
    if purpose is not process.Purpose.KEEP and (run / KEEPING).exists():
        # Part of the undo data may be deleted.
        raise Refused(
            t(
                "Keeping run {name} is unfinished. Finish with `diskwright keep {run}`. Nothing was written.",
                name=name,
                run=run_argument(run),
            )
        )


def undo_conversion(site: MigratingSite) -> job.Outcome:
    """Undo a conversion. Return the last event and message. Raises DiskwrightError.

    The fstab line is restored first, since the ext4 in that line will not exist afterwards.
    """
    migration = site.migration
    check_untouched(site.run, migration)
    # Check before the line changes: with an old line and an ext4, the next boot could not mount it.
    unwritten = (*state.TO_REHEARSE, record.Phase.SAVED, record.Phase.UNDONE, record.Phase.KEPT)
    if state.phase_of(site.run) not in unwritten:
        with _committer(site) as committer:
            committer.check_kept()
    mark_durably(site.run / process.UNDOING)
    messages = []
    for setting in migration.settings:
        messages.append(str(undo(setting, _system(site))))
        site.journal.add(Event.COMMAND, messages[-1])
    messages.append(str(_restore(site)))
    return Event.UNDONE, " ".join(messages)


def check_untouched(run: Path, migration: Migration) -> None:
    """Raises Refused if the device is in use or may be another one, or the filesystem was mounted for writing
    since the commit."""
    guard.check_resumable(migration)
    window = state.undo_state(run, migration)
    if window is not None and window.back is not job.Rollback.OPEN:
        raise Refused(f"{window.sentence} {process.NOTHING_WRITTEN}")


def _restore(site: MigratingSite) -> Message:
    """Restore the replaced blocks, and return a result message. Can be repeated. Raises Failed or Refused."""
    run, device, phase = site.run, site.migration.device, state.phase_of(site.run)
    if phase is None or phase in record.UNTOUCHED:
        if phase is not None:
            record.save_record(run, record.Record(record.Phase.UNDONE, waits=False))
            state.drop_folder(run / FOLDER)
        return t("{device} was not written to.", device=device)
    with _committer(site, HeldDrive) as committer:
        committer.undo(noting(run))
        state.drop_folder(state.saved_in(run))
        if committer.phase is record.Phase.LEFT or not committer.is_as_put:
            return t(
                "{device} contains the old filesystem without any of the changes. Later "
                "writes prevent a bit-for-bit comparison.",
                device=device,
            )
    return t("{device} is restored. All replaced blocks were read back and match bit for bit.", device=device)
