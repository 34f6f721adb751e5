"""The plan job: start, resume, keep and undo."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import is_unplugged
from wizard.apply.block.scratch_device import forget_left_rules
from wizard.apply.engine.exchange import mark_over_changes
from wizard.apply.engine.record import GOING_BACK, UNTOUCHED, Phase, load_record
from wizard.apply.engine.stores import new_file, old_file
from wizard.apply.plan import rehearsed
from wizard.apply.plan.automount import ensure_mounted
from wizard.apply.plan.guard import check_operations, check_tools
from wizard.apply.plan.own_drives import later_runs, over_later, own_drives, quietly
from wizard.apply.plan.readonly_look import end_looks
from wizard.apply.plan.rehearsed import check_keeps, is_rehearsed
from wizard.apply.plan.relocated_drives import find_relocated, settle_drives
from wizard.apply.plan.run import (
    carry_out_directly,
    execute,
    finish,
    still_writes_over,
    with_unplugged_reason,
)
from wizard.apply.plan.run_summary import DIRECT, direct_end, direct_left, waiting_sentence
from wizard.apply.plan.start import (
    check_secret,
    lock_all,
    preflight,
    preflight_unprivileged,
    room_bytes,
    start_run,
)
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import (
    LEFT_OFF,
    SHOWN_BY_STATUS,
    JobRequest,
    NextCommands,
    Outcome,
    PendingWrites,
    Prepared,
    RunJob,
    RunWork,
    Start,
    check_tokens,
)
from wizard.apply.run.journal import RunState, begun_steps, read_entries, state
from wizard.apply.run.process import NOTHING_WRITTEN, Purpose, lock_drives
from wizard.apply.run.progress_log import Settling, either
from wizard.apply.run.runs import (
    check_room,
    command_on,
    is_direct,
    load_environment,
    load_plan,
    restore_documents,
    run_argument,
)
from wizard.apply.steps.containers import check_passphrase, close_containers
from wizard.apply.steps.layers import clear_drives
from wizard.apply.system.fstab import key_of
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.run import Event
from wizard.model.said import Message, Sentence, join, joined, t
from wizard.plan.plan import Plan
from wizard.plan.undo_policy import WORD, losses


def _prepare_resume(run: Path, typed: bytes | None) -> Prepared:
    moved = settle_drives(run)
    plan, environment = load_plan(run), load_environment(run)
    if state(run) is RunState.WAITING:
        raise Refused(
            join(t("The run {name} is complete.", name=run.name), waiting_sentence(plan, run_argument(run)))
        )
    check_operations(plan, environment.only)
    check_tools(plan)
    check_room(run.parent, room_bytes(plan), make=True)
    secret = _secret(run, plan, typed, keeps=False)

    sentence = joined((*moved, t("Resuming the run on {drives:list}.", drives=plan.devices)))
    check = partial(_check_passphrase, run, plan, secret, keeps=False)
    return Prepared(sentence, _locks(run, plan), check, secret)


def _prepare_keep(run: Path, typed: bytes | None) -> Prepared:
    check_keeps(run)
    end_looks(run)
    moved = settle_drives(run)
    plan = load_plan(run)
    check_operations(plan, load_environment(run).only)
    secret = _secret(run, plan, typed, keeps=True)

    def check() -> None:
        own_drives(run, plan).probe()
        _check_passphrase(run, plan, secret, keeps=True)

    sentence = joined((*moved, t("Keeping the result on {drives:list}.", drives=plan.devices)))
    return Prepared(sentence, _locks(run, plan), check, secret)


def _secret(run: Path, plan: Plan, typed: bytes | None, *, keeps: bool) -> bytes | None:
    """Return the typed passphrase, or the content of the key file if a volume still has to be opened."""
    if typed is None and plan.key_file and rehearsed.wants_passphrase(run, plan, keeps=keeps):
        return key_of(plan)
    return typed


def _check_passphrase(run: Path, plan: Plan, secret: bytes | None, *, keeps: bool) -> None:
    """Raises Refused if the passphrase is missing, or wrong for what a rehearsed run has encrypted. A
    rehearsal in progress encrypts again, so any passphrase is accepted."""
    if secret is not None or rehearsed.wants_passphrase(run, plan, keeps=keeps):
        check_secret(plan, secret)
    record = load_record(run)
    if secret is not None and record is not None and record.phase is not Phase.REHEARSING:
        check_passphrase(plan, run, secret)


def _prepare_undo(run: Path, asked: JobRequest) -> Prepared:
    moved = settle_drives(run, undoing=True)
    plan = load_plan(run)
    sentence = joined((*moved, t("Restoring the old contents of {drives:list}.", drives=plan.devices)))
    rehearsed.check_can_undo(run)
    end_looks(run)
    if asked.over_changes:
        if said := over_later(run):
            raise Refused(said, str(NOTHING_WRITTEN))
        check_tokens(plan, asked.tokens)
    mark_over_changes(run, asked.over_changes)
    return Prepared(sentence, _undo_locks(run, plan), partial(rehearsed.check_there, run, plan))


def _undo_locks(run: Path, plan: Plan) -> Callable[[], tuple[int, ...]]:
    """Return a function that locks the drives. Ending a run before its first write also works without its
    drives."""
    record = load_record(run)
    if record is not None and record.phase in UNTOUCHED:
        attached = [path for path in plan.devices if Path(path).is_block_device()]
        return partial(lock_drives, attached)
    return _locks(run, plan)


def _locks(run: Path, plan: Plan) -> partial[tuple[int, ...]]:
    return partial(lock_all, plan, where=own_drives(run, plan).where)


def _is_complete(outcome: Outcome) -> bool:
    return outcome[0] in (Event.DONE, Event.KEPT)


def _with_saved_data(run: Path, ways: tuple[str, ...]) -> tuple[str, ...]:
    """Return the commands whose saved data exists. The contents are compared when the command runs."""
    record = load_record(run)
    if record is None or not record.changes:
        return ways
    numbers = range(len(record.changes))
    has_old = all(old_file(run, number).exists() for number in numbers)
    has_new = all(new_file(run, number).exists() for number in numbers)
    return tuple(way for way in ways if (has_old if way == "undo" else has_new))


class PlanRunJob(RunJob[Plan]):
    """Runs of plans."""

    keeps = True
    overwrites = True

    def described_for(self, document: Plan, environment: Environment) -> Plan:
        """Describe the steps that edit fstab."""
        return document.described_for_fstab(str(environment.fstab))

    def preflight_unprivileged(self, document: Plan, how: Start) -> None:
        """Check the plan, the tools and the drives' identity."""
        preflight_unprivileged(document, environment=how.environment)

    def preflight(self, document: Plan, how: Start) -> None:
        """Run all checks of a new run as if it were confirmed. Raises as `preflight` does."""
        tokens = (*document.tokens, WORD)
        preflight(document, *tokens, journal_dir=how.journal_dir, environment=how.environment)

    def start(self, document: Plan, how: Start) -> Path:
        """Start a run as `start_run` does."""
        return start_run(
            document,
            *how.tokens,
            journal_dir=how.journal_dir,
            environment=how.environment,
            secret=how.secret,
            keep=how.keep,
        )

    def check_possible(self, run: Path, asked: JobRequest) -> None:
        """Restore lost documents first. Raises Refused for a run directly on the drives."""
        restore_documents(run)
        if not is_rehearsed(run):
            raise Refused(DIRECT(name=run.name))
        # The record and the drives decide about undo.
        if asked.purpose is Purpose.APPLY:
            super().check_possible(run, asked)

    def prepare(self, run: Path, asked: JobRequest) -> Prepared:
        """Find the drives, and check the passphrase."""
        match asked.purpose:
            case Purpose.APPLY:
                return _prepare_resume(run, asked.secret)
            case Purpose.UNDO:
                return _prepare_undo(run, asked)
            case Purpose.KEEP:
                return _prepare_keep(run, asked.secret)

    def ask(self, run: Path, purpose: Purpose) -> None:
        """Run the read-only checks of a command."""
        if not is_rehearsed(run):
            raise Refused(DIRECT(name=run.name))
        rehearsed.ask(run, load_plan(run), purpose)

    def apply(self, work: RunWork) -> Outcome:
        """Rehearse, save and commit, or run directly on the drives."""
        forget_left_rules()
        if not is_rehearsed(work.run):
            return carry_out_directly(work)
        return rehearsed.carry_out(work.run, work.journal, execute, partial(finish, work), work.secret)

    def keep(self, work: RunWork) -> Outcome:
        """Write the withheld signatures, and put the result to use."""
        forget_left_rules()
        event, sentence = rehearsed.release(work.run, work.journal, partial(finish, work))
        return Event.KEPT if event is Event.DONE else event, sentence

    def undo(self, work: RunWork) -> Outcome:
        """Restore the old contents."""
        return Event.UNDONE, rehearsed.undo_plan(work.run, work.journal)

    def describe_error(self, run: Path, error: DiskwrightError) -> str:
        """If a drive was disconnected, say so: later errors may be misleading."""
        with suppress(DiskwrightError):
            return with_unplugged_reason(load_plan(run), error)
        return str(error)

    def leave(self, work: RunWork, outcome: Outcome) -> None:
        """Close encrypted volumes unless the run is complete, and stop the layer of a direct run."""
        if work.purpose is Purpose.UNDO or _is_complete(outcome):
            return
        with suppress(DiskwrightError):
            plan = load_plan(work.run)
            close_containers(plan, work.journal)
            if not is_rehearsed(work.run):
                clear_drives(plan, quietly)

    def ending(self, work: RunWork, outcome: Outcome) -> Outcome:
        """Check that the mounts still exist after the drives were unlocked."""
        if not _is_complete(outcome) or not (failure := ensure_mounted(load_plan(work.run), work.journal)):
            return outcome
        return Event.FAILED, failure

    def is_meant(self, run: Path, command: str, now: RunState) -> bool:
        """Runs that wrote nothing cannot be kept. Runs directly on the drive, and runs in Phase.LEFT, which
        gave up the drive, match no command. `look` needs a complete and hidden result, even if keep or undo
        has failed since."""
        record = load_record(run)
        if command == "look":
            return now is not RunState.RUNNING and record is not None and record.phase is Phase.HIDDEN
        if now is RunState.DONE:
            over = (Phase.KEPT, Phase.UNDONE)
            return command == "undo" and record is not None and record.phase not in over
        if record is None:
            return is_direct(run) is False
        return record.phase is not Phase.LEFT and not (command == "keep" and record.phase in UNTOUCHED)

    def is_direct(self, run: Path) -> bool:
        """Return True for a run without a scratch copy."""
        return load_record(run) is None and is_direct(run) is not False

    def describe_direct(self, run: Path, now: RunState) -> Message | str:
        """Describe the steps so far."""
        if now not in LEFT_OFF or not self.is_direct(run):
            return ""
        return direct_left(load_plan(run), read_entries(run))

    def commands(self, run: Path, now: RunState) -> tuple[str, ...]:
        """Judge by the phase, too. No command continues a direct run."""
        if now is RunState.WAITING:
            return _with_saved_data(run, tuple(Settling))
        if now not in LEFT_OFF or self.is_direct(run):
            return ()
        record, phase = load_record(run), self.phase(run)
        if phase in (Phase.UNDONE, Phase.LEFT):
            return ()
        if phase is Phase.HIDDEN and record is not None and not record.blank:
            # All data is written, so the result is still waiting, whatever failed later.
            return _with_saved_data(run, tuple(Settling))
        if phase in GOING_BACK:
            return ("undo",)
        if phase in (Phase.RELEASED, Phase.KEPT):
            return ("resume",)
        return _with_saved_data(run, super().commands(run, now))

    def working_commands(self, run: Path, now: RunState) -> NextCommands:
        """Describe a direct run, unless no write happened or a later plan wrote to the drives."""
        if direct := self.describe_direct(run, now):
            is_over = not begun_steps(read_entries(run)) or later_runs(run)
            return NextCommands((), "" if is_over else direct)
        return super().working_commands(run, now)

    def last_resort(self, run: Path, fault: Message | str) -> Message | str:
        """Name the command that overwrites later changes."""
        commands = rehearsed.working_commands(run) if load_record(run) is not None else None
        return f"{with_unplugged_reason(load_plan(run), fault)} {commands or ''}".strip()

    def next_commands(self, run: Path, now: RunState) -> Message | str:
        """Ask to reattach missing drives first."""
        try:
            record = load_record(run)
            is_untouched = record is None or record.phase is Phase.REHEARSING
            if now is RunState.REFUSED and is_untouched and not begun_steps(read_entries(run)):
                return ""
            commands = either(command_on(way, run) for way in self.commands(run, now))
            if commands and (gone := tuple(filter(is_unplugged, load_plan(run).devices))):
                return t("Reattach {drives:list}; then {commands}", drives=gone, commands=commands)
            if record is not None:
                return rehearsed.next_commands(run)
            if self.is_direct(run):
                return direct_end(load_plan(run), read_entries(run))
        except BadInput:
            return SHOWN_BY_STATUS(run=run_argument(run))
        return super().next_commands(run, now)

    def relocated(self, run: Path) -> dict[str, str]:
        """Search for the drives of the plan."""
        return {one.known.path: one.sentence for one in find_relocated(run)}

    def pending_writes(self, run: Path) -> PendingWrites:
        """Return destructive steps that are not written yet."""
        plan = load_plan(run)
        if not (steps := still_writes_over(run, plan)):
            return PendingWrites()
        said = (
            Sentence("Continuing run {run} overwrites the content of {drives:list}.")
            if losses(plan) or not plan.part
            else Sentence("Continuing run {run} still writes to {drives:list}, and preserves every file.")
        )
        return PendingWrites(steps, said(run=run.name, drives=plan.devices))

    def wants_passphrase(self, run: Path, *, keeps: bool = False) -> bool:
        """Compare the steps done so far with the encrypted volumes."""
        if keeps and is_rehearsed(run):
            check_keeps(run)
        return rehearsed.wants_passphrase(run, load_plan(run), keeps=keeps)

    def power(self, run: Path) -> str:
        """Promise nothing without the saved data of a hidden result."""
        record = load_record(run)
        if record is not None and record.phase is Phase.HIDDEN and record.changes:
            return super().power(run) if _with_saved_data(run, tuple(Settling)) else ""
        return super().power(run)

    def power_unrecorded(self, run: Path) -> str:
        """A direct run cannot be resumed."""
        if state(run) is not RunState.RUNNING or not self.is_direct(run):
            return ""
        return str(
            t(
                "After a power cut now, {drives:list} must be set up again: this run cannot be resumed.",
                drives=load_plan(run).devices,
            )
        )


JOB = PlanRunJob()
