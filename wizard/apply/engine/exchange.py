"""Exchange old and planned bytes of drives: the phases of commit and undo. Each phase is repeatable.

The phase is durable before the first write that belongs to it. The stored old and new bytes are never written
during an exchange. First the old signatures are cleared, the deciding one before all others. Then all other
blocks are replaced. Finally large zeros and the new signatures are written, the deciding one last. So after a
power cut each drive is old, planned, or not mountable, and the phase determines how to resume.

Each phase checks first. Errors name the commands that work now.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block import extents
from wizard.apply.block.devices import UNVERIFIED
from wizard.apply.engine import checks, survey
from wizard.apply.engine.record import (
    GOING_BACK,
    KEPT_IN,
    UNTOUCHED,
    Phase,
    SavedSignature,
    load_record,
    save_record,
)
from wizard.apply.engine.stores import digest_of, hidden_old_reader
from wizard.apply.engine.survey import Content, DriveSide, Proof
from wizard.apply.run.process import NOTHING_WRITTEN, UNWRITTEN
from wizard.apply.run.progress_log import Progress
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent, Placed
from wizard.model.said import MIB, failing

ZERO_BYTES = 64 * MIB
"""Size of one request to write zeros."""

OVER = "over"
"""File in a run's folder: undo may overwrite changes by other programs."""

COMMITS = {Phase.SAVED: 5, Phase.CLEARING: 6, Phase.REPLACING: 7}
RELEASES = {Phase.HIDDEN: 2, Phase.RELEASING: 4}
UNDOES = {
    Phase.SAVED: 1,
    Phase.CLEARING: 9,
    Phase.REPLACING: 9,
    Phase.HIDDEN: 6,
    Phase.RELEASING: 8,
    Phase.RELEASED: 6,
    Phase.CLEARING_BACK: 9,
    Phase.REPLACING_BACK: 9,
    Phase.RELEASING_BACK: 6,
}
"""Number of passes over all places from a phase on, for the progress."""


class Exchange(checks.Checks):
    """Exchange of a run. The caller holds the drives exclusively."""

    has_written = False
    was_hidden = False
    """True if the drives were hidden until `release` began."""

    def commit(self, progress: Progress) -> None:
        """Write the planned contents without the new signatures: from SAVED or later to HIDDEN.

        Raises Failed or Refused. Then call it again, or `undo`.
        """
        with self._saving_phase(progress, COMMITS):
            self.check_commit()
            self._save_corrected()
            # If the phase is SAVED, every block was just read: the drives have the old bytes, without the
            # cleared signatures.
            is_first = self.record.phase is Phase.SAVED
            if self.record.phase is Phase.SAVED:
                self._enter(Phase.CLEARING)
            if self.record.phase is Phase.CLEARING:
                if any(survey.shows_signature(side, new=True) for side in self.sides):
                    # An interrupted keep wrote them, and the record is lost since.
                    self._clear_signatures()
                for side in self.sides:
                    clear_signatures(side, side.change.old_marks)
                self._enter(Phase.REPLACING)
            if self.record.phase is Phase.REPLACING:
                for side in self.sides:
                    standing = hidden_old_reader(side.change, side.old) if is_first else None
                    _replace_all(side, side.hidden, side.change.barred_digest, standing)
                self._enter(Phase.HIDDEN)
            if self.record.phase not in (*checks.COMPLETE, Phase.RELEASING):
                self.demand(Phase.HIDDEN)

    def release(self, progress: Progress) -> Proof:
        """Write the new signatures: from HIDDEN to RELEASED. Return the proof. Raises Failed or Refused like
        `commit`."""
        with self._saving_phase(progress, RELEASES):
            # If the phase is HIDDEN, every block was just read, and each signature is read back when written.
            used = self.check_release()
            self._save_corrected()
            is_checked = self.was_hidden = self.record.phase is Phase.HIDDEN
            if self.record.phase is Phase.HIDDEN:
                self._enter(Phase.RELEASING)
            if self.record.phase is Phase.RELEASING:
                sides = [side for side in self.sides if side not in used]
                has_begun = any(map(survey.is_released, self.sides))
                if not has_begun and not any(side.change.new_marks for side in used):
                    _write_zeros(sides, is_checked)
                # Write the deciding signature last on each drive, and those of all drives together. Otherwise
                # md could start with one half of a mirror after a power cut.
                for part in (slice(None, -1), slice(-1, None)):
                    for side in sides:
                        write_signatures(side, side.change.new_marks[part], side.new)
                for side in sides:
                    # The notice goes last: until then it contains the missing signatures.
                    overwrite_notice(side)
                    if not is_checked:
                        check(side, side.change.new_digest)
                self._enter(Phase.RELEASED)
            self.demand(Phase.RELEASED)
            return Proof(self._folder)

    def undo(self, progress: Progress) -> Proof | None:
        """Restore the old bytes, bit for bit, from any phase. Return the proof.

        Returns None if the run wrote nothing and another program did. Raises Failed or Refused; can be
        repeated.
        """
        with self._saving_phase(progress, UNDOES):
            contents = self.check_undo(over=(self._run / OVER).exists())
            lost = max(self.zeroed_bytes(), self.record.lost_bytes)
            self.record = replace(self.record, lost_bytes=lost)
            if all(content is Content.OLD for content in contents):
                for side in self.sides:
                    # An earlier attempt may have left these bytes in the drive's cache.
                    side.medium.flush()
                self._enter(Phase.UNDONE)
                return Proof(self._folder)
            if self.record.phase is Phase.SAVED or self.is_nothing_to_restore(contents):
                self._enter(Phase.UNDONE)
                return None
            # Another program may have overwritten old bytes that were already restored.
            again = self.record.phase is Phase.RELEASING_BACK and Content.FOREIGN in contents
            if again or self.record.phase not in (*GOING_BACK, *checks.ENDED):
                self._enter(Phase.CLEARING_BACK)
            self.has_written = self.record.phase not in checks.ENDED
            if self.record.phase is Phase.CLEARING_BACK:
                self._clear_signatures()
                self._enter(Phase.REPLACING_BACK)
            if self.record.phase is Phase.REPLACING_BACK:
                for side in self.sides:
                    _replace_with_old(side)
                self._enter(Phase.RELEASING_BACK)
            if self.record.phase is Phase.RELEASING_BACK:
                for side in self.sides:
                    write_signatures(side, side.change.old_marks, side.old)
                    check(side, side.change.old_digest)
                self._enter(Phase.UNDONE)
            self.demand(Phase.UNDONE)
            return Proof(self._folder) if self.has_written else None

    def _clear_signatures(self) -> None:
        """Clear all signatures, visible ones first: places of the others may overlap them."""
        is_old = any(survey.shows_signature(side, new=False) for side in self.sides)
        for old in (is_old, not is_old):
            for side in self.sides:
                clear_signatures(side, side.change.old_marks if old else side.change.new_marks)

    def _enter(self, phase: Phase) -> None:
        record = replace(self.record, phase=phase)
        save_record(self._run, record)
        self.record = record

    def _save_corrected(self) -> None:
        if load_record(self._run) != self.record:
            self._enter(self.record.phase)

    @contextmanager
    def _saving_phase(self, progress: Progress, passes: Mapping[Phase, int]) -> Iterator[None]:
        """Report the progress of these passes. Save the phase that the drives corrected if the block raises
        an error."""
        changed = sum(side.change.changed_bytes for side in self.sides)
        zeros = sum(side.change.zero_bytes for side in self.sides) if passes is RELEASES else 0
        zeros += changed if zeros else 0
        self._tally.begin(progress, changed * passes.get(self.record.phase, 0) + zeros)
        try:
            yield
        except checks.LeftError:
            self._enter(Phase.LEFT)
            raise
        except (Failed, Refused) as error:
            if not self.record.waits:
                if isinstance(error, Failed):
                    raise
                raise Refused(f"{error} {KEPT_IN(folder=self._folder)}") from None
            with suppress(Failed):
                self._save_corrected()
            if isinstance(error, Failed) and self.record.phase in UNTOUCHED:
                raise Failed(f"{error} {NOTHING_WRITTEN}") from None
            raise


def mark_over_changes(run: Path, over: bool) -> None:
    """Record whether the next undo may overwrite changes by other programs. Raises Failed."""
    with failing(UNWRITTEN, file=run):
        (run / OVER).unlink(missing_ok=True)
        if over:
            (run / OVER).touch(mode=0o600)


def check(side: DriveSide, digest: str) -> None:
    """Raises Failed unless the drive, read past every cache, matches this digest."""
    if not side.holds(digest):
        raise Failed(survey.wrapped(side) or UNVERIFIED(what=side.change.path))


def _replace_all(
    side: DriveSide, content: extents.Read, digest: str, standing: extents.Read | None = None
) -> None:
    """Write these bytes to all places, and verify them.

    Unchanged bytes are not rewritten, so undo works even if a block no longer accepts writes. `standing`
    reads the current bytes if they are known, instead of the drive. Raises Failed.
    """
    for start, data in extents.pieces(side.change.places, content):
        for place in _differences(standing or side.medium.read, Extent(start, len(data)), data):
            at = place.start_bytes - start
            side.medium.write(place.start_bytes, data[at : at + place.size_bytes])
        side.told(len(data))
    side.medium.flush()
    check(side, digest)


def _replace_with_old(side: DriveSide) -> None:
    """Write the old bytes without the old signatures. On a counterfeit drive, whose places share blocks, no
    signature can be withheld, so write all. Raises Failed."""
    content = hidden_old_reader(side.change, side.old)
    try:
        _replace_all(side, content, digest_of(side.change.places, content, side.told))
    except Failed:
        if survey.wrapped(side, content) is None:
            raise
        _replace_all(side, side.old, side.change.old_digest)


def clear_signatures(side: DriveSide, marks: Sequence[SavedSignature]) -> None:
    """Clear signatures, the deciding one first."""
    for mark in reversed(marks):
        _write_signature(side, mark, partial(mark.away, held=side.old))


def write_signatures(side: DriveSide, marks: Sequence[SavedSignature], content: extents.Read) -> None:
    """Write signatures, the deciding one last."""
    for mark in marks:
        _write_signature(side, mark, content)


def _write_zeros(sides: Sequence[DriveSide], is_hidden: bool) -> None:
    """Write the zeros to all drives. `is_hidden`: every other byte was just verified. Raises Failed."""
    for side in sides:
        if place := side.change.witness:
            side.medium.zero(place)
            side.medium.flush()
    for side in sides:
        is_intact = True
        write_zeros(side)
        # A counterfeit drive may have written the zeros over other bytes. After a power cut, a block of a
        # signature may be unreadable until it is written.
        with nullcontext() if is_hidden else suppress(Failed):
            is_intact = not side.change.zeros or side.holds(side.change.barred_digest)
        if not is_intact:
            raise Failed(survey.wrapped(side) or UNVERIFIED(what=side.change.path))


def write_zeros(side: DriveSide) -> None:
    """Write the zeros that were not written with the other bytes, and verify a sample. Raises Failed."""
    zeros, sample = side.change.zeros, survey.sample_of_zeros(side.change.zeros)
    for place in zeros:
        for start in range(place.start_bytes, place.end_bytes, ZERO_BYTES):
            size = min(ZERO_BYTES, place.end_bytes - start)
            side.medium.zero(Extent(start, size))
            side.told(size)
    side.medium.flush()
    if survey.first_data(side.medium.read, sample) is not None:
        # A drive may accept the request and do nothing.
        extents.copy(zeros, lambda _, length: extents.ZEROS[:length], side.medium.write)
        side.medium.flush()
    if survey.first_data(side.medium.read, sample) is not None:
        raise Failed(UNVERIFIED(what=side.change.path))


def overwrite_notice(side: DriveSide) -> None:
    """Overwrite the notice with the planned bytes, if the drive has one."""
    if place := side.change.notice:
        for chunk in extents.chunks((place,)):
            _write_signature(side, chunk, side.new)


def _write_signature(side: DriveSide, place: Placed, content: extents.Read) -> None:
    """Write, flush and verify a signature, since the next one may depend on it. Raises Failed."""
    start, size = place.start_bytes, place.size_bytes
    data = content(start, size)
    if _differences(side.medium.read, place.extent, data):
        side.medium.write(start, data)
    # Unchanged bytes, too: an earlier attempt may have left them in the drive's cache.
    side.medium.flush()
    if side.medium.read(start, size) != data:
        raise Failed(UNVERIFIED(what=side.change.path))


def _differences(standing: extents.Read, place: Extent, data: bytes) -> tuple[Extent, ...]:
    """Return the parts of a place of at most 1 MiB that differ from these bytes, or all of an unreadable
    place."""
    wanted = extents.reader_of(place.start_bytes, data)
    try:
        return extents.merged(extents.differing((place,), standing, wanted), 1, place.end_bytes)
    except Failed:
        return (place,)
