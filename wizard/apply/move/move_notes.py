"""The progress of a run's moves, in `moved.json` and in the journal on the drive."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from wizard.apply.run.backup_store import read_kept, replace_document
from wizard.documents.codec import JSON, from_json, parse_document, to_json
from wizard.model.machine import Extent
from wizard.model.moves import Moves

FILE, SCHEMA = "moved.json", "diskwright.moved/1"


@dataclass(frozen=True, slots=True)
class Bad:
    """An unreadable range: offsets in the partition, and on the drive at that time. Version 1.0 set the other
    fields: `is_zeros` is True if zeros replaced the range, and `is_kept` if the journal has the data."""

    content: Extent
    drive_bytes: int
    is_zeros: bool = False
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class Noted:
    """The progress of one move.

    `content` is the digest of the partition, empty until read, and `pieces` has a digest for each of its
    equal parts. `superblocks` are places in which xfs_repair would find one. `name` and `back` identify the
    journals of the move and, if a later move has overwritten the first one, of the way back. `stood` is the
    digest of head and tail at the new place, after comparison. `is_begun` is True if a journal may be on the
    drive, and `is_back` after undo. `bad` are unreadable ranges, which undo did not compare. Version 1.0 set
    `over`: ranges that the user allowed to become zeros.
    """

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
    def zeros(self) -> tuple[Extent, ...]:
        """Ranges that version 1.0 may have replaced by zeros."""
        return (*(one.content for one in self.bad if one.is_zeros), *self.over)


def without_stops(noted: Noted) -> Noted:
    """Return the progress without unreadable ranges at which version 1.0 stopped."""
    return replace(noted, bad=tuple(one for one in noted.bad if one.is_zeros))


@dataclass(frozen=True, slots=True)
class Notes:
    """The progress of all moves of a run, in their order."""

    moves: tuple[Noted, ...]


def new_name() -> str:
    """Return a name that identifies a journal on a drive."""
    return uuid4().hex


def load_notes(run: Path, moves: Moves) -> tuple[Noted, ...]:
    """Load the progress of a run, or start with new names. Raises BadInput if the file is damaged."""
    text = read_kept(run / FILE)
    if text is None:
        return tuple(Noted(new_name()) for _ in moves.moves)
    return notes_of(parse_document(text, SCHEMA, str(run / FILE)), str(run / FILE))


def notes_of(data: JSON, where: str) -> tuple[Noted, ...]:
    """Parse the progress of all moves. Raises BadInput."""
    return from_json(data, Notes, where).moves


def as_json(notes: Iterable[Noted]) -> JSON:
    """Return the progress of all moves as JSON."""
    document: JSON = to_json(Notes(tuple(notes)))
    return document


def save_notes(run: Path, notes: Sequence[Noted]) -> None:
    """Save the progress of all moves, and sync. Raises Failed."""
    replace_document(run / FILE, SCHEMA, Notes(tuple(notes)))
