"""Where a move stands, as the journal on the drive has it, and what the phases mean.

With `lo` < `hi` the two starts, and D = hi - lo: the content [head, boundary) lies at `lo`, and [boundary,
size) at `hi`. The D bytes from lo + boundary on are the hole: what they hold is needed no more. Both
directions, and undoing either, go on from the same boundary."""

from dataclasses import dataclass
from enum import StrEnum

from wizard.apply.block.extents import merged
from wizard.model.documents.move import Scheme
from wizard.model.machine import Extent


class Phase(StrEnum):
    """What is being done. Each can be done again from its beginning, and each can be turned from.

    PREPARED: the journal is whole, and nothing else was written. UNTABLING: the table's entry becomes one
    that covers both places. BARRING: the head and all copies of it become zeros, so that nobody recognises,
    or repairs, half of a filesystem. MOVING: windows move. PLACING: head and copies come to the new place.
    TABLING: the table's entry becomes that of the place. DONE: the partition is whole at `State.target`."""

    PREPARED = "prepared"
    UNTABLING = "untabling"
    BARRING = "barring"
    MOVING = "moving"
    PLACING = "placing"
    TABLING = "tabling"
    DONE = "done"


class Side(StrEnum):
    """The two places of the partition."""

    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Piece:
    """What is to stand at a place: `image` is where its bytes begin among the journal's images. Whole
    physical blocks of a table; of a partition's content, whose offsets count from its start, whole logical
    blocks."""

    offset_bytes: int
    size_bytes: int
    image: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """The journal's images by what they are of: the table before, meanwhile and after, and what of the
    content is written at either place when all else is there, the head first. `barred` is what of the content
    behind the head is zeros until then, in bytes from its start; the images hold it with the rest of its
    physical blocks."""

    table_old: tuple[Piece, ...]
    table_moving: tuple[Piece, ...]
    table_new: tuple[Piece, ...]
    placed_old: tuple[Piece, ...]
    placed_new: tuple[Piece, ...]
    barred: tuple[Extent, ...]
    document: Piece
    total_bytes: int
    sha256: str

    def table(self, side: Side) -> tuple[Piece, ...]:
        """The table that has the partition at this place."""
        return self.table_old if side is Side.OLD else self.table_new

    def placed(self, side: Side) -> tuple[Piece, ...]:
        """What of the content is written at this place at the end."""
        return self.placed_old if side is Side.OLD else self.placed_new


@dataclass(frozen=True, slots=True)
class Course:
    """What does not change in a move. The first `head_bytes` of the content lie in the journal, and zeros in
    their place, for as long as it lasts. `in_flight`: so many windows may be
    on their way to the medium; so many fit into the hole."""

    run: str
    old_bytes: int
    new_bytes: int
    size_bytes: int
    head_bytes: int
    logical_bytes: int
    physical_bytes: int
    scheme: Scheme
    window_bytes: int
    in_flight: int
    pieces: Pieces

    @property
    def lo(self) -> int:
        """The lower start."""
        return min(self.old_bytes, self.new_bytes)

    @property
    def hi(self) -> int:
        """The higher start."""
        return max(self.old_bytes, self.new_bytes)

    def start(self, side: Side) -> int:
        """Where the partition starts at this place."""
        return self.old_bytes if side is Side.OLD else self.new_bytes

    def raises(self, target: Side) -> bool:
        """Whether going there moves bytes to higher places."""
        return self.start(target) == self.hi


@dataclass(frozen=True, slots=True)
class State:
    """How far it is. `target` is where it goes, `barred_at` where the head is taken from. `edges` are the
    physical blocks, by their offsets, that a write of this phase shares with what is not its own: the journal
    keeps their bytes. `epoch` numbers the stretches in one direction: windows of an older one mean
    nothing.

    Of the content, counted from its start: `unread` are the physical blocks that could not be read when it
    stopped; `given_up` those that whoever looked at them lets become zeros, where they have not moved yet;
    `zeros` those that have."""

    course: Course
    phase: Phase
    target: Side
    barred_at: Side
    boundary_bytes: int
    epoch: int
    edges: tuple[int, ...] = ()
    unread: tuple[Extent, ...] = ()
    given_up: tuple[Extent, ...] = ()
    zeros: tuple[Extent, ...] = ()

    @property
    def lost(self) -> tuple[Extent, ...]:
        """What of the content is not known any more."""
        found = (*self.unread, *self.given_up, *self.zeros)
        return merged(found, 1, self.course.size_bytes)

    def moved_to(self, side: Side) -> int:
        """How much of the content lies there."""
        above = self.course.size_bytes - self.boundary_bytes
        return above if self.course.raises(side) else self.boundary_bytes
