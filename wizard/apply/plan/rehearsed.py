"""What the detached process does with a plan that is rehearsed: rehearse, save, commit; then keep or undo.
All of it is in the journal."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from wizard.apply.block.devices import forget_caches, tell_kernel, tell_of
from wizard.apply.block.stand_in import NoStandInError
from wizard.apply.engine.discard import discard
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.held import HeldDrive, holding
from wizard.apply.engine.record import GOING_BACK, UNTOUCHED, Phase, Record, load_record, save_record, ways_on
from wizard.apply.engine.stand_ins import free_bytes, release_left
from wizard.apply.engine.stores import drop_stores
from wizard.apply.engine.words import UNDO
from wizard.apply.migration.words import KEPT, UNDOING, UNDONE
from wizard.apply.plan.guard import check_operations, check_start, check_surroundings, check_unused
from wizard.apply.plan.known_drives import KnownDrives
from wizard.apply.plan.one_part import tell_of_one
from wizard.apply.plan.rehearse import Execute, Ground, StoppedError, rehearse
from wizard.apply.plan.resume import quietly
from wizard.apply.plan.steps_told import waiting_sentence
from wizard.apply.plan.words import carried
from wizard.apply.plan.words import rehearsed as words
from wizard.apply.run.journal import Journal, RunState, done_steps, read_entries, state
from wizard.apply.run.process import STOP
from wizard.apply.run.progress import noting
from wizard.apply.run.runs import called, is_found, load_environment, load_plan
from wizard.apply.run.words import NOTHING_WRITTEN
from wizard.apply.steps.containers import check_containers, wants_secret
from wizard.apply.steps.layers import check_free_array, clear_drives
from wizard.layout.told.promise import WORD
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.journal import Event
from wizard.model.plan import Plan
from wizard.model.said import Said, in_a_row
from wizard.model.units import MIB

TO_BARRED = frozenset({Phase.SAVED, Phase.CLEARING, Phase.REPLACING, Phase.BARRED})
"""From here on, until it is barred, what is encrypted is not opened."""

LITTLE_BYTES = 8 * MIB
"""With less room than this left, that is why a rehearsal failed."""

KEEP = "keep"
"""The file in a run that says that it was to be kept as soon as it is complete, decided before it began."""

Finish = Callable[[], tuple[Event, str]]
"""Puts to use what was made and checks it: how the run ended."""


def is_rehearsed(run: Path) -> bool:
    """Whether the run's plan is rehearsed on stand-ins. Raises BadInput where that cannot be read."""
    return load_record(run) is not None


def is_half_found(run: Path) -> bool:
    """Whether the run was being made from the notices on its drives, and that was cut off. Raises BadInput
    where it cannot be read."""
    record = load_record(run)
    return record is not None and record.phase is Phase.LEFT and is_found(run)


def _refuse_half_found(run: Path) -> None:
    if is_half_found(run):
        raise Refused(words.HALF_FOUND(name=run.name, drive=load_plan(run).drive.path))


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
        raise Refused(UNDOING(name=run.name, run=called(run)))
    _refuse_half_found(run)
    if record.phase is Phase.KEPT:
        drop_stores(run)
        return finish()
    if record.phase in UNTOUCHED:
        # What a killed process left would pass for another's of the same name.
        release_left(run)
    _check_drives(run, plan, record)
    if record.phase is Phase.REHEARSING:
        try:
            record = _rehearse(plan, Ground(run, environment, journal, execute, secret))
        except StoppedError as stopped:
            drop_stores(run)
            return Event.STOPPED, f"{stopped} {way_on(run)}"
    if record.phase is Phase.SAVED and (run / STOP).exists():
        return Event.STOPPED, f"{words.STOPPED()} {way_on(run)}"
    if record.phase in (Phase.SAVED, Phase.CLEARING, Phase.REPLACING):
        with _exchange(run, plan) as exchange:
            exchange.commit(noting(run))
            record = exchange.record
        _tell(plan)
        journal.add(Event.COMMAND, str(words.WRITTEN(drives=plan.paths)))
    if record.phase is Phase.BARRED and not record.blank and not (run / KEEP).exists():
        return Event.WAITING, str(waiting_sentence(plan, called(run)))
    return release(run, journal, finish)


def release(run: Path, journal: Journal, finish: Finish) -> tuple[Event, str]:
    """Make visible what was written, give up the way back, and put it to use. Raises DiskwrightError."""
    plan = load_plan(run)
    record = _record(run)
    if record.phase is Phase.BARRED:
        # It may have waited for weeks.
        check_free_array(plan)
        check_containers(plan)
    if record.phase in (Phase.BARRED, Phase.RELEASING):
        clear_drives(plan, quietly)
        with holding(plan.paths, plan.part_path) as drives:
            record = _released(run, drives, journal)
        _tell(plan)
        journal.add(Event.COMMAND, str(words.IN_PLACE(drives=plan.paths)))
    if record.phase is Phase.RELEASED:
        record = Record(Phase.KEPT, record.changes)
        save_record(run, record)
    if record.phase is not Phase.KEPT:
        not_ready = words.NOT_READY(name=run.name, phase=record.phase)
        raise Refused(f"{not_ready} {ways_on(record.phase, called(run))}".rstrip())
    drop_stores(run)
    return finish()


def _released(run: Path, drives: Sequence[HeldDrive], journal: Journal) -> Record:
    """Make visible what was written on drives that are held, and discard what nobody needs any more."""
    exchange = Exchange(run, drives)
    try:
        exchange.release(noting(run))
    finally:
        exchange.close()
    record = Record(Phase.KEPT, exchange.record.changes)
    save_record(run, record)
    # Now or never: once nobody holds the drives, there may be files.
    for change, drive in zip(record.changes, drives, strict=True):
        discard(change.discards, drive, journal)
    return record


def take_back(run: Path, journal: Journal) -> str:
    """Put back what was there, from wherever the run stands; a sentence that says so. Raises
    DiskwrightError."""
    plan = load_plan(run)
    check_takes_back(run)
    record = _record(run)
    if record.phase is Phase.UNDONE:
        # It was, and was cut off before its journal said so.
        drop_stores(run)
        return str(words.BACK(drives=plan.paths))
    if record.phase in UNTOUCHED:
        # Nothing is written to it, so that it does not matter whether it is there, or was attached anew.
        release_left(run)
        save_record(run, Record(Phase.UNDONE, record.changes))
        drop_stores(run)
        return str(words.UNCHANGED(drives=plan.paths))
    _check_drives(run, plan, record)
    with _exchange(run, plan) as exchange:
        exchange.undo(noting(run))
        changed = sum(change.changed_bytes for change in exchange.record.changes)
    _tell(plan)
    journal.add(Event.COMMAND, str(words.WROTE_BACK(size=changed)))
    drop_stores(run)
    return str(words.BACK(drives=plan.paths))


def check_takes_back(run: Path) -> None:
    """Raises Refused where there is nothing to put back any more."""
    phase = _record(run).phase
    if phase is Phase.UNDONE and state(run) is RunState.UNDONE:
        raise Refused(UNDONE(name=run.name))
    if is_found(run):
        raise Refused(words.FOUND_NOT_BACK(name=run.name))
    if phase is Phase.KEPT:
        raise Refused(words.KEPT_NOT_BACK(name=run.name))


def check_there(run: Path, plan: Plan) -> None:
    """Raises Refused where the drives that something is to be put back on are not there as they were."""
    if _record(run).phase not in (*UNTOUCHED, Phase.UNDONE):
        KnownDrives(run, plan, frozenset()).probe()


def check_keeps(run: Path) -> None:
    """Raises Refused where there is nothing to keep."""
    if state(run) in (RunState.KEPT, RunState.DONE):
        raise Refused(in_a_row(KEPT(name=run.name), NOTHING_WRITTEN()))
    _refuse_half_found(run)
    phase = _record(run).phase
    if phase not in (Phase.BARRED, Phase.RELEASING, Phase.RELEASED, Phase.KEPT):
        not_complete = words.NOT_COMPLETE(name=run.name, phase=phase)
        raise Refused(f"{not_complete} {ways_on(phase, called(run))}".rstrip())


def _record(run: Path) -> Record:
    record = load_record(run)
    if record is None:
        raise BadInput(words.NOT_REHEARSED(name=run.name))
    return record


def _check_drives(run: Path, plan: Plan, record: Record) -> None:
    """Raises Refused unless the drives are the run's, and nobody uses them; before the first write also what
    they hold."""
    environment = load_environment(run)
    check_operations(plan, environment.only)
    try:
        if record.phase in UNTOUCHED:
            check_start(plan)
            check_surroundings(plan, environment)
            return
        clear_drives(plan, quietly)
        for drive in KnownDrives(run, plan, frozenset()).probe():
            check_unused(drive, part=plan.part_path)
    except (BadInput, Failed) as error:
        raise Refused(str(error)) from None


def _rehearse(plan: Plan, ground: Ground) -> Record:
    tried_out = words.TRIED_OUT(drives=plan.paths, count=len(plan.paths))
    ground.journal.add(Event.COMMAND, str(tried_out))
    try:
        record = rehearse(plan, ground)
    except NoStandInError as error:
        raise Refused(words.NO_STAND_IN(drives=plan.paths, why=str(error))) from None
    except Failed as error:
        room = _no_room(plan, ground.run) if free_bytes(ground.run) < LITTLE_BYTES else ""
        drop_stores(ground.run)
        raise Failed(f"{room} {error.said} {way_on(ground.run)}".lstrip()) from None
    save_record(ground.run, record)
    _tell_changes(record, ground)
    return record


def _no_room(plan: Plan, run: Path) -> Said:
    """Why a rehearsal failed for want of room. Without a way back no single partition is changed."""
    if plan.part:
        return words.NO_ROOM(folder=str(run))
    return words.NO_ROOM_OR(folder=str(run), word=shlex.quote(WORD))


def _tell_changes(record: Record, ground: Ground) -> None:
    folder = str(ground.run)
    for change in record.changes:
        size, places = change.changed_bytes, len(change.places)
        if change.blank:
            said = words.ONLY_ZEROS(size=size, count=places, drive=change.path)
        else:
            said = words.HELD(size=size, count=places, drive=change.path, folder=folder)
        ground.journal.add(Event.SAVED, str(said))
        if not record.blank and change.notice is None:
            ground.journal.add(Event.COMMAND, str(words.NO_NOTICE(drive=change.path, folder=folder)))


@contextmanager
def _exchange(run: Path, plan: Plan) -> Iterator[Exchange]:
    with holding(plan.paths, plan.part_path) as drives:
        exchange = Exchange(run, drives)
        try:
            yield exchange
        finally:
            exchange.close()


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


def way_on(run: Path) -> Said:
    """How a run that ended early stands, and the ways from there."""
    phase, name = _record(run).phase, called(run)
    resume = carried.GOES_ON(run=name)
    if phase in UNTOUCHED:
        return in_a_row(words.ONLY_STAND_IN(), resume)
    if phase in GOING_BACK:
        return carried.FINISHES_BACK(run=name)
    return resume if phase is Phase.KEPT else in_a_row(resume, UNDO(run=name))
