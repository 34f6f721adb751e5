"""State of a rehearsed run: a small file in the run's folder, durable before each phase begins."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from wizard.apply.block.extents import Read
from wizard.apply.run.backup_store import backed_up, digest_of_text, read_kept, replace_durably
from wizard.apply.run.journal import sync_folder
from wizard.documents.codec import from_json, parse_document, render_document, to_json
from wizard.model.errors import BadInput, Failed
from wizard.model.machine import Extent, Placed
from wizard.model.said import Message, Sentence, Sentences, t

# What a power cut now would leave, by how far it is.
HALF = Sentence(
    "After a power cut now, {drives} could not be mounted; `diskwright {command}` would finish the run."
)
REHEARSING = Sentence("After a power cut now, {drives} would be unchanged: the run uses a scratch copy.")
SAVED = Sentence("After a power cut now, {drives} would be unchanged.")
BARRED = t("A power cut now would lose no data: the result can be kept or undone on any later day.")
PUT_TO_USE = Sentence(
    "After a power cut now, {drives} would have the planned contents; "
    "`diskwright resume` would finish the run."
)
RELEASED = Sentence("After a power cut now, {drives} would have the planned contents.")

# Ways on.
UNDO = Sentence("`diskwright undo {run}` restores the old contents bit for bit.")
GOES_ON = Sentence("`diskwright {command} {run}` continues the run.")
UNDO_GOES_ON = Sentence("`diskwright undo {run}` continues the undo.")
NOTHING_LEFT = t("This run needs no further action.")
ENDS_RUN = Sentence("`diskwright undo {run}` ends this run; then make a new plan.")
GIVE_BACK = Sentence("Restore the drive's size to {size} bytes.")
OVER = Sentence(
    "`diskwright undo {run} --over-changes {options:row}` restores the contents "
    "from before this run and overwrites any later changes."
)
FROM_DRIVE = Sentence("`diskwright keep --from-drive {drive}` finishes the run waiting on the drive.")
SHOWS_RUN = Sentence("`diskwright status {run}` shows the run. No saved bytes were deleted.")
MAYBE_ANOTHER = Sentence(
    "{drive} may be another drive: it has no data that the run {run} saved or "
    "wrote. Nothing was written. Attach the run's drive."
)
KEPT_IN = Sentence("The saved data of both states is in {folder}.")
NO_COPY = t(
    "Restore the folder's files from a backup if you have one. Otherwise, the "
    "drive can only be set up again: make a new plan."
)

# How far it is.
NOT_NOTED = Sentence("Cannot record the run's progress in {run}: {why}. Fix that, then repeat the command.")
NOT_REHEARSED = Sentences(
    "{run} has no rehearsed change to 1 drive.", "{run} has no rehearsed change to {count} drives."
)
NO_PLACE = Sentence("{file} is damaged: byte {byte} is outside its drive.")
RECORD_LOST = Sentence(
    "rehearsed.json and all copies are lost, so the run cannot be finished or "
    "undone. {folder} still has the saved bytes at the original drive offsets. "
    "If the drive is waiting, `diskwright inspect` shows how to keep the result."
)
NO_DRIVE_WRITTEN = t("Nothing was written to any drive.")
RUN_IS = Sentence("The run is {phase}, so this is not possible now. Nothing was written.")

# What stands against going on.
RESIZED = Sentence("{drive} now has {now} bytes, not {before}. Nothing more was written.")
WRITTEN_SINCE = Sentence("{drive} was modified after the run was complete.")
CHANGED_SINCE = Sentence("{drive} was changed after the rehearsal.")
OVERWRITING = Sentence("{drive} was modified after the run was complete; undo could destroy those changes.")
OLD_DAMAGED = Sentence("The old bytes in {folder} are damaged.")
KEPT_DAMAGED = Sentence(
    "The saved data of {drive} in {folder} was changed or damaged. Nothing more was written."
)
LEFT_AS_IT_IS = Sentence("{drives:list} has the old contents, which were used since. Left unchanged.")
PLAN_AGAIN = t("If you still want this, make a new plan.")
STRAY = Sentence(
    "Another program changed {drive} at byte {byte} after this run wrote to it. Nothing more was written."
)
STRAY_BEFORE = Sentence(
    "Another program changed {drive} at byte {byte} before the run was complete. Nothing more was written."
)
IN_USE = Sentence("{device} is in use: {why}.")

# Drives.
ELSEWHERE = Sentence(
    "The rehearsal changed byte {byte} of {drive}, outside the planned contents. "
    "Nothing was written to the drive."
)
FREED = Sentence("Discarded {size:exact} of free space in the new volumes on {drive}.")
UNKNOWN_DATA = Sentence("{drive} has unrecognised data at byte {byte}.")
COPIED_OVER = Sentence(
    "md overwrites all of {drive}, which may have unrecognised data: diskwright read only a sample."
)
NOT_EMPTIED = Sentence("Cannot discard free space in the new volumes on {drive}: {why}.")
NOTICE_TOO_LONG = Sentence("The recovery label for {drive} is too large.")
NOT_AS_WRITTEN = Sentence("Verification of {drive} failed: the data read back differs from the data written.")
NOT_AS_WRITTEN_AT = Sentence(
    "Verification of {drive} failed at byte {byte}: the data read back differs from the data written."
)

# Stand-ins, and what is recognised on them.
NOT_IGNORED = Sentence("Cannot make udev ignore {name}: {why}.")
NOT_MADE = Sentence("Cannot create {folder}: {why}.")
NO_LOOPS = Sentence("no loop device is available ({why})")
TOO_LARGE = Sentence("{folder} cannot store a file as large as the drive")
TOO_LARGE_WHY = Sentence("{folder} cannot store a file as large as the drive ({why})")
NOT_USED = Sentence("{file} cannot be used: {why}")
STORE_FAILED = Sentence("{clause}.")
NO_ROOM = t("not enough free space")
CUT_SHORT = Sentence("{file} was truncated or damaged.")
STILL_SHOWS = Sentence("{node} still shows {kind} where zeros were written.")
BLKID_SEES = Sentence("blkid still recognises {seen} on {part} after its signatures were hidden.")
STILL_SEEN = Sentence("{program} still recognises hidden content on {part}.")
KERNEL_MOUNTS = Sentence("The kernel mounts {part} as {kind} although its signatures are hidden.")


SCHEMA = "diskwright.rehearsed/1"
FILE = "rehearsed.json"
LARGEST_DRIVE_BYTES = 1 << 63
"""Linux counts the bytes of a device in a signed number of 64 bits."""


class Phase(StrEnum):
    """REHEARSING: all is done on a stand-in. SAVED: the old bytes are kept. CLEARING, REPLACING: the drives
    are written.

    HIDDEN: everything is written and read back but what anything recognises it by. RELEASING: that is
    written. RELEASED: the drives hold what was shown. KEPT: the old bytes are gone. The phases with BACK lead
    to UNDONE. LEFT: somebody uses what the drives held, before the first write or after the last one back, so
    nothing is done with them any more. UNKNOWN, never written down: the record is lost, and only what it says
    of the changes was read from its copy; the drives tell the phase.
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
"""No drive has changed by one bit."""

GOING_BACK = frozenset({Phase.CLEARING_BACK, Phase.REPLACING_BACK, Phase.RELEASING_BACK})


def power_sentence(phase: Phase, drives: str, *, waits: bool = True) -> str:
    """As `power_said`; empty once it is over."""
    said = power_said(phase, drives, waits=waits)
    return "" if said is None else str(said)


def power_said(phase: Phase, drives: str, *, waits: bool = True) -> Message | None:
    """What a power cut now would leave, and what to do then; None once it is over. `waits`: see `Record`.
    What waited and is kept is over only when it is in use, which the run's journal tells."""
    match phase:
        case Phase.UNDONE | Phase.LEFT | Phase.UNKNOWN:
            return None
        case Phase.RELEASED | Phase.KEPT if waits:
            return PUT_TO_USE(drives=drives)
        case Phase.KEPT:
            return None
        case Phase.REHEARSING:
            return REHEARSING(drives=drives)
        case Phase.SAVED:
            return SAVED(drives=drives)
        case Phase.HIDDEN if waits:
            return BARRED
        case Phase.RELEASED:
            return RELEASED(drives=drives)
        case _:
            return HALF(drives=drives, command="undo" if phase in GOING_BACK else "resume")


@dataclass(frozen=True, slots=True)
class SavedSignature(Placed):
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
class DriveChange:
    """What changes on one drive: `places`, in order and apart, in whole logical blocks.

    `old_marks` show what the drive held, `new_marks` what it is to hold; both in the order in which they are
    put in place, so that the last one decides. They lie within the places, and so does the `notice`, which a
    barred drive carries. The digests are of the places' bytes: before, after, and barred.
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
    """What is discarded once the run is kept."""

    @property
    def marks(self) -> tuple[SavedSignature, ...]:
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
    changes: tuple[DriveChange, ...] = ()
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


def _unwritten(run: Path, error: OSError) -> Message:
    return NOT_NOTED(run=str(run), why=str(error.strerror))


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
            raise BadInput(RECORD_LOST(folder=str(run / "engine")))
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
                raise BadInput(NO_PLACE(file=where, byte=place.start_bytes))
    return record
