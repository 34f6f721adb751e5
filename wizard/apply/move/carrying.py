"""Carrying moves out: all are read, then they move and are compared, one after the other."""

from dataclasses import replace

from wizard.apply.move import words
from wizard.apply.move.content import ends_digest
from wizard.apply.move.mover.drive import MovedDrive
from wizard.apply.move.mover.mover import Mover
from wizard.apply.move.mover.moving import Stopped
from wizard.apply.move.mover.state import Side
from wizard.apply.move.noted import Noted
from wizard.apply.move.on_drive import OnDrive
from wizard.apply.move.unread.narrowing import Unread, Unreadable
from wizard.apply.move.unread.noting import with_unread_at
from wizard.apply.move.unread.told import bad_listed, same_said, stopped_said
from wizard.apply.run.journal import done_steps, read_entries
from wizard.apply.run.kinds import Outcome, Work
from wizard.apply.run.process import STOP
from wizard.apply.run.runs import called
from wizard.layout.moving.told import compare_step, move_step, read_step, step_sentences
from wizard.model.documents.move import Move, Moves
from wizard.model.errors import Failed, Refused
from wizard.model.journal import Event
from wizard.model.said import Sentence, in_a_row, t

BAD_SECTOR = Sentence(
    "{why} Nothing was written. A partition with a bad sector is not moved: copy its files off first."
)
BAD_SECTOR_LATER = Sentence(
    "{why} A partition with a bad sector is not moved. What had moved before stays, whole, at its new place."
)
STOPPED = Sentence("Stopped. Nothing is lost.")
FAILED = Sentence("{why} Nothing is lost.")


class Carrying(OnDrive):
    """The moves of a run that are carried out."""

    def __init__(self, work: Work, moves: Moves, drive: MovedDrive, notes: tuple[Noted, ...]) -> None:
        super().__init__(work.run, moves, drive, notes)
        self._journal = work.journal
        self._sentences = step_sentences(moves)

    def is_stopped(self) -> bool:
        """Whether somebody wants it to stop."""
        return (self.run / STOP).exists()

    def all_read(self) -> Outcome | None:
        """Find bad sectors before anything is written, and note what each partition holds: how the run ends
        where it goes no further."""
        for number, move in enumerate(self.moves.moves):
            if not self.notes[number].content and (ended := self._read(number, move)) is not None:
                return ended
        return None

    def _read(self, number: int, move: Move) -> Outcome | None:
        step = read_step(number)
        self._start(step)
        try:
            digests = self.digests(move, move.before.start_bytes, step, self.is_stopped)
        except Failed as error:
            self._journal.add(Event.STEP_FAILED, str(error), step=step)
            early = BAD_SECTOR if not self._has_moved() else BAD_SECTOR_LATER
            return Event.FAILED, str(early(why=str(error)))
        if digests is None:
            early = Sentence("Stopped before anything was written.") if not self._has_moved() else STOPPED
            return Event.STOPPED, str(early())
        self.note(
            number,
            replace(
                self.notes[number],
                content=digests.whole,
                pieces=digests.pieces,
                superblocks=digests.superblocks,
            ),
        )
        self._journal.add(
            Event.STEP_DONE, t("Every sector of {part} could be read.", part=move.device), step=step
        )
        return None

    def _has_moved(self) -> bool:
        return any(noted.is_begun for noted in self.notes)

    def all_moved(self) -> Outcome | None:
        """Move and compare each: how the run ends where it goes no further."""
        for number, move in enumerate(self.moves.moves):
            if not self.notes[number].stood:
                ended = self._moved(number, move) or self._compared(number, move)
                if ended is not None:
                    return ended
        return None

    def _moved(self, number: int, move: Move) -> Outcome | None:
        step = move_step(self.moves, number)
        if step in done_steps(read_entries(self.run)):
            return None
        if self.is_stopped():
            return Event.STOPPED, str(STOPPED())
        try:
            mover = self._forward(number, move)
        except (Unread, Unreadable) as error:
            return self._not_begun(number, move, error)
        self._start(step)
        mover.give_up(self.notes[number].over)
        try:
            mover.go(Side.NEW)
        except Stopped:
            return Event.STOPPED, str(STOPPED())
        except Unreadable as unreadable:
            self.note_bad(number, mover)
            return self._stopped_at_bad(number, move, step, unreadable)
        except Failed as error:
            self._journal.add(Event.STEP_FAILED, str(error), step=step)
            return Event.FAILED, str(FAILED(why=str(error)))
        self.note_bad(number, mover)
        self._journal.add(Event.STEP_DONE, t("{part} is at its new place.", part=move.device), step=step)
        return None

    def _stopped_at_bad(self, number: int, move: Move, step: int, unreadable: Unreadable) -> Outcome:
        stops = self.notes[number].stops
        for said in bad_listed(move, stops):
            self._journal.add(Event.BAD_SECTOR, said, step=step)
        self._journal.add(Event.STEP_FAILED, str(unreadable), step=step)
        return Event.FAILED, str(stopped_said(move, stops, called(self.run)))

    def _not_begun(self, number: int, move: Move, error: Unread | Unreadable) -> Outcome:
        """What was read before cannot be read any more, or the journal that was written cannot."""
        if self.notes[number].is_begun:
            return Event.FAILED, str(FAILED(why=str(error)))
        why = str(error)
        if isinstance(error, Unreadable):
            start = move.before.start_bytes
            noted = with_unread_at(self.notes[number], error.places, start, is_kept=False)
            why = str(in_a_row(*bad_listed(move, noted.bad)))
        early = BAD_SECTOR_LATER if self._has_moved() else BAD_SECTOR
        return Event.FAILED, str(early(why=why))

    def _forward(self, number: int, move: Move) -> Mover:
        """The move by the drive's journal; a new one where it was not begun."""
        noted, journal = self.notes[number], self.journal(move)
        loaded = journal.load() if noted.is_begun else None
        step = move_step(self.moves, number)
        if loaded is not None and loaded[0].course.run == noted.name:
            told = self.telling(move, step, loaded[0].moved_to(Side.NEW), self.is_stopped)
            return Mover(self.drive, journal, *loaded, told)
        if self.has_started(number):
            raise Refused(words.NO_JOURNAL(run=self.run.name, drive=move.drive.path))
        begun = replace(noted, is_begun=True)
        prepared = self.prepared(number, move, begun, noted.name)
        # From here on no journal of an earlier move may be trusted: this one may lie in its place.
        self.note(number, begun)
        if number:
            self.journal(self.moves.moves[number - 1]).forget(self.notes[number - 1].name)
        journal.prepare(*prepared)
        return Mover(self.drive, journal, prepared[0], b"", self.telling(move, step, 0, self.is_stopped))

    def _compared(self, number: int, move: Move) -> Outcome | None:
        step = compare_step(self.moves, number)
        self._start(step)
        try:
            digests = self.digests(move, move.after.start_bytes, step, self.is_stopped)
        except Failed as error:
            self._journal.add(Event.STEP_FAILED, str(error), step=step)
            return Event.FAILED, str(FAILED(why=str(error)))
        if digests is None:
            return Event.STOPPED, str(STOPPED())
        self._journal.add(Event.STEP_DONE, t("All of {part} was read again.", part=move.device), step=step)
        said = str(same_said(move, self.notes[number].bad)).rstrip(".")
        if not self.are_same(number, digests):
            self._journal.add(Event.NOT_VERIFIED, said)
            way = words.NOT_SAME(part=move.device)
            return Event.FAILED, str(words.CHECKS_FAIL(part=move.device, way=way))
        self._journal.add(Event.VERIFIED, said)
        for line in bad_listed(move, self.notes[number].bad):
            self._journal.add(Event.BAD_SECTOR, line)
        stood = ends_digest(self.drive, move, move.after.start_bytes)
        self.note(number, replace(self.notes[number], stood=stood))
        return None

    def _start(self, step: int) -> None:
        self._journal.add(Event.STEP_STARTED, self._sentences[step - 1], step=step)
