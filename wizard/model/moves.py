"""Moves of partitions."""

from collections.abc import Iterator
from enum import StrEnum
from itertools import chain

from msgspec import Struct

from wizard.model.geometry import Identity
from wizard.model.machine import Extent
from wizard.model.run import Document
from wizard.model.said import MIB, Message, t

WINDOW_BYTES = 64 * MIB
LOGGED_WINDOWS = (16 * MIB, MIB)
"""Smaller windows need smaller journals but are slower."""

JOURNALS = {WINDOW_BYTES: 8 * MIB, 16 * MIB: 48 * MIB, MIB: 12 * MIB}
"""Journal size by window size. The first is for moves without logging."""


def journal_places(span: Extent) -> Iterator[int]:
    """Yield possible journal positions in a table entry that spans a move: at the end or at the start."""
    yield from (span.end_bytes - size for size in JOURNALS.values() if size < span.size_bytes)
    yield span.start_bytes


class Scheme(StrEnum):
    """How a move survives a power cut. DIRECT: writes only where bytes are no longer needed; needs a large
    shift. LOGGED: writes each window to the journal first; for any shift, at half the speed."""

    DIRECT = "direct"
    LOGGED = "logged"


class Move(Struct, frozen=True):
    """In-place move of a partition. `holds`: content as libblkid reports it. `span`: table entry during the
    move, covering both places and the `journal`. `head_bytes`: removed first and restored last. `in_flight`:
    maximum number of windows being written. `doubts`: notes before, `then`: tasks after the move."""

    drive: Identity
    device: str
    number: int
    table: str
    holds: str
    before: Extent
    after: Extent
    span: Extent
    journal: Extent
    scheme: Scheme
    window_bytes: int
    in_flight: int
    head_bytes: int
    doubts: tuple[Message | str, ...] = ()
    then: tuple[Message | str, ...] = ()

    @property
    def shift_bytes(self) -> int:
        """Distance of the move in bytes."""
        return abs(self.after.start_bytes - self.before.start_bytes)


class Moves(Document, Struct, frozen=True):
    """Moves of several partitions on one drive, in order: each uses space freed by the previous moves.
    `remarks` are about the whole drive, such as why other misaligned partitions do not move."""

    moves: tuple[Move, ...]
    remarks: tuple[Message | str, ...] = ()

    @property
    def drive(self) -> Identity:
        """The drive of all moves."""
        return self.moves[0].drive

    @property
    def devices(self) -> tuple[str, ...]:
        """The partitions, in order of moving."""
        return tuple(move.device for move in self.moves)

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The only drive."""
        return (self.drive,)

    @property
    def sentences(self) -> tuple[Message, ...]:
        """A sentence for each step: all partitions are read first, then each is moved and compared."""
        reading = (
            t("Read all of {part} to find bad sectors before the first write.", part=move.device)
            for move in self.moves
        )
        moving = (
            (
                t(
                    "Move {part} from {before:exact} to {after:exact}.",
                    part=move.device,
                    before=move.before.start_bytes,
                    after=move.after.start_bytes,
                ),
                t("Read all of {part} at its new location and compare.", part=move.device),
            )
            for move in self.moves
        )
        return (*reading, *chain.from_iterable(moving))

    @property
    def device(self) -> str:
        """The partition, or the drive if several partitions move."""
        return self.moves[0].device if len(self.moves) == 1 else self.drive.path

    @property
    def doubts(self) -> tuple[Message | str, ...]:
        """All notes for before and after the moves, without duplicates."""
        of_each = (doubt for move in self.moves for doubt in (*move.doubts, *move.then))
        every = (*of_each, *self.remarks)
        return tuple(dict.fromkeys(every))
