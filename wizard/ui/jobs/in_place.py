"""Jobs that preserve all files: settings, copies, moves and conversions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.ext4.duration import compare_seconds
from wizard.ext4.ways import how_sentences, power_words, risk_sentences
from wizard.model.drive_facts import usual_bytes_per_second
from wizard.model.migration import Migration, Moves
from wizard.model.requests import SwitchOff
from wizard.model.said import Sentence, t
from wizard.operations.mounts import Mount
from wizard.plan.changes import Bring, Changes
from wizard.plan.copy import fstab_difference
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
from wizard.ui.jobs.job import Job, RunOutcome
from wizard.ui.messages import UNDO_EARLY, UNDO_QUESTION
from wizard.ui.view import Banner, Block, Command, Text, Tone, para

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.apply.run.progress_log import Decision
    from wizard.host.services import Services
    from wizard.model.machine import Drive, Machine, Partition
    from wizard.model.run import JournalEntry

BRING_BACK = t("Undo removes copied files if the source is still identical.")
UNDO_LATER = Sentence("To undo: sudo diskwright undo {run}")


def _last(entries: Sequence[JournalEntry]) -> Text:
    return next((entry.sentence for entry in reversed(entries)), "") or t("Not done.")


def _unsettled(state: RunState, entries: Sequence[JournalEntry], decision: Decision) -> RunOutcome:
    """Return the outcome of a run that was undone or did not finish, from the last journal entry."""
    is_undone = state.value == "undone"
    banner = Banner(_last(entries), (), Tone.GOOD if is_undone else Tone.WARN)
    return RunOutcome(banner, (), decision)


class BringJob(Job[Bring]):
    """Job that copies files to a volume without changing existing files."""

    suffix = "bring"

    def __init__(self, bring: Bring) -> None:
        super().__init__(bring)
        self.title = t("Copy files to {folder}", folder=bring.target.folder)

    @property
    def keeps_all(self) -> bool:
        """True. No file is overwritten."""
        return True

    def undo_texts(self, services: Services) -> tuple[Text, ...]:
        """Describe which files and fstab lines undo affects."""
        return (
            BRING_BACK,
            *(
                (t("Undo restores the old fstab lines first, even if the drive is missing."),)
                if self.document.takes
                else ()
            ),
        )

    @property
    def seconds(self) -> tuple[float, ...]:
        """Estimated duration of each step in seconds: copying, a check, and reading again."""
        rate = usual_bytes_per_second(self.document.drive.rotational)
        once = max(1.0, self.document.amount.size_bytes / rate)
        return (2 * once, 1.0, once, *(1.0 for _ in self.document.steps[3:]))

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Return the changes to fstab. Copying runs no commands."""
        return tuple(Command((line,)) for line in fstab_difference(self.document))

    def power(self, services: Services, run: Path, working: int | None, begun: bool) -> Text:
        """Explain that the source is only read."""
        return t("The source does not change. Copied files remain, and `diskwright resume` continues.")

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the result from the last journal entry."""
        from wizard.apply.run.progress_log import Decision, DecisionChoice, Settling
        from wizard.apply.run.runs import run_argument

        question = UNDO_QUESTION(drives=(self.document.drive.path,))
        back = DecisionChoice(Settling.UNDO, str(question), str(BRING_BACK))
        if state.value == "done":
            banner = Banner(_last(entries), self.sentences, Tone.GOOD)
            more = (UNDO_LATER(run=run_argument(run)),)
            return RunOutcome(banner, more, Decision((back,), settled=True))
        is_early = state.value in ("failed", "stopped", "interrupted")
        return _unsettled(state, entries, Decision((back,) if is_early else ()))


class ChangesJob(Job[Changes]):
    """Job that changes settings without touching files."""

    suffix = "changes"

    def __init__(self, changes: Changes) -> None:
        super().__init__(changes)
        self.title = t("Change {device}", device=changes.device)

    def risk(self, services: Services) -> Text:
        """Warn if a change cannot be undone. Power-off is harmless."""
        final = self.document.is_final and not isinstance(self.document.wanted, SwitchOff)
        return t("No file is lost. This cannot be undone.") if final else ""

    def undo_texts(self, services: Services) -> tuple[Text, ...]:
        """Describe how each step is undone, without repetition."""
        return tuple(dict.fromkeys(step.undo for step in self.document.steps))

    @property
    def doubts(self) -> tuple[Text, ...]:
        """Omitted changes, and changes with a delayed effect."""
        return (*self.document.reasons, *self.document.doubts)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Return the commands of the changes."""
        return command_blocks(self.document.steps)

    @property
    def places(self) -> tuple[str, ...]:
        """New mount points."""
        return tuple(
            one.operation.mount_point for one in self.document.steps if isinstance(one.operation, Mount)
        )

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the result, from the last journal entry if the changes failed."""
        from wizard.apply.run.progress_log import Decision, DecisionChoice, Settling
        from wizard.apply.run.runs import run_argument

        if state.value == "done":
            off = isinstance(self.document.wanted, SwitchOff)
            done = (
                Sentence("{device} is off. You can unplug the drive now.")
                if off
                else Sentence("Done: {device} is changed as shown and verified.")
            )(device=self.document.device)
            said, *rest = (*services.ready(self.document), done)
            final = self.document.is_final
            more: tuple[Text, ...] = () if final else (UNDO_LATER(run=run_argument(run)),)
            back = DecisionChoice(
                Settling.UNDO, str(UNDO_QUESTION(drives=(self.document.device,))), str(UNDO_EARLY)
            )
            decision = Decision(() if final else (back,), settled=True)
            return RunOutcome(Banner(said, (*rest, *self.sentences), Tone.GOOD), more, decision)
        return _unsettled(state, entries, Decision())


class MoveJob(Job[Moves]):
    """Job that moves partitions without data loss."""

    suffix = "move"

    def __init__(self, moves: Moves) -> None:
        super().__init__(moves)
        if len(moves.moves) == 1:
            self.title = t(
                "Move {device} by {shift:size}", device=moves.device, shift=moves.moves[0].shift_bytes
            )
        else:
            self.title = t("Align {devices:and}", devices=moves.devices)

    @property
    def keeps_all(self) -> bool:
        """True. Only deleted files in free space are overwritten."""
        return True

    def undo_texts(self, services: Services) -> tuple[Text, ...]:
        """Describe undo, and the effect of a power failure."""
        return (BACK, POWER(part=self.document.devices))

    def stop_means(self, services: Services) -> Text:
        """Stopping pauses the move between two windows."""
        return t(
            "Stopping also pauses the move, soon and between two pieces. Later, G "
            "resumes the move and U moves the data back."
        )

    @property
    def brief(self) -> tuple[Text, ...]:
        """Old and new place of each partition, and the journals."""
        return (*(what_moves(move) for move in self.document.moves), *journals_message(self.document))

    @property
    def seconds(self) -> tuple[float, ...]:
        """Estimated duration of each step in seconds, from typical drive speeds."""
        return step_seconds(self.document)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Return a description. A move runs no commands."""
        return tuple(para(said) for said in preview(self.document))

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the result from the last journal entry."""
        from wizard.apply.run.progress_log import Decision, DecisionChoice, Settling

        if state.value == "done":
            question = UNDO_QUESTION(drives=self.document.devices)
            back = DecisionChoice(Settling.UNDO, str(question), str(UNDO_EARLY))
            banner = Banner(_last(entries), (), Tone.GOOD)
            return RunOutcome(banner, (), Decision((back,), settled=True))
        if state.value == "interrupted":
            said = t(
                "The move was interrupted. No data is lost. {part:and} cannot be mounted "
                "until the move is finished.",
                part=self.document.devices,
            )
            return RunOutcome(Banner(said, (), Tone.WARN), (), Decision())
        return _unsettled(state, entries, Decision())


class MigrationJob(Job[Migration]):
    """Job that converts an ext2 or ext3 filesystem to ext4 without file loss."""

    suffix = "to-ext4"

    def __init__(self, migration: Migration) -> None:
        super().__init__(migration)
        self.title = t("{device} to ext4", device=migration.device)

    def undo_texts(self, services: Services) -> tuple[Text, ...]:
        """Describe safety measures and risks."""
        return (*how_sentences(self.document), *risk_sentences(self.document))

    @property
    def seconds(self) -> tuple[float, ...]:
        """Estimated duration of each step, in seconds."""
        return tuple(max(1.0, step.seconds) for step in self.document.steps)

    @property
    def read_seconds(self) -> float:
        """Estimated time for comparing files, in seconds."""
        migration = self.document
        if not migration.manifest:
            return 0.0
        return compare_seconds(migration.before, migration.drive.rotational)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Return the commands, which run on the scratch copy."""
        return command_blocks(self.document.steps)

    def power(self, services: Services, run: Path, working: int | None, begun: bool) -> Text:
        """Describe the effect of a power failure during the current step or transaction."""
        return power_words(self.document, working, services.power(run), begun=begun)

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the state of the filesystem, and any later use that prevents undo."""
        from wizard.apply.conversion.rollback import decision_of, moved_sentence
        from wizard.apply.run.job import NOT_YET
        from wizard.apply.run.progress_log import Settling

        used = services.closed(run)
        decision = decision_of(self.document, state, entries, closed=bool(used))
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
