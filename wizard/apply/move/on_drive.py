"""A run's moves on their drive, in the hands of a process that has it alone. The journal on the drive says
how far one move is; the run's notes, which have moved."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import sleep

from wizard.apply.move.content import Digests, are_same, content_digests
from wizard.apply.move.mover.drive import MovedDrive
from wizard.apply.move.mover.journal import Journal
from wizard.apply.move.mover.mover import Mover
from wizard.apply.move.mover.prepare import prepared
from wizard.apply.move.mover.state import State
from wizard.apply.move.noted import Noted, as_json, save_notes
from wizard.apply.move.unread.noting import with_bad
from wizard.apply.run.journal import begun_steps, read_entries
from wizard.apply.run.progress import noting
from wizard.apply.run.vault import read_kept
from wizard.layout.moving.document import render_moves
from wizard.layout.moving.told import move_step
from wizard.model.documents.move import Move, Moves
from wizard.model.machine import Extent
from wizard.model.units import rounded_up

MOST_REST_SECONDS = 60.0
THROTTLE = "throttle"
"""A file in the run with the seconds of rest after each window, for whoever wants to use the machine."""


class OnDrive:
    """The moves of a run, with what was noted of each."""

    def __init__(self, run: Path, moves: Moves, drive: MovedDrive, notes: tuple[Noted, ...]) -> None:
        self.run, self.moves, self.drive = run, moves, drive
        self.notes = [*notes]

    def note(self, number: int, noted: Noted) -> None:
        """Have the run know this of a move; on the medium on return."""
        self.notes[number] = noted
        save_notes(self.run, self.notes)

    def has_started(self, number: int) -> bool:
        """Whether the journal of this move was whole on the drive, and more than it may be written."""
        return move_step(self.moves, number) in begun_steps(read_entries(self.run))

    def digests(
        self,
        move: Move,
        start_bytes: int,
        step: int,
        stop: Callable[[], bool],
        passed: Sequence[Extent] = (),
        unread: list[Extent] | None = None,
    ) -> Digests | None:
        """See `content_digests`, with progress."""
        told = noting(self.run, step, size_bytes=move.before.size_bytes)
        return content_digests(self.drive, move, start_bytes, told, stop, passed, unread)

    def are_same(self, number: int, now: Digests) -> bool:
        """Whether a partition holds what it held, as far as that can be told."""
        noted, size = self.notes[number], self.moves.moves[number].before.size_bytes
        return are_same(Digests(noted.content, noted.pieces), now, size, noted.lost)

    def note_bad(self, number: int, mover: Mover) -> None:
        """Have the run know what the journal on the drive has of sectors that could not be read."""
        noted = with_bad(self.notes[number], mover.state)
        if noted != self.notes[number]:
            self.note(number, noted)

    def journal(self, move: Move) -> Journal:
        """Where the journal of this move lies, if it has one."""
        return Journal(self.drive, move.journal.start_bytes, move.drive.geometry.whole_block_bytes)

    def prepared(self, number: int, move: Move, noted: Noted, name: str) -> tuple[State, bytes]:
        """The first state of a journal in which nothing has moved, and its images, with all that another
        computer goes on by; `noted` is what will be known of this move by then. Only reads. Raises Refused,
        Unreadable and Failed."""
        notes = as_json((*self.notes[:number], noted, *self.notes[number + 1 :]))
        told = {"moves": render_moves(self.moves), "notes": notes, "run": self.run.name}
        data, block = json.dumps(told).encode(), move.drive.geometry.logical_block_bytes
        document = data.ljust(rounded_up(len(data), block))
        return prepared(self.drive, move, name, document, noted.superblocks, noted.over)

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
