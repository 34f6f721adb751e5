"""A run's moves on the drive, in the hands of the process that carries them out: read all, then move and
compare one after the other. The journal on the drive says how far one is; the run's notes, which have
moved."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from time import sleep

from wizard.apply.move import words
from wizard.apply.move.content import content_digest, ends_digest
from wizard.apply.move.drive import MovedDrive
from wizard.apply.move.journal import Journal
from wizard.apply.move.mover import Mover
from wizard.apply.move.moving import Stopped
from wizard.apply.move.noted import Noted, as_json, save_notes
from wizard.apply.move.prepare import prepared
from wizard.apply.move.state import Side, State
from wizard.apply.run.journal import begun_steps, done_steps, read_entries
from wizard.apply.run.kinds import Outcome, Work
from wizard.apply.run.process import STOP
from wizard.apply.run.progress import noting
from wizard.apply.run.runs import called
from wizard.apply.run.vault import read_kept
from wizard.layout.moving.document import render_moves
from wizard.layout.moving.told import compare_step, move_step, read_step, step_sentences
from wizard.model.documents.move import Move, Moves
from wizard.model.errors import Failed, Refused
from wizard.model.journal import Event

MOST_REST_SECONDS = 60.0
THROTTLE = "throttle"
"""A file in the run with the seconds of rest after each window, for whoever wants to use the machine."""


class Carrying:
    """The moves of a run, on a drive that this process has alone."""

    def __init__(self, work: Work, moves: Moves, drive: MovedDrive, notes: tuple[Noted, ...]) -> None:
        self.run, self._journal, self.moves, self.drive = work.run, work.journal, moves, drive
        self.notes = [*notes]
        self._sentences = step_sentences(moves)

    def note(self, number: int, noted: Noted) -> None:
        """Have the run know this of a move; on the medium on return."""
        self.notes[number] = noted
        save_notes(self.run, self.notes)

    def has_started(self, number: int) -> bool:
        """Whether the journal of this move was whole on the drive, and more than it may be written."""
        return move_step(self.moves, number) in begun_steps(read_entries(self.run))

    def is_stopped(self) -> bool:
        """Whether somebody wants it to stop."""
        return (self.run / STOP).exists()

    # ---- there

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
            digest = self.digest(move, move.before.start_bytes, step, self.is_stopped)
        except Failed as error:
            self._journal.add(Event.STEP_FAILED, str(error), step=step)
            early = words.BAD_SECTOR if not self._has_moved() else words.BAD_SECTOR_LATER
            return Event.FAILED, str(early(why=str(error)))
        if digest is None:
            early = words.STOPPED_EARLY if not self._has_moved() else words.STOPPED
            return Event.STOPPED, str(early(run=called(self.run)))
        self.note(number, replace(self.notes[number], content=digest))
        self._journal.add(Event.STEP_DONE, words.READABLE(part=move.device), step=step)
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
            return Event.STOPPED, str(words.STOPPED(run=called(self.run)))
        mover = self._forward(number, move)
        self._start(step)
        try:
            mover.go(Side.NEW)
        except Stopped:
            return Event.STOPPED, str(words.STOPPED(run=called(self.run)))
        except Failed as error:
            self._journal.add(Event.STEP_FAILED, str(error), step=step)
            return Event.FAILED, str(words.FAILED(why=str(error), run=called(self.run)))
        self._journal.add(Event.STEP_DONE, words.MOVED(part=move.device), step=step)
        return None

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
        # From here on no journal of an earlier move may be trusted: this one may lie in its place.
        self.note(number, replace(noted, is_begun=True))
        if number:
            self.journal(self.moves.moves[number - 1]).forget(self.notes[number - 1].name)
        state = self.prepare(move, journal, noted.name)
        return Mover(self.drive, journal, state, b"", self.telling(move, step, 0, self.is_stopped))

    def _compared(self, number: int, move: Move) -> Outcome | None:
        step = compare_step(self.moves, number)
        self._start(step)
        digest = self.digest(move, move.after.start_bytes, step, self.is_stopped)
        if digest is None:
            return Event.STOPPED, str(words.STOPPED(run=called(self.run)))
        self._journal.add(Event.STEP_DONE, words.COMPARED(part=move.device), step=step)
        said = str(words.SAME(part=move.device)).rstrip(".")
        if digest != self.notes[number].content:
            self._journal.add(Event.NOT_VERIFIED, said)
            way = words.NOT_SAME(part=move.device, run=called(self.run))
            return Event.FAILED, str(words.CHECKS_FAIL(part=move.device, way=way))
        self._journal.add(Event.VERIFIED, said)
        stood = ends_digest(self.drive, move, move.after.start_bytes)
        self.note(number, replace(self.notes[number], stood=stood))
        return None

    def _start(self, step: int) -> None:
        self._journal.add(Event.STEP_STARTED, self._sentences[step - 1], step=step)

    # ---- by either way

    def digest(self, move: Move, start_bytes: int, step: int, stop: Callable[[], bool]) -> str | None:
        """Of what the partition holds at this start; None where it was stopped. Raises Failed."""
        told = noting(self.run, step, size_bytes=move.before.size_bytes)
        return content_digest(self.drive, move, start_bytes, told, stop)

    def journal(self, move: Move) -> Journal:
        """Where the journal of this move lies, if it has one."""
        geometry = move.drive.geometry
        block = max(geometry.physical_block_bytes, geometry.logical_block_bytes)
        return Journal(self.drive, move.journal.start_bytes, block)

    def prepare(self, move: Move, journal: Journal, name: str) -> State:
        """Write a journal in which nothing has moved, with all that another computer goes on by. Raises
        Refused and Failed."""
        told = {"moves": render_moves(self.moves), "notes": as_json(self.notes), "run": self.run.name}
        data, block = json.dumps(told).encode(), move.drive.geometry.logical_block_bytes
        state, images = prepared(self.drive, move, name, data.ljust(-(-len(data) // block) * block))
        journal.prepare(state, images)
        return state

    def telling(
        self, move: Move, step: int, moved_before: int, stop: Callable[[], bool]
    ) -> Callable[[int], bool]:
        """Hears of bytes that have moved, rests where that is wanted, and says whether to stop."""
        size = move.before.size_bytes
        progress = noting(self.run, step, (moved_before / size, 1.0), size - moved_before)
        done = 0

        def told(moved_bytes: int) -> bool:
            nonlocal done
            done += moved_bytes
            progress(min(done / max(size - moved_before, 1), 1.0))
            with suppress(ValueError):
                rest = float(read_kept(self.run / THROTTLE) or 0)
                sleep(min(max(rest, 0.0), MOST_REST_SECONDS))
            return stop()

        return told
