"""Check the drives of a run, and name the commands that work now. Read-only.

Every block must contain the old or the planned bytes. A signature's block may instead contain the bytes of a
hidden drive. The record can be lost or older than the drives; then the drives determine the phase.
"""

import shlex
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block import extents
from wizard.apply.engine import record as words
from wizard.apply.engine import stores, survey
from wizard.apply.engine.record import (
    GOING_BACK,
    UNTOUCHED,
    DriveChange,
    Phase,
    Record,
    load_record,
    settle_record,
)
from wizard.apply.engine.survey import Content, DriveSide, Proof
from wizard.apply.run.backup_store import digest_of_text
from wizard.apply.run.process import NOTHING_WRITTEN
from wizard.apply.run.progress_log import Tally
from wizard.apply.run.runs import run_argument
from wizard.documents.profiles import read_notice
from wizard.model.errors import BadInput, Failed, Refused, printable, why_not
from wizard.model.said import Message, Sentence, join, t


def side_of(
    run: Path, number: int, change: DriveChange, medium: extents.Medium, opened: ExitStack
) -> DriveSide:
    """Open the saved and planned bytes of a run's drive, counted from 0. `opened` closes them.

    A damaged notice is empty.
    """
    old, new = stores.old_file(run, number), stores.new_file(run, number)
    notice = b""
    if place := change.notice:
        with suppress(Failed), stores.Store(stores.notice_file(run, number)) as kept:
            data = kept.read(place.start_bytes, place.size_bytes)
            notice = data if read_notice(data) else b""
    return DriveSide(change, medium, _reader_of(old, opened), _reader_of(new, opened), notice)


def _reader_of(file: Path, opened: ExitStack) -> extents.Read:
    """Open a file. The reader of a missing file fails on use, since not every operation needs both files."""
    try:
        return opened.enter_context(stores.Store(file)).read
    except Failed as error:
        why = str(error)

    def read(offset: int, length: int) -> bytes:
        raise Failed(why)

    return read


COMPLETE = frozenset({Phase.HIDDEN, Phase.RELEASED})
ENDED = frozenset({Phase.KEPT, Phase.UNDONE, Phase.LEFT})
WRITING = frozenset({Phase.CLEARING, Phase.REPLACING})

SHOWN = {
    Content.OLD: Phase.SAVED,
    Content.HIDDEN: Phase.HIDDEN,
    Content.NEW: Phase.RELEASED,
}
"""Phase for the contents of all drives."""


MODIFIED = Sentence("{drive} was modified after the run was complete.")
CHANGED_BEFORE = Sentence(
    "Another program changed {drive} at byte {byte} before the run was complete. Nothing more was written."
)


class LeftError(Refused):
    """The old contents are complete and in use again, so the run ends."""


class Checks:
    """Compare the drives of a run with the saved and planned bytes. `media` are in the record's order."""

    def __init__(self, run: Path, media: Sequence[extents.Medium]) -> None:
        record = load_record(run)
        if record is None or len(record.changes) != len(media):
            raise BadInput(t("{place} is damaged.", place=run))
        settle_record(run)
        self.record: Record = record
        self._run, self._folder = run, run / stores.FOLDER
        self._name = run_argument(run)
        self._open, self._tally = ExitStack(), Tally()
        for change, medium in zip(record.changes, media, strict=True):
            if medium.size_bytes == change.size_bytes:
                continue
            resized = t(
                "{drive} now has {now} bytes, not {before}. Nothing more was written.",
                drive=change.path,
                now=medium.size_bytes,
                before=change.size_bytes,
            )
            if record.phase in UNTOUCHED:
                raise Refused(join(resized, words.ENDS_RUN(run=self._name)))
            back = t("Restore the drive's size to {size} bytes.", size=change.size_bytes)
            raise Refused(join(resized, back, words.SHOWS_RUN(run=self._name)))
        self.sides = tuple(
            replace(side_of(run, number, change, media[number], self._open), told=self._tally)
            for number, change in enumerate(record.changes)
        )

    def close(self) -> None:
        """Close the store files."""
        self._open.close()

    def prove(self, *, old: bool) -> Proof | None:
        """Compare the drives with the saved `old` bytes or the planned bytes. Return None if they differ."""
        digests = (side.change.old_digest if old else side.change.new_digest for side in self.sides)
        return Proof(self._folder) if all(map(DriveSide.holds, self.sides, digests)) else None

    @property
    def is_ahead(self) -> bool:
        """True if the drives show that the run wrote more than the record says."""
        phase = self.record.phase
        try:
            self._contents()
            return self.record.phase is not phase
        finally:
            self.record = replace(self.record, phase=phase)

    def next_commands(self, confirm: Sequence[str]) -> Message | None:
        """Return the commands that would work on the unfinished run now, according to their checks, or None.
        `confirm`: the drives' tokens, for `undo --over-changes`."""
        record, phase, name, found = self.record, self.record.phase, self._name, list[Message]()

        def works(check: Callable[[], object]) -> bool:
            # An earlier check may have corrected the phase.
            self.record = record
            return not why_not(check)

        if phase not in GOING_BACK and works(self.check_forward):
            found.append(words.RESUMES_RUN(command="keep" if phase is Phase.HIDDEN else "resume", run=name))
        if works(partial(self.check_undo, over=False)):
            back = words.ENDS_RUN if phase is Phase.SAVED else words.UNDO
            if phase in GOING_BACK:
                back = Sentence("`diskwright undo {run}` continues the undo.")
            found.append(back(run=name))
        elif confirm and works(partial(self.check_undo, over=True)):
            found.append(
                t(
                    "`diskwright undo {run} --over-changes {options:row}` restores the contents "
                    "from before this run and overwrites any later changes.",
                    run=name,
                    options=tuple(f"--confirm {shlex.quote(printable(one))}" for one in confirm),
                )
            )
            if lost := self.zeroed_bytes():
                found.append(t("{size:exact} of old data cannot be restored.", size=lost))
        if not found and all(map(self._waits_by_notice, self.sides)):
            found.append(
                t(
                    "`diskwright keep --from-drive {drive}` finishes the run waiting on the drive.",
                    drive=self.sides[0].change.path,
                )
            )
        if found:
            return join(*found)
        if damaged := why_not(self._check_kept, DriveSide.is_old_intact):
            return join(
                damaged,
                t(
                    "Restore the folder's files from a backup if you have one. Otherwise, the "
                    "drive can only be set up again: make a new plan."
                ),
            )
        return None

    def check_forward(self) -> None:
        """Run the checks of `resume` or `keep`, depending on the phase."""
        if self.record.phase in (*COMPLETE, Phase.RELEASING):
            self.check_release()
        else:
            self.check_commit()

    def demand(self, phase: Phase) -> None:
        """Raises Refused unless the run is in this phase."""
        if self.record.phase is not phase:
            raise Refused(
                t(
                    "The run is {phase}, so this is not possible now. Nothing was written.",
                    phase=self.record.phase.value,
                )
            )

    def _waits_by_notice(self, side: DriveSide) -> bool:
        """Return True if the drive's notice is enough to finish the run."""
        place = side.change.notice
        if place is None:
            return False
        try:
            notice = read_notice(extents.read_all((place,), side.medium.read))
            return (
                notice is not None
                and self.record.of_plan in ("", digest_of_text(notice.plan))
                and stores.digest_of(notice.places, side.medium.read) == notice.digest
            )
        except Failed:
            return False

    # Checks before writing. They only read, and correct the phase if the drives contradict it.

    def _contents(self) -> tuple[Content, ...]:
        """Return the contents of the drives. Corrects a record that is lost or older than the drives."""
        contents = tuple(map(survey.content_of, self.sides))
        phase = self.record.phase
        changes = [side.change for side in self.sides]
        if phase is Phase.HIDDEN and all(one.old_digest == one.barred_digest for one in changes):
            # Old and hidden bytes are the same, so the drives cannot contradict the record.
            contents = tuple(Content.HIDDEN if one is Content.OLD else one for one in contents)
        if phase not in (Phase.UNKNOWN, Phase.SAVED, Phase.HIDDEN):
            return contents
        if Content.FOREIGN in contents:
            if phase is not Phase.HIDDEN:
                wrote = any(map(_shows_new, self.sides))
                self.record = replace(self.record, phase=Phase.REPLACING if wrote else Phase.SAVED)
            return contents
        same = SHOWN.get(contents[0], Phase.CLEARING) if len({*contents}) == 1 else Phase.CLEARING
        self.record = replace(self.record, phase=same)
        return contents

    def check_commit(self) -> None:
        """Raises Refused if the saved bytes, the planned bytes or the drives do not allow a commit."""
        contents: tuple[Content, ...] = ()
        if self.record.phase in (Phase.SAVED, Phase.UNKNOWN):
            contents = self._contents()
        if self.record.phase is Phase.SAVED:
            self._check_kept(DriveSide.is_old_intact)
            self._check_kept(DriveSide.is_new_intact)
            self._check_kept(DriveSide.is_notice_intact)
            changed = Sentence("{drive} was changed after the rehearsal.")
            self._check_contents(contents, {Content.OLD}, changed)
            for side in filter(survey.has_zeroed, self.sides):
                raise Refused(changed(drive=side.change.path), str(NOTHING_WRITTEN))
        elif self.record.phase in WRITING:
            if self._has_begun_to_release():
                # The record is older than the drives, which may be in use.
                done = Phase.RELEASED if self.prove(old=False) else Phase.RELEASING
                self.record = replace(self.record, phase=done)
                return
            self._check_kept(DriveSide.is_new_intact)
            self._check_kept(DriveSide.is_notice_intact)
            self._refuse_foreign()
        elif self.record.phase not in COMPLETE:
            self.demand(Phase.HIDDEN)

    def _has_begun_to_release(self) -> bool:
        """Return True if drives with zeros have all planned bytes, and a new signature that is only written
        after the zeros."""
        return (
            any(side.change.zeros for side in self.sides)
            and any(map(survey.is_released, self.sides))
            and all(survey.find_foreign_block(side, released=True) is None for side in self.sides)
        )

    def check_release(self) -> list[DriveSide]:
        """Return completed drives that were used since, which stay unchanged. Raises Refused if the planned
        bytes or the drives do not allow a release."""
        if self.record.phase is Phase.UNKNOWN:
            self._contents()
        if self.record.phase is Phase.HIDDEN:
            self._check_kept(DriveSide.is_new_intact)
            contents = self._contents()
            if self.record.phase is Phase.HIDDEN:
                self._check_contents(contents, {Content.HIDDEN}, MODIFIED, wrote=True)
        if self.record.phase is Phase.RELEASING:
            self._check_kept(DriveSide.is_new_intact)
            return [side for side in self.sides if self._is_used(side)]
        if self.record.phase not in COMPLETE:
            self.demand(Phase.RELEASED)
        return []

    def check_undo(self, *, over: bool) -> tuple[Content, ...]:
        """Return the contents of the drives. Raises Refused if the old bytes are damaged, or if undo would
        overwrite foreign changes without `over`."""
        contents = self._contents()
        phase = self.record.phase
        is_over = self.is_nothing_to_restore(contents)
        if phase in ENDED or (is_over and phase in (Phase.SAVED, Phase.CLEARING)):
            return contents
        if phase is Phase.SAVED:
            for side in self.sides:
                self._refuse_stranger(side)
            return contents
        self._check_kept(DriveSide.is_old_intact)
        if is_over and not over:
            self._refuse_zeroed()
        elif over:
            for side, content in zip(self.sides, contents, strict=True):
                if content is Content.FOREIGN:
                    self._refuse_stranger(side)
        elif phase in COMPLETE or phase is Phase.RELEASING:
            complete = {Phase.HIDDEN: {Content.HIDDEN}, Phase.RELEASED: {Content.NEW}}
            fits = complete.get(phase, {Content.HIDDEN, Content.NEW, Content.PARTIAL})
            changed = Sentence(
                "{drive} was modified after the run was complete; undo could destroy those changes."
            )
            self._check_contents(contents, fits | {Content.OLD}, changed)
            self._refuse_zeroed()
        else:
            self._refuse_foreign()
            self._refuse_zeroed()
        return contents

    def zeroed_bytes(self) -> int:
        """Return the size of the places of zeros that undo cannot restore."""
        return sum(side.change.zero_bytes for side in self.sides if survey.has_zeroed(side))

    def _refuse_zeroed(self) -> None:
        """Raises Refused if undo could not restore the places of zeros, or would destroy changes there."""
        for side in filter(survey.has_zeroed, self.sides):
            raise Refused(
                t(
                    "Undo can no longer restore all of {drive}. `keep` or another program wrote to areas of "
                    "zeros ({size:exact} in all), whose old bytes are not saved.",
                    drive=side.change.path,
                    size=side.change.zero_bytes,
                )
            )

    def is_nothing_to_restore(self, contents: Sequence[Content]) -> bool:
        """Return True if each drive contains the old bytes, or was empty and not written by the run."""
        unwritten = self.record.phase in (Phase.SAVED, Phase.CLEARING)
        return all(
            content is Content.OLD
            or (unwritten and side.change.blank and not survey.count_blocks(side).is_known)
            for side, content in zip(self.sides, contents, strict=True)
        )

    def _check_contents(
        self, contents: Sequence[Content], fits: set[Content], changed: Sentence, *, wrote: bool = False
    ) -> None:
        """Raises Refused if a drive contains anything else, but Failed for a counterfeit drive to which this
        process may just have written (`wrote`)."""
        for side, content in zip(self.sides, contents, strict=True):
            if content not in fits:
                self._refuse_stranger(side)
                if (wrapped := survey.wrapped(side)) and wrote:
                    raise Failed(wrapped)
                raise Refused(wrapped or changed(drive=side.change.path), str(NOTHING_WRITTEN))

    def _refuse_stranger(self, side: DriveSide) -> None:
        """Raises Refused if the drive has none of the run's bytes: it may be another drive."""
        found = survey.count_blocks(side)
        if found.other and not found.is_known:
            raise Refused(
                t(
                    "{drive} may be another drive: it has no data that the run {run} saved or "
                    "wrote. Nothing was written. Attach the run's drive.",
                    drive=side.change.path,
                    run=self._run.name,
                )
            )

    def _check_kept(self, is_whole: Callable[[DriveSide], bool]) -> None:
        """Raises Refused if the stored bytes of a drive are damaged."""
        for side in self.sides:
            if not is_whole(side):
                raise Refused(words.DAMAGED(folder=self._folder, drive=side.change.path))

    def _refuse_foreign(self) -> None:
        """Raises Refused if another program wrote to a half-changed drive, or LeftError if it uses the old
        contents."""
        before = self.record.phase is Phase.CLEARING
        found = {}
        for side in self.sides:
            # Without both copies, foreign blocks cannot be found. The current phase may not need the damaged
            # one.
            is_new_intact = side.is_new_intact()
            can_compare = side.is_old_intact() and (before or is_new_intact)
            at = survey.find_foreign_block(side, before=before and not is_new_intact) if can_compare else None
            if at is not None or not can_compare:
                self._refuse_stranger(side)
            if at is not None:
                found[side.change.path] = at
        if not found:
            return
        shows = self.record.phase in (Phase.CLEARING, Phase.RELEASING_BACK)
        if shows and not any(survey.is_cleared(side, side.change.old_marks, side.old) for side in self.sides):
            raise LeftError(
                t(
                    "{drives:list} has the old contents, which were used since. Left unchanged. If you "
                    "still want this, make a new plan.",
                    drives=tuple(found),
                )
            )
        path, at = next(iter(found.items()))
        capacities = (survey.wrapped(side) for side in self.sides if side.change.path in found)
        raise Refused(
            next(filter(None, capacities), None)
            or t(
                "Another program changed {drive} at byte {byte} after this run wrote to it. "
                "Nothing more was written.",
                drive=path,
                byte=at,
            )
        )

    def _is_used(self, side: DriveSide) -> bool:
        """Return True if another program wrote to a completed drive, which stays unchanged. Raises Refused if
        the drive was incomplete."""
        whole = side.is_old_intact()
        if (at := survey.find_foreign_block(side, released=not whole)) is None:
            return False
        self._refuse_stranger(side)
        if survey.is_cleared(
            side, tuple(mark for mark in side.change.new_marks if whole or not mark.stays), side.new
        ):
            raise Refused(CHANGED_BEFORE(drive=side.change.path, byte=at))
        return True


def _shows_new(side: DriveSide) -> bool:
    found = survey.count_blocks(side)
    if found.new:
        return True
    try:
        return found.is_known and survey.is_cleared(side, side.change.old_marks, side.old)
    except Failed:
        return found.is_known
