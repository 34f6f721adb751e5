"""Save the change of a scratch copy, commit and undo it with the engine's exchange.

One block of the superblock decides. While the filesystem is hidden, the superblock cannot be mounted or
repaired, but still identifies the filesystem.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block import extents
from wizard.apply.block.devices import NO_EXT
from wizard.apply.conversion import state
from wizard.apply.engine.changes import kept
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.record import (
    DAMAGED,
    KEPT_IN,
    Phase,
    Record,
    SavedSignature,
    load_record,
    power_message,
    save_record,
)
from wizard.apply.engine.stores import FOLDER, Store
from wizard.apply.engine.survey import delete_saved
from wizard.apply.run.backup_store import replace_document
from wizard.apply.run.process import NOTHING_WRITTEN
from wizard.apply.run.progress_log import Progress, part_of
from wizard.ext4 import assessment
from wizard.ext4.superblock import START_BYTES, read_ext
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.run import Event
from wizard.model.said import Message, join, t

USED = t("it was modified since, for example by a read-write mount")


Note = Callable[..., object]
"""Writes a message to the journal, with the observed output: `Journal.add`."""


def save_change(
    run: Path,
    device: str,
    drive: extents.Medium,
    written: Iterable[Extent],
    note: Note,
    progress: Progress,
) -> None:
    """Save the changes on a scratch copy of a device, and the old bytes of these blocks, durably in the run's
    folder.

    It contains the store with the `written` pages. The device, open at `drive`, is only read, and only
    there. Raises Failed.
    """
    folder = run / FOLDER
    touched = extents.merged(written, 1, drive.size_bytes)
    first = new_first = drive.read(0, assessment.FIRST_BYTES)
    facts = read_ext(first[START_BYTES:])
    if facts is None:
        raise Failed(join(NO_EXT(node=device), NOTHING_WRITTEN))
    block = assessment.deciding_block(drive.logical_block_bytes)
    with (
        Store(folder / state.NEW, grow=True) as new,
        Store(folder / state.OLD, make_bytes=drive.size_bytes) as old,
    ):
        if any(extents.clipped(touched, (Extent(0, assessment.FIRST_BYTES),))):
            new_first = new.read(0, assessment.FIRST_BYTES)
        new.put(0, new_first)
        new.sync()
        old_mark, new_mark = (
            SavedSignature(
                block.start, block.stop - block.start, instead=assessment.block_mounting(one)[block].hex()
            )
            for one in (first, new_first)
        )
        change = kept(
            device,
            drive,
            lambda read: extents.differing(touched, read, new.read),
            new.read,
            old,
            (old_mark,),
            (new_mark,),
            blank=False,
            touched_bytes=sum(place.size_bytes for place in touched),
            progress=progress,
        )
    filesystem = state.ConvertedFilesystem(facts.uuid, drive.size_bytes, first.hex(), new_first.hex())
    replace_document(run / state.FILE, state.SCHEMA, filesystem)
    save_record(run, Record(Phase.SAVED, (change,), waits=False))
    note(
        Event.SAVED,
        t(
            "Saved the old contents of the blocks that will change, {size:exact}, in {folder}.",
            size=change.changed_bytes,
            folder=folder,
        ),
    )


class Committer:
    """Exchange on `medium`, opened from `device`, for a run with a saved change."""

    def __init__(self, run: Path, device: str, medium: extents.Medium, note: Note) -> None:
        self._run, self._device, self._medium, self._note = run, device, medium, note
        self._filesystem = state.filesystem_of(run)
        self._folder = state.saved_in(run)

    def commit(self, progress: Progress) -> None:
        """Continue the commit from any phase to RELEASED.

        Raises Refused if another program changed the device, Failed if reading or writing fails. Can be
        repeated then.
        """
        if self.phase is Phase.SAVED and self._medium.read(0, assessment.FIRST_BYTES) != self._filesystem.old:
            # Give up the change before the first write to the device.
            save_record(self._run, Record(Phase.LEFT, waits=False))
            state.drop_folder(self._folder)
            raise Refused(t("The filesystem is left alone: {why}. Nothing was written.", why=USED))
        self._refuse_foreign_superblock()
        if self.phase is Phase.RELEASING and self.head is state.Head.OTHER:
            # The deciding block was written just before a power cut, and the filesystem was used since.
            save_record(self._run, replace(self._record(), phase=Phase.RELEASED))
            return
        with self._exchange() as exchange:
            if self.phase in (Phase.SAVED, Phase.CLEARING, Phase.REPLACING):
                hidden = t("From here on, the filesystem cannot be mounted until the change is done.")
                power = power_message(Phase.REPLACING, self._device, waits=False)
                self._note(Event.SAVED, join(hidden, power) if power else hidden)
                exchange.commit(part_of(progress, 0.0, 0.8))
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
        state.drop_folder(self._folder)

    def check_kept(self) -> None:
        """Raises Failed if the saved bytes are damaged, Refused if they do not fit the device. Writes
        nothing."""
        with self._exchange() as exchange:
            if not exchange.sides[0].is_old_intact():
                raise Failed(DAMAGED(folder=self._folder, drive=self._device))
        if self.phase is Phase.RELEASED and (obstacle := self.undo_obstacle()):
            raise Refused(t("The change cannot be undone: {why}. Nothing was written.", why=obstacle))

    def undo_obstacle(self) -> Message | None:
        """Return why a committed change cannot be undone, as a clause, or None."""
        if self.head is not state.Head.NEW:
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
    def head(self) -> state.Head:
        """State of the superblock on the device."""
        return self._filesystem.head(self._medium.read(0, assessment.FIRST_BYTES))

    @property
    def is_as_put(self) -> bool:
        """True if the deciding block is exactly as the commit or the undo wrote it."""
        put = self._filesystem.old if self.phase is Phase.UNDONE else self._filesystem.new
        block = assessment.deciding_block(self._medium.logical_block_bytes)
        return self._medium.read(0, assessment.FIRST_BYTES)[block] == put[block]

    def _record(self) -> Record:
        return load_record(self._run) or Record(Phase.REHEARSING, waits=False)

    @contextmanager
    def _exchange(self) -> Iterator[Exchange]:
        record = self._record()
        if any(change.path != self._device for change in record.changes):
            # The device has a new name since the start of the run.
            changes = tuple(replace(change, path=self._device) for change in record.changes)
            save_record(self._run, replace(record, changes=changes))
        files = (self._folder / state.OLD, self._folder / state.NEW)
        with closing(Exchange(self._run, [self._medium], files)) as exchange:
            yield exchange

    def _refuse_foreign_superblock(self) -> None:
        """Raises Refused unless the superblock is from this run, or from the same filesystem after use. The
        engine would accept any other as used.

        An unreadable block is accepted: a power cut can leave it half written.
        """
        try:
            first = self._medium.read(0, assessment.FIRST_BYTES)
        except Failed:
            return
        old, new, head = self._filesystem.old, self._filesystem.new, self._filesystem.head(first)
        match self.phase:
            case Phase.REPLACING | Phase.HIDDEN | Phase.REPLACING_BACK:
                fits = head is state.Head.HIDDEN
            case Phase.RELEASING:
                fits = head in (state.Head.HIDDEN, state.Head.NEW) or assessment.is_used_one(first, new, old)
            case Phase.RELEASING_BACK:
                fits = head in (state.Head.HIDDEN, state.Head.OLD) or assessment.is_used_one(first, old, new)
            case _:
                fits = True
        if not fits:
            raise Refused(
                join(
                    t(
                        "During the change, another program wrote to the superblock, which was "
                        "blocked against mounting. Nothing was written."
                    ),
                    KEPT_IN(folder=self._folder),
                )
            )
