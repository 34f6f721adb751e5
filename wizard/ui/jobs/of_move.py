"""Moves of partitions and conversions to ext4 as jobs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.ext4.ways import confirm_command, how_sentences, power_words, risk_sentences
from wizard.model.errors import BadInput, printable
from wizard.model.migration import Means, Migration, Moves
from wizard.model.said import t
from wizard.plan.partition.moves import (
    BACK,
    POWER,
    journals_said,
    one_moves,
    planned_moves,
    preview,
    step_seconds,
    step_sentences,
    what_moves,
)
from wizard.ui.components.reasons import command_blocks
from wizard.ui.jobs import of_changes
from wizard.ui.jobs.of_changes import Job, RunOutcome
from wizard.ui.messages import UNDO_EARLY, UNDO_QUESTION
from wizard.ui.view import Banner, Block, Text, Tone, para

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.host.contract import Services
    from wizard.model.ext import JournalEntry
    from wizard.model.geometry import Identity
    from wizard.model.machine import Drive, Machine, Partition
    from wizard.model.said import Message


class MoveJob(Job):
    """Moves every byte of one partition or more, and loses none."""

    def __init__(self, moves: Moves) -> None:
        self.moves = moves
        if len(moves.moves) == 1:
            self.title = t(
                "Move {device} by {shift:size}", device=moves.device, shift=moves.moves[0].shift_bytes
            )
        else:
            self.title = t("Align {devices:and}", devices=moves.devices)

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
            "Stopping also pauses the move, soon and between two pieces. Later, G "
            "resumes the move and U moves the data back."
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
        from wizard.plan.partition.moves import render_moves

        return render_moves(self.moves), f"{Path(self.moves.device).name}-move.json"

    def command(self, services: Services, file: str) -> str:
        """With the drive's token."""
        token = shlex.quote(printable(self.moves.drive.token))
        return str(of_changes.APPLY_COMMAND(file=shlex.quote(file), options=f"--confirm {token}"))

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """All of it."""
        return services.begin(self.moves, tokens[0])

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """How it ended, by the last thing that was said."""
        from wizard.apply.run.progress_log import Decision, Settling, SettlingChoice

        last = next((entry.sentence for entry in reversed(entries)), "") or of_changes.NOT_DONE
        if state.value == "done":
            question = UNDO_QUESTION(drives=self.moves.devices)
            back = SettlingChoice(Settling.UNDO, str(question), str(UNDO_EARLY))
            return RunOutcome(Banner(last, (), Tone.GOOD), (), Decision((back,), settled=True))
        if state.value == "interrupted":
            return RunOutcome(
                Banner(
                    t(
                        "The move was interrupted. No data is lost. {part:and} cannot be mounted "
                        "until the move is finished.",
                        part=self.moves.devices,
                    ),
                    (),
                    Tone.WARN,
                ),
                (),
                Decision(),
            )
        tone = Tone.GOOD if state.value == "undone" else Tone.WARN
        return RunOutcome(Banner(last, (), tone), (), Decision(bad_sectors=_stops(run)))


def _stops(run: Path) -> tuple[Message, ...]:
    """The places that cannot be read, at which it stopped; none where that cannot be told."""
    from wizard.apply.move.forward import stops_now

    try:
        return stops_now(run)
    except BadInput:
        return ()


class MigrationJob(Job):
    """Leads an ext2 or ext3 filesystem to ext4; every file stays."""

    def __init__(self, migration: Migration) -> None:
        self.migration = migration
        self.title = t("{device} to ext4", device=migration.device)

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The one that is written."""
        return (self.migration.written,)

    def risk(self, services: Services) -> Text:
        """Undo files can be useless after a power cut."""
        return (
            t("No file is lost unless the power fails. Have a backup.")
            if self.migration.means is Means.DIRECT
            else ""
        )

    def ways_back(self, services: Services) -> tuple[Text, ...]:
        """How it is made safe, and what may happen."""
        return (*how_sentences(self.migration), *risk_sentences(self.migration))

    @property
    def doubts(self) -> tuple[Text, ...]:
        """The migration's."""
        return self.migration.doubts

    @property
    def sentences(self) -> tuple[Text, ...]:
        """Its steps."""
        return tuple(step.sentence for step in self.migration.steps)

    @property
    def seconds(self) -> tuple[float, ...]:
        """By their estimates."""
        return tuple(max(1.0, step.seconds) for step in self.migration.steps)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """As they will be run, on the snapshot or the device."""
        return command_blocks(self.migration.steps)

    def document(self) -> tuple[str, str]:
        """For `diskwright apply`."""
        from wizard.ext4.check import render_migration

        return render_migration(self.migration), f"{Path(self.migration.device).name}-to-ext4.json"

    def command(self, services: Services, file: str) -> str:
        """With the drive's token."""
        return confirm_command(self.migration, file)

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Every step, or none."""
        return services.begin(self.migration, tokens[0])

    def power(self, services: Services, run: Path, working: int | None, begun: bool) -> Text:
        """By the step at work, or the transaction's own word."""
        return power_words(self.migration, working, services.power(run), begun=begun)

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """How the filesystem is, and whether it was used since."""
        from wizard.apply.conversion.rollback import decision_of, moved_sentence
        from wizard.apply.run.job import NOT_YET
        from wizard.apply.run.progress_log import Settling

        used = services.closed(run)
        decision = decision_of(self.migration, state, entries, closed=bool(used))
        said = moved_sentence(state)
        waits = not used and decision.of(Settling.KEEP) is not None
        first, detail = (NOT_YET, (said,)) if waits else (said, ())
        tone = Tone.GOOD if state.value in ("done", "kept", "undone") else Tone.WARN
        more = (used,) if used else ()
        return RunOutcome(Banner(first, detail, Tone.WARN if used else tone), more, decision)


def move_job(
    services: Services, machine: Machine, drive: Drive, part: Partition | None, start: int | None = None
) -> MoveJob:
    """Plan to align a partition, or every misaligned one without `part`, or to move it to `start`. Raises
    Refused if none can move."""
    recording = services.diagnose(machine, drive).recording
    if part is None:
        return MoveJob(planned_moves(machine, drive, recording))
    return MoveJob(one_moves(machine, drive, part, start, recording))
