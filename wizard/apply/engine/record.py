"""Where a rehearsed run stands: a small file in its folder, on the medium before what it announces is
begun."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from wizard.apply.block.extents import Read
from wizard.apply.engine import words
from wizard.apply.run.backup import backed_up, digest_of_text
from wizard.apply.run.journal import sync_folder
from wizard.apply.run.vault import read_kept, replace_durably
from wizard.documents.codec import from_json, parse_document, render_document, to_json
from wizard.model.errors import BadInput, Failed
from wizard.model.machine import Extent, Placed
from wizard.model.said import Said

SCHEMA = "diskwright.rehearsed/1"
FILE = "rehearsed.json"
LARGEST_DRIVE_BYTES = 1 << 63
"""Linux counts the bytes of a device in a signed number of 64 bits."""


class Phase(StrEnum):
    """REHEARSING: all is done on a stand-in. SAVED: the old bytes are kept. CLEARING, REPLACING: the drives
    are written.

    BARRED: everything is written and read back but what anything recognises it by. RELEASING: that is
    written. RELEASED: the drives hold what was shown. KEPT: the old bytes are gone. The phases with BACK lead
    to UNDONE. LEFT: somebody uses what the drives held, before the first write or after the last one back, so
    nothing is done with them any more. UNKNOWN, never written down: the record is lost, and only what it says
    of the changes was read from its copy; the drives tell the phase.
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
    UNKNOWN = "unknown"


UNTOUCHED = frozenset({Phase.REHEARSING, Phase.SAVED})
"""No drive has changed by one bit."""

GOING_BACK = frozenset({Phase.CLEARING_BACK, Phase.REPLACING_BACK, Phase.RELEASING_BACK})


def power_sentence(phase: Phase, drives: str, *, waits: bool = True) -> str:
    """As `power_said`; empty once it is over."""
    said = power_said(phase, drives, waits=waits)
    return "" if said is None else str(said)


def power_said(phase: Phase, drives: str, *, waits: bool = True) -> Said | None:
    """What a power cut now would leave, and what to do then; None once it is over. `waits`: see `Record`.
    What waited and is kept is over only when it is in use, which the run's journal tells."""
    match phase:
        case Phase.UNDONE | Phase.LEFT | Phase.UNKNOWN:
            return None
        case Phase.RELEASED | Phase.KEPT if waits:
            return words.PUT_TO_USE(drives=drives)
        case Phase.KEPT:
            return None
        case Phase.REHEARSING:
            return words.REHEARSING(drives=drives)
        case Phase.SAVED:
            return words.SAVED(drives=drives)
        case Phase.BARRED if waits:
            return words.BARRED
        case Phase.RELEASED:
            return words.RELEASED(drives=drives)
        case _:
            return words.HALF(drives=drives, command="undo" if phase in GOING_BACK else "resume")


@dataclass(frozen=True, slots=True)
class Mark(Placed):
    """A place by which something is recognised. While a drive is barred it holds zeros, or, where `stays`,
    what it held before: a table that keeps partitions stays in force until the new one is released. Or it
    holds what is `instead` there, in hexadecimal digits: a filesystem whose files stay is to be found, too,
    while nobody can mount it.
    """

    start_bytes: int
    size_bytes: int
    stays: bool = False
    instead: str = ""

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
    discards: tuple[Extent, ...] = ()
    """What is discarded once the run is kept."""

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
    after that. `of_plan` is the SHA-256 of the run's plan.json.
    """

    phase: Phase
    changes: tuple[Change, ...] = ()
    waits: bool = True
    of_plan: str = ""

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


def _unwritten(run: Path, error: OSError) -> Said:
    return words.NOT_NOTED(run=str(run), why=str(error.strerror))


def settle_record(run: Path) -> None:
    """On return what `load_record` gives is on the medium: whoever wrote it may have been killed before it
    was. Raises Failed."""
    try:
        sync_folder(run)
    except OSError as error:
        raise Failed(_unwritten(run, error)) from None


def load_record(run: Path) -> Record | None:
    """How far the run is; None for one that was never rehearsed. A record that is lost, damaged or from
    another run is read from its backup, with the phase UNKNOWN. Raises BadInput if there is no backup either.
    """
    try:
        text = read_kept(run / FILE)
        record = None if text is None else _read(text, str(run / FILE))
    except BadInput:
        if (kept := _from_backup(run)) is None:
            raise
        return kept
    if record is None:
        kept = _from_backup(run)
        if kept is None and any((run / "engine").glob("old-*.img")):
            raise BadInput(words.RECORD_LOST(folder=str(run / "engine")))
        return kept
    if not _is_doubtful(run, record):
        return record
    return _from_backup(run) or record


def _is_doubtful(run: Path, record: Record) -> bool:
    """Whether the record can be older than the saved bytes, or from another run."""
    if record.phase is Phase.REHEARSING:
        kept = _from_backup(run)
        return kept is not None and bool(kept.changes)
    if not record.of_plan:
        return False
    plans = {digest_of_text(text) for text in (_text(run / "plan.json"), backed_up(run, "plan.json")) if text}
    return bool(plans) and record.of_plan not in plans


def _text(file: Path) -> str | None:
    try:
        return read_kept(file)
    except BadInput:
        return None


def _from_backup(run: Path) -> Record | None:
    text = backed_up(run, FILE)
    if text is None:
        return None
    try:
        record = _read(text, str(run / FILE))
    except BadInput:
        return None
    return replace(record, phase=Phase.UNKNOWN) if record.changes else record


@lru_cache(maxsize=4)
def _read(text: str, where: str) -> Record:
    """Whoever follows a run asks several times a second, and the places of a large change are many."""
    record = from_json(parse_document(text, SCHEMA, where), Record, where)
    for change in record.changes:
        marks = (mark.extent for mark in change.marks)
        notice = (change.notice,) if change.notice else ()
        for place in (*change.places, *change.discards, *marks, *notice):
            if not 0 <= place.start_bytes <= place.end_bytes <= change.size_bytes <= LARGEST_DRIVE_BYTES:
                raise BadInput(words.NO_PLACE(file=where, byte=place.start_bytes))
    return record
