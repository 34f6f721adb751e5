"""A move that was begun elsewhere, found by nothing but the drive: its journal has the whole document."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.apply.move.mover.drive import MovedDrive
from wizard.apply.move.mover.journal import Journal, MovingDrive, image_of
from wizard.apply.move.noted import Noted, load_notes, notes_of, save_notes
from wizard.apply.move.of_run import load_moves
from wizard.apply.move.start import check_token
from wizard.apply.move.unread.noting import with_bad
from wizard.apply.run.begin import check_root, settle
from wizard.apply.run.environment import Environment
from wizard.apply.run.journal import Journal as RunJournal
from wizard.apply.run.lock import lock_drives, unlock
from wizard.apply.run.process import UNDOING
from wizard.apply.run.runs import (
    MOVE,
    Kind,
    called,
    check_room,
    kind_of,
    list_runs,
    make_run,
    runs_folder,
)
from wizard.apply.run.vault import mark_durably
from wizard.filesystems.partitions import MOVING_TYPES
from wizard.layout.before import known_identity
from wizard.layout.moving.document import check_moves, read_kept_moves, render_moves
from wizard.layout.moving.told import compare_step, move_step, step_sentences
from wizard.layout.room.refusals import measured
from wizard.model.documents.move import Move, Moves, journal_places
from wizard.model.errors import Refused
from wizard.model.identity import Identity
from wizard.model.journal import Event
from wizard.model.machine import Partition
from wizard.model.names import partition_path
from wizard.model.said import t
from wizard.probe.machine import probe_machine


@dataclass(frozen=True, slots=True)
class FoundMove:
    """The moves, on the drive as it is called here; what was noted of each; which of them the journal on the
    drive is of, counting from 0; and whether that one goes back to where it was."""

    moves: Moves
    notes: tuple[Noted, ...]
    number: int
    is_back: bool

    @property
    def move(self) -> Move:
        """The one that is half done."""
        return self.moves.moves[self.number]


def found_move(path: str) -> FoundMove:
    """What the drive's own journal tells. Raises Refused where nothing moves there, or the drive is in
    use."""
    check_root()
    machine = probe_machine([path])
    (drive,) = machine.drives
    size_bytes, geometry = measured(drive)
    block = geometry.whole_block_bytes
    with MovedDrive(drive.path) as medium:
        for part in drive.partitions:
            for at in _places(part):
                if (found := _read(medium, at, block)) is not None and _covers(part, found.move):
                    identity = known_identity(machine, drive, size_bytes, geometry)
                    moves = _as_called_here(found.moves, identity)
                    check_moves(moves, drive.path)
                    return replace(found, moves=moves)
    raise Refused(t("No move that was cut off is found on {drive}. Nothing was written.", drive=path))


def _as_called_here(moves: Moves, drive: Identity) -> Moves:
    return replace(
        moves,
        moves=tuple(
            replace(move, drive=drive, device=partition_path(drive.path, move.number)) for move in moves.moves
        ),
    )


def _covers(part: Partition, move: Move) -> bool:
    """Whether the entry is that of the move, not of another whose journal lies there still."""
    return part.extent == move.span


def _places(part: Partition) -> Iterator[int]:
    if part.type in MOVING_TYPES:
        yield from journal_places(part.extent)


def _read(medium: MovingDrive, at: int, block: int) -> FoundMove | None:
    journal = Journal(medium, at, block)
    loaded = journal.load()
    if loaded is None:
        return None
    course = loaded[0].course
    images = journal.images(course)
    if images is None:
        return None
    told = json.loads(image_of(images, course.pieces.document))
    where = str(t("the journal on the drive"))
    moves, notes = read_kept_moves(told["moves"], where), notes_of(told["notes"], where)
    for number, noted in enumerate(notes):
        if course.run in (noted.name, noted.back):
            # When it was written, nothing of this one was known to be bad.
            known = (*notes[:number], with_bad(noted, loaded[0]), *notes[number + 1 :])
            return FoundMove(moves, known, number, course.run == noted.back)
    return None


def make_found_run(found: FoundMove, tokens: Sequence[str], journal_dir: Path | None) -> Path:
    """A run's folder, by which `resume` goes on with the move, and `undo` goes back. Nothing is written to
    the drive. Raises Refused for another token, and where the run's own folder is here."""
    known = {noted.name for noted in found.notes}
    for run in list_runs(journal_dir):
        if kind_of(run) is Kind.MOVE and known & {noted.name for noted in load_notes(run, load_moves(run))}:
            raise Refused(t("Its run is here: `diskwright resume {run}` goes on.", run=called(run)))
    moves = found.moves
    if not tokens:
        raise Refused(
            t(
                "To go on moving {part}, confirm its drive: --confirm {token}. Nothing was written.",
                part=found.move.device,
                token=moves.drive.token,
            )
        )
    for token in tokens:
        check_token(moves, token)
    folder = runs_folder(journal_dir)
    check_room(folder, 0, make=True)
    settle()
    locks = lock_drives((moves.drive.path,))
    try:
        run = make_run(folder, moves.devices, MOVE, render_moves(moves), Environment())
        save_notes(run, found.notes)
        journal = RunJournal(run)
        for step, sentence in enumerate(step_sentences(moves), 1):
            if step <= _last_begun(found):
                journal.add(Event.STEP_STARTED, sentence, step=step)
            if step < _last_begun(found):
                journal.add(Event.STEP_DONE, sentence, step=step)
        journal.close()
        if found.is_back:
            mark_durably(run / UNDOING)
    finally:
        unlock(locks)
    return run


def _last_begun(found: FoundMove) -> int:
    """The last step that was begun: of those that go back, all had been compared."""
    if found.is_back:
        return compare_step(found.moves, found.number + 1)
    return move_step(found.moves, found.number)
