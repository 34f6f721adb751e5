"""A partition that moves, as something that can be begun."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.desk.jobs.job import Job, Outcome
from wizard.desk.view import Banner, Block, Text, Tone, para
from wizard.desk.words import job as words
from wizard.desk.words.work import UNDO_EARLY, UNDO_QUESTION
from wizard.layout.moving.told import journal_said, preview, step_seconds, step_sentences, what_moves
from wizard.layout.moving.words import BACK, POWER
from wizard.model.documents.move import Move
from wizard.model.names import printable

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.model.identity import Identity
    from wizard.model.journal import Entry
    from wizard.services.contract import Services


class MoveJob(Job):
    """Moves every byte of a partition, and loses none."""

    def __init__(self, move: Move) -> None:
        self.move = move
        self.title = words.MOVE(device=move.device, shift=move.shift_bytes)

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The one that it is on."""
        return (self.move.drive,)

    @property
    def keeps_all(self) -> bool:
        """Nothing is lost but what deleted files left in free space."""
        return True

    def ways_back(self, services: Services) -> tuple[Text, ...]:
        """Until it is used, and what a power cut does."""
        return (BACK(), POWER(part=self.move.device))

    @property
    def doubts(self) -> tuple[Text, ...]:
        """What becomes of starting from it, and the like."""
        return self.move.doubts

    @property
    def sentences(self) -> tuple[Text, ...]:
        """Reading, moving, comparing."""
        return step_sentences(self.move)

    @property
    def brief(self) -> tuple[Text, ...]:
        """From where to where, and what else is written to."""
        return what_moves(self.move), journal_said(self.move)

    @property
    def seconds(self) -> tuple[float, ...]:
        """By the usual speed of such drives."""
        return step_seconds(self.move)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """No program is run for it: what is told of it, instead."""
        return tuple(para(said) for said in preview(self.move))

    def document(self) -> tuple[str, str]:
        """For `diskwright apply`."""
        from wizard.layout.moving.document import render_move

        return render_move(self.move), f"{Path(self.move.device).name}-move.json"

    def command(self, services: Services, file: str) -> str:
        """With the drive's token."""
        token = shlex.quote(printable(self.move.drive.token))
        return str(words.APPLY_COMMAND(file=shlex.quote(file), options=f"--confirm {token}"))

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """All of it."""
        return services.begin(self.move, tokens[0])

    def outcome(self, services: Services, run: Path, state: RunState, entries: Sequence[Entry]) -> Outcome:
        """How it ended, by the last thing that was said."""
        from wizard.apply.run.decision import Choice, Decision, Settling

        last = next((entry.sentence for entry in reversed(entries)), "") or words.NOT_DONE()
        if state.value == "done":
            question = UNDO_QUESTION(drives=(self.move.device,))
            back = Choice(Settling.UNDO, str(question), str(UNDO_EARLY()))
            return Outcome(Banner(last, (), Tone.GOOD), (), Decision((back,), settled=True))
        if state.value == "interrupted":
            return Outcome(Banner(words.MOVE_CUT_OFF(part=self.move.device), (), Tone.WARN), (), Decision())
        tone = Tone.GOOD if state.value == "undone" else Tone.WARN
        return Outcome(Banner(last, (), tone), (), Decision())
