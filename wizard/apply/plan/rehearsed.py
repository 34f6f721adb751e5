"""Rehearse, save and commit a plan in the detached process, then keep or undo. All is journaled."""

import shlex
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from shutil import disk_usage

from msgspec.structs import replace

from wizard.apply.block import devices
from wizard.apply.block.extents import DeviceMedium, holding
from wizard.apply.engine import record as engine_words
from wizard.apply.engine import survey
from wizard.apply.engine.changes import discard
from wizard.apply.engine.checks import ENDED, Checks
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.record import Phase, Record, load_record, save_record
from wizard.apply.engine.scratch_copies import release_left
from wizard.apply.engine.stores import FOLDER, FullError
from wizard.apply.plan import guard, identity_check, run_drives, run_summary
from wizard.apply.plan.readonly_look import update_partition
from wizard.apply.plan.rehearse import rehearse
from wizard.apply.plan.run import finish
from wizard.apply.run import backup_store, job, process, runs
from wizard.apply.run.journal import Journal, RunState, fails_again, state
from wizard.apply.run.progress_log import noting
from wizard.apply.steps.layers import check_free, clear_drives
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused, why_not
from wizard.model.layout import Member
from wizard.model.run import Event
from wizard.model.said import MIB, Message, Sentence, join, t, tn
from wizard.plan.plan import Plan
from wizard.plan.text import WORD
from wizard.probe.machine import probe_drive

NO_SPACE = Sentence(
    "Not enough free space for undo in {folder}: {free:size} is free. Name another folder with --journal DIR."
)
WITHOUT_UNDO = t("To continue without undo, add --confirm {word}.", word=shlex.quote(WORD))
BACK = Sentence("{drives:list}: restored bit for bit, with all data read back and compared.")
MOSTLY_BACK = Sentence(
    "{drives:list}: restored, except for areas of zeros ({size:exact} in all) that `keep` or another program "
    "had begun to overwrite."
)
UNCHANGED = Sentence("{drives:list}: not one bit changed. The run only used a scratch copy, now deleted.")
NEVER_WRITTEN = Sentence(
    "The run has ended without writing to {drives:and}. The drive is missing, or changed after the rehearsal."
)

TO_COMMIT = frozenset({Phase.SAVED, Phase.CLEARING, Phase.REPLACING, Phase.UNKNOWN})

LITTLE_BYTES = 8 * MIB
"""If less space than this is free, a failed rehearsal is blamed on it."""

KEEP = "keep"
"""The file in a run's folder that requests keep immediately after writing, set when the run starts."""


def is_half_found(run: Path) -> bool:
    """Return True if rebuilding the run from the drives was interrupted. Raises BadInput."""
    record = load_record(run)
    return record is not None and record.phase is Phase.LEFT and runs.is_found(run)


def _refuse_half_found(run: Path) -> None:
    if is_half_found(run):
        raise Refused(
            t(
                "The run {name} was interrupted while reading the drive. Nothing was "
                "written. `diskwright keep --from-drive {drive}` starts over.",
                name=run.name,
                drive=runs.load_plan(run).drive.path,
            )
        )


def carry_out(work: job.RunWork) -> job.Outcome:
    """Continue until the user decides, or until the end if the drives were blank. Raises DiskwrightError."""
    run, journal = work.run, work.journal
    plan, record = runs.load_plan(run), record_of(run)
    if record.phase in engine_words.GOING_BACK:
        raise process.refused(t("The run {name} is being undone.", name=run.name))
    _refuse_half_found(run)
    if record.phase in (Phase.REHEARSING, Phase.SAVED, Phase.UNKNOWN):
        # Leftovers of a killed process would otherwise be taken for another program's devices of the same
        # name.
        release_left(run)
    _check_drives(run, plan, record)
    if record.phase is Phase.KEPT:
        return _finish_kept(work, plan)
    if record.phase is Phase.REHEARSING:
        try:
            record = _rehearse(plan, work)
        except process.Stopped as stopped:
            survey.delete_scratch(run, plan.devices)
            return Event.STOPPED, str(stopped)
    if record.phase is Phase.SAVED and (run / process.STOP).exists():
        return Event.STOPPED, t("Stopped before the first write to the drive, as requested.")
    if record.phase in TO_COMMIT:
        with holding(plan.devices, plan.part_path) as drives, closing(Exchange(run, drives)) as exchange:
            exchange.commit(noting(run))
        record = exchange.record
        _update_kernel(plan)
        journal.add(
            Event.COMMAND,
            t(
                "{drives:list}: wrote and read back all bytes except large zeros and the signatures.",
                drives=plan.devices,
            ),
        )
    if record.phase is Phase.HIDDEN and not record.blank and not (run / KEEP).exists():
        return Event.WAITING, run_summary.waiting_sentence(plan, runs.run_argument(run))
    return release(work)


def release(work: job.RunWork) -> job.Outcome:
    """Make the result visible, which ends undo, and mount the volumes. Raises DiskwrightError."""
    run, journal = work.run, work.journal
    plan, record = runs.load_plan(run), record_of(run)
    if record.phase in (Phase.HIDDEN, Phase.UNKNOWN):
        # The run may have waited for weeks.
        check_free(plan)
    if record.phase in (Phase.RELEASED, Phase.KEPT):
        # The drives were unlocked since, so volumes may be in use. From now on, discard nothing.
        kept = replace(record, phase=Phase.KEPT)
        _check_drives(run, plan, kept)
        if kept != record:
            save_record(run, kept)
        return _finish_kept(work, plan)
    if record.phase not in (Phase.HIDDEN, Phase.RELEASING, Phase.UNKNOWN):
        raise Refused(job.NOT_WAITING(name=run.name))
    clear_drives(plan)
    with holding(plan.devices, plan.part_path) as drives, closing(Exchange(run, drives)) as exchange:
        proof = exchange.release(noting(run))
        save_record(run, replace(exchange.record, phase=Phase.KEPT))
        # Discard only now: after the drives are unlocked, files may be there.
        if exchange.was_hidden:
            for change, drive in zip(exchange.record.changes, drives, strict=True):
                discard(change.discards, drive, journal)
    _update_kernel(plan)
    journal.add(
        Event.COMMAND, t("{drives:list}: all data is in place and was read back.", drives=plan.devices)
    )
    _delete(run, proof)
    # On a drive with old data, not every block was compared, and blocks were discarded since.
    return finish(work, compared=exchange.was_hidden and record.blank)


def _delete(run: Path, proof: survey.Proof) -> None:
    survey.delete_saved(proof)
    backup_store.drop_backup(run)


def _finish_kept(work: job.RunWork, plan: Plan) -> job.Outcome:
    """Mount the volumes of a kept run. Then delete saved bytes that an interrupted keep has left, after a
    comparison or, if volumes are in use, after all checks of the plan."""
    run, proof = work.run, None
    if (run / FOLDER).exists():
        with suppress(DiskwrightError), comparing(run, plan) as checks:
            proof = checks.prove(old=False)
    with suppress(DiskwrightError):
        _update_kernel(plan, anew=False)
    event, sentence = finish(work)
    if proof is None and event is Event.DONE:
        proof = survey.Proof(run / FOLDER)
    if proof:
        _delete(run, proof)
    return event, sentence


def undo_plan(run: Path, journal: Journal) -> Message:
    """Undo a run in any phase, and return a summary. Raises DiskwrightError."""
    check_can_undo(run)
    plan, record = runs.load_plan(run), record_of(run)
    if record.phase is Phase.REHEARSING:
        release_left(run)
        compared = [_is_as_planned(run, member) for member in plan.members]
        save_record(run, replace(record, phase=Phase.UNDONE))
        survey.delete_scratch(run, plan.devices)
        return (UNCHANGED if all(compared) else NEVER_WRITTEN)(drives=plan.devices)
    if record.phase is Phase.UNDONE:
        # The undo finished, but was interrupted before the last journal entry.
        return _end(run, plan, BACK, Sentence("The run was already undone, and {drives:and} changed since."))
    if record.phase is Phase.SAVED and (ended := _end_saved(run, plan, record)):
        return ended
    _check_drives(run, plan, record)
    changed = sum(change.changed_bytes for change in record.changes)
    with holding(plan.devices, plan.part_path) as drives, closing(Exchange(run, drives)) as exchange:
        proof = exchange.undo(noting(run))
    if exchange.has_written:
        _update_kernel(plan)
        journal.add(Event.COMMAND, t("Restored {size:exact}.", size=changed))
    if proof is None:
        return join(NEVER_WRITTEN(drives=plan.devices), _still_saved(run))
    _delete(run, proof)
    return _back(plan, exchange.record)


def _back(plan: Plan, record: Record) -> Message:
    if lost := record.lost_bytes:
        return MOSTLY_BACK(drives=plan.devices, size=lost)
    return BACK(drives=plan.devices)


def _end_saved(run: Path, plan: Plan, record: Record) -> Message | None:
    """End a run that has saved but not written, even if its drives are in use. Return None if the drives show
    writes. Raises Refused if they may be other drives."""
    release_left(run)
    if why_not(run_drives.KnownDrives(run, plan).probe):
        save_record(run, replace(record, phase=Phase.UNDONE))
        return join(NEVER_WRITTEN(drives=plan.devices), _still_saved(run))
    with comparing(run, plan) as checks:
        if checks.is_ahead or checks.zeroed_bytes():
            return None
        checks.check_undo(over=False)
    save_record(run, replace(record, phase=Phase.UNDONE))
    return _end(run, plan, UNCHANGED, NEVER_WRITTEN)


def _end(run: Path, plan: Plan, is_old: Sentence, is_used: Sentence) -> Message:
    """Delete the saved bytes of a finished run if the drives contain them. Return a summary."""
    proof = None
    with suppress(DiskwrightError), comparing(run, plan) as checks:
        proof = checks.prove(old=True)
    if proof:
        _delete(run, proof)
    elif (run / FOLDER).exists():
        return join(is_used(drives=plan.devices), _still_saved(run))
    return _back(plan, record_of(run)) if is_old is BACK else is_old(drives=plan.devices)


def _still_saved(run: Path) -> Message:
    return t("The bytes saved in the rehearsal remain in {folder}.", folder=run / FOLDER)


def _is_as_planned(run: Path, member: Member) -> bool:
    """Return True if the drive's table and signatures match the plan. Raises Refused if it has this run's
    recovery label, so the record is outdated."""
    try:
        drive = probe_drive(member.drive.path, seconds=backup_store.LOOK_SECONDS)
    except DiskwrightError:
        return False
    if drive.waiting is not None and drive.waiting.run == runs.run_argument(run):
        raise Refused(
            t(
                "The files of the run {name} are older than the drive, which has all data. "
                "Nothing was written now. `diskwright keep --from-drive {drive}` finishes "
                "the waiting result.",
                name=run.name,
                drive=drive.path,
            )
        )
    return (
        identity_check.identity_difference(member.drive, drive) is None
        and drive.content_digest is not None
        and drive.content_digest == member.drive.content_digest
    )


def check_can_undo(run: Path) -> None:
    """Raises Refused if the run cannot be undone."""
    phase = record_of(run).phase
    if phase is Phase.UNDONE and state(run) is RunState.UNDONE:
        raise Refused(job.ALREADY(name=run.name, state=RunState.UNDONE))
    if runs.is_found(run):
        raise process.refused(
            t(
                "The run {name} was found on the drive and cannot be undone. The old contents were "
                "lost with the folder of the original run.",
                name=run.name,
            )
        )
    if phase is Phase.KEPT:
        raise process.refused(run_summary.NO_LONGER)


def check_keeps(run: Path) -> None:
    """Raises Refused if there is nothing to keep."""
    if state(run) in (RunState.KEPT, RunState.DONE):
        raise Refused(join(job.ALREADY(name=run.name, state=RunState.KEPT), process.NOTHING_WRITTEN))
    _refuse_half_found(run)
    phase = record_of(run).phase
    if phase not in (Phase.HIDDEN, Phase.RELEASING, Phase.RELEASED, Phase.KEPT, Phase.UNKNOWN):
        raise Refused(join(job.NOT_WAITING(name=run.name), next_commands(run)))


def record_of(run: Path) -> Record:
    """Return the record of a rehearsed run. Raises Refused for a direct run, BadInput if it is lost."""
    record = load_record(run)
    if record is None:
        if runs.is_direct(run) is False:
            raise BadInput(engine_words.RECORD_LOST(folder=run / FOLDER))
        raise Refused(run_summary.DIRECT(name=run.name))
    return record


def _check_drives(run: Path, plan: Plan, record: Record) -> None:
    """Raises Refused unless the drives are the run's and unused and, before the first write, match the
    plan."""
    environment = runs.load_environment(run)
    guard.check_operations(plan, environment)
    is_untouched = record.phase in engine_words.UNTOUCHED
    if record.phase is Phase.SAVED:
        # The record may be outdated.
        with suppress(DiskwrightError), comparing(run, plan) as checks:
            is_untouched = not checks.is_ahead
    with process.refusing():
        if is_untouched:
            guard.check_start(plan)
            guard.check_surroundings(plan, environment)
            return
        if record.phase is Phase.KEPT:
            run_drives.check_holds_plan(run, plan)
            return
        clear_drives(plan)
        for drive in run_drives.KnownDrives(run, plan).probe():
            guard.check_unused(drive, part=plan.part_path)


def lacks_space(error: Failed, run: Path) -> bool:
    """Return True if a rehearsal failed for lack of space in the run's folder."""
    return isinstance(error, FullError) or disk_usage(run).free < LITTLE_BYTES


def _rehearse(plan: Plan, work: job.RunWork) -> Record:
    rehearsing = tn(
        "Rehearsing on a scratch copy of {drives:list}. Nothing is written to the drive yet.",
        "Rehearsing on scratch copies of {drives:list}. Nothing is written to the drives yet.",
        drives=plan.devices,
        count=len(plan.devices),
    )
    folder = work.run
    work.journal.add(Event.COMMAND, rehearsing)
    try:
        record = rehearse(plan, work, runs.load_environment(folder))
    except Failed as error:
        said = [error.said]
        if lacks_space(error, folder):
            # Changes to one partition always need undo.
            anyway = () if plan.part else (WITHOUT_UNDO,)
            said[:0] = NO_SPACE(folder=folder, free=disk_usage(folder).free), *anyway
        survey.delete_scratch(folder, plan.devices)
        raise Failed(" ".join(map(str, said))) from None
    record = replace(record, of_plan=record_of(folder).of_plan)
    save_record(folder, record)
    backup_store.save_backup(folder)
    for change in record.changes:
        saved = (
            t("the old bytes are all zeros")
            if change.blank
            else t("the old bytes are saved in {folder}", folder=folder)
        )
        sentence = tn(
            "Will change {size:exact} in {count} place on {drive}; {saved}.",
            "Will change {size:exact} in {count} places on {drive}; {saved}.",
            size=change.changed_bytes,
            count=len(change.places),
            drive=change.path,
            saved=saved,
        )
        work.journal.add(Event.SAVED, sentence)
        if change.zeros:
            later = t(
                "Keep also writes zeros over {size:exact} on {drive}, whose old bytes stay until then.",
                size=change.zero_bytes,
                drive=change.path,
            )
            work.journal.add(Event.COMMAND, later)
        if not record.blank and change.notice is None:
            unlabelled = t(
                "{drive} lacks free space for a recovery label. Only {folder} records the waiting result.",
                drive=change.path,
                folder=folder,
            )
            work.journal.add(Event.COMMAND, unlabelled)
    return record


@contextmanager
def comparing(run: Path, plan: Plan) -> Iterator[Checks]:
    """Compare a run with the drives, opened read-only."""
    with ExitStack() as opened:
        drives = [opened.enter_context(DeviceMedium(path)) for path in plan.devices]
        yield opened.enter_context(closing(Checks(run, drives)))


def next_commands(run: Path) -> Message:
    """Describe the commands that can continue the run, according to their checks."""
    return working_commands(run) or engine_words.SHOWS_RUN(run=runs.run_argument(run))


def working_commands(run: Path) -> Message | None:
    """Describe the commands that can continue the run, or return None."""
    record, name = record_of(run), runs.run_argument(run)
    if record.phase is Phase.KEPT:
        return engine_words.RESUMES_RUN(command="resume", run=name)
    if record.phase in ENDED:
        return t("This run needs no further action.")
    if record.phase is Phase.REHEARSING:
        untouched = t("Nothing was written to the drive, only to a scratch copy.")
        if fails_again(run):
            return untouched
        plan = runs.load_plan(run)
        with suppress(DiskwrightError):
            # A drive that was reattached may be another one, so the rehearsal cannot go on.
            for member, drive in zip(plan.members, identity_check.probe_members(plan), strict=True):
                if why_not(identity_check.check_same_start, member.drive, drive):
                    return join(untouched, engine_words.ENDS_RUN(run=name))
        return join(untouched, engine_words.RESUMES_RUN(command="resume", run=name))
    try:
        plan, later = runs.load_plan(run), run_drives.over_later(run)
        with comparing(run, plan) as checks:
            return checks.next_commands(() if later else plan.tokens) or later
    except DiskwrightError:
        return None


def _update_kernel(plan: Plan, *, anew: bool = True) -> None:
    """Make the kernel reread the tables. `anew`: remove its old partitions, which must not be in use."""
    if plan.part:
        update_partition(plan)
        return
    for member in plan.members:
        path = member.drive.path
        if anew:
            devices.forget_caches(path)
            devices.reread_table(path, anew=True)
        with suppress(DiskwrightError):
            devices.add_partitions(path, (slot.number for slot in member.after.partitions))
