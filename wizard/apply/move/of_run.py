"""The moves that a run carries out, and what a power cut now would leave."""

from pathlib import Path

from wizard.apply.move import words
from wizard.apply.run.journal import begun_steps, done_steps, read_entries
from wizard.apply.run.process import UNDOING
from wizard.apply.run.runs import MOVE, called, read_file
from wizard.layout.moving.document import read_kept_moves
from wizard.layout.moving.told import move_step
from wizard.model.documents.move import Moves
from wizard.model.said import Said
from wizard.tools.debuglog import remember


def load_moves(run: Path) -> Moves:
    """As the run's own file has it; raises BadInput where it cannot be read."""
    return remember(read_kept_moves(read_file(run / MOVE), str(run / MOVE)))


def power_said(run: Path) -> Said:
    """What a power cut now would leave, while the run is at work. Raises BadInput."""
    entries, moves = read_entries(run), load_moves(run)
    begun, done = begun_steps(entries), done_steps(entries)
    started = [
        (move.device, move_step(moves, number) in done)
        for number, move in enumerate(moves.moves)
        if move_step(moves, number) in begun
    ]
    if not started:
        return words.AS_BEFORE(part=moves.devices)
    if (run / UNDOING).exists():
        return words.HALF(part=tuple(device for device, _ in started), command="undo", run=called(run))
    device, is_moved = started[-1]
    if is_moved:
        return words.AT_NEW_PLACE(part=device)
    return words.HALF(part=device, command="resume", run=called(run))
