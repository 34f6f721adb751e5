"""What a run notes of each of its moves, beside the journal on the drive, which knows of one move alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from wizard.apply.run.vault import read_kept, replace_document
from wizard.documents.codec import JSON, from_json, parse_document, to_json
from wizard.model.documents.move import Moves
from wizard.model.machine import Extent

FILE, SCHEMA = "moved.json", "diskwright.moved/1"


@dataclass(frozen=True, slots=True)
class Bad:
    """Physical blocks that could not be read: where in the content, and where on the drive that was.
    `is_zeros`: they are zeros now, wherever the content lies. `is_kept`: the journal on the drive has what
    was there."""

    content: Extent
    drive_bytes: int
    is_zeros: bool = False
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class Noted:
    """One move. `content` is the digest of what the partition holds, empty until it was read, and `pieces`
    are those of equal parts of it; `superblocks` are where a repair of XFS would find one; `name` and
    `back` are by what the journal on the drive knows it, forward, and where a later move's journal has taken
    its place, back; `stood` is the digest of its head and tail at the new place, once it was compared.
    `is_begun`: a journal of it may be on the drive. `is_back`: it is where it was. `bad` is what could not be
    read on the way, and of that somebody gave up what is `over`, by the same extents of the content."""

    name: str
    content: str = ""
    is_begun: bool = False
    stood: str = ""
    back: str = ""
    is_back: bool = False
    pieces: tuple[str, ...] = ()
    superblocks: tuple[int, ...] = ()
    bad: tuple[Bad, ...] = ()
    over: tuple[Extent, ...] = ()

    @property
    def stops(self) -> tuple[Bad, ...]:
        """What it stops at: it could not be read, and nobody has given it up."""
        return tuple(one for one in self.bad if not one.is_zeros and one.content not in self.over)

    @property
    def giving_up(self) -> "Noted":
        """With what it stops at given up."""
        return replace(self, over=(*self.over, *(one.content for one in self.stops)))

    @property
    def lost(self) -> tuple[Extent, ...]:
        """What of the content is not known any more."""
        return tuple(one.content for one in self.bad)


@dataclass(frozen=True, slots=True)
class Notes:
    """As many as there are moves, in their order."""

    moves: tuple[Noted, ...]


def new_name() -> str:
    """By which a journal on a drive is known for this run's."""
    return uuid4().hex


def load_notes(run: Path, moves: Moves) -> tuple[Noted, ...]:
    """What was noted; names alone where nothing was. Raises BadInput where that is damaged."""
    text = read_kept(run / FILE)
    if text is None:
        return tuple(Noted(new_name()) for _ in moves.moves)
    return notes_of(parse_document(text, SCHEMA, str(run / FILE)), str(run / FILE))


def notes_of(data: JSON, where: str) -> tuple[Noted, ...]:
    """From what a document holds; raises BadInput."""
    return from_json(data, Notes, where).moves


def as_json(notes: Iterable[Noted]) -> JSON:
    """As a document holds it."""
    document: JSON = to_json(Notes(tuple(notes)))
    return document


def save_notes(run: Path, notes: Sequence[Noted]) -> None:
    """On the medium on return. Raises Failed."""
    replace_document(run / FILE, SCHEMA, Notes(tuple(notes)))
