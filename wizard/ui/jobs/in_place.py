"""Jobs that preserve all files: settings, copies, moves and conversions."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.run.job import NOT_YET, NextCommands
from wizard.apply.run.journal import RunState
from wizard.apply.run.runs import run_argument
from wizard.ext4 import ways
from wizard.ext4.operations import compare_seconds
from wizard.host.services import Services
from wizard.model.drive_facts import usual_bytes_per_second
from wizard.model.moves import Moves
from wizard.model.requests import SwitchOff
from wizard.model.run import Event, JournalEntry
from wizard.model.said import Sentence, t
from wizard.plan.changes import Bring, Changes, Migration, RunDocument
from wizard.plan.copy import amount_message, fstab_difference
from wizard.plan.partition import moves as moving
from wizard.plan.plan import Plan
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.reasons import command_blocks
from wizard.ui.jobs.job import AnyJob, D, Job, PlanJob, RunOutcome


class InPlaceJob(Job[D]):
    """A job that takes effect immediately. The last journal entry describes the outcome.

    `names_undo`: the result names the command to undo later. `interrupted` describes an interrupted run, if
    the journal entry is not enough.
    """

    undoable = names_undo = True
    interrupted: ui.Text = ""

    def done(self, last: ui.Text) -> ui.Texts:
        return (last,)

    def result(
        self, run: Path, state: RunState, entries: Sequence[JournalEntry], *, undo: bool
    ) -> tuple[ui.Banner, ui.Texts]:
        last: ui.Text = (entries[-1].sentence if entries else "") or t("Not done.")
        if state is RunState.DONE:
            first, *rest = self.done(last)
            command = t("To undo: sudo diskwright undo {run}", run=run_argument(run))
            return ui.Banner(first, tuple(rest)), (command,) if undo and self.names_undo else ()
        if state is RunState.INTERRUPTED:
            last = self.interrupted or last
        tone = ui.Tone.GOOD if state in (RunState.UNDONE, RunState.KEPT) else ui.Tone.WARN
        return ui.Banner(last, tone=tone), ()


class BringJob(InPlaceJob[Bring]):
    """Job that copies files to a volume without changing existing files. Copied files remain until undo."""

    suffix = "bring"
    undo_means = t("Undo removes copied files if the source is still identical.")
    keeps_all = True

    def __init__(self, services: Services, bring: Bring) -> None:
        super().__init__(services, bring)
        self.title = t("Copy files to {folder}", folder=bring.target.folder)
        self.brief = (*amount_message(bring), *bring.sentences)
        self.doubts = ()
        self.back = (self.undo_means,)
        if bring.takes:
            self.back += (t("Undo restores the old fstab lines first, even if the drive is missing."),)
        rate = usual_bytes_per_second(bring.drive.rotational)
        once = max(1.0, bring.amount.size_bytes / rate)
        # Copying, a check, and reading again.
        self.seconds = (2 * once, 1.0, once, *(1.0 for _ in bring.steps[3:]))

    @property
    def changed(self) -> tuple[str, ...]:
        return (self.document.drive.path,)

    def banner(self, *, final: bool) -> ui.Banner:
        if lost := self.document.doubts:
            return ui.Banner(t("Not everything can be copied"), lost, ui.Tone.WARN)
        return super().banner(final=final)

    def commands(self) -> tuple[ui.Block, ...]:
        edits = (ui.Command((line,)) for line in fstab_difference(self.document))
        return (*map(ui.para, amount_message(self.document)), *super().commands(), *edits)

    def power(self, told: str, working: int | None) -> ui.Text:
        return t("The source does not change. Copied files remain, and `diskwright resume` continues.")

    def done(self, last: ui.Text) -> ui.Texts:
        return (last, *self.sentences)


class ChangesJob(InPlaceJob[Changes]):
    """Job that changes settings without touching files."""

    suffix = "changes"

    def __init__(self, services: Services, changes: Changes) -> None:
        super().__init__(services, changes)
        self.title = t("Change {device}", device=changes.device)
        self.seconds = tuple(1.0 for _ in changes.steps)
        self.places = tuple(filter(None, (one.mounted_at for one in changes.settings)))
        self.back = tuple(dict.fromkeys(step.undo for step in changes.steps))
        # Omitted changes, and changes with a delayed effect.
        self.doubts = (*changes.reasons, *changes.doubts)
        self._powers_off = isinstance(changes.wanted, SwitchOff)
        if changes.is_final:
            self.undoable = False
            # Power-off is harmless.
            self.risk = "" if self._powers_off else t("No file is lost. This cannot be undone.")

    def commands(self) -> tuple[ui.Block, ...]:
        return tuple(command_blocks(self.document.steps))

    def done(self, last: ui.Text) -> ui.Texts:
        done = (
            Sentence("{device} is off. You can unplug the drive now.")
            if self._powers_off
            else Sentence("Done: {device} is changed as shown and verified.")
        )
        from wizard.apply.settings.run import ready_message

        ready = ready_message(self.document)
        return (*ready, done(device=self.document.device), *self.sentences)


class MoveJob(InPlaceJob[Moves]):
    """Job that moves partitions without data loss. Only deleted files in free space are overwritten."""

    suffix = "move"
    keeps_all = True
    names_undo = False

    def __init__(self, services: Services, moves: Moves) -> None:
        super().__init__(services, moves)
        self.title = t("Align {devices:and}", devices=moves.devices)
        if len(moves.moves) == 1:
            shift = moves.moves[0].shift_bytes
            self.title = t("Move {device} by {shift:size}", device=moves.device, shift=shift)
        self.brief = (*map(moving.what_moves, moves.moves), *moving.journals_message(moves))
        self.seconds = moving.step_seconds(moves)
        self.back = (moving.BACK, moving.POWER(part=moves.devices))
        self.interrupted = t(
            "The move was interrupted. No data is lost. {part:and} cannot be mounted "
            "until the move is finished.",
            part=moves.devices,
        )

    def stop_means(self) -> ui.Text:
        return t(
            "Stopping also pauses the move, soon and between two pieces. Later, G "
            "resumes the move and U moves the data back."
        )

    def commands(self) -> tuple[ui.Block, ...]:
        moved = (ui.para(one) for one in moving.preview(self.document) if one not in self.document.doubts)
        return (*moved, *super().commands())


class MigrationJob(InPlaceJob[Migration]):
    """Job that converts an ext2 or ext3 filesystem to ext4 without file loss."""

    suffix = "to-ext4"
    names_undo = False

    def __init__(self, services: Services, migration: Migration) -> None:
        super().__init__(services, migration)
        self.title = messages.IN_EXT4(device=migration.device)
        self.seconds = tuple(max(1.0, step.seconds) for step in migration.steps)
        self.back = tuple(ways.how_sentences(migration))
        self.undo_means = ways.undo_sentence(migration.way)
        self.keep_means = t(
            "Keeping makes undo impossible and frees up to {room:size}. The filesystem is then mounted.",
            room=migration.room_bytes,
        )
        if migration.manifest:
            self.read_seconds = compare_seconds(migration.before, migration.drive.rotational)

    def commands(self) -> tuple[ui.Block, ...]:
        return tuple(command_blocks(self.document.steps))

    def power(self, told: str, working: int | None) -> ui.Text:
        # The run reports nothing before the first step and after the last.
        edits_fstab = working is not None and working > len(self.document.on_device)
        if edits_fstab or not self.document.way.converts:
            return ways.EITHER_LINE
        return told or t("No data is lost.")

    def outcome(
        self, run: Path, state: RunState, entries: Sequence[JournalEntry], commands: NextCommands
    ) -> RunOutcome:
        # Later use of the filesystem prevents undo.
        used, device = self.services.runs.closed(run), self.document.device
        self.undoable = not used and any(entry.event is Event.STEP_STARTED for entry in entries)
        outcome = super().outcome(run, state, entries, commands)
        if used:
            return replace(outcome, banner=replace(outcome.banner, tone=ui.Tone.WARN), more=(used,))
        if len(outcome.ways) == 2:
            banner = ui.Banner(NOT_YET, (t("The filesystem matches the plan and was checked."),))
            return replace(outcome, banner=banner, more=(ways.INSPECT_RESULT(device=device),))
        return outcome


JOBS: dict[type[RunDocument], type[AnyJob]] = {
    Plan: PlanJob,
    Changes: ChangesJob,
    Moves: MoveJob,
    Migration: MigrationJob,
    Bring: BringJob,
}


def job_of(services: Services, document: RunDocument, *, keep: bool = False) -> AnyJob:
    """Return the job of a document. `keep`: as with `apply --keep`."""
    job = JOBS[type(document)](services, document)
    job.keep = keep
    return job
