"""What a drive holds and what it is to hold, exchanged: the phases of a commit and of its undoing, each of
which can be done again.

The phase is on its medium before the first write that belongs to it, and what is read, the old and the new
chunks, is never written to meanwhile. So wherever the power goes, the phase and the block that decides say
how it goes on.
"""

import shutil
from array import array
from dataclasses import dataclass, replace
from os import O_TRUNC
from pathlib import Path
from typing import NoReturn, Protocol

from wizard.apply.block.chunks import Chunks
from wizard.apply.block.cow_store import read_cow_store
from wizard.apply.block.medium import Medium
from wizard.apply.run.journal import sync_folder
from wizard.apply.run.vault import write_durably
from wizard.apply.transaction.phases import COMMITTING, POWER, Phase, Record, load_record, save_record
from wizard.apply.transaction.replacing import (
    Firsts,
    Head,
    Progress,
    decides,
    digest_in_file,
    digest_on,
    head_of,
    keep_old,
    lift_bar,
    replace_all,
    set_bar,
)
from wizard.migrate.ext.bar import FIRST_BYTES
from wizard.migrate.ext.used import is_used_one
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.journal import Event
from wizard.model.units import format_exact

WORK, OLD, NUMBERS = "work.cow", "old.chunks", "numbers"
"""Files in the transaction's folder: the snapshot's store, what the drive held, and the numbers of the chunks
in it."""


class Note(Protocol):
    """Writes a sentence to the journal, with what was seen."""

    def __call__(self, event: Event, sentence: str, *, output: str = "") -> object:
        """As `Journal.add`."""


USED = "it was written to since, as by mounting it for writing"
LEFT = f"The filesystem is left as it is: {USED}. Nothing was written."


@dataclass(frozen=True, slots=True)
class Direction:
    """One way of the exchange: its phases, whose head stands before it, and whose is to come."""

    barring: Phase
    replacing: Phase
    releasing: Phase
    done: Phase
    standing: Head
    coming: Head


FORWARD = Direction(Phase.BARRING, Phase.REPLACING, Phase.RELEASING, Phase.COMMITTED, Head.OLD, Head.NEW)
BACK = Direction(
    Phase.BARRING_BACK, Phase.REPLACING_BACK, Phase.RELEASING_BACK, Phase.UNDONE, Head.NEW, Head.OLD
)


class Exchange:
    """The exchange on `medium` of the run's transaction, whose snapshot is closed."""

    def __init__(self, run: Path, medium: Medium, note: Note) -> None:
        record = load_record(run)
        if record is None:
            raise BadInput(f"{run} has no transaction.")
        self.record: Record = record
        self._run, self._medium, self._note = run, medium, note
        self._folder = Path(record.folder)

    def commit(self, progress: Progress) -> None:
        """Go on to COMMITTED from SEALED or any phase of a commit. Raises Refused where the drive was changed
        by somebody else, Failed where reading or writing fails; either way it can be asked for again."""
        if self.record.phase is Phase.SEALED:
            self._collect(part(progress, 0.0, 0.2))
        else:
            self._settle()
        self._through(FORWARD, part(progress, 0.2, 1.0))
        (self._folder / WORK).unlink(missing_ok=True)

    def undo(self, progress: Progress) -> None:
        """Go back to the filesystem as it was, to the bit: from COMMITTED, or from the middle of a commit or
        an undoing. Raises as `commit` does; where the filesystem was used since, nothing is written."""
        self._settle()
        if self.record.phase in COMMITTING:
            self._turn_round()
        if self.record.phase is Phase.COMMITTED:
            if obstacle := self.undo_obstacle(part(progress, 0.0, 0.2)):
                raise Refused(f"The change cannot be undone: {obstacle}. Nothing was written.")
            self._enter(Phase.BARRING_BACK)
        if self.record.phase is not Phase.ABANDONED:
            self._through(BACK, part(progress, 0.2, 1.0))
        drop_folder(self._folder)

    def check_kept(self, progress: Progress) -> None:
        """Raises Failed where what was replaced is no longer as it was kept, Refused where it does not fit
        what the drive holds."""
        self._source(BACK)
        if self.record.phase is Phase.COMMITTED and (obstacle := self.undo_obstacle(progress)):
            raise Refused(f"The change cannot be undone: {obstacle}. Nothing was written.")

    def undo_obstacle(self, progress: Progress) -> str:
        """Why what was committed cannot be undone any more, as a clause; empty where it can."""
        if self.head is not Head.NEW:
            return USED
        if digest_on(self._medium, self._old_chunks(), progress) != self.record.new_digest:
            return "what the change wrote is no longer as it was written"
        return ""

    def _settle(self) -> None:
        """What was written last can be in caches alone, where a process was killed then, or the drive erred:
        nothing is concluded from it before it is on the medium.
        """
        self._medium.flush()

    @property
    def holds_last_block(self) -> bool:
        """Whether the block that decides is to the bit what the finished change, or its undoing, wrote
        there."""
        self._settle()
        return decides(
            self._medium, self._firsts.of(Head.OLD if self.record.phase is Phase.UNDONE else Head.NEW)
        )

    @property
    def head(self) -> Head:
        """Which of the two the filesystem is now, by its superblock."""
        return head_of(self._medium, self._firsts)

    @property
    def _firsts(self) -> Firsts:
        return Firsts(bytes.fromhex(self.record.old_first), bytes.fromhex(self.record.new_first))

    def _enter(self, phase: Phase) -> None:
        self.record = replace(self.record, phase=phase)
        save_record(self._run, self.record)

    def _collect(self, progress: Progress) -> None:
        """Keep what will be replaced. The drive is only read. Nothing kept anybody from mounting it since the
        snapshot was closed, as a restart does, and what was made on the snapshot does not fit what was
        written since.
        """
        first = self._medium.read(0, FIRST_BYTES)
        if first.hex() != self.record.old_first:
            self._leave()
        written = read_cow_store(self._folder / WORK, self._medium.size_bytes)
        old = keep_old(self._medium, written, self._folder / OLD, progress)
        new = written.only(old.numbers)
        try:
            write_durably(self._folder / NUMBERS, old.numbers.tobytes(), O_TRUNC)
            sync_folder(self._folder)
        except OSError as error:
            raise Failed(
                f"What is to be replaced could not be kept in {self._folder}: {error.strerror}."
            ) from None
        self.record = replace(
            self.record,
            phase=Phase.BARRING,
            chunk_bytes=old.chunk_bytes,
            chunks=len(old.numbers),
            old_digest=digest_in_file(old),
            new_digest=digest_in_file(new),
            new_first=next((data for offset, data in new.contents() if offset == 0), first)[
                :FIRST_BYTES
            ].hex(),
        )
        save_record(self._run, self.record)
        size = format_exact(old.total_bytes)
        self._note(
            Event.SAVED, f"What the drive holds where it will change, {size}, is kept in {self._folder}."
        )

    def _old_chunks(self) -> Chunks:
        numbers = array("Q")
        try:
            numbers.frombytes((self._folder / NUMBERS).read_bytes())
        except (OSError, ValueError) as error:
            raise Failed(f"{self._folder / NUMBERS} cannot be read: {error}.") from None
        if len(numbers) != self.record.chunks:
            raise Failed(f"{self._folder / NUMBERS} was changed or damaged.")
        return Chunks.in_order(self._folder / OLD, self.record.chunk_bytes, self.record.size_bytes, numbers)

    def _source(self, direction: Direction) -> Chunks:
        """What is to be written; raises Failed where it is not what was kept."""
        source = old = self._old_chunks()
        if direction is FORWARD:
            source = read_cow_store(self._folder / WORK, self.record.size_bytes).only(old.numbers)
        if digest_in_file(source) != self._digest(direction.coming):
            raise Failed(f"{source.file} was changed or damaged: what it holds is not written to the drive.")
        return source

    def _digest(self, head: Head) -> str:
        return self.record.old_digest if head is Head.OLD else self.record.new_digest

    def _through(self, direction: Direction, progress: Progress) -> None:
        standing, coming = (self._firsts.of(head) for head in (direction.standing, direction.coming))
        if self.record.phase is direction.barring:
            self._bar(direction, part(progress, 0.0, 0.1))
        if self.record.phase is direction.replacing:
            self._replace(direction, coming, part(progress, 0.1, 1.0))
        if self.record.phase is direction.releasing:
            self._release(direction, standing, coming)
        if self.record.phase is not direction.done:
            raise Refused(
                f"The change is {self.record.phase}: this cannot be done with it now. Nothing was written."
            )

    def _bar(self, direction: Direction, progress: Progress) -> None:
        head = self.head
        if head is direction.standing:
            if digest_on(self._medium, self._old_chunks(), progress) != self._digest(direction.standing):
                head = Head.OTHER
            else:
                set_bar(self._medium)
        if head not in (direction.standing, Head.BARRED):
            # Nothing was replaced yet, so whoever wrote to it wrote to a whole filesystem.
            if direction is FORWARD:
                self._leave()
            self._enter(Phase.COMMITTED)
            raise Refused(LEFT)
        self._enter(direction.replacing)
        self._note(Event.SAVED, f"The filesystem is barred until it is whole. {POWER[direction.replacing]}")

    def _replace(self, direction: Direction, coming: bytes, progress: Progress) -> None:
        self._must_be_barred()
        source = self._source(direction)
        replace_all(self._medium, source, part(progress, 0.0, 0.6))
        if digest_on(self._medium, source, part(progress, 0.6, 1.0), coming) != self._digest(
            direction.coming
        ):
            raise Failed(
                "The drive does not hold what was written to it. The filesystem stays barred: nobody can "
                "mount it."
            )
        seen = f"{format_exact(source.total_bytes)} were read again from the drive"
        self._note(Event.VERIFIED, "The drive holds what was written to it", output=seen)
        self._enter(direction.releasing)

    def _leave(self) -> NoReturn:
        """Give the change up, of which nothing is on the drive yet."""
        self._enter(Phase.ABANDONED)
        drop_folder(self._folder)
        raise Refused(LEFT)

    def _must_be_barred(self) -> None:
        if self.head is not Head.BARRED:
            raise Refused(
                (
                    "In the middle of the change somebody wrote to the filesystem's superblock, which was "
                    "barred. Nothing was written. What is kept of both states lies in "
                )
                + str(self._folder)
                + "."
            )

    def _release(self, direction: Direction, standing: bytes, coming: bytes) -> None:
        head = self.head
        if head is Head.BARRED:
            lift_bar(self._medium, coming)
            # Read from the drive, and not from what lies between.
            self._settle()
            if not decides(self._medium, coming):
                raise Failed("The drive did not take the superblock that was written last.")
        elif head is not direction.coming and not is_used_one(
            self._medium.read(0, FIRST_BYTES), coming, standing
        ):
            self._must_be_barred()
        # Else the block that decides was the last thing before the power went, and maybe the filesystem was
        # used before this.
        self._enter(direction.done)

    def _turn_round(self) -> None:
        """From the middle of a commit: where it had come to."""
        head = self.head
        if head is Head.BARRED:
            self._enter(Phase.REPLACING_BACK)
        elif self.record.phase is Phase.BARRING:
            self._enter(Phase.ABANDONED)
        elif head is Head.NEW and self.record.phase is Phase.RELEASING:
            self._enter(Phase.COMMITTED)
        else:
            raise Refused(f"The change cannot be undone: {USED}. Nothing was written.")


def part(progress: Progress, begin: float, end: float) -> Progress:
    """Tells of a part of the work as of the whole."""
    return lambda share: progress(begin + share * (end - begin))


def drop_folder(folder: Path) -> None:
    """Delete what a transaction kept; what cannot be deleted is left."""
    shutil.rmtree(folder, ignore_errors=True)
