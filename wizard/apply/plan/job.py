"""The plan job: start, resume, keep and undo."""

import fcntl
import os
from collections.abc import Collection
from contextlib import suppress
from itertools import filterfalse
from pathlib import Path
from secrets import token_hex
from shutil import disk_usage, rmtree
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from wizard.apply.engine import stores
from wizard.apply.engine.record import (
    GOING_BACK,
    UNKNOWN_DATA,
    UNTOUCHED,
    Phase,
    Record,
    is_untouched,
    load_record,
    save_record,
)
from wizard.apply.plan import run_summary
from wizard.apply.run import backup_store, job, journal, kinds, process, runs
from wizard.apply.run.journal import RunState
from wizard.apply.run.process import Purpose
from wizard.apply.run.progress_log import either
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.run import Event
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Message, Sentence, join, t
from wizard.plan.plan import Plan
from wizard.plan.request.roles import content_fault
from wizard.probe.pool import is_attached
from wizard.process.deferred import deferred

# Not needed to show the state of a run.
with deferred(__name__):
    from wizard.apply.block import extents, scratch_device
    from wizard.apply.engine import changes, exchange, scratch_copies, survey, writable_copy
    from wizard.apply.plan import (
        guard,
        identity_check,
        readonly_look,
        rehearse,
        rehearsed,
        run_drives,
    )
    from wizard.apply.plan import run as carrying
    from wizard.apply.steps import containers, layers
    from wizard.apply.system import fstab
    from wizard.plan import text
    from wizard.plan.request import encryption


def why_direct(plan: Plan, folder: Path) -> str:
    """Return why the plan must run directly on the drive, as a clause; empty if it can be rehearsed in this
    folder, which may not exist yet."""
    sizes = (member.drive.size_bytes for member in plan.members)
    no_copy = writable_copy.obstacle() if plan.resizes else None
    return plan.direct_reason or str(no_copy or scratch_copies.blocker(runs.existing_above(folder), sizes))


def _check_secret(plan: Plan, secret: bytes | None) -> None:
    """Raises Refused if the passphrase is missing, invalid, or not needed by the plan."""
    if not plan.containers:
        if secret is not None:
            raise process.refused(t("This plan does not encrypt: omit the passphrase."))
        return
    if secret is None:
        raise process.refused(
            t(
                "The plan encrypts {devices:list} and needs a passphrase.",
                devices=tuple(one.device for one in plan.containers),
            )
        )
    by_key = any(one.key for one in plan.containers)
    if fault := content_fault(secret) if by_key else encryption.passphrase_fault(secret):
        raise process.refused(t("The passphrase {fault}.", fault=fault))


PREFIX = ".measuring-"


def undo_space(plan: Plan, folder: Path, environment: backup_store.Environment) -> text.UndoSpace:
    """Measure the space for undo. If the plan must run directly on the drive, describe the consequences
    instead, and whether the user has to confirm them. Raises as `measure` does."""
    if why := why_direct(plan, folder):
        return text.UndoSpace(text.promise(plan, why), not text.needs_word(plan, why))
    return measure(plan, folder, environment)


def measure(plan: Plan, folder: Path, environment: backup_store.Environment) -> text.UndoSpace:
    """Rehearse the plan in the folder, return the space needed and delete everything. Takes seconds. Raises
    DiskwrightError."""
    missing = [above for above in (folder.absolute(), *folder.absolute().parents) if not above.exists()]
    try:
        runs.make_private(folder)
        with process.opened(folder, os.O_RDONLY | os.O_DIRECTORY) as folder_fd:
            # Only one process may measure here: two scratch copies would have the same UUIDs.
            fcntl.flock(folder_fd, fcntl.LOCK_EX)
            for left in folder.glob(f"{PREFIX}*"):
                # A killed process has left this.
                if not process.is_locked(left):
                    scratch_copies.release_left(left)
                    rmtree(left)
            with TemporaryDirectory(prefix=PREFIX, dir=folder) as run:
                return _rehearse_in(plan, Path(run), environment)
    except OSError as error:
        raise runs.no_room(folder, error, runs.ROOM_BYTES) from None
    finally:
        for made in missing:
            # Restore the previous state. Another run may have created its folder there since.
            with suppress(OSError):
                made.rmdir()


def _rehearse_in(plan: Plan, run: Path, environment: backup_store.Environment) -> text.UndoSpace:
    free = disk_usage(run).free
    lock, notes = process.lock_run(run), journal.Journal(run)
    # No passphrase has been entered yet. Any passphrase needs the same space.
    secret = token_hex().encode() if plan.containers else None
    try:
        record = rehearse.rehearse(plan, job.RunWork(run, Purpose.APPLY, notes, (), secret), environment)
    except Failed as error:
        if rehearsed.lacks_space(error, run):
            return text.UndoSpace(rehearsed.NO_SPACE(folder=run.parent, free=free), fits=False)
        raise
    finally:
        notes.close()
        os.close(lock)
    saved = sum(file.stat().st_blocks * KERNEL_SECTOR_BYTES for file in (run / stores.FOLDER).iterdir())
    needed = saved + runs.ROOM_BYTES
    fits = needed <= free
    takes = (
        Sentence("Undo needs {needed:size} in {folder}; {free:size} is free.")
        if fits
        else Sentence(
            "Not enough free space for undo in {folder}: {needed:size} needed, {free:size} free. Name "
            "another folder with --journal DIR."
        )
    )
    unknown = tuple(changes.unknown_data(run, plan, record.changes))
    said = join(*unknown, takes(folder=run.parent, needed=needed, free=free))
    return text.UndoSpace(said, fits, unknown, tuple(change.blank for change in record.changes), needed)


PULLED = Sentence("{drive} was disconnected: plug the drive in again.")


def _with_unplugged_reason(plan: Plan, said: object) -> str:
    """Prefix a message with the reason if a drive was disconnected."""
    gone = next(filterfalse(is_attached, plan.devices), None)
    return f"{PULLED(drive=gone)} {said}" if gone else str(said)


class PlanRunJob(job.RunJob[Plan]):
    """Runs of plans."""

    kind = kinds.PLAN

    def check_document(self, document: Plan) -> None:
        super().check_document(document)
        if said := text.unread_words(document):
            # The loss of a drive that could not be read was never shown.
            raise process.refused(f"{said} {text.AGAIN_AS_ROOT}")

    def check_confirmed(self, document: Plan, how: job.Start) -> None:
        job.check_tokens(document, [token for token in how.tokens if token != text.WORD])

    def own_drives(
        self,
        document: Plan,
        environment: backup_store.Environment,
        run: Path | None = None,
        *,
        undoing: bool = False,
    ) -> Collection[str]:
        # Ending a run before the first write also works without its drives.
        if not undoing:
            guard.check_operations(document, environment)
        elif run and (record := load_record(run)) and record.phase in UNTOUCHED:
            return [path for path in document.devices if Path(path).is_block_device()]
        return document.devices

    def check_requirements(self, document: Plan, how: job.Start) -> None:
        why = how.why_direct
        guard.check_rehearsable(document, why)
        if text.WORD not in how.tokens:
            needs, found = text.needs_word(document, why), list[Message]()
            for member in document.members if why and not needs else ():
                # Tools discard unrecognised data when they run directly on the drive.
                with extents.DeviceMedium(member.drive.path) as drive:
                    block = member.drive.geometry.logical_block_bytes
                    byte = survey.first_data(drive.read, changes.sample_of(member.drive.size_bytes, block))
                if byte is not None:
                    found.append(UNKNOWN_DATA(drive=member.drive.path, byte=byte))
            if found or needs:
                # The user has not confirmed that undo is impossible.
                said = join(*found, rehearsed.WITHOUT_UNDO)
                raise process.refused(f"{text.promise(document, why)} {said}")
        guard.check_tools(document)
        guard.check_surroundings(document, how.environment)

    def room_bytes(self, document: Plan) -> int:
        # 2 MiB for each device of each operation that writes.
        return 2 * MIB * sum(len(one.operation.devices) for one in document.steps if one.operation.writes)

    def lock(self, document: Plan, drives: Collection[str], run: Path | None = None) -> job.Locks:
        process.settle()
        where = run_drives.KnownDrives(run, document).where if run else identity_check.whereabouts
        for member in document.members if len(drives) == len(document.devices) else ():
            if not Path(member.drive.path).is_block_device():
                # The refusal names the place of the missing drive.
                identity_check.probe_again(member.drive, where)
        return process.lock_drives(drives)

    def check_new(self, document: Plan) -> None:
        guard.check_start(document)

    def make(self, document: Plan, how: job.Start) -> Path:
        direct = text.WORD in how.tokens or bool(how.why_direct)
        shown = self.kind.documents.render(document)
        run = runs.make_run(how.folder, document.devices, runs.PLAN, shown, how.environment, direct=direct)
        backup_store.keep_facts(run, document.devices)
        if not direct:
            save_record(run, Record(Phase.REHEARSING, of_plan=runs.plan_digest(run)))
            backup_store.save_backup(run)
            if how.keep:
                backup_store.mark_durably(run / rehearsed.KEEP)
        return run

    def preflight_unprivileged(self, document: Plan, how: job.Start) -> None:
        self.check_document(document)
        self.own_drives(document, how.environment)
        guard.check_tools(document)
        for drive in document.drives:
            identity_check.check_same_start(drive, identity_check.probe_again(drive))

    def preflight(self, document: Plan, how: job.Start) -> None:
        why = why_direct(document, how.folder)
        how = replace(how, tokens=(*document.tokens, text.WORD), why_direct=why)
        process.unlock(self.lock_new(document, how, make=False))

    def start(self, document: Plan, how: job.Start) -> Path:
        secret = fstab.key_of(document) if how.secret is None else how.secret
        _check_secret(document, secret)
        if text.WORD in how.tokens:
            guard.check_rehearsable(document, None)
        # Decide only once whether the run works directly on the drives, as the user has confirmed.
        why = why_direct(document, how.folder)
        return super().start(document, replace(how, secret=secret, why_direct=why))

    def check_possible(self, run: Path, asked: job.JobRequest) -> None:
        runs.restore_documents(run)
        rehearsed.record_of(run)
        # The record and the drives decide about undo.
        if asked.purpose is Purpose.APPLY:
            super().check_possible(run, asked)

    def prepare(self, run: Path, asked: job.JobRequest) -> job.Prepared[Plan]:
        keeping, undoing = asked.purpose is Purpose.KEEP, asked.purpose is Purpose.UNDO
        if keeping:
            rehearsed.check_keeps(run)
        if undoing:
            rehearsed.check_can_undo(run)
        if keeping or undoing:
            readonly_look.end_looks(run)
        moved = run_drives.settle_drives(run, undoing=undoing)
        plan = runs.load_plan(run)
        # Undo must also work if the settings of the run are lost.
        environment = backup_store.ANY if undoing else runs.load_environment(run)
        drives = self.own_drives(plan, environment, run, undoing=undoing)
        sentence = join(*moved, job.STARTS[asked.purpose](devices=plan.devices))
        if undoing:
            if asked.over_changes:
                if said := run_drives.over_later(run):
                    raise process.refused(said)
                job.check_tokens(plan, asked.tokens)
            exchange.mark_over_changes(run, asked.over_changes)
            return job.Prepared(plan, drives, sentence)
        if not keeping:
            if journal.state(run) is RunState.WAITING:
                raise Refused(run_summary.waiting_sentence(plan, runs.run_argument(run)))
            guard.check_tools(plan)
            runs.check_room(run.parent, self.room_bytes(plan), make=True)
        secret = self._secret(run, plan, asked.secret, keeps=keeping)
        return job.Prepared(plan, drives, sentence, secret)

    def _secret(self, run: Path, plan: Plan, secret: bytes | None, *, keeps: bool) -> bytes | None:
        """Return the passphrase or key. Raises Refused if it is missing, or wrong for what the run has
        encrypted."""
        wants = self.wants_passphrase(run, keeps=keeps)
        if wants and secret is None:
            secret = fstab.key_of(plan)
        if wants or secret is not None:
            _check_secret(plan, secret)
        record = load_record(run)
        # A rehearsal in progress encrypts again, so any passphrase is accepted.
        if secret is not None and record is not None and record.phase is not Phase.REHEARSING:
            containers.check_passphrase(plan, run, secret)
        return secret

    def check_continues(self, run: Path, document: Plan, purpose: Purpose) -> None:
        # Before the first write, a run can end without its drives, and resuming checks them like new ones.
        if not is_untouched(run):
            run_drives.KnownDrives(run, document).probe()

    def ask(self, run: Path, purpose: Purpose) -> None:
        record, plan = rehearsed.record_of(run), runs.load_plan(run)
        run_drives.KnownDrives(run, plan).probe()
        if record.phase is Phase.REHEARSING:
            return
        if record.phase is Phase.KEPT and purpose is not Purpose.UNDO:
            run_drives.check_holds_plan(run, plan)
            return
        with rehearsed.comparing(run, plan) as checks:
            if purpose is Purpose.UNDO:
                checks.check_undo(over=False)
            else:
                checks.check_forward()

    def apply(self, work: job.RunWork) -> job.Outcome:
        scratch_device.stop_ignoring()
        if self.is_direct(work.run):
            return carrying.carry_out_directly(work)
        return rehearsed.carry_out(work)

    def keep(self, work: job.RunWork) -> job.Outcome:
        scratch_device.stop_ignoring()
        event, sentence = rehearsed.release(work)
        return Event.KEPT if event is Event.DONE else event, sentence

    def undo(self, work: job.RunWork) -> job.Outcome:
        return Event.UNDONE, rehearsed.undo_plan(work.run, work.journal)

    def leave(self, work: job.RunWork, outcome: job.Outcome) -> None:
        if work.purpose is Purpose.UNDO or outcome[0] in (Event.DONE, Event.KEPT):
            return
        with suppress(DiskwrightError):
            plan = runs.load_plan(work.run)
            containers.close_containers(plan, work.journal)
            if self.is_direct(work.run):
                layers.clear_drives(plan)

    def ending(self, work: job.RunWork, outcome: job.Outcome) -> job.Outcome:
        event, sentence = outcome
        if event in (Event.DONE, Event.KEPT):
            failure = carrying.ensure_mounted(runs.load_plan(work.run), work.journal)
            return (Event.FAILED, failure) if failure else outcome
        if event is Event.FAILED:
            # Errors after a disconnection may be misleading.
            with suppress(BadInput):
                return event, _with_unplugged_reason(runs.load_plan(work.run), sentence)
        return outcome

    def is_meant(self, run: Path, command: str, now: RunState) -> bool:
        # Runs in Phase.LEFT gave up the drive. `look` needs a hidden result, even if keep or undo has failed
        # since.
        record = load_record(run)
        if command == "look":
            return now is not RunState.RUNNING and record is not None and record.phase is Phase.HIDDEN
        if now is RunState.DONE:
            over = (Phase.KEPT, Phase.UNDONE)
            return command == "undo" and record is not None and record.phase not in over
        if record is None:
            return runs.is_direct(run) is False
        return record.phase is not Phase.LEFT and not (command == "keep" and record.phase in UNTOUCHED)

    def is_direct(self, run: Path) -> bool:
        return load_record(run) is None and runs.is_direct(run) is not False

    def commands(self, run: Path, now: RunState) -> tuple[Purpose, ...]:
        if now is not RunState.WAITING and now not in job.LEFT_OFF:
            return ()
        record = load_record(run)
        phase = record.phase if record else None
        if now in job.LEFT_OFF:
            if self.is_direct(run) or phase in (Phase.UNDONE, Phase.LEFT):
                return ()
            if phase in GOING_BACK:
                return (Purpose.UNDO,)
            if phase in (Phase.RELEASED, Phase.KEPT):
                return (Purpose.APPLY,)
            if phase is Phase.HIDDEN and record is not None and not record.blank:
                # All data is written, so the result is still waiting, whatever failed later.
                now = RunState.WAITING
        numbers = range(len(record.changes) if record else 0)
        has_old = all(stores.old_file(run, number).exists() for number in numbers)
        has_new = all(stores.new_file(run, number).exists() for number in numbers)
        # Each command needs its saved bytes, which are compared when the command runs.
        return tuple(
            way for way in super().commands(run, now) if (has_old if way is Purpose.UNDO else has_new)
        )

    def working_commands(self, run: Path, now: RunState) -> job.NextCommands:
        if now in job.LEFT_OFF and self.is_direct(run):
            entries = journal.read_entries(run)
            plan = runs.load_plan(run)
            direct = _with_unplugged_reason(plan, run_summary.direct_left(plan, entries))
            is_over = not journal.begun_steps(entries) or run_drives.later_runs(run)
            return job.NextCommands((), "" if is_over else direct, direct)
        ways = super().working_commands(run, now)
        if not ways.why_not:
            return ways
        # A command may overwrite later changes.
        commands = rehearsed.working_commands(run) if load_record(run) is not None else None
        why_not = _with_unplugged_reason(runs.load_plan(run), ways.why_not)
        return job.NextCommands((), f"{why_not} {commands or ''}".strip())

    def next_commands(self, run: Path, now: RunState) -> Message | str:
        with suppress(BadInput):
            record = load_record(run)
            is_rehearsing = record is None or record.phase is Phase.REHEARSING
            if (
                now is RunState.REFUSED
                and is_rehearsing
                and not journal.begun_steps(journal.read_entries(run))
            ):
                return ""
            commands = either(runs.command_on(way, run) for way in self.commands(run, now))
            if commands and (gone := tuple(filterfalse(is_attached, runs.load_plan(run).devices))):
                return t("Reattach {drives:list}; then {commands}", drives=gone, commands=commands)
            if record is not None:
                return rehearsed.next_commands(run)
            if self.is_direct(run):
                return run_summary.direct_end(runs.load_plan(run), journal.read_entries(run))
        return job.SHOWN_BY_STATUS(run=runs.run_argument(run))

    def relocated(self, run: Path) -> dict[str, str]:
        found = run_drives.find_relocated(run)
        return {known.path: str(said) for known, (_, said) in found.items()}

    def pending_writes(self, run: Path) -> job.PendingWrites:
        plan, record = runs.load_plan(run), load_record(run)
        # Blank places may contain data by now.
        steps = tuple(
            (number, step)
            for number, step in enumerate(plan.steps, 1)
            if step.destroys or step.operation.overwrites
        )
        if not steps or record is None or record.phase not in rehearsed.TO_COMMIT | {Phase.REHEARSING}:
            return job.PendingWrites()
        said = (
            Sentence("Continuing run {run} overwrites the content of {drives:list}.")
            if text.losses(plan) or not plan.part
            else Sentence("If run {run} continues, it writes to {drives:list} again. No file is lost.")
        )
        return job.PendingWrites(steps, said(run=run.name, drives=plan.devices))

    def wants_passphrase(self, run: Path, *, keeps: bool = False) -> bool:
        if keeps and not self.is_direct(run):
            rehearsed.check_keeps(run)
        record, closed = load_record(run), rehearsed.TO_COMMIT | {Phase.HIDDEN}
        is_kept = keeps or record is None or record.blank or (run / rehearsed.KEEP).exists()
        # From the first write until the result is kept, encrypted volumes stay closed.
        if record is None or (record.phase in closed and not is_kept):
            return False
        return not all(map(containers.is_open, runs.load_plan(run).containers))

    def power(self, run: Path) -> str:
        record = load_record(run)
        if record is not None:
            is_lost = record.phase is Phase.HIDDEN and not self.commands(run, RunState.WAITING)
            return "" if is_lost else super().power(run)
        if journal.state(run) is not RunState.RUNNING or not self.is_direct(run):
            return ""
        return str(
            t(
                "After a power cut now, {drives:list} must be set up again: this run cannot be resumed.",
                drives=runs.load_plan(run).devices,
            )
        )


JOB = PlanRunJob()
