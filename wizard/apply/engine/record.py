"""State of a rehearsed run: a small file in the run's folder, durable before each phase begins."""

from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.block.extents import Read
from wizard.apply.run import backup_store, journal
from wizard.documents import codec
from wizard.model.errors import BadInput
from wizard.model.machine import Extent, Placed
from wizard.model.said import Sentence, failing, t

# Effect of a power cut, by phase.
HALF = Sentence(
    "A power cut now would lose no data, but {drives:and} could not be mounted until `diskwright {command}` "
    "has finished."
)
UNCHANGED = Sentence("After a power cut now, {drives:and} would be unchanged.")

# Next commands.
UNDO = Sentence("`diskwright undo {run}` restores the old contents bit for bit.")
RESUMES_RUN = Sentence("`diskwright {command} {run}` continues the run.")
ENDS_RUN = Sentence("`diskwright undo {run}` ends this run; then make a new plan.")
SHOWS_RUN = Sentence("`diskwright status {run}` shows the run. No saved bytes were deleted.")
KEPT_IN = Sentence("The saved data of both states is in {folder}.")
DAMAGED = Sentence("The saved data of {drive} in {folder} was changed or damaged. Nothing more was written.")
UNKNOWN_DATA = Sentence("{drive} has unrecognised data at byte {byte}.")
RECORD_LOST = Sentence(
    "rehearsed.json and all copies are lost, so the run cannot be finished or "
    "undone. {folder} still has the saved bytes at the original drive offsets. "
    "If the drive is waiting, `diskwright inspect` shows how to keep the result."
)

SCHEMA = "diskwright.rehearsed/1"
FILE = "rehearsed.json"
LARGEST_DRIVE_BYTES = 1 << 63
"""Linux stores offsets on a device as signed 64-bit numbers."""


class Phase(StrEnum):
    """Phase of a run.

    REHEARSING: all work is on a scratch copy. SAVED: the old bytes are saved. CLEARING, REPLACING: the drives
    are written. HIDDEN: everything is written and verified except large zeros and the new signatures.
    RELEASING: these are written. RELEASED: the drives have the planned contents. KEPT: the old bytes are
    deleted.

    The phases with BACK end in UNDONE. LEFT: the old contents were used before the first write or after the
    undo, so the run leaves the drives unchanged. UNKNOWN, never saved: the record is lost, and only the
    changes were read from a backup. The drives determine the phase.
    """

    REHEARSING = "rehearsing"
    SAVED = "saved"
    CLEARING = "clearing"
    REPLACING = "replacing"
    HIDDEN = "barred"
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
"""No drive was written yet."""

GOING_BACK = frozenset({Phase.CLEARING_BACK, Phase.REPLACING_BACK, Phase.RELEASING_BACK})


def power_sentence(phase: Phase, drives: str, *, waits: bool = True) -> str:
    """Return the effect of a power cut now and the remedy, empty if the run is over. `waits`: see `Record`.

    A run that waited and was kept is over when the result is in use, according to the run's journal.
    """
    match phase:
        case Phase.UNDONE | Phase.LEFT | Phase.UNKNOWN:
            return ""
        case Phase.RELEASED | Phase.KEPT if waits:
            said = t(
                "After a power cut now, {drives} would have the planned contents; "
                "`diskwright resume` would finish the run.",
                drives=drives,
            )
        case Phase.KEPT:
            return ""
        case Phase.REHEARSING | Phase.SAVED:
            said = UNCHANGED(drives=drives)
        case Phase.HIDDEN if waits:
            said = t("A power cut now would lose no data: the result can be kept or undone on any later day.")
        case Phase.RELEASED:
            said = t("After a power cut now, {drives} would have the planned contents.", drives=drives)
        case _:
            said = HALF(drives=drives, command="undo" if phase in GOING_BACK else "resume")
    return str(said)


class SavedSignature(Placed, Struct, frozen=True):
    """Place of a signature. While a drive is hidden it contains zeros.

    If `stays`, it contains the old bytes: a table with preserved partitions stays valid until the new one is
    written. `instead` are other bytes, in hexadecimal: a filesystem with preserved files stays recognisable,
    but cannot be mounted.
    """

    start_bytes: int
    size_bytes: int
    stays: bool = False
    instead: str = ""

    def away(self, start_bytes: int, size_bytes: int, held: Read) -> bytes:
        """Return the bytes in a part of the place while the drive is hidden. `held` reads the old bytes."""
        if self.stays:
            return held(start_bytes, size_bytes)
        at = start_bytes - self.start_bytes
        return bytes.fromhex(self.instead)[at : at + size_bytes] if self.instead else bytes(size_bytes)


class DriveChange(Struct, frozen=True):
    """Changes on one drive. `places` are whole logical blocks, sorted and separate.

    `old_marks` and `new_marks` are the old and new signatures in the order of writing, the deciding one last.
    The places include them, and the `notice` on a hidden drive. The digests cover the bytes in all places:
    before, after, and hidden.
    """

    path: str
    size_bytes: int
    places: tuple[Extent, ...]
    old_marks: tuple[SavedSignature, ...]
    new_marks: tuple[SavedSignature, ...]
    old_digest: str
    new_digest: str
    barred_digest: str
    blank: bool
    notice: Extent | None = None
    discards: tuple[Extent, ...] = ()
    """Discarded when the run is kept."""
    zeros: tuple[Extent, ...] = ()
    """Large ranges of zeros in new volumes, such as a journal. They are written when the run is kept, before
    the new signatures, so their old bytes are not saved."""
    witness: Extent | None = None
    """Logical block in `zeros` that had other bytes, which are saved. The first to be zeroed: from then on,
    the drive cannot be restored completely. Only an empty drive has `zeros` without a witness."""

    @property
    def marks(self) -> tuple[SavedSignature, ...]:
        """Old and new signatures."""
        return (*self.old_marks, *self.new_marks)

    @property
    def changed_bytes(self) -> int:
        """Number of bytes that change before the run waits."""
        return sum(place.size_bytes for place in self.places)

    @property
    def zero_bytes(self) -> int:
        """Number of bytes in `zeros`."""
        return sum(place.size_bytes for place in self.zeros)


class Record(Struct, frozen=True):
    """Phase of a run, and the changes to each drive, empty during the rehearsal.

    If `waits`, the drives are hidden until the run is kept or undone. Otherwise the run continues by itself,
    and can be undone afterwards. `of_plan` is the SHA-256 of the run's plan.json.
    """

    phase: Phase
    changes: tuple[DriveChange, ...] = ()
    waits: bool = True
    of_plan: str = ""
    lost_bytes: int = 0
    """Size of the places of zeros that undo could not restore."""

    @property
    def blank(self) -> bool:
        """True if all drives were empty: no signature, no table, and zeros in all places."""
        return all(change.blank for change in self.changes)


UNRECORDED = Sentence("Cannot record the run's progress in {run}: {why}. Fix that, then repeat the command.")


def save_record(run: Path, record: Record) -> None:
    """Write the record atomically and durably. Raises Failed; then the previous record remains."""
    with failing(UNRECORDED, run=run):
        backup_store.replace_durably(run / FILE, codec.render_document(SCHEMA, record).encode())


def settle_record(run: Path) -> None:
    """Make the existing record durable: its writer may have been killed before that. Raises Failed."""
    with failing(UNRECORDED, run=run):
        journal.sync_folder(run)


def load_record(run: Path) -> Record | None:
    """Return the record of a run, or None if the run was never rehearsed.

    A record that is lost, damaged or from another run is read from the backup, with the phase UNKNOWN. Raises
    BadInput if the backup is missing, too.
    """
    try:
        text = backup_store.read_kept(run / FILE)
        record = None if text is None else _read(text, str(run / FILE))
    except BadInput:
        if (kept := _from_backup(run)) is None:
            raise
        return kept
    if record is not None:
        # The record may be older than the saved bytes, or from another run.
        if record.phase is Phase.REHEARSING:
            kept = _from_backup(run)
            return kept if kept is not None and kept.changes else record
        if not record.of_plan:
            return record
        texts = (backup_store.text_of(run / "plan.json"), backup_store.backed_up(run, "plan.json"))
        plans = {backup_store.digest_of_text(text) for text in texts if text}
        if not plans or record.of_plan in plans:
            return record
    kept = _from_backup(run) or record
    if kept is None and any((run / "engine").glob("old-*.img")):
        raise BadInput(RECORD_LOST(folder=run / "engine"))
    return kept


def is_untouched(run: Path) -> bool:
    """Return True if a run has written nothing to a drive. Raises BadInput if unreadable."""
    record = load_record(run)
    return record.phase in UNTOUCHED if record else not journal.begun_steps(journal.read_entries(run))


def _from_backup(run: Path) -> Record | None:
    text = backup_store.backed_up(run, FILE)
    if text is None:
        return None
    try:
        record = _read(text, str(run / FILE))
    except BadInput:
        return None
    return replace(record, phase=Phase.UNKNOWN) if record.changes else record


@lru_cache(maxsize=4)
def _read(text: str, where: str) -> Record:
    """Parse a record. Cached, since status is polled several times a second, and a large change has many
    places."""
    record = codec.parse_document(text, SCHEMA, Record, where)
    for change in record.changes:
        marks = (mark.extent for mark in change.marks)
        single = filter(None, (change.notice, change.witness))
        for place in (*change.places, *change.discards, *change.zeros, *marks, *single):
            if not 0 <= place.start_bytes <= place.end_bytes <= change.size_bytes <= LARGEST_DRIVE_BYTES:
                raise BadInput(t("{place} is damaged.", place=where))
    return record
