"""Exchange old and planned bytes of drives: the phases of commit and undo. Each phase is repeatable.

The phase is durable before the first write that belongs to it. The stored old and new bytes are never written
during an exchange. First the old signatures are cleared, the deciding one before all others. Then all other
blocks are replaced. Finally the new signatures are written, the deciding one last. So after a power cut each
drive is old, planned, or not mountable, and the phase determines how to resume.

Each phase checks first. Errors name the commands that work now.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from wizard.apply.block.extents import Read, chunks, differing, merged
from wizard.apply.engine import record as words
from wizard.apply.engine.checks import COMPLETE, ENDED, Checks, LeftError
from wizard.apply.engine.record import GOING_BACK, UNTOUCHED, Phase, SavedSignature, load_record, save_record
from wizard.apply.engine.stores import barred_back, digest_of
from wizard.apply.engine.survey import Content, DriveSide, Proof, shows_old
from wizard.apply.run.process import UNWRITTEN
from wizard.apply.run.progress_log import Progress
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.said import join

OVER = "over"
"""The file in a run that says that it is to be undone also where another program wrote to its drives
since."""

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
"""How often all places are read or written from a phase on, to tell how far it is."""


class Exchange(Checks):
    """The exchange of a run. The caller holds the drives so that nobody else can write."""

    has_written = False
    was_hidden = False
    """Whether nothing could use the drives until `release` began."""

    def commit(self, progress: Progress) -> None:
        """From SAVED or any later phase to HIDDEN. Raises Failed or Refused; it can be asked for again then,
        or `undo`."""
        self._begin(progress, COMMITS)
        with self._saving_phase():
            self.check_commit()
            self._save_corrected()
            # From there every block was just read: the drives hold the old bytes, less the marks that go.
            is_first = self.record.phase is Phase.SAVED
            if self.record.phase is Phase.SAVED:
                self._enter(Phase.CLEARING)
            if self.record.phase is Phase.CLEARING:
                for side in self.sides:
                    bar(side, side.change.old_marks)
                self._enter(Phase.REPLACING)
            if self.record.phase is Phase.REPLACING:
                for side in self.sides:
                    standing = barred_back(side.change, side.old) if is_first else None
                    replace_all(side, side.barred, side.change.barred_digest, standing)
                self._enter(Phase.HIDDEN)
            if self.record.phase not in COMPLETE:
                self.demand(Phase.HIDDEN)

    def release(self, progress: Progress) -> Proof:
        """From HIDDEN to RELEASED: what was written becomes visible. Gives the proof of that. Raises Failed
        or Refused as `commit` does."""
        self._begin(progress, RELEASES)
        with self._saving_phase():
            # From there every block is read first, and each mark again once it is in place.
            used = self.check_release()
            self._save_corrected()
            is_checked = self.was_hidden = self.record.phase is Phase.HIDDEN
            if self.record.phase is Phase.HIDDEN:
                self._enter(Phase.RELEASING)
            if self.record.phase is Phase.RELEASING:
                self._show([side for side in self.sides if side not in used], is_checked)
                self._enter(Phase.RELEASED)
            self.demand(Phase.RELEASED)
            return self._proof(Content.NEW)

    def _show(self, sides: Sequence[DriveSide], is_checked: bool) -> None:
        """Put the new marks in place, and read everything again unless it `is_checked`."""
        # What decides comes last on every drive, and on all of them together: md would begin to work with
        # one half of a mirror if the power went between them.
        for of in (slice(None, -1), slice(-1, None)):
            for side in sides:
                put(side, side.change.new_marks[of], side.new)
        for side in sides:
            # Last: until then it says what is withheld.
            put_away_notice(side)
            if not is_checked:
                check(side, side.change.new_digest)

    def undo(self, progress: Progress) -> Proof | None:
        """Go back to the old bytes, to the bit, from any phase, and give the proof of that. None if the run
        has written nothing, and another program has since. Raises Failed or Refused; it can be repeated."""
        self._begin(progress, UNDOES)
        with self._saving_phase():
            contents = self.check_undo(over=(self._run / OVER).exists())
            if all(content is Content.OLD for content in contents):
                for side in self.sides:
                    # An earlier try may have left it in the drive's cache.
                    side.medium.flush()
                self._enter(Phase.UNDONE)
                return self._proof(Content.OLD)
            if self.record.phase is Phase.SAVED or self.is_nothing_to_restore(contents):
                self._enter(Phase.UNDONE)
                return None
            # Another program may have written over old bytes that were already restored.
            again = self.record.phase is Phase.RELEASING_BACK and Content.FOREIGN in contents
            if again or self.record.phase not in (*GOING_BACK, *ENDED):
                self._enter(Phase.CLEARING_BACK)
            self.has_written = self.record.phase not in ENDED
            if self.record.phase is Phase.CLEARING_BACK:
                self._clear_back()
                self._enter(Phase.REPLACING_BACK)
            if self.record.phase is Phase.REPLACING_BACK:
                for side in self.sides:
                    content = barred_back(side.change, side.old)
                    replace_all(side, content, digest_of(side.change.places, content, side.told))
                self._enter(Phase.RELEASING_BACK)
            if self.record.phase is Phase.RELEASING_BACK:
                for side in self.sides:
                    put(side, side.change.old_marks, side.old)
                    check(side, side.change.old_digest)
                self._enter(Phase.UNDONE)
            self.demand(Phase.UNDONE)
            return self._proof(Content.OLD) if self.has_written else None

    def _clear_back(self) -> None:
        """Take all marks away. Those go first that still show something: a place of the others can hold a
        part of what shows."""
        marks = [
            [side.change.new_marks for side in self.sides],
            [side.change.old_marks for side in self.sides],
        ]
        if any(shows_old(side) for side in self.sides):
            marks.reverse()
        for each in marks:
            for side, its in zip(self.sides, each, strict=True):
                bar(side, its)

    def _enter(self, phase: Phase) -> None:
        record = replace(self.record, phase=phase)
        save_record(self._run, record)
        self.record = record

    def _save_corrected(self) -> None:
        """Write down a phase that the drives corrected."""
        if load_record(self._run) != self.record:
            self._enter(self.record.phase)

    def _begin(self, progress: Progress, passes: Mapping[Phase, int]) -> None:
        """Tell how far it is from here, by the bytes that are read and written."""
        changed = sum(side.change.changed_bytes for side in self.sides)
        self._tally.begin(progress, changed * passes.get(self.record.phase, 0))

    @contextmanager
    def _saving_phase(self) -> Iterator[None]:
        """If it ends with an error, save the phase that the drives corrected."""
        try:
            yield
        except LeftError:
            self._enter(Phase.LEFT)
            raise
        except (Failed, Refused) as error:
            if not self.record.waits:
                if isinstance(error, Failed):
                    raise
                raise Refused(f"{error} {words.KEPT_IN(folder=str(self._kept.folder))}") from None
            with suppress(Failed):
                self._save_corrected()
            if isinstance(error, Failed) and self.record.phase in UNTOUCHED:
                raise Failed(f"{error} {words.NO_DRIVE_WRITTEN}") from None
            raise


def mark_over_changes(run: Path, over: bool) -> None:
    """Note whether the undoing that follows is to go over what others wrote. Raises Failed."""
    try:
        (run / OVER).unlink(missing_ok=True)
        if over:
            (run / OVER).touch(mode=0o600)
    except OSError as error:
        unwritten = UNWRITTEN(file=str(run), why=str(error.strerror))
        raise Failed(join(unwritten, words.NO_DRIVE_WRITTEN)) from None


def check(side: DriveSide, digest: str) -> None:
    """Raises Failed where the drive, read past every cache, does not hold what has this digest."""
    if not side.holds(digest):
        raise Failed(words.NOT_AS_WRITTEN(drive=side.change.path))


def replace_all(side: DriveSide, content: Read, digest: str, standing: Read | None = None) -> None:
    """Put these bytes in all places, and read them back. What is there already is not written again: where a
    block takes no writes any more, that is the way back from it. `standing` gives what is there where that is
    known; else the drive is read. Raises Failed.
    """
    standing = standing or side.medium.read
    for chunk in chunks(side.change.places):
        data = content(chunk.start_bytes, chunk.size_bytes)
        for place in _unlike(standing, chunk, data):
            at = place.start_bytes - chunk.start_bytes
            side.medium.write(place.start_bytes, data[at : at + place.size_bytes])
        side.told(chunk.size_bytes)
    side.medium.flush()
    check(side, digest)


def bar(side: DriveSide, marks: Sequence[SavedSignature]) -> None:
    """Take marks away, the one that decides first."""
    for mark in reversed(marks):
        _write(side, mark, mark.away(mark.start_bytes, mark.size_bytes, side.old))


def put(side: DriveSide, marks: Sequence[SavedSignature], content: Read) -> None:
    """Put marks in place, the one that decides last."""
    for mark in marks:
        _write(side, mark, content(mark.start_bytes, mark.size_bytes))


def put_away_notice(side: DriveSide) -> None:
    """Put what is to be there in the place of the notice, if the drive has one."""
    if place := side.change.notice:
        for chunk in chunks((place,)):
            put(side, (SavedSignature(chunk.start_bytes, chunk.size_bytes),), side.new)


def _write(side: DriveSide, mark: SavedSignature, data: bytes) -> None:
    """On return it is on the medium, and read back: the next mark may rely on it. Raises Failed."""
    if _unlike(side.medium.read, mark.extent, data):
        side.medium.write_through(mark.start_bytes, data)
    else:
        # An earlier try may have left it in the drive's cache.
        side.medium.flush()
    if side.medium.read(mark.start_bytes, mark.size_bytes) != data:
        raise Failed(words.NOT_AS_WRITTEN_AT(drive=side.change.path, byte=mark.start_bytes))


def _unlike(standing: Read, place: Extent, data: bytes) -> tuple[Extent, ...]:
    """What of a place, of 1 MiB at most, does not hold these bytes; all of it where it cannot be read."""

    def wanted(start: int, length: int) -> bytes:
        return data[start - place.start_bytes :][:length]

    try:
        return merged(differing((place,), standing, wanted), 1, place.end_bytes)
    except Failed:
        return (place,)
