"""Commit a closed snapshot to the device, and undo the commit, with the engine's exchange.

One block of the superblock decides. While the filesystem is hidden, the superblock cannot be mounted or
repaired, but still identifies the filesystem.
"""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import NoReturn, Protocol

from wizard.apply.block.extents import Medium, differing, merged
from wizard.apply.block.snapshot import read_cow_store
from wizard.apply.engine.changes import kept
from wizard.apply.engine.checks import Kept, opened
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.record import (
    KEPT_IN,
    DriveChange,
    Phase,
    Record,
    SavedSignature,
    load_record,
    power_message,
    save_record,
)
from wizard.apply.engine.stores import Store
from wizard.apply.engine.survey import DriveSide, delete_saved
from wizard.apply.run.backup_store import read_kept, replace_document
from wizard.apply.run.progress_log import Progress, part_of
from wizard.documents.codec import from_json, parse_document
from wizard.ext4.assessment import DECIDING, FIRST_BYTES, block_mounting, deciding_block, is_used_one
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.run import Event
from wizard.model.said import Message, join, t

SCHEMA, FILE = "diskwright.snapshot/1", "snapshot.json"
EARLIER = "transaction.json"
"""Written by an earlier version instead."""

WORK, OLD = "work.cow", "old.img"
"""Files in the transaction's folder: the snapshot's store, and the device's old bytes."""


class Head(Enum):
    """State of the superblock, which decides whether the filesystem can be mounted.

    HIDDEN: not mountable. OTHER: written by another program.
    """

    OLD = "old"
    NEW = "new"
    HIDDEN = "barred"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class SnapshotState:
    """Transaction on the filesystem with this UUID, on a device of this size. `folder` contains the stores.
    `closed`: the snapshot's store is complete.

    `old_first` and `new_first` are the first bytes of the filesystem before and after, in hexadecimal. The
    latter are known from Phase.SAVED on.
    """

    uuid: str
    size_bytes: int
    folder: str
    old_first: str
    new_first: str = ""
    closed: bool = False

    @property
    def is_at_work(self) -> bool:
        """True if an incomplete snapshot may exist."""
        return not self.closed and Path(self.folder).exists()

    @property
    def old(self) -> bytes:
        """First bytes of the old filesystem."""
        return bytes.fromhex(self.old_first)

    @property
    def new(self) -> bytes:
        """First bytes of the new filesystem."""
        return bytes.fromhex(self.new_first)

    def head(self, first: bytes) -> Head:
        """Return the state that these first bytes of a filesystem show."""
        found = first[DECIDING]
        if found in (block_mounting(self.old)[DECIDING], block_mounting(self.new)[DECIDING]):
            return Head.HIDDEN
        return {self.old[DECIDING]: Head.OLD, self.new[DECIDING]: Head.NEW}.get(found, Head.OTHER)


def save_snapshotted(run: Path, snapshotted: SnapshotState) -> None:
    """Write the transaction's file atomically and durably. Raises Failed; then the previous one remains."""
    replace_document(run / FILE, SCHEMA, snapshotted)


def load_snapshotted(run: Path) -> SnapshotState | None:
    """Return the run's transaction, or None. Raises BadInput if the file is damaged or from an earlier
    version."""
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
    return from_json(parse_document(text, SCHEMA, str(run / FILE)), SnapshotState, str(run / FILE))


def snapshotted_of(run: Path) -> SnapshotState:
    """Return the run's transaction. Raises BadInput like `load_snapshotted`, and for a run without a
    transaction."""
    if (found := load_snapshotted(run)) is None:
        raise BadInput(t("The run {run} has no transaction.", run=run.name))
    return found


def phase_of(run: Path) -> Phase | None:
    """Return the phase of the run's transaction, or None without a transaction. Raises BadInput."""
    if load_snapshotted(run) is None:
        return None
    record = load_record(run)
    return record.phase if record else Phase.REHEARSING


def _kept_of(folder: Path) -> Kept:
    """Return the saved and planned bytes in a transaction's folder."""

    def side_of(_: int, change: DriveChange, medium: Medium, files: ExitStack) -> DriveSide:
        old = opened(lambda: files.enter_context(Store(folder / OLD)).read)
        new = opened(lambda: read_cow_store(folder / WORK, change.size_bytes).over(old, files))
        return DriveSide(change, medium, old, new)

    return Kept(folder, side_of)


def drop_folder(folder: Path) -> None:
    """Delete a transaction's folder. Ignores errors."""
    shutil.rmtree(folder, ignore_errors=True)


UNCHANGED = t("The drive is unchanged.")
USED = t("it was modified since, for example by a read-write mount")


class Note(Protocol):
    """Write a message to the journal, with the observed output."""

    def __call__(self, event: Event, sentence: Message | str, *, output: str = "") -> object:
        """See `Journal.add`."""


class Committer:
    """Exchange on `medium`, opened from `device`, for a run's transaction whose snapshot is closed."""

    def __init__(self, run: Path, device: str, medium: Medium, note: Note) -> None:
        self._run, self._device, self._medium, self._note = run, device, medium, note
        self._snapshotted = snapshotted_of(run)
        self._folder = Path(self._snapshotted.folder)

    def commit(self, progress: Progress) -> None:
        """Continue the commit from any phase to RELEASED.

        Raises Refused if another program changed the device, Failed if reading or writing fails. Can be
        repeated then.
        """
        if self.phase is Phase.REHEARSING:
            self._collect(part_of(progress, 0.0, 0.2))
        self._refuse_foreign_superblock()
        if self.phase is Phase.RELEASING and self.head is Head.OTHER:
            # The deciding block was written just before a power cut, and the filesystem was used since.
            save_record(self._run, replace(self._record(), phase=Phase.RELEASED))
            return
        with self._exchange() as exchange:
            if self.phase in (Phase.SAVED, Phase.CLEARING, Phase.REPLACING):
                power = power_message(Phase.REPLACING, self._device, waits=False)
                self._note(
                    Event.SAVED,
                    join(
                        *filter(
                            None,
                            (
                                t("From here on, the filesystem cannot be mounted until the change is done."),
                                power,
                            ),
                        )
                    ),
                )
                exchange.commit(part_of(progress, 0.2, 0.8))
                seen = t("{size:exact} read back", size=exchange.record.changes[0].changed_bytes)
                self._note(Event.VERIFIED, t("The drive matches the data written"), output=str(seen))
            exchange.release(part_of(progress, 0.8, 1.0))

    def undo(self, progress: Progress) -> None:
        """Restore the old filesystem, bit for bit, from RELEASED or an interrupted commit or undo.

        If the old filesystem was already restored and used again, the phase becomes LEFT. Raises like
        `commit`.
        """
        if self.phase not in (Phase.UNDONE, Phase.LEFT):
            self._refuse_foreign_superblock()
            with self._exchange() as exchange:
                try:
                    proof = exchange.undo(progress)
                except Refused:
                    if exchange.record.phase is not Phase.LEFT:
                        raise
                else:
                    if proof is not None:
                        delete_saved(proof)
                        return
        drop_folder(self._folder)

    def check_kept(self) -> None:
        """Raises Failed if the saved bytes are damaged, Refused if they do not fit the device. Writes
        nothing."""
        with self._exchange() as exchange:
            if not exchange.sides[0].is_old_intact():
                raise Failed(
                    t(
                        "The saved data of {device} in {folder} was changed or damaged, so undo does "
                        "not use this data.",
                        folder=str(self._folder),
                        device=self._device,
                    )
                )
        if self.phase is Phase.RELEASED and (obstacle := self.undo_obstacle()):
            raise Refused(t("The change cannot be undone: {why}. Nothing was written.", why=obstacle))

    def undo_obstacle(self) -> Message | None:
        """Return why a committed change cannot be undone, as a clause, or None."""
        if self.head is not Head.NEW:
            return USED
        with self._exchange() as exchange:
            (side,) = exchange.sides
            if not side.holds(side.change.new_digest):
                return t("the data from the change was modified since")
        return None

    @property
    def phase(self) -> Phase:
        """Recorded phase of the transaction."""
        return self._record().phase

    @property
    def head(self) -> Head:
        """State of the superblock on the device."""
        return self._snapshotted.head(self._medium.read(0, FIRST_BYTES))

    @property
    def is_as_put(self) -> bool:
        """True if the deciding block is exactly as the commit or the undo wrote it."""
        put = self._snapshotted.old if self.phase is Phase.UNDONE else self._snapshotted.new
        block = deciding_block(self._medium.logical_block_bytes)
        return self._medium.read(0, FIRST_BYTES)[block] == put[block]

    def _record(self) -> Record:
        return load_record(self._run) or Record(Phase.REHEARSING, waits=False)

    @contextmanager
    def _exchange(self) -> Iterator[Exchange]:
        record = self._record()
        if any(change.path != self._device for change in record.changes):
            # The device has a new name since the start of the run.
            changes = tuple(replace(change, path=self._device) for change in record.changes)
            save_record(self._run, replace(record, changes=changes))
        exchange = Exchange(self._run, [self._medium], _kept_of(self._folder))
        try:
            yield exchange
        finally:
            exchange.close()

    def _collect(self, progress: Progress) -> None:
        """Save the blocks to be replaced. The device is only read.

        Once the snapshot is closed, for example by a reboot, the device can be mounted. After a write, the
        snapshot's blocks no longer fit.
        """
        first, block = self._medium.read(0, FIRST_BYTES), deciding_block(self._medium.logical_block_bytes)
        if first != self._snapshotted.old:
            self._give_up()
        written = read_cow_store(self._folder / WORK, self._medium.size_bytes)
        touched = merged(written.written(), 1, self._medium.size_bytes)
        try:
            with (
                ExitStack() as files,
                Store(self._folder / OLD, make_bytes=self._medium.size_bytes) as old,
            ):
                new = written.over(self._medium.read, files)
                new_first = new(0, FIRST_BYTES)
                old_mark, new_mark = (
                    SavedSignature(
                        block.start, block.stop - block.start, instead=block_mounting(one)[block].hex()
                    )
                    for one in (first, new_first)
                )
                change = kept(
                    self._device,
                    self._medium,
                    lambda read: differing(touched, read, new),
                    new,
                    old,
                    (old_mark,),
                    (new_mark,),
                    blank=False,
                    touched_bytes=sum(place.size_bytes for place in touched),
                    progress=progress,
                )
        except Failed as error:
            raise Failed(f"{error} {UNCHANGED}") from None
        self._snapshotted = replace(self._snapshotted, new_first=new_first.hex())
        save_snapshotted(self._run, self._snapshotted)
        save_record(self._run, Record(Phase.SAVED, (change,), waits=False))
        self._note(
            Event.SAVED,
            t(
                "Saved the old contents of the blocks that will change, {size:exact}, in {folder}.",
                size=change.changed_bytes,
                folder=str(self._folder),
            ),
        )

    def _give_up(self) -> NoReturn:
        """Give up the change before the first write to the device."""
        save_record(self._run, Record(Phase.LEFT, waits=False))
        drop_folder(self._folder)
        raise Refused(t("The filesystem is left alone: {why}. Nothing was written.", why=USED))

    def _refuse_foreign_superblock(self) -> None:
        """Raises Refused unless the superblock is from this run, or from the same filesystem after use. The
        engine would accept any other as used.

        An unreadable block is accepted: a power cut can leave it half written.
        """
        try:
            first = self._medium.read(0, FIRST_BYTES)
        except Failed:
            return
        old, new, head = self._snapshotted.old, self._snapshotted.new, self._snapshotted.head(first)
        match self.phase:
            case Phase.REPLACING | Phase.HIDDEN | Phase.REPLACING_BACK:
                fits = head is Head.HIDDEN
            case Phase.RELEASING:
                fits = head in (Head.HIDDEN, Head.NEW) or is_used_one(first, new, old)
            case Phase.RELEASING_BACK:
                fits = head in (Head.HIDDEN, Head.OLD) or is_used_one(first, old, new)
            case _:
                fits = True
        if not fits:
            raise Refused(
                join(
                    t(
                        "During the change, another program wrote to the superblock, which was "
                        "blocked against mounting. Nothing was written."
                    ),
                    KEPT_IN(folder=str(self._folder)),
                )
            )
