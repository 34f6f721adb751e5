"""Partitions that move to another place on their drive."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from wizard.model.identity import Identity
from wizard.model.machine import Extent
from wizard.model.said import Said
from wizard.model.units import MIB

WINDOW_BYTES = 64 * MIB
LOGGED_WINDOWS = (16 * MIB, MIB)
"""Larger windows are faster; a smaller journal fits where there is little room."""

JOURNALS = {WINDOW_BYTES: 8 * MIB, 16 * MIB: 48 * MIB, MIB: 12 * MIB}
"""How large the journal is, by the window that is logged in it; the first is that of a move without a log."""


def journal_places(span: Extent) -> Iterator[int]:
    """Where a journal can begin in an entry that covers a move: at its end, or at its beginning."""
    yield from (span.end_bytes - size for size in JOURNALS.values() if size < span.size_bytes)
    yield span.start_bytes


class Scheme(StrEnum):
    """DIRECT: only places whose bytes are needed no more are written to, so nothing is logged; needs a large
    shift. LOGGED: every window lies in the journal before its place is written; works for any shift, at half
    the speed."""

    DIRECT = "direct"
    LOGGED = "logged"


@dataclass(frozen=True, slots=True)
class Move:
    """A partition from one place to another, in place.

    `holds` is what libblkid finds in it (`ext4`, `crypto_LUKS`). While it moves its entry in the table covers
    `span`: both places, and the `journal`. `head_bytes` of it are taken away first and put back last. So many
    windows may be `in_flight` to the medium at once. `doubts` are what is good to know before, `then` what
    is left to be done after it."""

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
    doubts: tuple[Said | str, ...] = ()
    then: tuple[Said | str, ...] = ()

    @property
    def shift_bytes(self) -> int:
        """How far it moves."""
        return abs(self.after.start_bytes - self.before.start_bytes)


@dataclass(frozen=True, slots=True)
class Moves:
    """Partitions of one drive that move one after another: each into room that is there once those before it
    have moved. `remarks` are what is good to know of all: what the drive is, and why others that are
    misaligned stay where they are."""

    moves: tuple[Move, ...]
    remarks: tuple[Said | str, ...] = ()

    @property
    def drive(self) -> Identity:
        """The one drive of all of them."""
        return self.moves[0].drive

    @property
    def devices(self) -> tuple[str, ...]:
        """The partitions, in the order in which they move."""
        return tuple(move.device for move in self.moves)

    @property
    def device(self) -> str:
        """What the whole is named after: the partition, or the drive where several move."""
        return self.moves[0].device if len(self.moves) == 1 else self.drive.path

    @property
    def doubts(self) -> tuple[Said | str, ...]:
        """What is good to know before, and what is left to be done afterwards, each said once."""
        of_each = (said for move in self.moves for said in (*move.doubts, *move.then))
        every = (*of_each, *self.remarks)
        return tuple(dict.fromkeys(every))
