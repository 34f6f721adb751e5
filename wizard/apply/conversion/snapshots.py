"""What a transaction has beside the engine's record: which filesystem it is on, and where its stores lie. A
small file in its run's folder.

The stores are the snapshot's own, which holds what is to be once it is closed, and a sparse file with what
the device held there.
"""

import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from wizard.apply.block.extents import Medium
from wizard.apply.block.snapshot import read_cow_store
from wizard.apply.engine.checks import Kept, opened
from wizard.apply.engine.record import DriveChange, Phase, load_record
from wizard.apply.engine.stores import Store
from wizard.apply.engine.survey import DriveSide
from wizard.apply.run.backup_store import read_kept, replace_document
from wizard.documents.codec import from_json, parse_document
from wizard.ext4.assessment import DECIDING, barred
from wizard.model.errors import BadInput
from wizard.model.said import t

SCHEMA, FILE = "diskwright.snapshot/1", "snapshot.json"
EARLIER = "transaction.json"
"""What an earlier version kept in its place."""

WORK, OLD = "work.cow", "old.img"
"""Files in the transaction's folder: the snapshot's store, and what the device held."""


class Head(Enum):
    """What decides who may mount it, as found on the device. HIDDEN: nobody. OTHER: neither of the two;
    somebody wrote to it."""

    OLD = "old"
    NEW = "new"
    HIDDEN = "barred"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Snapshotted:
    """A transaction on a filesystem with this UUID, on a device of this size. `folder` is where its stores
    lie; `closed` says that the snapshot's is complete.

    `old_first` and `new_first` are the first bytes of the filesystem before and after, in hexadecimal digits;
    the latter are known from Phase.SAVED on.
    """

    uuid: str
    size_bytes: int
    folder: str
    old_first: str
    new_first: str = ""
    closed: bool = False

    @property
    def is_at_work(self) -> bool:
        """Whether there can be a snapshot that is not complete."""
        return not self.closed and Path(self.folder).exists()

    @property
    def old(self) -> bytes:
        """The first bytes before."""
        return bytes.fromhex(self.old_first)

    @property
    def new(self) -> bytes:
        """The first bytes after."""
        return bytes.fromhex(self.new_first)

    def head(self, first: bytes) -> Head:
        """Which head these first bytes of a filesystem have."""
        found = first[DECIDING]
        if found in (barred(self.old)[DECIDING], barred(self.new)[DECIDING]):
            return Head.HIDDEN
        return {self.old[DECIDING]: Head.OLD, self.new[DECIDING]: Head.NEW}.get(found, Head.OTHER)


def save_snapshotted(run: Path, snapshotted: Snapshotted) -> None:
    """On return it is on the medium, whole; raises Failed where it cannot be written, and then the one before
    stands."""
    replace_document(run / FILE, SCHEMA, snapshotted)


def load_snapshotted(run: Path) -> Snapshotted | None:
    """What the run's transaction is on; None where none was begun. Raises BadInput where the file is damaged,
    or an earlier version began it."""
    if (text := read_kept(run / FILE)) is None:
        if (run / EARLIER).exists():
            raise BadInput(
                t(
                    "An earlier version of diskwright started the run {run}. Only that version "
                    "can resume or undo it.",
                    run=run.name,
                )
            )
        return None
    return from_json(parse_document(text, SCHEMA, str(run / FILE)), Snapshotted, str(run / FILE))


def snapshotted_of(run: Path) -> Snapshotted:
    """The same; raises BadInput where none was begun, too."""
    if (found := load_snapshotted(run)) is None:
        raise BadInput(t("The run {run} has no transaction.", run=run.name))
    return found


def phase_of(run: Path) -> Phase | None:
    """How far the run's transaction is; None where none was begun. Raises BadInput."""
    if load_snapshotted(run) is None:
        return None
    record = load_record(run)
    return record.phase if record else Phase.REHEARSING


def kept_of(folder: Path) -> Kept:
    """What a transaction keeps in its folder."""

    def side_of(_: int, change: DriveChange, medium: Medium, files: ExitStack) -> DriveSide:
        old = opened(lambda: files.enter_context(Store(folder / OLD)).read)
        new = opened(lambda: read_cow_store(folder / WORK, change.size_bytes).over(old, files))
        return DriveSide(change, medium, old, new)

    return Kept(folder, side_of)


def drop_folder(folder: Path) -> None:
    """Delete what a transaction kept; what cannot be deleted is left."""
    shutil.rmtree(folder, ignore_errors=True)
