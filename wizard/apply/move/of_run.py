"""The moves that a run carries out, and what a power cut now would leave."""

from dataclasses import dataclass
from pathlib import Path

from wizard.apply.move.noted import load_notes
from wizard.apply.move.unread.told import stops_of
from wizard.apply.run.journal import begun_steps, done_steps, read_entries
from wizard.apply.run.process import UNDOING
from wizard.apply.run.runs import MOVE, Kind, called, kind_of, read_file
from wizard.layout.moving.document import read_kept_moves
from wizard.layout.moving.told import move_step
from wizard.model.documents.move import Moves
from wizard.model.said import Said, Sentence, t
from wizard.tools.debuglog import remember

HALF = Sentence(
    "If the power went now, nothing would be lost: nobody could mount {part:and} "
    "until `diskwright {command} {run}` has finished."
)


@dataclass(frozen=True, slots=True)
class BadSectors:
    """A place that could not be read: in the partition, and where that was on the drive. `zeros`: it is
    zeros since."""

    partition: str
    start_bytes: int
    size_bytes: int
    drive_start_bytes: int
    zeros: bool


def load_moves(run: Path) -> Moves:
    """As the run's own file has it; raises BadInput where it cannot be read."""
    return remember(read_kept_moves(read_file(run / MOVE), str(run / MOVE)))


def stops_now(run: Path) -> tuple[Said, ...]:
    """The places that cannot be read, at which a move stopped; raises BadInput."""
    moves = load_moves(run)
    return stops_of(moves, load_notes(run, moves))


def bad_sectors(run: Path) -> tuple[BadSectors, ...]:
    """All that could not be read while a run moved; none for a run that moves nothing. Raises BadInput."""
    if kind_of(run) is not Kind.MOVE:
        return ()
    moves = load_moves(run)
    pairs = zip(moves.moves, load_notes(run, moves), strict=True)
    return tuple(
        BadSectors(
            move.device, one.content.start_bytes, one.content.size_bytes, one.drive_bytes, one.is_zeros
        )
        for move, noted in pairs
        for one in noted.bad
    )


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
        return t("If the power went now, {part:and} would be as before.", part=moves.devices)
    if (run / UNDOING).exists():
        return HALF(part=tuple(device for device, _ in started), command="undo", run=called(run))
    device, is_moved = started[-1]
    if is_moved:
        return t("If the power went now, {part} would be whole at its new place.", part=device)
    return HALF(part=device, command="resume", run=called(run))
