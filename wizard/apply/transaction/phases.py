"""Where a transaction stands: a small file in its run's folder, on the medium before what it announces is
begun."""

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from wizard.apply.run.journal import sync_folder
from wizard.apply.run.vault import write_durably
from wizard.documents.codec import from_json, parse_document, render_document, to_json
from wizard.model.errors import BadInput, Failed

SCHEMA = "diskwright.transaction/1"
FILE = "transaction.json"


class Phase(StrEnum):
    """WORKING: everything is done on the snapshot. SEALED: its store is complete and closed. BARRING,
    REPLACING, RELEASING: the drive is changed; COMMITTED: it is. The same with BACK: what was there is put
    back. UNDONE, ABANDONED, KEPT: it is over, and the stores are gone.
    """

    WORKING = "working"
    SEALED = "sealed"
    BARRING = "barring"
    REPLACING = "replacing"
    RELEASING = "releasing"
    COMMITTED = "committed"
    BARRING_BACK = "barring-back"
    REPLACING_BACK = "replacing-back"
    RELEASING_BACK = "releasing-back"
    UNDONE = "undone"
    ABANDONED = "abandoned"
    KEPT = "kept"


UNTOUCHED = frozenset({Phase.WORKING, Phase.SEALED})
"""The drive has not changed by one bit."""
COMMITTING = frozenset({Phase.BARRING, Phase.REPLACING, Phase.RELEASING})
OVER = frozenset({Phase.UNDONE, Phase.ABANDONED, Phase.KEPT})

NOTHING = (
    "If the power went now, the filesystem would be as it was before: everything is done on a copy-on-write "
    "snapshot."
)


def _half(command: str) -> str:
    return (
        "If the power went now, nobody could mount this filesystem, which is barred while it is half "
        f"replaced; `diskwright {command}` would finish it, and nothing would be lost."
    )


def _edge(command: str) -> str:
    return (
        "If the power went now, this filesystem would be whole, or barred, so that nobody could mount it; "
        f"`diskwright {command}` would finish it either way, and nothing would be lost."
    )


POWER = {
    **dict.fromkeys(UNTOUCHED, NOTHING),
    **dict.fromkeys((Phase.BARRING, Phase.RELEASING), _edge("resume")),
    Phase.REPLACING: _half("resume"),
    Phase.COMMITTED: "If the power went now, the filesystem would be as it is: the change is complete.",
    **dict.fromkeys((Phase.BARRING_BACK, Phase.RELEASING_BACK), _edge("undo")),
    Phase.REPLACING_BACK: _half("undo"),
}
"""What would become of it if the power went, by phase; nothing where it is over."""


@dataclass(frozen=True, slots=True)
class Record:
    """A transaction on a filesystem with this UUID, on a device of this size. `folder` is where its stores
    lie.

    `old_first` and `new_first` are the first bytes of the filesystem before and after, in hexadecimal digits.
    From BARRING on it is known what is replaced: `chunks` of `chunk_bytes`, with the digests of what they
    held and are to hold, and `new_first`.
    """

    phase: Phase
    uuid: str
    size_bytes: int
    folder: str
    chunk_bytes: int = 0
    chunks: int = 0
    old_digest: str = ""
    new_digest: str = ""
    old_first: str = ""
    new_first: str = ""


def save_record(run: Path, record: Record) -> None:
    """On return it is on the medium, whole; raises Failed where it cannot be written, and then the one before
    stands."""
    new = run / f"{FILE}.new"
    try:
        write_durably(new, render_document(SCHEMA, to_json(record)).encode(), os.O_TRUNC)
        new.rename(run / FILE)
        sync_folder(run)
    except OSError as error:
        raise Failed(
            f"Where the transaction stands could not be written to {run}: {error.strerror}."
        ) from None


def load_record(run: Path) -> Record | None:
    """Where the run's transaction stands; None where none was begun. Raises BadInput where the file is
    damaged."""
    try:
        text = (run / FILE).read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{run / FILE} cannot be read: {error}.") from None
    return from_json(parse_document(text, SCHEMA, str(run / FILE)), Record, str(run / FILE))


def power_now(run: Path) -> str:
    """What a power cut now would leave, by where the run's transaction stands; empty where it has none, or it
    is over. Raises BadInput."""
    record = load_record(run)
    return "" if record is None else POWER.get(record.phase, "")


def power_told(run: Path) -> str:
    """The same for whoever only watches; empty, too, where the file is damaged."""
    try:
        return power_now(run)
    except BadInput:
        return ""
