"""Moves of partitions and conversions to ext4 as jobs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.ext4.duration import compare_seconds, fingerprint_seconds
from wizard.ext4.ways import confirm_command, how_sentences, power_words, risk_sentences
from wizard.model.errors import printable
from wizard.model.migration import Means, Migration, Moves
from wizard.model.said import t
from wizard.plan.partition.moves import (
    BACK,
    POWER,
    journals_message,
    one_moves,
    planned_moves,
    preview,
    step_seconds,
    what_moves,
)
from wizard.ui.components.reasons import command_blocks
from wizard.ui.jobs import of_changes
from wizard.ui.jobs.of_changes import Job, RunOutcome
from wizard.ui.messages import UNDO_EARLY, UNDO_QUESTION
from wizard.ui.view import Banner, Block, Text, Tone, para

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.host.services import Services
    from wizard.model.ext import JournalEntry
    from wizard.model.geometry import Identity
    from wizard.model.machine import Drive, Machine, Partition


class MoveJob(Job):
    """Job that moves partitions without data loss."""

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
        """The drive of the partitions."""
        return (self.moves.drive,)

    @property
    def keeps_all(self) -> bool:
        """True. Only deleted files in free space are overwritten."""
        return True

    def undo_texts(self, services: Services) -> tuple[Text, ...]:
        """Describe undo, and the effect of a power failure."""
        return (BACK, POWER(part=self.moves.devices))

    @property
    def doubts(self) -> tuple[Text, ...]:
        """Doubts, such as the effect on booting."""
        return self.moves.doubts

    @property
    def sentences(self) -> tuple[Text, ...]:
        """The steps: read, move, compare."""
        return self.moves.sentences

    def stop_means(self, services: Services) -> Text:
        """Stopping pauses the move between two windows."""
        return t(
            "Stopping also pauses the move, soon and between two pieces. Later, G "
            "resumes the move and U moves the data back."
        )

    @property
    def brief(self) -> tuple[Text, ...]:
        """Old and new place of each partition, and the journals."""
        return (*(what_moves(move) for move in self.moves.moves), *journals_message(self.moves))

    @property
    def seconds(self) -> tuple[float, ...]:
        """Estimated duration of each step in seconds, from typical drive speeds."""
        return step_seconds(self.moves)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Return a description. A move runs no commands."""
        return tuple(para(said) for said in preview(self.moves))

    def document(self) -> tuple[str, str]:
        """Return the moves as a file for `diskwright apply`."""
        from wizard.plan.partition.moves import render_moves

        return render_moves(self.moves), f"{Path(self.moves.device).name}-move.json"

    def command(self, services: Services, file: str) -> str:
        """Return the command with the drive's token."""
        token = shlex.quote(printable(self.moves.drive.token))
        return str(of_changes.APPLY_COMMAND(file=shlex.quote(file), options=f"--confirm {token}"))

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Start all moves."""
        return services.start(self.moves, tokens)

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the result from the last journal entry."""
        from wizard.apply.run.progress_log import Decision, DecisionChoice, Settling

        last = next((entry.sentence for entry in reversed(entries)), "") or of_changes.NOT_DONE
        if state.value == "done":
            question = UNDO_QUESTION(drives=self.moves.devices)
            back = DecisionChoice(Settling.UNDO, str(question), str(UNDO_EARLY))
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
        return RunOutcome(Banner(last, (), tone), (), Decision())


class MigrationJob(Job):
    """Job that converts an ext2 or ext3 filesystem to ext4 without file loss."""

    def __init__(self, migration: Migration) -> None:
        self.migration = migration
        self.title = t("{device} to ext4", device=migration.device)

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The drive of the filesystem."""
        return (self.migration.drive,)

    def risk(self, services: Services) -> Text:
        """Warn that a power failure can make undo files useless."""
        return (
            t("No file is lost unless the power fails. Have a backup.")
            if self.migration.means is Means.DIRECT
            else ""
        )

    def undo_texts(self, services: Services) -> tuple[Text, ...]:
        """Describe safety measures and risks."""
        return (*how_sentences(self.migration), *risk_sentences(self.migration))

    @property
    def doubts(self) -> tuple[Text, ...]:
        """The doubts of the conversion."""
        return self.migration.doubts

    @property
    def sentences(self) -> tuple[Text, ...]:
        """The steps of the conversion."""
        return tuple(step.sentence for step in self.migration.steps)

    @property
    def seconds(self) -> tuple[float, ...]:
        """Estimated duration of each step, in seconds."""
        return tuple(max(1.0, step.seconds) for step in self.migration.steps)

    @property
    def read_seconds(self) -> float:
        """Estimated time for the fingerprint and for comparing files, in seconds."""
        migration, rotational = self.migration, self.migration.drive.rotational
        compared = compare_seconds(migration.before, rotational) if migration.manifest else 0.0
        return compared + fingerprint_seconds(
            [step.operation for step in migration.steps],
            migration.before,
            migration.means,
            rotational,
            compares=migration.manifest,
        )

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Return the commands for the snapshot or the device."""
        return command_blocks(self.migration.steps)

    def document(self) -> tuple[str, str]:
        """Return the conversion as a file for `diskwright apply`."""
        from wizard.ext4.check import render_migration

        return render_migration(self.migration), f"{Path(self.migration.device).name}-to-ext4.json"

    def command(self, services: Services, file: str) -> str:
        """Return the command with the drive's token."""
        return confirm_command(self.migration, file)

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Start the conversion."""
        return services.start(self.migration, tokens)

    def power(self, services: Services, run: Path, working: int | None, begun: bool) -> Text:
        """Describe the effect of a power failure during the current step or transaction."""
        return power_words(self.migration, working, services.power(run), begun=begun)

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the state of the filesystem, and any later use that prevents undo."""
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
    """Plan to align a partition, every misaligned one if `part` is None, or to move one to `start`.

    Raises Refused if no partition can be moved.
    """
    recording = services.diagnose(machine, drive).recording
    if part is None:
        return MoveJob(planned_moves(machine, drive, recording))
    return MoveJob(one_moves(machine, drive, part, start, recording))
