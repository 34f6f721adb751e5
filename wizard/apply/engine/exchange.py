"""What drives hold and what they are to hold, exchanged: the phases of a commit and of its undoing, each of
which can be done again.

The phase is on its medium before the first write that belongs to it, and what is read, the old and the new
bytes, is never written to meanwhile. First go the marks by which anything recognises what is there, the
deciding one before all others; then all else is replaced; then come the marks of what is there now, the
deciding one last. So wherever the power goes, each drive is as before, as planned, or nothing that anybody
mounts, and the phase says how it goes on.

Whoever goes on in the middle of a phase looks first: every block must hold what it held, what it is to hold,
or, in a mark's place, what is there while it is barred.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from wizard.apply.block.medium import Medium
from wizard.apply.engine import words
from wizard.apply.engine.record import (
    GOING_BACK,
    UNTOUCHED,
    Change,
    Phase,
    Record,
    load_record,
    save_record,
    settle_record,
    ways_on,
)
from wizard.apply.engine.sides import Kept, kept_in
from wizard.apply.engine.stores import barred_back, digest_of
from wizard.apply.engine.survey import Side, is_bare, shows_old, stray
from wizard.apply.engine.writing import bar, check, put, put_away_notice, replace_all
from wizard.apply.run.progress import Progress, Tally
from wizard.apply.run.runs import called
from wizard.apply.run.words import UNWRITTEN
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.said import Said, in_a_row

OVER = "over"
"""The file in a run that says that it is to be undone also where another program wrote to its drives
since."""

COMPLETE = frozenset({Phase.BARRED, Phase.RELEASED})

COMMITS = {Phase.SAVED: 5, Phase.CLEARING: 5, Phase.REPLACING: 6}
RELEASES = {Phase.BARRED: 2, Phase.RELEASING: 4}
UNDOES = {
    Phase.CLEARING: 7,
    Phase.REPLACING: 7,
    Phase.BARRED: 6,
    Phase.RELEASING: 6,
    Phase.RELEASED: 5,
    Phase.CLEARING_BACK: 7,
    Phase.REPLACING_BACK: 7,
    Phase.RELEASING_BACK: 5,
}
"""How often all places are read or written from a phase on, to tell how far it is."""


class Exchange:
    """The exchange of a run whose drives are `media`, in the record's order. The caller holds them so that
    nobody else can write. What is `kept` of the drives lies in the run's folder unless somewhere is named."""

    def __init__(self, run: Path, media: Sequence[Medium], kept: Kept | None = None) -> None:
        record = load_record(run)
        if record is None or len(record.changes) != len(media):
            raise BadInput(words.NOT_REHEARSED(run=str(run), count=len(media)))
        settle_record(run)
        self.record: Record = record
        self._run, self._kept = run, kept or kept_in(run)
        self._name = called(run)
        self._open, self._tally = ExitStack(), Tally()
        self.sides = tuple(
            self._side(number, change, media[number]) for number, change in enumerate(record.changes)
        )

    def _side(self, number: int, change: Change, medium: Medium) -> Side:
        if medium.size_bytes != change.size_bytes:
            resized = words.RESIZED(drive=change.path, now=medium.size_bytes, before=change.size_bytes)
            raise Refused(in_a_row(resized, self._when_resized(change)))
        return replace(self._kept.side_of(number, change, medium, self._open), told=self._tally)

    def _when_resized(self, change: Change) -> Said:
        """What to do with a drive that has another size now."""
        if self.record.phase in UNTOUCHED:
            return words.ENDS_RUN(run=self._name)
        return in_a_row(words.GIVE_BACK(size=change.size_bytes), ways_on(self.record.phase, self._name))

    def close(self) -> None:
        """Let go of the files."""
        self._open.close()

    def commit(self, progress: Progress) -> None:
        """From SAVED or any later phase to BARRED. Raises Failed or Refused; it can be asked for again then,
        or `undo`."""
        self._begin(progress, COMMITS)
        with self._naming_ways():
            if self.record.phase in (Phase.SAVED, Phase.CLEARING, Phase.REPLACING):
                self._check_commits()
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
                self._enter(Phase.BARRED)
            self._demand(Phase.BARRED)

    def release(self, progress: Progress) -> None:
        """From BARRED to RELEASED: what was written becomes visible. Raises Failed or Refused as `commit`
        does."""
        self._begin(progress, RELEASES)
        with self._naming_ways():
            used: list[Side] = []
            # From there every block is read first, and each mark again once it is in place.
            is_checked = self.record.phase is Phase.BARRED
            if self.record.phase in (Phase.BARRED, Phase.RELEASING):
                self._check_kept(Side.keeps_new, "undo")
            if self.record.phase is Phase.BARRED:
                for side in self.sides:
                    if not side.holds(side.change.barred_digest):
                        raise Refused(in_a_row(words.WRITTEN_SINCE(drive=side.change.path), self._over))
                self._enter(Phase.RELEASING)
            elif self.record.phase is Phase.RELEASING:
                used = [side for side in self.sides if self._is_used(side)]
            if self.record.phase is Phase.RELEASING:
                self._show([side for side in self.sides if side not in used], is_checked)
                self._enter(Phase.RELEASED)
            self._demand(Phase.RELEASED)

    def _show(self, sides: Sequence[Side], is_checked: bool) -> None:
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
                self._check_released(side)

    def undo(self, progress: Progress) -> None:
        """Back to what the drives held, to the bit, from wherever the exchange stands. Raises Failed or
        Refused; it can be repeated."""
        self._begin(progress, UNDOES)
        with self._naming_ways():
            if self.record.phase in UNTOUCHED:
                self._enter(Phase.UNDONE)
                return
            if self.record.phase not in (Phase.KEPT, Phase.UNDONE, Phase.LEFT):
                self._check_undoes()
            if self.record.phase in (
                Phase.CLEARING,
                Phase.REPLACING,
                Phase.BARRED,
                Phase.RELEASING,
                Phase.RELEASED,
            ):
                self._enter(Phase.CLEARING_BACK)
            if self.record.phase is Phase.CLEARING_BACK:
                self._clear_back()
                self._enter(Phase.REPLACING_BACK)
            is_checked = self.record.phase is Phase.REPLACING_BACK
            if self.record.phase is Phase.REPLACING_BACK:
                for side in self.sides:
                    content = barred_back(side.change, side.old)
                    replace_all(side, content, digest_of(side.change.places, content, side.told))
                self._enter(Phase.RELEASING_BACK)
            if self.record.phase is Phase.RELEASING_BACK:
                for side in self.sides:
                    put(side, side.change.old_marks, side.old)
                    if not is_checked:
                        check(side, side.change.old_digest)
                self._enter(Phase.UNDONE)
            self._demand(Phase.UNDONE)

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

    def _demand(self, phase: Phase) -> None:
        if self.record.phase is not phase:
            ways = [ways_on(self.record.phase, self._name)] if self.record.waits else []
            raise Refused(in_a_row(words.RUN_IS(phase=self.record.phase.value), *ways))

    @contextmanager
    def _naming_ways(self) -> Iterator[None]:
        """Adds the ways on to what failed; a refusal names its own. What goes on by itself is told of by
        whoever carries it out."""
        try:
            yield
        except Failed as error:
            if not self.record.waits:
                raise
            how_far = [words.NO_DRIVE_WRITTEN()] if self.record.phase in UNTOUCHED else []
            ways = ways_on(self.record.phase, self._name)
            raise Failed(f"{error} {in_a_row(*how_far, ways)}") from None

    @property
    def _over(self) -> Said:
        """The way back where another program wrote something."""
        if not all(side.keeps_old() for side in self.sides):
            return in_a_row(words.OLD_DAMAGED(folder=str(self._kept.folder)), words.NO_COPY())
        if not self.record.waits:
            return words.KEPT_IN(folder=str(self._kept.folder))
        return words.OVER(run=self._name)

    def _begin(self, progress: Progress, passes: Mapping[Phase, int]) -> None:
        """Tell how far it is from here, by the bytes that are read and written."""
        changed = sum(side.change.changed_bytes for side in self.sides)
        self._tally.begin(progress, changed * passes.get(self.record.phase, 0))

    def _check_commits(self) -> None:
        """Raises Refused where what is kept, or what the drives hold, does not let it go on."""
        if self.record.phase is Phase.SAVED:
            self._check_kept(Side.keeps_old, "undo")
        self._check_kept(Side.keeps_new, "undo")
        self._check_kept(Side.keeps_notice, "undo")
        if self.record.phase is Phase.SAVED:
            for side in self.sides:
                if not side.holds(side.change.old_digest):
                    changed = words.CHANGED_SINCE(drive=side.change.path)
                    raise Refused(in_a_row(changed, words.ENDS_RUN(run=self._name)))
            return
        self._refuse_strays()

    def _check_undoes(self) -> None:
        """Raises Refused where the old bytes are damaged, or another program wrote what they would
        overwrite."""
        phase = self.record.phase
        other = "" if phase in GOING_BACK else "keep"
        if phase in (Phase.CLEARING, Phase.REPLACING) or (
            phase in (Phase.BARRED, Phase.RELEASING) and not self.record.waits
        ):
            other = "resume"
        elif phase is Phase.BARRED and not all(
            side.keeps_old() or side.holds(side.change.barred_digest) for side in self.sides
        ):
            other = ""
        self._check_kept(Side.keeps_old, other)
        if (self._run / OVER).exists():
            return
        if phase in COMPLETE:
            for side in self.sides:
                if not side.holds(
                    side.change.barred_digest if phase is Phase.BARRED else side.change.new_digest
                ):
                    self._refuse_overwriting(side)
        elif phase is Phase.RELEASING:
            for side in self.sides:
                if not (side.holds(side.change.barred_digest) or side.holds(side.change.new_digest)) and (
                    not side.keeps_new() or stray(side) is not None
                ):
                    self._refuse_overwriting(side)
        else:
            self._refuse_strays()

    def _refuse_overwriting(self, side: Side) -> None:
        can_keep = self.record.phase is not Phase.BARRED and self.record.waits
        keeps = [words.KEEP_LEAVES(run=self._name)] if can_keep else []
        raise Refused(in_a_row(words.OVERWRITING(drive=side.change.path), *keeps, self._over))

    def _check_kept(self, is_whole: Callable[[Side], bool], other: str) -> None:
        """Raises Refused where what is kept of a drive is damaged; `other` is the command that can do without
        it."""
        for side in self.sides:
            if not is_whole(side):
                way = words.WITHOUT_IT(command=other, run=self._name) if other else words.NO_COPY()
                damaged = words.KEPT_DAMAGED(folder=str(self._kept.folder), drive=side.change.path)
                raise Refused(in_a_row(damaged, way))

    def _refuse_strays(self) -> None:
        """Raises Refused where another program wrote to a drive in the middle of a change. One that somebody
        uses as it was is left so."""
        before = self.record.phase is Phase.CLEARING
        found = {}
        for number, side in enumerate(self.sides):
            # Where one of both is damaged nobody can tell; the way that is gone may not need it.
            if (
                side.keeps_old()
                and (before or side.keeps_new())
                and (at := stray(side, before=before)) is not None
            ):
                found[number] = at
        if not found:
            return
        shows = self.record.phase in (Phase.CLEARING, Phase.RELEASING_BACK)
        if shows and not any(is_bare(side, side.change.old_marks, side.old) for side in self.sides):
            self._enter(Phase.LEFT)
            self._kept.drop()
            used = tuple(self.sides[number].change.path for number in found)
            left = words.LEFT_AS_IT_IS(drives=used)
            raise Refused(in_a_row(left, words.NOTHING_LEFT(), words.PLAN_AGAIN()))
        number, at = next(iter(found.items()))
        raise Refused(in_a_row(words.STRAY(drive=self.sides[number].change.path, byte=at), self._over))

    def _is_used(self, side: Side) -> bool:
        """Whether another program wrote to what was made complete, so that it stays as it is; raises Refused
        where it was not complete."""
        whole = side.keeps_old()
        if (at := stray(side, released=not whole)) is None:
            return False
        if is_bare(side, tuple(mark for mark in side.change.new_marks if whole or not mark.stays), side.new):
            raise Refused(in_a_row(words.STRAY_BEFORE(drive=side.change.path, byte=at), self._over))
        return True

    def _check_released(self, side: Side) -> None:
        """As `check`; raises Refused where no way back can be named, since the old bytes are damaged."""
        try:
            check(side, side.change.new_digest)
        except Failed as error:
            if side.keeps_old():
                raise
            ways = in_a_row(words.KEEP_AGAIN(run=self._name), self._over)
            raise Refused(f"{error} {ways}") from None


def mark_over_changes(run: Path, over: bool) -> None:
    """Note whether the undoing that follows is to go over what others wrote. Raises Failed."""
    try:
        (run / OVER).unlink(missing_ok=True)
        if over:
            (run / OVER).touch(mode=0o600)
    except OSError as error:
        unwritten = UNWRITTEN(file=str(run), why=str(error.strerror))
        raise Failed(in_a_row(unwritten, words.NO_DRIVE_WRITTEN())) from None
