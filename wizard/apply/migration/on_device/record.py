"""What a direct migration keeps beside its journal so that it can be taken back: the device's fingerprint,
and each step's superblocks."""

from dataclasses import dataclass, replace
from pathlib import Path

from wizard.apply.run.vault import read_kept, replace_document
from wizard.documents.codec import from_json, parse_document

FILE = "direct.json"
TAKING_BACK = "taking-back"
"""The file in a run that says that the device is being put back, so that it can hold anything between."""

SCHEMA = "diskwright.direct/1"


@dataclass(frozen=True, slots=True)
class Mark:
    """A step on the device, which counts from 1, with its superblock `before` and `after`, in hexadecimal;
    empty after where it was not done.
    """

    step: int
    before: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """SHA-256 of the whole device before the first step, how long that took, and the steps that were
    begun."""

    sha256: str
    seconds: float
    marks: tuple[Mark, ...] = ()

    def begun(self, step: int, before: bytes) -> "Record":
        """With a step that begins."""
        return replace(self, marks=(*self.marks, Mark(step, before.hex())))

    def done(self, after: bytes) -> "Record":
        """With its last step done."""
        return replace(self, marks=(*self.marks[:-1], replace(self.marks[-1], after=after.hex())))

    def without_last(self) -> "Record":
        """With its last step put back."""
        return replace(self, marks=self.marks[:-1])

    @property
    def cut_off(self) -> bool:
        """Whether the last step was begun and not done."""
        return bool(self.marks) and not self.marks[-1].after

    @property
    def last_superblock(self) -> bytes:
        """What the device's superblock was last known to be; empty where no step was begun."""
        return bytes.fromhex(self.marks[-1].after or self.marks[-1].before) if self.marks else b""

    @property
    def superblocks(self) -> tuple[bytes, ...]:
        """Every superblock that the device had before or after a step."""
        return tuple(bytes.fromhex(one) for mark in self.marks for one in (mark.before, mark.after))

    def is_done(self, step: int) -> bool:
        """Whether the step is done."""
        return any(mark.step == step and mark.after for mark in self.marks)


def load_record(run: Path) -> Record | None:
    """The record of a run; None where it has none yet. Raises BadInput where it cannot be read."""
    where = str(run / FILE)
    if (text := read_kept(run / FILE)) is None:
        return None
    return from_json(parse_document(text, SCHEMA, where), Record, where)


def keep_record(run: Path, record: Record) -> Record:
    """Put the record in the place of the one before, and give it; on return it is on the medium. Raises
    Failed."""
    replace_document(run / FILE, SCHEMA, record)
    return record
