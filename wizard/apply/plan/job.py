"""The plan job: start, resume, keep and undo, and measure the space that undo needs."""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from tempfile import TemporaryDirectory

from wizard.apply.block.scratch_device import forget_left_rules
from wizard.apply.engine.changes import unknown_data
from wizard.apply.engine.exchange import mark_over_changes
from wizard.apply.engine.record import UNTOUCHED, Phase, load_record
from wizard.apply.engine.scratch_copies import free_bytes, release_left
from wizard.apply.engine.stores import FOLDER, old_file
from wizard.apply.plan import rehearsed
from wizard.apply.plan.automount import ensure_mounted
from wizard.apply.plan.guard import check_operations, check_tools
from wizard.apply.plan.own_drives import over_later, own_drives, quietly
from wizard.apply.plan.readonly_look import end_looks
from wizard.apply.plan.rehearse import RehearsalWorkspace, rehearse
from wizard.apply.plan.rehearsed import LITTLE_BYTES, check_keeps, is_rehearsed
from wizard.apply.plan.relocated_drives import settle_drives
from wizard.apply.plan.run import carry_out_directly, execute, finish, with_unplugged_reason
from wizard.apply.plan.run_summary import DIRECT, waiting_sentence
from wizard.apply.plan.start import check_secret, lock_all, room_bytes, why_direct
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import JobRequest, Outcome, Prepared, RunJob, RunWork, check_tokens
from wizard.apply.run.journal import Journal, RunState, state
from wizard.apply.run.process import NOTHING_WRITTEN, Purpose, is_locked, lock_drives, lock_run
from wizard.apply.run.runs import (
    ROOM_BYTES,
    check_room,
    load_environment,
    load_plan,
    make_private,
    restore_documents,
    run_argument,
)
from wizard.apply.steps.containers import check_passphrase, close_containers
from wizard.apply.steps.layers import clear_drives
from wizard.apply.system.crypttab import key_of
from wizard.model.errors import DiskwrightError, Failed, Refused, printable
from wizard.model.run import Event
from wizard.model.said import Message, Sentence, join, joined, t
from wizard.plan.plan import Plan
from wizard.plan.undo_policy import UndoSpace, needs_word, promise


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

    sentence = joined((*moved, t("Resuming the run on {drives:list}.", drives=plan.paths)))
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

    sentence = joined((*moved, t("Keeping the result on {drives:list}.", drives=plan.paths)))
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
    sentence = joined((*moved, t("Restoring the old contents of {drives:list}.", drives=plan.paths)))
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
        attached = [path for path in plan.paths if Path(path).is_block_device()]
        return partial(lock_drives, attached)
    return _locks(run, plan)


def _locks(run: Path, plan: Plan) -> partial[tuple[int, ...]]:
    return partial(lock_all, plan, where=own_drives(run, plan).where)


def _is_complete(outcome: Outcome) -> bool:
    return outcome[0] in (Event.DONE, Event.KEPT)


class PlanRunJob(RunJob):
    """Runs of plans."""

    keeps = True
    overwrites = True

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


JOB = PlanRunJob()


BLOCK_BYTES = 512
"""The unit of `st_blocks` (stat(2))."""

PREFIX = ".measuring-"


@dataclass(frozen=True, slots=True)
class Room:
    """Space that a run needs in its folder until keep or undo.

    `old_bytes` is for old contents, excluding zeros, and `new_bytes` for new contents; both are None if space
    ran out while measuring. `free_bytes` was free before. `blanks` is True for each drive on which only zeros
    are overwritten. `unknown` lists unrecognised data.
    """

    folder: Path
    free_bytes: int
    old_bytes: int | None = None
    new_bytes: int | None = None
    blanks: tuple[bool, ...] = ()
    unknown: tuple[Message, ...] = ()

    @property
    def blank(self) -> bool:
        """Return True if only zeros would be overwritten on all drives."""
        return bool(self.blanks) and all(self.blanks)

    @property
    def needed_bytes(self) -> int | None:
        """The total, including the run's own files."""
        if self.old_bytes is None or self.new_bytes is None:
            return None
        return self.old_bytes + self.new_bytes + ROOM_BYTES

    @property
    def fits(self) -> bool:
        """Return True if the space is enough."""
        return self.needed_bytes is not None and self.needed_bytes <= self.free_bytes

    @property
    def sentence(self) -> str:
        """The result as text, for display before the first write."""
        return str(self.said)

    @property
    def said(self) -> Message:
        """The result as a message."""
        folder, free = printable(str(self.folder), 200), self.free_bytes
        if self.needed_bytes is None:
            return t(
                "Not enough free space for undo in {folder}: more than the free {free:size} "
                "is needed. Name another folder with --journal DIR.",
                folder=folder,
                free=free,
            )
        takes = (
            Sentence("Undo needs {needed:size} in {folder}; {free:size} is free.")
            if self.fits
            else Sentence(
                "Not enough free space for undo in {folder}: {needed:size} needed, "
                "{free:size} free. Name another folder with --journal DIR."
            )
        )
        return join(*self.unknown, takes(folder=folder, needed=self.needed_bytes, free=free))


def undo_space(plan: Plan, folder: Path, environment: Environment) -> UndoSpace:
    """Measure the space for undo, for display before the confirmation. If the plan must run directly on the
    drive, describe the consequences instead, and whether the user has to confirm them. Raises as `measure`
    does."""
    if why := why_direct(plan, folder):
        return UndoSpace(promise(plan, why), not needs_word(plan, why))
    room = measure(plan, folder, environment)
    return UndoSpace(room.sentence, room.fits, tuple(map(str, room.unknown)))


def measure(plan: Plan, folder: Path, environment: Environment) -> Room:
    """Rehearse the plan in the folder, return the space needed and delete everything. Reads the drives; takes
    seconds. Raises DiskwrightError."""
    missing = [above for above in (folder.absolute(), *folder.absolute().parents) if not above.exists()]
    try:
        make_private(folder)
        with _exclusive(folder):
            return _measure_in_folder(plan, folder, environment)
    except OSError as error:
        named = str(folder)
        raise Refused(
            t(
                "Cannot use {folder} for a run: {why}. Nothing was written.",
                folder=named,
                why=error.strerror or str(error),
            )
        ) from None
    finally:
        for made in missing:
            # Restore the previous state. Another run may have created its folder there since.
            with suppress(OSError):
                made.rmdir()


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Wait until no other process measures in this folder: two scratch copies would have the same UUIDs."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _measure_in_folder(plan: Plan, folder: Path, environment: Environment) -> Room:
    _clear_left(folder)
    free = free_bytes(folder)
    with TemporaryDirectory(prefix=PREFIX, dir=folder) as made:
        return _rehearse_in(plan, Path(made), Room(folder, free), environment)


def _clear_left(folder: Path) -> None:
    """Delete the leftovers of killed processes."""
    for left in folder.glob(f"{PREFIX}*"):
        if not is_locked(left):
            release_left(left)
            rmtree(left)


def _rehearse_in(plan: Plan, run: Path, room: Room, environment: Environment) -> Room:
    lock, journal = lock_run(run), Journal(run)
    # No passphrase has been entered yet. Any passphrase needs the same space.
    secret = token_hex().encode() if plan.containers else None
    try:
        record = rehearse(plan, RehearsalWorkspace(run, environment, journal, execute, secret))
    except Failed:
        if free_bytes(run) < LITTLE_BYTES:
            return room
        raise
    finally:
        journal.close()
        os.close(lock)
    old = _allocated_bytes(old_file(run, number) for number in range(len(plan.members)))
    blanks = tuple(change.blank for change in record.changes)
    unknown = unknown_data(run, plan, record.changes)
    return Room(
        room.folder, room.free_bytes, old, _allocated_bytes((run / FOLDER).iterdir()) - old, blanks, unknown
    )


def _allocated_bytes(files: Iterable[Path]) -> int:
    return sum(file.stat().st_blocks * BLOCK_BYTES for file in files)
