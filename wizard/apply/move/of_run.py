"""The move that a run carries out, and what a power cut now would leave."""

from pathlib import Path

from wizard.apply.move import words
from wizard.apply.run.journal import begun_steps, done_steps, read_entries
from wizard.apply.run.process import UNDOING
from wizard.apply.run.runs import MOVE, called, read_file
from wizard.layout.moving.document import read_kept_move
from wizard.layout.moving.told import MOVE as MOVING
from wizard.model.documents.move import Move
from wizard.model.said import Said
from wizard.tools.debuglog import remember


def load_move(run: Path) -> Move:
    """As the run's own file has it; raises BadInput where it cannot be read."""
    return remember(read_kept_move(read_file(run / MOVE), str(run / MOVE)))


def power_said(run: Path) -> Said:
    """What a power cut now would leave, while the run is at work. Raises BadInput."""
    entries, part = read_entries(run), load_move(run).device
    if (run / UNDOING).exists():
        return words.HALF(part=part, command="undo", run=called(run))
    if MOVING in done_steps(entries):
        return words.AT_NEW_PLACE(part=part)
    if MOVING in begun_steps(entries):
        return words.HALF(part=part, command="resume", run=called(run))
    return words.AS_BEFORE(part=part)
