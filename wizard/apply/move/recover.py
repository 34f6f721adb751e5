"""Recover a move started on another system.

The journal on the drive contains the whole document.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.move import content
from wizard.apply.move.mover.journal import MoveJournal, MovingDrive, image_of
from wizard.apply.move.mover.prepare import MovedDrive
from wizard.apply.move.run import on_drive
from wizard.apply.run import job, kinds, process, runs
from wizard.apply.run.backup_store import Environment, mark_durably
from wizard.apply.run.journal import Journal as RunJournal
from wizard.documents.codec import from_json
from wizard.filesystems import partition_types
from wizard.model.errors import FrozenStruct, Refused
from wizard.model.moves import Move, Moves, journal_places
from wizard.model.run import Event
from wizard.model.said import t
from wizard.plan.dangers import known_identity
from wizard.plan.partition.moves import MOVES, compare_step, move_step
from wizard.plan.refusals import measured
from wizard.probe.machine import probe_machine


class FoundMove(FrozenStruct):
    """Moves found in a drive's journal, with current device names: the progress of each, the number of the
    journal's move, from 0, and True if that one is moving back."""

    moves: Moves
    notes: tuple[content.Noted, ...]
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
    notes = from_json(document["notes"], content.Notes, where).moves
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
        if names & {noted.name for noted in content.load_notes(run, kinds.MOVE.load(run))}:
            raise Refused(
                t(
                    "The run is on this computer: resume with `diskwright resume {run}`.",
                    run=runs.run_argument(run),
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
        content.save_notes(run, found.notes)
        journal = RunJournal(run)
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
