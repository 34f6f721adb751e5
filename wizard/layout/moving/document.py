"""Moves as a document: `diskwright.move/2`, which crosses to whoever applies it as a plan does."""

from wizard.documents.sealed import Sealed
from wizard.layout.moving.target import DIRECT_BYTES, IN_FLIGHT
from wizard.model.documents.move import Move, Moves, Scheme
from wizard.model.errors import BadInput
from wizard.model.machine import Extent
from wizard.model.said import Sentence, t

NOT_TOGETHER = Sentence("{where}: {what} does not fit the rest.")


def check_move(move: Move, where: str) -> None:
    """Raises BadInput where the numbers of a move do not hold together: a forged one would write
    elsewhere."""
    block = move.drive.geometry.logical_block_bytes
    hole = move.window_bytes * move.in_flight
    places = (move.before, move.after, move.span, move.journal)
    wrong = {
        "number": move.number < 1,
        "in_flight": move.in_flight not in (1, IN_FLIGHT),
        "before": move.before.size_bytes <= 0 or move.before.size_bytes != move.after.size_bytes,
        "after": not move.shift_bytes,
        "span": not all(place.is_within(move.span) for place in places)
        or _within_drive(move.span, move.drive.size_bytes),
        "journal": any(place.overlaps(move.journal) for place in (move.before, move.after)),
        "window_bytes": move.window_bytes < move.drive.geometry.physical_block_bytes
        or (move.scheme is Scheme.DIRECT and (hole > move.shift_bytes or move.shift_bytes < DIRECT_BYTES)),
        "head_bytes": not 0 < move.head_bytes <= move.before.size_bytes,
        "blocks": any(
            number % block
            for place in places
            for number in (place.start_bytes, place.size_bytes, move.window_bytes, move.head_bytes)
        ),
    }
    if what := next((name for name, is_wrong in wrong.items() if is_wrong), None):
        raise BadInput(NOT_TOGETHER(where=where, what=what))


def _within_drive(span: Extent, size_bytes: int) -> bool:
    return span.start_bytes <= 0 or span.end_bytes > size_bytes


def check_moves(moves: Moves, where: str) -> None:
    """Raises BadInput where there is none, or one of them does not hold together, or they are of several
    drives, or one partition moves twice."""
    if not moves.moves:
        raise BadInput(NOT_TOGETHER(where=where, what="moves"))
    for move in moves.moves:
        check_move(move, where)
    numbers = {move.number for move in moves.moves}
    if len(numbers) != len(moves.moves) or any(move.drive != moves.drive for move in moves.moves):
        raise BadInput(NOT_TOGETHER(where=where, what="moves"))


MOVES = Sealed(
    "diskwright.move/2",
    Moves,
    t("Make it anew with `diskwright move`."),
    check_moves,
    earlier={"diskwright.move/1": lambda body: {"moves": [body]}},
)
MOVES_SCHEMA, render_moves, read_moves, read_kept_moves = (
    MOVES.schema,
    MOVES.render,
    MOVES.read,
    MOVES.read_kept,
)
