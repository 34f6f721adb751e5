"""Rehearse, save and commit a plan in the detached process, then keep or undo. All is journaled."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from wizard.apply.block.devices import forget_caches, tell_kernel, tell_of
from wizard.apply.block.extents import DeviceMedium
from wizard.apply.block.scratch_device import NoStandInError
from wizard.apply.conversion.messages import KEPT, UNDONE
from wizard.apply.engine import record as engine_words
from wizard.apply.engine.changes import discard
from wizard.apply.engine.checks import ENDED, Checks
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.held_drive import HeldDrive, holding
from wizard.apply.engine.record import (
    GOING_BACK,
    RECORD_LOST,
    UNTOUCHED,
    Phase,
    Record,
    load_record,
    save_record,
)
from wizard.apply.engine.scratch_copies import free_bytes, release_left
from wizard.apply.engine.stores import FOLDER
from wizard.apply.engine.survey import Content, Proof, delete_saved, delete_scratch
from wizard.apply.plan.guard import check_operations, check_start, check_surroundings, check_unused
from wizard.apply.plan.identity_check import identity_difference
from wizard.apply.plan.recover import KnownDrives
from wizard.apply.plan.rehearse import Execute, RehearsalWorkspace, StoppedError, rehearse
from wizard.apply.plan.resume import check_holds_plan, later_runs, over_later, quietly
from wizard.apply.plan.run_summary import waiting_sentence
from wizard.apply.plan.undo import tell_of_one
from wizard.apply.run.backup_store import LOOK_SECONDS, drop_backup, save_backup
from wizard.apply.run.journal import Journal, RunState, done_steps, read_entries, state
from wizard.apply.run.process import NOTHING_WRITTEN, STOP, Purpose
from wizard.apply.run.progress_log import noting
from wizard.apply.run.runs import is_direct, is_found, load_environment, load_plan, run_argument
from wizard.apply.steps.containers import check_containers, wants_secret
from wizard.apply.steps.layers import check_free_array, clear_drives
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.ext import Event
from wizard.model.plan import Member, Plan
from wizard.model.said import MIB, Message, Sentence, join, t, tn
from wizard.plan.undo_policy import WORD
from wizard.probe.machine import probe_drive

BACK = Sentence("{drives:list}: restored bit for bit, with all data read back and compared.")
UNCHANGED = Sentence("{drives:list}: not one bit changed. The run only used a scratch copy, now deleted.")
NEVER_WRITTEN = Sentence(
    "The run has ended without writing to {drives:and}, which changed after the rehearsal."
)
NOT_COMPARED = Sentence(
    "The run has ended before the first write to {drives:and}. Not compared with "
    "the plan: the drive is missing or changed since."
)

TO_COMMIT = frozenset({Phase.SAVED, Phase.CLEARING, Phase.REPLACING, Phase.UNKNOWN})
TO_BARRED = TO_COMMIT | {Phase.HIDDEN}
"""From here on, until it is barred, what is encrypted is not opened."""

LITTLE_BYTES = 8 * MIB
"""With less room than this left, that is why a rehearsal failed."""

KEEP = "keep"
"""The file in a run that says that it was to be kept as soon as it is complete, decided before it began."""

Finish = Callable[[], tuple[Event, str]]
"""Puts to use what was made and checks it: how the run ended."""


def is_rehearsed(run: Path) -> bool:
    """Whether the run's plan is rehearsed on stand-ins. Raises BadInput where that cannot be read."""
    if load_record(run) is not None:
        return True
    if is_direct(run) is False:
        raise BadInput(RECORD_LOST(folder=str(run / "engine")))
    return False


def is_half_found(run: Path) -> bool:
    """Whether the run was being made from the notices on its drives, and that was cut off. Raises BadInput
    where it cannot be read."""
    record = load_record(run)
    return record is not None and record.phase is Phase.LEFT and is_found(run)


def _refuse_half_found(run: Path) -> None:
    if is_half_found(run):
        raise Refused(
            t(
                "The run {name} was interrupted while reading the drive. Nothing was "
                "written. `diskwright keep --from-drive {drive}` starts over.",
                name=run.name,
                drive=load_plan(run).drive.path,
            )
        )


def wants_passphrase(run: Path, plan: Plan, *, keeps: bool = False) -> bool:
    """Whether going on with a run, or keeping it where it `keeps`, cannot do without the passphrase of what
    its plan encrypts. Raises Failed where what stands there is a stranger's."""
    record = load_record(run)
    if (
        record is not None
        and record.phase in TO_BARRED
        and not (keeps or record.blank or (run / KEEP).exists())
    ):
        return False
    return wants_secret(plan, done_steps(read_entries(run)))


def carry_out(
    run: Path, journal: Journal, execute: Execute, finish: Finish, secret: bytes | None = None
) -> tuple[Event, str]:
    """Go on to where the user decides, or, for drives that held nothing, to the end; `secret` is the
    passphrase of what is encrypted. Raises DiskwrightError."""
    plan, environment = load_plan(run), load_environment(run)
    record = _record(run)
    if record.phase in GOING_BACK:
        raise Refused(t("The run {name} is being undone. Nothing was written.", name=run.name))
    _refuse_half_found(run)
    if record.phase in (Phase.REHEARSING, Phase.SAVED, Phase.UNKNOWN):
        # What a killed process left would pass for another's of the same name.
        release_left(run)
    _check_drives(run, plan, record)
    if record.phase is Phase.KEPT:
        return _finish_kept(run, plan, finish)
    if record.phase is Phase.REHEARSING:
        try:
            record = _rehearse(plan, RehearsalWorkspace(run, environment, journal, execute, secret))
        except StoppedError as stopped:
            delete_scratch(run, plan.paths)
            return Event.STOPPED, str(stopped)
    if record.phase is Phase.SAVED and (run / STOP).exists():
        return Event.STOPPED, str(t("Stopped before the first write to the drive, as requested."))
    if record.phase in TO_COMMIT:
        with _exchange(run, plan) as exchange:
            exchange.commit(noting(run))
            record = exchange.record
        _tell(plan)
        journal.add(
            Event.COMMAND,
            str(
                t(
                    "{drives:list}: wrote and read back all bytes except the signatures.",
                    drives=plan.paths,
                )
            ),
        )
    if record.phase is Phase.HIDDEN and not record.blank and not (run / KEEP).exists():
        return Event.WAITING, str(waiting_sentence(plan, run_argument(run)))
    return release(run, journal, finish)


def release(run: Path, journal: Journal, finish: Finish) -> tuple[Event, str]:
    """Make visible what was written, give up the way back, and put it to use. Raises DiskwrightError."""
    plan = load_plan(run)
    record = _record(run)
    if record.phase in (Phase.HIDDEN, Phase.UNKNOWN):
        # It may have waited for weeks.
        check_free_array(plan)
        check_containers(plan)
    if record.phase is Phase.RELEASED:
        # Nobody held the drives since: they may be in use, and nothing is discarded any more.
        record = replace(record, phase=Phase.KEPT)
        _check_drives(run, plan, record)
        save_record(run, record)
    if record.phase is Phase.KEPT:
        _check_drives(run, plan, record)
        return _finish_kept(run, plan, finish)
    if record.phase not in (Phase.HIDDEN, Phase.RELEASING, Phase.UNKNOWN):
        raise Refused(
            t(
                "The run {name} is {phase} and not ready to be kept. Nothing was written.",
                name=run.name,
                phase=record.phase,
            )
        )
    clear_drives(plan, quietly)
    with holding(plan.paths, plan.part_path) as drives:
        proof = _released(run, plan, drives, journal)
    _tell(plan)
    journal.add(
        Event.COMMAND, str(t("{drives:list}: all data is in place and was read back.", drives=plan.paths))
    )
    _delete(run, proof)
    return finish()


def _delete(run: Path, proof: Proof) -> None:
    delete_saved(proof)
    drop_backup(run)


def _finish_kept(run: Path, plan: Plan, finish: Finish) -> tuple[Event, str]:
    """Put a kept run to use. Its saved bytes are deleted now if that was cut off: after a comparison with the
    planned bytes or, if the volumes are in use since, after every check of the plan."""
    proof = None
    if (run / FOLDER).exists():
        with suppress(DiskwrightError), comparing(run, plan) as exchange:
            proof = exchange.prove_kept()
    _add_partitions(plan)
    event, sentence = finish()
    if proof is None and event is Event.DONE:
        proof = Proof(run / FOLDER, Content.NEW)
    if proof:
        _delete(run, proof)
    return event, sentence


def _released(run: Path, plan: Plan, drives: Sequence[HeldDrive], journal: Journal) -> Proof:
    """Make visible what was written on drives that are held, and discard what nobody needs any more.
    Gives the proof that it is there."""
    exchange = Exchange(run, drives, confirm=plan.tokens)
    try:
        proof = exchange.release(noting(run))
    finally:
        exchange.close()
    record = replace(exchange.record, phase=Phase.KEPT)
    save_record(run, record)
    # Now or never: once nobody holds the drives, there may be files.
    if exchange.was_hidden:
        for change, drive in zip(record.changes, drives, strict=True):
            discard(change.discards, drive, journal)
    return proof


def take_back(run: Path, journal: Journal) -> str:
    """Put back what was there, from wherever the run stands; a sentence that says so. Raises
    DiskwrightError."""
    plan = load_plan(run)
    check_takes_back(run)
    record = _record(run)
    if record.phase is Phase.REHEARSING:
        return _end_rehearsal(run, plan, record)
    if record.phase is Phase.UNDONE:
        # It was, and was cut off before its journal said so.
        return str(
            _end(run, plan, BACK, Sentence("The run was already undone, and {drives:and} changed since."))
        )
    if record.phase is Phase.SAVED and (ended := _end_saved(run, plan, record)):
        return str(ended)
    _check_drives(run, plan, record)
    changed = sum(change.changed_bytes for change in record.changes)
    with _exchange(run, plan) as exchange:
        proof = exchange.undo(noting(run))
        is_written = exchange.has_written
    if is_written:
        _tell(plan)
        journal.add(Event.COMMAND, str(t("Restored {size:exact}.", size=changed)))
    if proof is None:
        return str(join(NEVER_WRITTEN(drives=plan.paths), _still_saved(run)))
    _delete(run, proof)
    return str(BACK(drives=plan.paths))


def _end_saved(run: Path, plan: Plan, record: Record) -> Message | None:
    """End a run that has saved and not written, whoever uses its drives; None if they show that it wrote.
    Raises Refused if they may be others."""
    release_left(run)
    if not _are_there(run, plan):
        save_record(run, replace(record, phase=Phase.UNDONE))
        return join(NOT_COMPARED(drives=plan.paths), _still_saved(run))
    with comparing(run, plan) as checks:
        if checks.is_ahead:
            return None
        checks.check_undo(over=False)
    save_record(run, replace(record, phase=Phase.UNDONE))
    return _end(run, plan, UNCHANGED, NEVER_WRITTEN)


def _end(run: Path, plan: Plan, is_old: Sentence, is_used: Sentence) -> Message:
    """Delete the saved bytes of a run that is over if all of them are on its drives. Says which."""
    proof = None
    with suppress(DiskwrightError), comparing(run, plan) as checks:
        proof = checks.prove_old()
    if proof is None and (run / FOLDER).exists():
        return join(is_used(drives=plan.paths), _still_saved(run))
    if proof:
        _delete(run, proof)
    return is_old(drives=plan.paths)


def _are_there(run: Path, plan: Plan) -> bool:
    """Whether the drives are attached and may be the run's."""
    try:
        KnownDrives(run, plan, frozenset()).probe()
    except DiskwrightError:
        return False
    return True


def _still_saved(run: Path) -> Message:
    return t("The bytes saved in the rehearsal remain in {folder}.", folder=str(run / FOLDER))


def _end_rehearsal(run: Path, plan: Plan, record: Record) -> str:
    """End a run that wrote nothing but its scratch copy. Raises Refused if a drive shows that it did."""
    release_left(run)
    compared = [_is_as_planned(run, member) for member in plan.members]
    save_record(run, replace(record, phase=Phase.UNDONE))
    delete_scratch(run, plan.paths)
    ended = UNCHANGED if all(compared) else NOT_COMPARED
    return str(ended(drives=plan.paths))


def _is_as_planned(run: Path, member: Member) -> bool:
    """Whether the drive's table and signatures are those of the plan. Raises Refused if it carries the notice
    of this run: then the record is older than the drive."""
    try:
        drive = probe_drive(member.drive.path, seconds=LOOK_SECONDS)
    except DiskwrightError:
        return False
    if drive.waiting is not None and drive.waiting.run == run_argument(run):
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
        identity_difference(member.drive, drive) is None
        and drive.content_digest is not None
        and drive.content_digest == member.drive.content_digest
    )


def check_takes_back(run: Path) -> None:
    """Raises Refused where there is nothing to put back any more."""
    phase = _record(run).phase
    if phase is Phase.UNDONE and state(run) is RunState.UNDONE:
        raise Refused(UNDONE(name=run.name))
    if is_found(run):
        raise Refused(
            t(
                "The run {name} was found on the drive and cannot be undone. The old "
                "contents were lost with the folder of the original run. Nothing was written.",
                name=run.name,
            )
        )
    if phase is Phase.KEPT:
        raise Refused(
            t(
                "The run {name} cannot be undone: it was kept, and the old bytes were "
                "deleted. Nothing was written.",
                name=run.name,
            )
        )


def check_there(run: Path, plan: Plan) -> None:
    """Raises Refused where the drives that something is to be put back on are not there as they were."""
    if _record(run).phase not in UNTOUCHED:
        KnownDrives(run, plan, frozenset()).probe()


def check_keeps(run: Path) -> None:
    """Raises Refused where there is nothing to keep."""
    if state(run) in (RunState.KEPT, RunState.DONE):
        raise Refused(join(KEPT(name=run.name), NOTHING_WRITTEN))
    _refuse_half_found(run)
    phase = _record(run).phase
    if phase not in (Phase.HIDDEN, Phase.RELEASING, Phase.RELEASED, Phase.KEPT, Phase.UNKNOWN):
        not_complete = t(
            "The run {name} is {phase} and not ready to be kept. Nothing was written.",
            name=run.name,
            phase=phase,
        )
        raise Refused(join(not_complete, next_commands(run)))


def _record(run: Path) -> Record:
    record = load_record(run)
    if record is None:
        raise BadInput(t("The run {name} was not rehearsed.", name=run.name))
    return record


def _check_drives(run: Path, plan: Plan, record: Record) -> None:
    """Raises Refused unless the drives are the run's, and nobody uses them; before the first write also what
    they hold."""
    environment = load_environment(run)
    check_operations(plan, environment.only)
    try:
        if record.phase in UNTOUCHED and _is_begun_anew(run, plan, record):
            check_start(plan)
            check_surroundings(plan, environment)
            return
        if record.phase is Phase.KEPT:
            check_holds_plan(run, plan)
            return
        clear_drives(plan, quietly)
        for drive in KnownDrives(run, plan, frozenset()).probe():
            check_unused(drive, part=plan.part_path)
    except (BadInput, Failed) as error:
        raise Refused(str(error)) from None


def _is_begun_anew(run: Path, plan: Plan, record: Record) -> bool:
    """Whether the drives are as before the run. Not if its record is older than they are."""
    if record.phase is Phase.REHEARSING:
        return True
    try:
        with comparing(run, plan) as exchange:
            return not exchange.is_ahead
    except DiskwrightError:
        return True


def _rehearse(plan: Plan, ground: RehearsalWorkspace) -> Record:
    tried_out = tn(
        "Rehearsing on a scratch copy of {drives:list}. Nothing is written to the drive yet.",
        "Rehearsing on scratch copies of {drives:list}. Nothing is written to the drives yet.",
        drives=plan.paths,
        count=len(plan.paths),
    )
    ground.journal.add(Event.COMMAND, str(tried_out))
    try:
        record = rehearse(plan, ground)
    except NoStandInError as error:
        raise Refused(
            t(
                "Cannot create a scratch copy of {drives:list}: {why}. Nothing was written.",
                drives=plan.paths,
                why=str(error),
            )
        ) from None
    except Failed as error:
        room = _no_room(plan, ground.run) if free_bytes(ground.run) < LITTLE_BYTES else ""
        delete_scratch(ground.run, plan.paths)
        raise Failed(f"{room} {error.said}".lstrip()) from None
    record = replace(record, of_plan=_record(ground.run).of_plan)
    save_record(ground.run, record)
    save_backup(ground.run)
    _tell_changes(record, ground)
    return record


def _no_room(plan: Plan, run: Path) -> Message:
    """Why a rehearsal failed for want of room. Without a way back no single partition is changed."""
    if plan.part:
        return t(
            "Not enough free space in {folder} to rehearse: name another folder with --journal DIR.",
            folder=str(run),
        )
    return t(
        "Not enough free space in {folder} to rehearse. Name another folder with "
        "--journal DIR, or start again without undo with --confirm {word}.",
        folder=str(run),
        word=shlex.quote(WORD),
    )


def _tell_changes(record: Record, ground: RehearsalWorkspace) -> None:
    folder = str(ground.run)
    for change in record.changes:
        size, places = change.changed_bytes, len(change.places)
        if change.blank:
            said = tn(
                "Will change {size:exact} in {count} place on {drive}; the old bytes are all zeros.",
                "Will change {size:exact} in {count} places on {drive}; the old bytes are all zeros.",
                size=size,
                count=places,
                drive=change.path,
            )
        else:
            said = tn(
                "Will change {size:exact} in {count} place on {drive}; the old bytes are saved in {folder}.",
                "Will change {size:exact} in {count} places on {drive}; the old bytes are saved in {folder}.",
                size=size,
                count=places,
                drive=change.path,
                folder=folder,
            )
        ground.journal.add(Event.SAVED, str(said))
        if not record.blank and change.notice is None:
            ground.journal.add(
                Event.COMMAND,
                str(
                    t(
                        "{drive} lacks free space for a recovery label. Only {folder} records the "
                        "waiting result.",
                        drive=change.path,
                        folder=folder,
                    )
                ),
            )


@contextmanager
def _exchange(run: Path, plan: Plan) -> Iterator[Exchange]:
    with holding(plan.paths, plan.part_path) as drives:
        exchange = Exchange(run, drives, confirm=_tokens_over(run, plan))
        try:
            yield exchange
        finally:
            exchange.close()


@contextmanager
def comparing(run: Path, plan: Plan) -> Iterator[Checks]:
    """What can be done with a run, on drives that are only read."""
    with ExitStack() as media:
        drives = [media.enter_context(DeviceMedium(path)) for path in plan.paths]
        exchange = Checks(run, drives, confirm=_tokens_over(run, plan))
        try:
            yield exchange
        finally:
            exchange.close()


def _tokens_over(run: Path, plan: Plan) -> tuple[str, ...]:
    """What confirms `undo --over-changes`; none if it would destroy what a later run made."""
    return () if later_runs(run) else plan.tokens


def ask(run: Path, plan: Plan, purpose: Purpose) -> None:
    """Raise Refused or Failed if a run could not be taken up for a purpose now. Only reads."""
    record = _record(run)
    KnownDrives(run, plan, frozenset()).probe()
    if record.phase is Phase.REHEARSING:
        return
    if purpose is not Purpose.UNDO and record.phase is Phase.KEPT:
        check_holds_plan(run, plan)
        return
    with comparing(run, plan) as checks:
        if purpose is Purpose.UNDO:
            checks.check_undo(over=False)
        else:
            checks.check_forward()


def next_commands(run: Path) -> Message:
    """Name the commands that work now for a run, each asked with its own checks."""
    return working_commands(run) or engine_words.SHOWS_RUN(run=run_argument(run))


def working_commands(run: Path) -> Message | None:
    """Return the same, or None if no command works."""
    record, name = _record(run), run_argument(run)
    if record.phase in ENDED and record.phase is not Phase.KEPT:
        return engine_words.NOTHING_LEFT
    if record.phase is Phase.KEPT:
        return engine_words.GOES_ON(command="resume", run=name)
    if record.phase is Phase.REHEARSING:
        return join(
            t("Nothing was written to the drive, only to a scratch copy."),
            engine_words.GOES_ON(command="resume", run=name),
        )
    try:
        with comparing(run, load_plan(run)) as exchange:
            return exchange.next_commands() or over_later(run)
    except DiskwrightError:
        return None


def _add_partitions(plan: Plan) -> None:
    """Have the kernel see the new partitions, and leave alone those that it has, which may be in use."""
    with suppress(DiskwrightError):
        if plan.part:
            tell_of_one(plan)
            return
        for member in plan.members:
            tell_of(member.drive.path, (slot.number for slot in member.after.partitions))


def _tell(plan: Plan) -> None:
    """Have the kernel see what the drives hold now."""
    if plan.part:
        tell_of_one(plan)
        return
    for member in plan.members:
        forget_caches(member.drive.path)
        tell_kernel(member.drive.path, anew=True)
        with suppress(DiskwrightError):
            tell_of(member.drive.path, (slot.number for slot in member.after.partitions))
