"""Jobs that preserve all files: settings, copies, moves and conversions."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.run.job import NOT_YET
from wizard.apply.run.journal import RunState
from wizard.apply.run.progress_log import Decision, DecisionChoice, Settling
from wizard.apply.run.runs import run_argument
from wizard.ext4 import ways
from wizard.ext4.operations import compare_seconds
from wizard.host.services import Services
from wizard.model.drive_facts import usual_bytes_per_second
from wizard.model.moves import Moves
from wizard.model.requests import SwitchOff
from wizard.model.run import Event, JournalEntry
from wizard.model.said import Sentence, t
from wizard.operations.mounts import Mount
from wizard.plan.changes import Bring, Changes, Migration, RunDocument
from wizard.plan.copy import amount_message, fstab_difference
from wizard.plan.partition.moves import BACK, POWER, journals_message, preview, step_seconds, what_moves
from wizard.plan.plan import Plan
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.reasons import command_blocks
from wizard.ui.jobs.job import AnyJob, D, Job, RunOutcome
from wizard.ui.jobs.plan import PlanJob

BRING_BACK = t("Undo removes copied files if the source is still identical.")
LEFT_EARLY = frozenset({RunState.FAILED, RunState.STOPPED, RunState.INTERRUPTED})


class InPlaceJob(Job[D]):
    """A job that takes effect immediately. The last journal entry describes the outcome."""

    undo_means: ui.Text = messages.UNDO_EARLY

    @property
    def undo_choices(self) -> tuple[DecisionChoice, ...]:
        """Undo, if possible after a finished run."""
        question = messages.UNDO_QUESTION(drives=self.changed)
        return (DecisionChoice(Settling.UNDO, str(question), str(self.undo_means)),)

    @property
    def changed(self) -> tuple[str, ...]:
        """Nodes whose changes undo reverts."""
        return self.document.devices

    def early_choices(self, state: RunState) -> tuple[DecisionChoice, ...]:
        """Return undo, if certainly possible for an unfinished run."""
        return ()

    def done(self, services: Services, last: ui.Text) -> tuple[ui.Text, ...]:
        """Return the result of a finished run, most important first."""
        return (last,)

    def later(self, run: Path) -> tuple[ui.Text, ...]:
        """Explain how to undo later, if possible."""
        said = t("To undo: sudo diskwright undo {run}", run=run_argument(run))
        return (said,) if self.undo_choices else ()

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the result."""
        last: ui.Text = next((entry.sentence for entry in reversed(entries)), "") or t("Not done.")
        if state is RunState.DONE:
            first, *rest = self.done(services, last)
            decision = Decision(self.undo_choices, settled=True)
            return RunOutcome(ui.Banner(first, tuple(rest), ui.Tone.GOOD), self.later(run), decision)
        tone = ui.Tone.GOOD if state in (RunState.UNDONE, RunState.KEPT) else ui.Tone.WARN
        return RunOutcome(ui.Banner(last, (), tone), (), Decision(self.early_choices(state)))


class BringJob(InPlaceJob[Bring]):
    """Job that copies files to a volume without changing existing files."""

    suffix = "bring"
    undo_means = BRING_BACK

    def __init__(self, bring: Bring) -> None:
        super().__init__(bring)
        self.title = t("Copy files to {folder}", folder=bring.target.folder)

    @property
    def keeps_all(self) -> bool:
        """True. No file is overwritten."""
        return True

    def undo_texts(self, services: Services) -> tuple[ui.Text, ...]:
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

    def commands(self, services: Services) -> tuple[ui.Block, ...]:
        """Return the steps, with the changes to fstab. Copying runs no commands."""
        edits = (ui.Command((line,)) for line in fstab_difference(self.document))
        return (*map(ui.para, amount_message(self.document)), *_numbered(self.sentences), *edits)

    def power(self, told: str, working: int | None, *, begun: bool) -> ui.Text:
        """Explain that the source is only read."""
        return t("The source does not change. Copied files remain, and `diskwright resume` continues.")

    @property
    def changed(self) -> tuple[str, ...]:
        """The drive."""
        return (self.document.drive.path,)

    def early_choices(self, state: RunState) -> tuple[DecisionChoice, ...]:
        """Copied files remain until undo."""
        return self.undo_choices if state in LEFT_EARLY else ()

    def done(self, services: Services, last: ui.Text) -> tuple[ui.Text, ...]:
        """Add the steps."""
        return (last, *self.sentences)


class ChangesJob(InPlaceJob[Changes]):
    """Job that changes settings without touching files."""

    suffix = "changes"

    def __init__(self, changes: Changes) -> None:
        super().__init__(changes)
        self.title = t("Change {device}", device=changes.device)

    def risk(self, services: Services) -> ui.Text:
        """Warn if a change cannot be undone. Power-off is harmless."""
        final = self.document.is_final and not isinstance(self.document.wanted, SwitchOff)
        return t("No file is lost. This cannot be undone.") if final else ""

    def undo_texts(self, services: Services) -> tuple[ui.Text, ...]:
        """Describe how each step is undone, without repetition."""
        return tuple(dict.fromkeys(step.undo for step in self.document.steps))

    @property
    def doubts(self) -> tuple[ui.Text, ...]:
        """Omitted changes, and changes with a delayed effect."""
        return (*self.document.reasons, *self.document.doubts)

    def commands(self, services: Services) -> tuple[ui.Block, ...]:
        """Return the commands of the changes."""
        return tuple(command_blocks(self.document.steps))

    @property
    def places(self) -> tuple[str, ...]:
        """New mount points."""
        return tuple(
            one.operation.mount_point for one in self.document.steps if isinstance(one.operation, Mount)
        )

    @property
    def undo_choices(self) -> tuple[DecisionChoice, ...]:
        """Nothing for a final change."""
        return () if self.document.is_final else super().undo_choices

    def done(self, services: Services, last: ui.Text) -> tuple[ui.Text, ...]:
        """Describe a new mount first."""
        done = (
            Sentence("{device} is off. You can unplug the drive now.")
            if isinstance(self.document.wanted, SwitchOff)
            else Sentence("Done: {device} is changed as shown and verified.")
        )
        return (
            *services.runs.ready(self.document),
            done(device=self.document.device),
            *self.sentences,
        )


class MoveJob(InPlaceJob[Moves]):
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

    def undo_texts(self, services: Services) -> tuple[ui.Text, ...]:
        """Describe undo, and the effect of a power failure."""
        return (BACK, POWER(part=self.document.devices))

    def stop_means(self, services: Services) -> ui.Text:
        """Stopping pauses the move between two windows."""
        return t(
            "Stopping also pauses the move, soon and between two pieces. Later, G "
            "resumes the move and U moves the data back."
        )

    @property
    def brief(self) -> tuple[ui.Text, ...]:
        """Old and new place of each partition, and the journals."""
        return (*(what_moves(move) for move in self.document.moves), *journals_message(self.document))

    @property
    def seconds(self) -> tuple[float, ...]:
        """Estimated duration of each step in seconds, from typical drive speeds."""
        return step_seconds(self.document)

    def commands(self, services: Services) -> tuple[ui.Block, ...]:
        """Return a description and the steps. A move runs no commands."""
        moved = (ui.para(one) for one in preview(self.document) if one not in self.document.doubts)
        return (*moved, *_numbered(self.sentences))

    def later(self, run: Path) -> tuple[ui.Text, ...]:
        """Nothing."""
        return ()

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Explain that partitions cannot be mounted during the move."""
        if state is not RunState.INTERRUPTED:
            return super().outcome(services, run, state, entries)
        said = t(
            "The move was interrupted. No data is lost. {part:and} cannot be mounted "
            "until the move is finished.",
            part=self.document.devices,
        )
        return RunOutcome(ui.Banner(said, (), ui.Tone.WARN), (), Decision())


class MigrationJob(InPlaceJob[Migration]):
    """Job that converts an ext2 or ext3 filesystem to ext4 without file loss."""

    suffix = "to-ext4"

    def __init__(self, migration: Migration) -> None:
        super().__init__(migration)
        self.title = messages.IN_EXT4(device=migration.device)

    def undo_texts(self, services: Services) -> tuple[ui.Text, ...]:
        """Describe safety measures and risks."""
        return tuple(ways.how_sentences(self.document))

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

    def commands(self, services: Services) -> tuple[ui.Block, ...]:
        """Return the commands, which run on the scratch copy."""
        return tuple(command_blocks(self.document.steps))

    def power(self, told: str, working: int | None, *, begun: bool) -> ui.Text:
        """Describe the effect of a power failure during the current step or transaction."""
        return ways.power_words(self.document, working, told, begun=begun)

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the state of the filesystem, and any later use that prevents undo."""
        used, device = services.runs.closed(run), self.document.device
        keep = state is RunState.DONE and self.document.way.converts
        begun = any(entry.event is Event.STEP_STARTED for entry in entries)
        undo = not used and begun and (state is RunState.DONE or state in LEFT_EARLY)
        choices = (
            *((self._choice(Settling.KEEP),) if keep else ()),
            *((self._choice(Settling.UNDO),) if undo else ()),
        )
        look = str(ways.look_sentence(device)) if keep and undo else ""
        banner = super().outcome(services, run, state, entries).banner
        if keep and undo:
            banner = ui.Banner(NOT_YET, (t("The filesystem matches the plan and was checked."),), banner.tone)
        return RunOutcome(
            replace(banner, tone=ui.Tone.WARN) if used else banner,
            (used,) if used else (),
            Decision(choices, resumes=state in LEFT_EARLY, look=look),
        )

    def _choice(self, way: Settling) -> DecisionChoice:
        device = self.document.device
        if way is Settling.UNDO:
            question = t("Undo the conversion of {device}?", device=device)
            return DecisionChoice(way, str(question), str(ways.undo_sentence(self.document.way)))
        means = t(
            "Keeping makes undo impossible and frees up to {room:size}. The filesystem is then mounted.",
            room=self.document.room_bytes,
        )
        return DecisionChoice(way, str(t("Keep the new filesystem on {device}?", device=device)), str(means))


def _numbered(sentences: Sequence[ui.Text]) -> tuple[ui.Block, ...]:
    """Return a numbered list."""
    return tuple(ui.para(f"{number}.", one, hang=3) for number, one in enumerate(sentences, 1))


JOBS: dict[type[RunDocument], type[AnyJob]] = {
    Plan: PlanJob,
    Changes: ChangesJob,
    Moves: MoveJob,
    Migration: MigrationJob,
    Bring: BringJob,
}


def job_of(document: RunDocument) -> AnyJob:
    """Return the job of a document."""
    return JOBS[type(document)](document)
