"""What drives hold and what they are to hold, exchanged: the phases of a commit and of its undoing, each of which can be done again.

The phase is on its medium before the first write that belongs to it, and what is read, the old and the new bytes, is never written to
meanwhile. First go the marks by which anything recognises what is there, the deciding one before all others; then all else is replaced;
then come the marks of what is there now, the deciding one last. So wherever the power goes, each drive is as before, as planned, or
nothing that anybody mounts, and the phase says how it goes on.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.apply.block.extents import Read, chunks
from wizard.apply.block.medium import Medium
from wizard.apply.engine.record import Change, Mark, Phase, Record, load_record, save_record
from wizard.apply.engine.stores import Store, barred, barred_back, digest_of, new_file, old_file
from wizard.apply.transaction.replacing import Progress
from wizard.model.errors import BadInput, Failed, Refused


@dataclass(frozen=True, slots=True)
class Side:
    """One drive of the exchange: its medium, and the bytes that it held and is to hold."""

    change: Change
    medium: Medium
    old: Read
    new: Read


class Exchange:
    """The exchange of a run whose drives are `media`, in the record's order. The caller holds them so that nobody else can write."""

    def __init__(self, run: Path, media: Sequence[Medium]) -> None:
        record = load_record(run)
        if record is None or len(record.changes) != len(media):
            raise BadInput(f"{run} has no rehearsed change to {len(media)} drives.")
        self.record: Record = record
        self._run = run
        self._open = ExitStack()
        self.sides = tuple(self._side(number, change, media[number]) for number, change in enumerate(record.changes))

    def _side(self, number: int, change: Change, medium: Medium) -> Side:
        if medium.size_bytes != change.size_bytes:
            raise Refused(f"{change.path} has {medium.size_bytes} bytes now, not {change.size_bytes}. Nothing more was written.")
        old, new = (self._open.enter_context(Store(file(self._run, number))) for file in (old_file, new_file))
        return Side(change, medium, old.read, new.read)

    def close(self) -> None:
        """Let go of the files."""
        self._open.close()

    def commit(self, progress: Progress) -> None:
        """From SAVED or any later phase to BARRED. Raises Failed or Refused; it can be asked for again then, or `undo`."""
        if self.record.phase is Phase.SAVED:
            self._check_files()
            for side in self.sides:
                self._check(side, side.old, side.change.old_digest, "it was changed after the rehearsal. Nothing was written")
            self._enter(Phase.CLEARING)
        if self.record.phase is Phase.CLEARING:
            for side in self.sides:
                self._check_marks(side)
                bar(side, side.change.old_marks)
            self._enter(Phase.REPLACING)
        if self.record.phase is Phase.REPLACING:
            for number, side in enumerate(self.sides):
                self._check_marks(side)
                content = barred(side.change, side.old, side.new)
                self._replace(side, content, side.change.barred_digest, _share(progress, number, len(self.sides)))
            self._enter(Phase.BARRED)
        self._demand(Phase.BARRED)

    def release(self) -> None:
        """From BARRED to RELEASED: what was written becomes visible. Raises Failed or Refused as `commit` does."""
        if self.record.phase is Phase.BARRED:
            for side in self.sides:
                self._check(side, side.old, side.change.barred_digest, "it was written to since. Nothing was written")
            self._enter(Phase.RELEASING)
        if self.record.phase is Phase.RELEASING:
            for side in self.sides:
                self._check_marks(side)
                put(side.medium, side.change.new_marks, side.new)
                self._check(side, side.new, side.change.new_digest, "it does not read as it was written")
            self._enter(Phase.RELEASED)
        self._demand(Phase.RELEASED)

    def undo(self, progress: Progress) -> None:
        """Back to what the drives held, to the bit, from wherever the exchange stands. Raises Failed or Refused; it can be repeated."""
        if self.record.phase in (Phase.REHEARSING, Phase.SAVED):
            self._enter(Phase.UNDONE)
            return
        if self.record.phase in (Phase.CLEARING, Phase.REPLACING, Phase.BARRED, Phase.RELEASING, Phase.RELEASED):
            self._check_files()
            for side in self.sides:
                self._check_marks(side)
                self._check_unused(side)
            self._enter(Phase.CLEARING_BACK)
        if self.record.phase is Phase.CLEARING_BACK:
            for side in self.sides:
                self._check_marks(side)
                bar(side, side.change.new_marks)
                bar(side, side.change.old_marks)
            self._enter(Phase.REPLACING_BACK)
        if self.record.phase is Phase.REPLACING_BACK:
            for number, side in enumerate(self.sides):
                self._check_marks(side)
                self._replace(side, barred_back(side.change, side.old), "", _share(progress, number, len(self.sides)))
            self._enter(Phase.RELEASING_BACK)
        if self.record.phase is Phase.RELEASING_BACK:
            for side in self.sides:
                self._check_marks(side)
                put(side.medium, side.change.old_marks, side.old)
                self._check(side, side.old, side.change.old_digest, "it does not read as it was written")
            self._enter(Phase.UNDONE)
        self._demand(Phase.UNDONE)

    def _enter(self, phase: Phase) -> None:
        self.record = replace(self.record, phase=phase)
        save_record(self._run, self.record)

    def _demand(self, phase: Phase) -> None:
        if self.record.phase is not phase:
            raise Refused(f"The run is {self.record.phase}: this cannot be done with it now. Nothing was written.")

    def _check_files(self) -> None:
        """Raises Failed where what is kept is damaged: neither way could be gone to its end then."""
        for side in self.sides:
            for read, wanted in ((side.old, side.change.old_digest), (side.new, side.change.new_digest)):
                if digest_of(side.change.places, read) != wanted:
                    raise Failed(f"What is kept in {self._run} of {side.change.path} was changed or damaged.")

    def _check(self, side: Side, content: Read, digest: str, otherwise: str) -> None:
        """Raises Failed where the drive, read past every cache, does not hold what has this digest."""
        if digest_of(side.change.places, side.medium.read) != digest:
            raise Failed(f"{side.change.path} does not hold what it should: {otherwise}.")

    def _check_marks(self, side: Side) -> None:
        """Raises Refused where a place of a mark holds neither what was there, nor what is to be, nor zeros: somebody wrote there."""
        for mark in (*side.change.old_marks, *side.change.new_marks):
            for start, size in blocks(mark, side.medium.logical_block_bytes):
                known = (bytes(size), side.old(start, size), side.new(start, size))
                if side.medium.read(start, size) not in known:
                    raise Refused(
                        f"{side.change.path} was changed at byte {start} by another program since this run wrote to it. "
                        "Nothing more was written."
                    )

    def _check_unused(self, side: Side) -> None:
        """Raises Refused where something was written to what this run had made complete."""
        now = digest_of(side.change.places, side.medium.read)
        if self.record.phase is Phase.BARRED:
            wanted: tuple[str, ...] = (side.change.barred_digest,)
        elif self.record.phase is Phase.RELEASED:
            wanted = (side.change.new_digest,)
        else:
            return
        if now not in wanted:
            raise Refused(
                f"{side.change.path} was written to since this run ended; putting back what was there before could destroy that. "
                "Nothing was written."
            )

    def _replace(self, side: Side, content: Read, digest: str, progress: Progress) -> None:
        """Put these bytes in all places, and read them back."""
        wanted = digest or digest_of(side.change.places, content)
        total, done = side.change.changed_bytes or 1, 0
        for chunk in chunks(side.change.places):
            side.medium.write(chunk.start_bytes, content(chunk.start_bytes, chunk.size_bytes))
            done += chunk.size_bytes
            progress(done / total)
        side.medium.flush()
        self._check(side, content, wanted, "it does not read as it was written")


def blocks(mark: Mark, block_bytes: int) -> Iterable[tuple[int, int]]:
    """The logical blocks of a mark. The drive writes each of them whole or not at all."""
    return ((start, block_bytes) for start in range(mark.start_bytes, mark.extent.end_bytes, block_bytes))


def bar(side: Side, marks: Sequence[Mark]) -> None:
    """Take marks away, the one that decides first, each on its medium before the next."""
    for mark in reversed(marks):
        held = side.old(mark.start_bytes, mark.size_bytes) if mark.stays else bytes(mark.size_bytes)
        side.medium.write_through(mark.start_bytes, held)


def put(medium: Medium, marks: Sequence[Mark], content: Read) -> None:
    """Put marks in place, the one that decides last, each on its medium before the next."""
    for mark in marks:
        medium.write_through(mark.start_bytes, content(mark.start_bytes, mark.size_bytes))


def _share(progress: Progress, number: int, count: int) -> Progress:
    return lambda part: progress((number + part) / count)
