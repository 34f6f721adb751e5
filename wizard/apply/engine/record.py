"""Where a rehearsed run stands: a small file in its folder, on the medium before what it announces is
begun."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from wizard.apply.block.extents import Read
from wizard.apply.run.journal import sync_folder
from wizard.apply.run.vault import read_kept, replace_durably
from wizard.documents.codec import from_json, parse_document, render_document, to_json
from wizard.model.errors import Failed
from wizard.model.machine import Extent

SCHEMA = "diskwright.rehearsed/1"
FILE = "rehearsed.json"


class Phase(StrEnum):
    """REHEARSING: all is done on a stand-in. SAVED: the old bytes are kept. CLEARING, REPLACING: the drives
    are written.

    BARRED: everything is written and read back but what anything recognises it by. RELEASING: that is
    written. RELEASED: the drives hold what was shown. KEPT: the old bytes are gone. The phases with BACK lead
    to UNDONE. LEFT: somebody uses what the drives held, before the first write or after the last one back, so
    nothing is done with them any more.
    """

    REHEARSING = "rehearsing"
    SAVED = "saved"
    CLEARING = "clearing"
    REPLACING = "replacing"
    BARRED = "barred"
    RELEASING = "releasing"
    RELEASED = "released"
    KEPT = "kept"
    CLEARING_BACK = "clearing-back"
    REPLACING_BACK = "replacing-back"
    RELEASING_BACK = "releasing-back"
    UNDONE = "undone"
    LEFT = "left"


UNTOUCHED = frozenset({Phase.REHEARSING, Phase.SAVED})
"""No drive has changed by one bit."""

GOING_BACK = frozenset({Phase.CLEARING_BACK, Phase.REPLACING_BACK, Phase.RELEASING_BACK})

HALF = (
    "If the power went now, nothing could be mounted from {drives}; `diskwright {command}` would finish it."
)
POWER = {
    Phase.REHEARSING: "If the power went now, {drives} would be as before: all is done on a stand-in.",
    Phase.SAVED: "If the power went now, {drives} would be as before.",
    Phase.BARRED: "If the power went now, nothing would be lost: it can be kept or undone on any later day.",
    Phase.RELEASED: "If the power went now, {drives} would hold what was shown.",
}
"""What a power cut would leave, by phase; in the middle of a change `HALF` holds."""


def power_sentence(phase: Phase, drives: str, *, waits: bool = True) -> str:
    """What a power cut now would leave, and what to do then; empty once it is over. `waits`: see `Record`."""
    if phase in (Phase.KEPT, Phase.UNDONE, Phase.LEFT):
        return ""
    command = "undo" if phase in GOING_BACK else "resume"
    passes = phase is Phase.BARRED and not waits
    return (HALF if passes else POWER.get(phase, HALF)).format(drives=drives, command=command)


def ways_on(phase: Phase, name: str) -> str:
    """The ways from a phase once what stopped the run is mended; `name` is what a command calls the run."""
    back = f"`diskwright undo {name}` puts back what was there, bit for bit."
    match phase:
        case Phase.REHEARSING | Phase.SAVED:
            return f"`diskwright resume {name}` goes on, `diskwright undo {name}` ends it."
        case Phase.CLEARING | Phase.REPLACING:
            return f"`diskwright resume {name}` goes on. {back}"
        case Phase.BARRED | Phase.RELEASING | Phase.RELEASED:
            return f"`diskwright keep {name}` goes on. {back}"
        case Phase.CLEARING_BACK | Phase.REPLACING_BACK | Phase.RELEASING_BACK:
            return f"`diskwright undo {name}` goes on putting back what was there."
        case Phase.KEPT | Phase.UNDONE | Phase.LEFT:
            return "Nothing of this run is left to be done."


@dataclass(frozen=True, slots=True)
class Mark:
    """A place by which something is recognised. While a drive is barred it holds zeros, or, where `stays`,
    what it held before: a table that keeps partitions stays in force until the new one is released. Or it
    holds what is `instead` there, in hexadecimal digits: a filesystem whose files stay is to be found, too,
    while nobody can mount it.
    """

    start_bytes: int
    size_bytes: int
    stays: bool = False
    instead: str = ""

    @property
    def extent(self) -> Extent:
        """Where it lies."""
        return Extent(self.start_bytes, self.size_bytes)

    def away(self, start_bytes: int, size_bytes: int, held: Read) -> bytes:
        """What a part of its place holds while a drive is barred that `held` this before."""
        if self.stays:
            return held(start_bytes, size_bytes)
        at = start_bytes - self.start_bytes
        return bytes.fromhex(self.instead)[at : at + size_bytes] if self.instead else bytes(size_bytes)


@dataclass(frozen=True, slots=True)
class Change:
    """What changes on one drive: `places`, in order and apart, in whole logical blocks.

    `old_marks` show what the drive held, `new_marks` what it is to hold; both in the order in which they are
    put in place, so that the last one decides. They lie within the places, and so does the `notice`, which a
    barred drive carries. The digests are of the places' bytes: before, after, and barred.
    """

    path: str
    size_bytes: int
    places: tuple[Extent, ...]
    old_marks: tuple[Mark, ...]
    new_marks: tuple[Mark, ...]
    old_digest: str
    new_digest: str
    barred_digest: str
    blank: bool
    notice: Extent | None = None

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Those of before and of after."""
        return (*self.old_marks, *self.new_marks)

    @property
    def changed_bytes(self) -> int:
        """How much of the drive changes."""
        return sum(place.size_bytes for place in self.places)


@dataclass(frozen=True, slots=True)
class Record:
    """How far a run is, and what it changes on each of its drives; that is empty while it is rehearsed.
    `waits` says that it is barred until it is kept or undone; else it goes on by itself, and can be undone
    after that.
    """

    phase: Phase
    changes: tuple[Change, ...] = ()
    waits: bool = True

    @property
    def blank(self) -> bool:
        """Whether no drive held anything: no signature, no table, and zeros wherever it is written."""
        return all(change.blank for change in self.changes)


def save_record(run: Path, record: Record) -> None:
    """On return it is on the medium, whole; raises Failed where it cannot be written, and then the one before
    stands."""
    try:
        replace_durably(run / FILE, render_document(SCHEMA, to_json(record)).encode())
    except OSError as error:
        raise Failed(_unwritten(run, error)) from None


def _unwritten(run: Path, error: OSError) -> str:
    return (
        f"How far the run is could not be written to {run}: {error.strerror}. See to that, and give the "
        "command again."
    )


def settle_record(run: Path) -> None:
    """On return what `load_record` gives is on the medium: whoever wrote it may have been killed before it
    was. Raises Failed."""
    try:
        sync_folder(run)
    except OSError as error:
        raise Failed(_unwritten(run, error)) from None


def load_record(run: Path) -> Record | None:
    """How far the run is; None for one that was never rehearsed. Raises BadInput where the file is
    damaged."""
    text = read_kept(run / FILE)
    return None if text is None else _read(text, str(run / FILE))


@lru_cache(maxsize=4)
def _read(text: str, where: str) -> Record:
    """Whoever follows a run asks several times a second, and the places of a large change are many."""
    return from_json(parse_document(text, SCHEMA, where), Record, where)
