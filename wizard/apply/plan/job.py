"""A plan, as a kind of run: taken up, carried out, kept, taken back."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from wizard.apply.block.unseen import forget_left_rules
from wizard.apply.engine.exchange import mark_over_changes
from wizard.apply.engine.record import UNTOUCHED, Phase, load_record
from wizard.apply.migration.words import NOTHING_TO_RESUME
from wizard.apply.migration.words import UNDOING as BEING_UNDONE
from wizard.apply.plan import rehearsed
from wizard.apply.plan.automounter import stand
from wizard.apply.plan.elsewhere import settle_drives
from wizard.apply.plan.guard import check_operations, check_tools
from wizard.apply.plan.later import over_later
from wizard.apply.plan.looked_at import end_looks
from wizard.apply.plan.rehearsed import check_keeps, is_rehearsed
from wizard.apply.plan.resume import check_resumable, own_drives
from wizard.apply.plan.run import behind_pulled, carry_out_directly, execute, finish
from wizard.apply.plan.start import check_secret, check_tokens, lock_all, room_bytes
from wizard.apply.plan.steps_told import waiting_sentence
from wizard.apply.plan.undo import check_drives, check_undoable, put_back_saved
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.kinds import Asked, Job, Outcome, Taking, Work
from wizard.apply.run.lock import lock_drives
from wizard.apply.run.process import UNDOING, Purpose
from wizard.apply.run.runs import called, check_room, load_environment, load_plan, restore_documents
from wizard.apply.run.words import NOTHING_WRITTEN
from wizard.apply.steps.containers import check_passphrase, close_containers
from wizard.apply.system.key_file import key_of
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.journal import Event
from wizard.model.plan import Plan
from wizard.model.said import in_a_row, joined, t


def _taking(run: Path, asked: Asked) -> Taking:
    restore_documents(run)
    match asked.purpose:
        case Purpose.APPLY:
            return _going_on(run, asked.secret)
        case Purpose.UNDO:
            return _taking_back(run, asked)
        case Purpose.KEEP:
            return _keeping(run, asked.secret)


def _going_on(run: Path, typed: bytes | None) -> Taking:
    now = state(run)
    if now in (RunState.DONE, RunState.UNDONE, RunState.KEPT):
        raise Refused(NOTHING_TO_RESUME(name=run.name, state=now))
    moved = settle_drives(run)
    plan, environment = load_plan(run), load_environment(run)
    if now is RunState.WAITING:
        raise Refused(
            in_a_row(t("The run {name} is complete.", name=run.name), waiting_sentence(plan, called(run)))
        )
    check_operations(plan, environment.only)
    check_tools(plan)
    check_room(run.parent, room_bytes(plan), make=True)
    secret = _secret(run, plan, typed, keeps=False)

    def check() -> None:
        if not is_rehearsed(run):
            check_resumable(run, plan, environment)
        _check_passphrase(run, plan, secret, keeps=False)

    sentence = joined((*moved, t("Going on with the run on {drives:list}.", drives=plan.paths)))
    return Taking(sentence, _locks(run, plan), check, secret)


def _keeping(run: Path, typed: bytes | None) -> Taking:
    load_plan(run)
    if not is_rehearsed(run):
        raise Refused(
            t(
                "The run {name} wrote to the drive directly: there is nothing to keep. Nothing was written.",
                name=run.name,
            )
        )
    check_keeps(run)
    end_looks(run)
    moved = settle_drives(run)
    plan = load_plan(run)
    check_operations(plan, load_environment(run).only)
    secret = _secret(run, plan, typed, keeps=True)

    def check() -> None:
        own_drives(run, plan).probe()
        _check_passphrase(run, plan, secret, keeps=True)

    sentence = joined((*moved, t("Putting {drives:list} to use.", drives=plan.paths)))
    return Taking(sentence, _locks(run, plan), check, secret)


def _secret(run: Path, plan: Plan, typed: bytes | None, *, keeps: bool) -> bytes | None:
    """What was typed, or what is in the plan's key file where something has to be opened still."""
    if typed is None and plan.key_file and rehearsed.wants_passphrase(run, plan, keeps=keeps):
        return key_of(plan)
    return typed


def _check_passphrase(run: Path, plan: Plan, secret: bytes | None, *, keeps: bool) -> None:
    """Raises Refused where the passphrase is wanted and missing, or is not that of what a rehearsed run
    encrypted; while it rehearses that is made anew."""
    if secret is not None or rehearsed.wants_passphrase(run, plan, keeps=keeps):
        check_secret(plan, secret)
    record = load_record(run)
    if secret is not None and record is not None and record.phase is not Phase.REHEARSING:
        check_passphrase(plan, run, secret)


def _taking_back(run: Path, asked: Asked) -> Taking:
    moved = settle_drives(run, undoing=True)
    plan = load_plan(run)
    sentence = joined((*moved, t("Putting back what was on {drives:list}.", drives=plan.paths)))
    if is_rehearsed(run):
        rehearsed.check_takes_back(run)
        end_looks(run)
        if asked.over_changes:
            if said := over_later(run):
                raise Refused(said, str(NOTHING_WRITTEN))
            check_tokens(plan, asked.tokens)
        mark_over_changes(run, asked.over_changes)
        return Taking(sentence, _undo_locks(run, plan), partial(rehearsed.check_there, run, plan))
    if asked.over_changes:
        raise Refused(
            t(
                "The run {name} wrote to the drive directly: it is not undone over what "
                "changed since. Nothing was written.",
                name=run.name,
            )
        )
    check_undoable(run, plan)
    return Taking(sentence, _locks(run, plan), partial(check_drives, run, plan))


def _undo_locks(run: Path, plan: Plan) -> Callable[[], tuple[int, ...]]:
    """The drives' locks. A run that has not written is ended without its drive, too."""
    record = load_record(run)
    if record is not None and record.phase in UNTOUCHED:
        there = [path for path in plan.paths if Path(path).is_block_device()]
        return partial(lock_drives, there)
    return _locks(run, plan)


def _locks(run: Path, plan: Plan) -> partial[tuple[int, ...]]:
    return partial(lock_all, plan, where=own_drives(run, plan).where)


def _apply(work: Work) -> Outcome:
    forget_left_rules()
    if not is_rehearsed(work.run):
        return carry_out_directly(work)
    return rehearsed.carry_out(work.run, work.journal, execute, partial(finish, work), work.secret)


def _keep(work: Work) -> Outcome:
    forget_left_rules()
    event, sentence = rehearsed.release(work.run, work.journal, partial(finish, work))
    return Event.KEPT if event is Event.DONE else event, sentence


def _undo(work: Work) -> Outcome:
    if is_rehearsed(work.run):
        return Event.UNDONE, rehearsed.take_back(work.run, work.journal)
    return Event.UNDONE, put_back_saved(work.run, work.journal)


def _told(run: Path, error: DiskwrightError) -> str:
    """What ended a run. A drive that was pulled is told as that: what fails then may be called full."""
    with suppress(DiskwrightError):
        plan = load_plan(run)
        return behind_pulled(plan, error)
    return str(error)


def _is_complete(outcome: Outcome) -> bool:
    return outcome[0] in (Event.DONE, Event.KEPT)


def _leave(work: Work, outcome: Outcome) -> None:
    """Nothing stays open where the run is not complete."""
    if work.purpose is not Purpose.UNDO and not _is_complete(outcome):
        with suppress(DiskwrightError):
            close_containers(load_plan(work.run), work.journal)


def _ending(work: Work, outcome: Outcome) -> Outcome:
    """What the run mounted has to stand now that others may look at the drives."""
    if not _is_complete(outcome) or not (failure := stand(load_plan(work.run), work.journal)):
        return outcome
    return Event.FAILED, failure


def _ask(run: Path, purpose: Purpose) -> None:
    """Ask the read-only checks of a command. The full checks of a direct run start its arrays."""
    plan = load_plan(run)
    if is_rehearsed(run):
        rehearsed.ask(run, plan, purpose)
        return
    if purpose is Purpose.UNDO:
        check_undoable(run, plan)
    elif (run / UNDOING).exists():
        raise Refused(BEING_UNDONE(name=run.name, run=called(run)))
    own_drives(run, plan).probe()


JOB = Job(
    _taking,
    {Purpose.APPLY: _apply, Purpose.UNDO: _undo, Purpose.KEEP: _keep},
    _told,
    _leave,
    _ending,
    asks=_ask,
)
