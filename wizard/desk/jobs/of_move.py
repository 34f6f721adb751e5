"""Partitions that move, as something that can be begun."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.desk.jobs import words
from wizard.desk.jobs.job import Job, Outcome
from wizard.desk.places.words.work import UNDO_EARLY, UNDO_QUESTION
from wizard.desk.view import Banner, Block, Text, Tone, para
from wizard.layout.moving.told import journals_said, preview, step_seconds, step_sentences, what_moves
from wizard.layout.moving.words import BACK, POWER
from wizard.model.documents.move import Moves
from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.model.identity import Identity
    from wizard.model.journal import Entry
    from wizard.model.said import Said
    from wizard.services.contract import Services


class MoveJob(Job):
    """Moves every byte of one partition or more, and loses none."""

    def __init__(self, moves: Moves) -> None:
        self.moves = moves
        if len(moves.moves) == 1:
            self.title = t(
                "Move {device} by {shift:size}", device=moves.device, shift=moves.moves[0].shift_bytes
            )
        else:
            self.title = t("Move {devices:and} to aligned places", devices=moves.devices)

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The one that it is on."""
        return (self.moves.drive,)

    @property
    def keeps_all(self) -> bool:
        """Nothing is lost but what deleted files left in free space."""
        return True

    def ways_back(self, services: Services) -> tuple[Text, ...]:
        """Until it is used, and what a power cut does."""
        return (BACK, POWER(part=self.moves.devices))

    @property
    def doubts(self) -> tuple[Text, ...]:
        """What becomes of starting from it, and the like."""
        return self.moves.doubts

    @property
    def sentences(self) -> tuple[Text, ...]:
        """Reading, moving, comparing."""
        return step_sentences(self.moves)

    @property
    def stop_means(self) -> Text:
        """Between two windows: a pause."""
        return t(
            "This is also the pause: it stops soon, between two pieces. Then G goes on "
            "from there, on any later day, and U moves it back."
        )

    @property
    def brief(self) -> tuple[Text, ...]:
        """From where to where, and what else is written to."""
        return (*(what_moves(move) for move in self.moves.moves), *journals_said(self.moves))

    @property
    def seconds(self) -> tuple[float, ...]:
        """By the usual speed of such drives."""
        return step_seconds(self.moves)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """No program is run for it: what is told of it, instead."""
        return tuple(para(said) for said in preview(self.moves))

    def document(self) -> tuple[str, str]:
        """For `diskwright apply`."""
        from wizard.layout.moving.document import render_moves

        return render_moves(self.moves), f"{Path(self.moves.device).name}-move.json"

    def command(self, services: Services, file: str) -> str:
        """With the drive's token."""
        token = shlex.quote(printable(self.moves.drive.token))
        return str(words.APPLY_COMMAND(file=shlex.quote(file), options=f"--confirm {token}"))

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """All of it."""
        return services.begin(self.moves, tokens[0])

    def outcome(self, services: Services, run: Path, state: RunState, entries: Sequence[Entry]) -> Outcome:
        """How it ended, by the last thing that was said."""
        from wizard.apply.run.decision import Choice, Decision, Settling

        last = next((entry.sentence for entry in reversed(entries)), "") or words.NOT_DONE
        if state.value == "done":
            question = UNDO_QUESTION(drives=self.moves.devices)
            back = Choice(Settling.UNDO, str(question), str(UNDO_EARLY))
            return Outcome(Banner(last, (), Tone.GOOD), (), Decision((back,), settled=True))
        if state.value == "interrupted":
            return Outcome(
                Banner(
                    t(
                        "The move was cut off. Nothing is lost. Until it is finished nobody can "
                        "mount {part:and}.",
                        part=self.moves.devices,
                    ),
                    (),
                    Tone.WARN,
                ),
                (),
                Decision(),
            )
        tone = Tone.GOOD if state.value == "undone" else Tone.WARN
        return Outcome(Banner(last, (), tone), (), Decision(bad_sectors=_stops(run)))


def _stops(run: Path) -> tuple[Said, ...]:
    """The places that cannot be read, at which it stopped; none where that cannot be told."""
    from wizard.apply.move.of_run import stops_now

    try:
        return stops_now(run)
    except BadInput:
        return ()
