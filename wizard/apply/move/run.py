"""The move job: check, run, verify, undo and recover moves, and report the result."""

import json
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block import devices
from wizard.apply.engine import record
from wizard.apply.move import forward
from wizard.apply.move.content import Noted, Notes, OnDrive, begun_moves, load_notes, save_notes
from wizard.apply.move.mover.journal import MoveJournal, MovingDrive, image_of
from wizard.apply.move.mover.prepare import MovedDrive
from wizard.apply.plan import identity_check
from wizard.apply.plan.guard import NOT_ON_DRIVE
from wizard.apply.run import job, kinds, process, runs
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment, mark_durably
from wizard.apply.run.journal import Journal, begun_steps, done_steps, read_entries, state
from wizard.apply.run.runs import run_argument
from wizard.apply.settings.guard import lower_devices
from wizard.documents.codec import from_json
from wizard.filesystems import partition_types
from wizard.model.errors import BadInput, Failed, FrozenStruct, Refused, partition_path
from wizard.model.geometry import Identity
from wizard.model.moves import Move, Moves, journal_places
from wizard.model.run import Check, Event
from wizard.model.said import Message, Sentence, join, t
from wizard.plan.dangers import known_identity
from wizard.plan.partition.moves import MOVES, compare_step, move_step, planned_again
from wizard.plan.refusals import measured
from wizard.probe.content import notices
from wizard.probe.machine import list_drive_paths, probe_drive, probe_machine


class MoveRunJob(job.RunJob[Moves]):
    """Runs that move partitions."""

    kind = kinds.MOVE

    def own_drives(
        self, document: Moves, environment: Environment, run: Path | None = None, *, undoing: bool = False
    ) -> Collection[str]:
        """Check that the run may write to the drive."""
        drive = document.drive.path
        environment.check_allowed((drive,))
        if reason := devices.node_fault(drive, drive):
            raise process.refused(NOT_ON_DRIVE(node=drive, reason=reason))
        return (drive,)

    def check_new(self, document: Moves) -> None:
        """Check that the drive is the planned one, and that planning again gives the same moves."""
        planned = document.drive
        drive = identity_check.probe_again(planned)
        identity_check.check_same_start(planned, drive)
        try:
            machine = probe_machine([planned.path], seconds=LOOK_SECONDS)
            again = planned_again(machine, machine.drives[0], document)
        except (BadInput, Refused) as error:
            raise process.refused(error) from None
        if replace(again, moves=tuple(replace(move, drive=planned) for move in again.moves)) != document or (
            again.drive.content_digest,
            again.drive.held,
        ) != (planned.content_digest, planned.held):
            raise process.refused(
                t(
                    "{part} has changed since the plan was created. Check again with `diskwright move`.",
                    part=document.device,
                )
            )

    def located(self, run: Path) -> Moves:
        """Find the drive by the journal on it. Raises Refused if the journal is on two drives."""
        moves = self.kind.load(run)
        notes = load_notes(run, moves)
        if not begun_moves(notes):
            return moves
        own = moves.drive.path
        others = (
            path
            for path in list_drive_paths(all_devices=True)
            if path != own and not any(lower_devices(path))
        )
        found = [path for path in (own, *others) if has_journal(path, moves, notes)]
        if len(found) > 1:
            raise Refused(
                t(
                    "The journal of {run} is on more than one drive: {drives:list}. Detach the "
                    "copies first. This attempt made no changes.",
                    run=run.name,
                    drives=tuple(found),
                )
            )
        return on_drive(moves, replace(moves.drive, path=found[0])) if found else moves

    def has_begun(self, run: Path) -> bool:
        """Judge by the notes on each move."""
        return bool(begun_moves(load_notes(run, self.kind.load(run))))

    def check_continues(self, run: Path, document: Moves, purpose: process.Purpose) -> None:
        """Check that the drive has the run's journal and, before undo, that no partition was used since.
        Raises UnreadSector if that is unknown."""
        check_same(run, document)
        if purpose is process.Purpose.UNDO:
            devices.forget_caches(document.drive.path)
            with MovedDrive(document.drive.path) as drive:
                forward.refuse_used(OnDrive(run, document, drive))

    def apply(self, work: job.RunWork) -> job.Outcome:
        """Move the partitions, or continue."""
        run, (moves, _) = work.run, self.owned(work.run)
        # Partitions that have not moved may have been used since they were read. Read them again.
        notes = tuple(
            noted if noted.is_begun else replace(noted, content="") for noted in load_notes(run, moves)
        )
        if begun_moves(notes):
            check_same(run, moves)
            begun = begun_steps(read_entries(run))
            now = probe_drive(moves.drive.path)
            for number, move in enumerate(moves.moves):
                part = now.partition(move.device)
                is_same = part is not None and (part.extent, part.filesystem) == (move.before, move.holds)
                if not is_same and move_step(moves, number) not in begun:
                    raise Refused(
                        t(
                            "{part}, the next to move, has changed since the plan was created. "
                            "`diskwright undo` reverts the completed moves.",
                            part=move.device,
                        )
                    )
        else:
            self.check_new(moves)
        save_notes(run, notes)
        with _opened(moves) as drive:
            ended = forward.ForwardMoves(work, moves, drive).go()
        return ended or _verify(work, moves)

    def undo(self, work: job.RunWork) -> job.Outcome:
        """Move all partitions back."""
        run, (moves, _) = work.run, self.owned(work.run, undoing=True)
        check_same(run, moves)
        with _opened(moves) as drive:
            context = OnDrive(run, moves, drive)
            forward.return_all(context)
        messages = list[Message]()
        for move, noted in zip(moves.moves, context.notes, strict=True):
            lost = [*forward.lost_message(move, noted)]
            back = (
                Sentence("{part} starts at {start:exact} again.")
                if lost
                else Sentence("{part} starts at {start:exact} again, bit for bit as before.")
            )
            messages += [back(part=move.device, start=move.before.start_bytes), *lost]
        return Event.UNDONE, str(join(*messages))

    def power(self, run: Path) -> str:
        """Describe the result of a power cut now. The journal is on the drive."""
        if state(run) in job.ENDED:
            return ""
        entries, moves = read_entries(run), self.kind.load(run)
        begun, done = begun_steps(entries), done_steps(entries)
        started = [
            (move.device, move_step(moves, number) in done)
            for number, move in enumerate(moves.moves)
            if move_step(moves, number) in begun
        ]
        if not started:
            return str(record.UNCHANGED(drives=moves.devices))
        if (run / process.UNDOING).exists():
            drives = tuple(device for device, _ in started)
            return str(record.HALF(drives=drives, command=f"undo {run_argument(run)}"))
        device, is_done = started[-1]
        if is_done:
            return str(t("A power cut now would leave {part} complete at its new location.", part=device))
        return str(record.HALF(drives=device, command=f"resume {run_argument(run)}"))


JOB = MoveRunJob()


def has_journal(path: str, moves: Moves, notes: Sequence[Noted]) -> bool:
    """Return True if a journal of one of the moves is on the drive."""
    names = {name for noted in notes if noted.is_begun for name in (noted.name, noted.back) if name}
    places = {
        move.journal.start_bytes + slot * notices.SLOT_BYTES
        for move in moves.moves
        for slot in range(notices.SLOTS)
    }
    with suppress(OSError), process.opened(path, os.O_RDONLY) as fd:
        for at in places:
            slot = notices.read_slot(os.pread(fd, notices.SLOT_BYTES, at))
            with suppress(ValueError, KeyError, TypeError):
                if slot and json.loads(slot[1])["course"]["run"] in names:
                    return True
    return False


def on_drive(moves: Moves, drive: Identity) -> Moves:
    """Return the moves on a drive as identified now."""
    return replace(
        moves,
        moves=tuple(
            replace(move, drive=drive, device=partition_path(drive.path, move.number)) for move in moves.moves
        ),
    )


def check_same(run: Path, moves: Moves) -> None:
    """Raises Refused unless the drive is the planned one and unused. After the first move has started, it
    must contain the run's journal."""
    drive = identity_check.probe_again(moves.drive)
    if reason := devices.open_exclusively(moves.drive.path):
        raise Refused(join(devices.IN_USE(device=moves.drive.path, why=reason), process.NOTHING_WRITTEN))
    # The page cache may contain data of another drive.
    devices.forget_caches(moves.drive.path)
    notes = load_notes(run, moves)
    found = has_journal(moves.drive.path, moves, notes)
    begun, started = begun_moves(notes), begun_steps(read_entries(run))
    last = begun[-1] if begun else 0
    if not found and move_step(moves, last) in started and not notes[last].is_back:
        raise Refused(forward.NO_JOURNAL(run=run.name, drive=moves.drive.path))

    def is_left_there() -> bool | None:
        if found or begun:
            return found or None
        return drive.content_digest == moves.drive.content_digest

    if fault := identity_check.drive_fault(moves.drive, drive, is_left_there):
        raise Refused(job.ANOTHER_DRIVE(fault=fault))


@contextmanager
def _opened(moves: Moves) -> Iterator[MovedDrive]:
    """Open the drive exclusively. Afterwards, the kernel rereads its table in any case."""
    devices.forget_caches(moves.drive.path)
    drive = MovedDrive(moves.drive.path)
    try:
        with drive:
            yield drive
    finally:
        devices.reread_table(moves.drive.path, anew=True)


def _verify(work: job.RunWork, moves: Moves) -> job.Outcome:
    """Check the moved partitions with the kernel and libblkid."""
    with suppress(Failed):
        devices.wait_for(*moves.devices)
    drive = probe_drive(moves.drive.path)
    for move in moves.moves:
        part, wanted = drive.partition(move.device), move.after.start_bytes
        start = part.kernel_start_bytes if part else None
        found = (part.filesystem if part else None) or ""
        seen = t("The kernel sees {part} at {start:exact}.", part=move.device, start=wanted)
        holds = t("{part} contains {holds}, as before.", part=move.device, holds=move.holds)
        checks = (
            Check(str(seen), start == wanted, str(start)),
            Check(str(holds), found == move.holds, found),
        )
        if work.journal.verify(checks):
            return Event.FAILED, str(forward.CHECKS_FAIL(part=move.device))
    tasks = (said for move in moves.moves for said in move.then if isinstance(said, Message))
    done = t(
        "Moved: {parts:and}. `diskwright undo {run}` moves back all partitions until one is used.",
        parts=moves.devices,
        run=run_argument(work.run),
    )
    return Event.DONE, str(join(done, *tasks))


# Recovery of a move started on another system. The journal on the drive contains the whole document.


class FoundMove(FrozenStruct):
    """Moves found in a drive's journal, with current device names: the progress of each, the number of the
    journal's move, from 0, and True if that one is moving back."""

    moves: Moves
    notes: tuple[Noted, ...]
    number: int
    is_back: bool

    @property
    def move(self) -> Move:
        """The unfinished move."""
        return self.moves.moves[self.number]


def found_move(path: str) -> FoundMove:
    """Read a move from the drive's own journal. Raises Refused if none is found or the drive is in use."""
    job.check_root()
    machine = probe_machine([path])
    (drive,) = machine.drives
    _, geometry = measured(drive)
    block = geometry.whole_block_bytes
    with MovedDrive(drive.path) as medium:
        for part in drive.partitions:
            for at in journal_places(part.extent) if part.type in partition_types.MOVING else ():
                found = _read(medium, at, block)
                # Journals of other moves may be left there.
                if found is not None and found.move.span == part.extent:
                    moves = on_drive(found.moves, known_identity(machine, drive))
                    MOVES.check(moves, drive.path)
                    return replace(found, moves=moves)
    raise process.refused(t("No interrupted move found on {drive}.", drive=path))


def _read(medium: MovingDrive, at: int, block: int) -> FoundMove | None:
    journal = MoveJournal(medium, at, block)
    loaded = journal.load()
    if loaded is None:
        return None
    course = loaded[0].course
    images = journal.images(course)
    if images is None:
        return None
    document = json.loads(image_of(images, course.pieces.document))
    where = "the journal"
    moves = MOVES.read_kept(document["moves"], where)
    notes = from_json(document["notes"], Notes, where).moves
    for number, noted in enumerate(notes):
        if course.run in (noted.name, noted.back):
            # An earlier version may have skipped sectors after this document was written.
            over = (*noted.over, *loaded[0].given_up, *loaded[0].zeros)
            updated = (*notes[:number], replace(noted, over=over), *notes[number + 1 :])
            return FoundMove(moves, updated, number, course.run == noted.back)
    return None


def make_found_run(found: FoundMove, tokens: Sequence[str], journal_dir: Path | None) -> Path:
    """Create a run's folder, so `resume` or `undo` can continue the move. Does not write to the drive. Raises
    Refused for a wrong token, or if the run's own folder exists."""
    names = {noted.name for noted in found.notes}
    for run in kinds.MOVE.found(journal_dir):
        if names & {noted.name for noted in load_notes(run, kinds.MOVE.load(run))}:
            raise Refused(
                t(
                    "The run is on this computer: resume with `diskwright resume {run}`.",
                    run=run_argument(run),
                )
            )
    moves = found.moves
    job.check_tokens(moves, tokens)
    folder = runs.runs_folder(journal_dir)
    runs.check_room(folder, 0, make=True)
    process.settle()
    locks = process.lock_drives((moves.drive.path,))
    try:
        run = runs.make_run(folder, moves.devices, runs.MOVE, MOVES.render(moves), Environment())
        save_notes(run, found.notes)
        journal = Journal(run)
        # A move back starts after all comparisons.
        last = compare_step(moves, found.number + 1) if found.is_back else move_step(moves, found.number)
        for step, sentence in enumerate(moves.sentences, 1):
            if step <= last:
                journal.add(Event.STEP_STARTED, sentence, step=step)
            if step < last:
                journal.add(Event.STEP_DONE, sentence, step=step)
        journal.close()
        if found.is_back:
            mark_durably(run / process.UNDOING)
    finally:
        process.unlock(locks)
    return run
