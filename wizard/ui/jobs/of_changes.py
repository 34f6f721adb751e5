"""Common interface of jobs for Review and Work. Also the jobs that change settings and copy files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.model.drive_facts import usual_bytes_per_second
from wizard.model.errors import printable
from wizard.model.requests import SwitchOff
from wizard.model.said import Sentence, t
from wizard.operations.mounts import Mount
from wizard.operations.settings import PowerOff
from wizard.plan.changes import Bring, Changes
from wizard.plan.copy import fstab_difference
from wizard.ui.components.reasons import command_blocks
from wizard.ui.messages import UNDO_EARLY, UNDO_QUESTION
from wizard.ui.view import Banner, Bar, Block, Command, Text, Tone

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.apply.run.progress_log import Decision
    from wizard.host.services import Services
    from wizard.model.ext import JournalEntry
    from wizard.model.geometry import Identity
    from wizard.plan.undo_policy import UndoSpace


LOST_NOW = t("Deleted when applied")

UNDO_LATER = Sentence("To undo: sudo diskwright undo {run}")
NOT_DONE = t("Not done.")
APPLY_COMMAND = Sentence("sudo diskwright apply {file} {options}")


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """State of an inactive run: the main result, details and possible decisions."""

    banner: Banner
    more: tuple[Text, ...]
    decision: Decision


class Job:
    """A plan, changes or a conversion. Only `start` writes, in a separate process."""

    title: Text
    """Short title for banner and header."""

    @property
    def drives(self) -> tuple[Identity, ...]:
        """Drives to confirm by token, in this order."""
        raise NotImplementedError

    def lost(self) -> tuple[Text, ...]:
        """Return a sentence for each loss. Empty if the job destroys nothing."""
        return ()

    @property
    def keeps_all(self) -> bool:
        """True if the job is known to preserve all data, such as growing a partition."""
        return False

    def risk(self, services: Services) -> Text:
        """Return the remaining risk of a job without losses: power failure or no undo. Empty if protected."""
        return ""

    def lost_when(self, services: Services) -> Text:
        """Return the heading for the time of the loss."""
        return LOST_NOW

    def undo_texts(self, services: Services) -> tuple[Text, ...]:
        """Describe how long undo is possible, and the effect of a power failure."""
        raise NotImplementedError

    def restores_nothing(self, services: Services) -> bool:
        """Return True if undo has no contents to restore, so that no space estimate is needed."""
        return False

    @property
    def doubts(self) -> tuple[Text, ...]:
        """Uncertainties of the job."""
        return ()

    @property
    def bars(self) -> tuple[Bar, ...]:
        """Layouts before and after the job. Empty if the layout does not change."""
        return ()

    @property
    def sentences(self) -> tuple[Text, ...]:
        """A sentence for each step."""
        raise NotImplementedError

    @property
    def brief(self) -> tuple[Text, ...]:
        """The important steps, shown on Review."""
        return self.sentences

    @property
    def seconds(self) -> tuple[float, ...]:
        """Estimated duration of each step, in seconds."""
        return tuple(1.0 for _ in self.sentences)

    @property
    def read_seconds(self) -> float:
        """Estimated time to read the drive before and after all steps, in seconds."""
        return 0.0

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Return every step with commands, undo and checks."""
        raise NotImplementedError

    def word(self, services: Services) -> str:
        """Return the extra word to type if undo is impossible, or an empty string."""
        return ""

    @property
    def takes_passphrase(self) -> bool:
        """True if the job needs a new passphrase."""
        return False

    @property
    def unread(self) -> bool:
        """True if a drive was not read, which prevents the start."""
        return False

    def rehearses(self, services: Services) -> bool:
        """Return True if `room` rehearses the job."""
        return False

    def room(self, services: Services) -> UndoSpace:
        """Return the space needed for undo. May be slow."""
        raise NotImplementedError

    def document(self) -> tuple[str, str]:
        """Return the job as the text of a file, with a suggested name."""
        raise NotImplementedError

    def command(self, services: Services, file: str) -> str:
        """Return the command that applies the saved job as root."""
        raise NotImplementedError

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Start the job and return the run's folder. Writes to the drives."""
        raise NotImplementedError

    def stop_means(self, services: Services) -> Text:
        """Describe the effect of stopping."""
        return t("The current step finishes first. Then you can go on or undo.")

    @property
    def places(self) -> tuple[str, ...]:
        """New mount points that can receive files."""
        return ()

    def power(self, services: Services, run: Path, working: int | None, begun: bool) -> Text:
        """Describe the effect of a power failure during step `working`, counted from 1. Empty if unknown."""
        return services.power(run)

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the state of the run."""
        raise NotImplementedError


BRING_BACK = t("Undo removes copied files if the source is still identical.")


class BringJob(Job):
    """Job that copies files to a volume without changing existing files."""

    def __init__(self, bring: Bring) -> None:
        self.bring = bring
        self.title = t("Copy files to {folder}", folder=printable(bring.target.folder, 200))

    def document(self) -> tuple[str, str]:
        """Return the copy job as a file for `diskwright apply`."""
        from wizard.plan.copy import render_bring

        return render_bring(self.bring), f"{Path(self.bring.target.device).name}-bring.json"

    def command(self, services: Services, file: str) -> str:
        """Return the command with the drive's token."""
        token = shlex.quote(printable(self.bring.drive.token))
        return str(APPLY_COMMAND(file=shlex.quote(file), options=f"--confirm {token}"))

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Start the copy."""
        return services.start(self.bring, tokens)

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The drive of the volume."""
        return (self.bring.drive,)

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
                if self.bring.takes
                else ()
            ),
        )

    @property
    def doubts(self) -> tuple[Text, ...]:
        """File properties lost in the copy."""
        return self.bring.doubts

    @property
    def sentences(self) -> tuple[Text, ...]:
        """A sentence for each step."""
        return self.bring.sentences

    @property
    def seconds(self) -> tuple[float, ...]:
        """Estimated duration of each step in seconds: copying, a check, and reading again."""
        rate = usual_bytes_per_second(self.bring.drive.rotational)
        once = max(1.0, self.bring.amount.size_bytes / rate)
        return (2 * once, 1.0, once, *(1.0 for _ in self.bring.steps[3:]))

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Return the changes to fstab. Copying runs no commands."""
        return tuple(Command((line,)) for line in fstab_difference(self.bring))

    def power(self, services: Services, run: Path, working: int | None, begun: bool) -> Text:
        """Explain that the source is only read."""
        return t("The source does not change. Copied files remain, and `diskwright resume` continues.")

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the result from the last journal entry."""
        from wizard.apply.run.progress_log import Decision, DecisionChoice, Settling
        from wizard.apply.run.runs import run_argument

        last = next((entry.sentence for entry in reversed(entries)), "") or NOT_DONE
        drives = (self.bring.drive.path,)
        back = DecisionChoice(Settling.UNDO, str(UNDO_QUESTION(drives=drives)), str(BRING_BACK))
        if state.value == "undone":
            return RunOutcome(Banner(last, (), Tone.GOOD), (), Decision())
        if state.value != "done":
            early = state.value in ("failed", "stopped", "interrupted")
            return RunOutcome(Banner(last, (), Tone.WARN), (), Decision((back,) if early else ()))
        more = (UNDO_LATER(run=run_argument(run)),)
        return RunOutcome(Banner(last, self.sentences, Tone.GOOD), more, Decision((back,), settled=True))


class ChangesJob(Job):
    """Job that changes settings without touching files."""

    def __init__(self, changes: Changes) -> None:
        self.changes = changes
        self.title = t("Change {device}", device=changes.device)

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The drive of the device."""
        return (self.changes.drive,)

    def risk(self, services: Services) -> Text:
        """Warn if a change cannot be undone. Power-off is harmless."""
        from wizard.plan.settings.steps_of import stays

        final = any(
            stays(step.operation) and not isinstance(step.operation, PowerOff) for step in self.changes.steps
        )
        return t("No file is lost. This cannot be undone.") if final else ""

    def undo_texts(self, services: Services) -> tuple[Text, ...]:
        """Describe how each step is undone, without repetition."""
        return tuple(dict.fromkeys(step.undo for step in self.changes.steps))

    @property
    def doubts(self) -> tuple[Text, ...]:
        """Omitted changes, and changes with a delayed effect."""
        return (*self.changes.reasons, *self.changes.doubts)

    @property
    def sentences(self) -> tuple[Text, ...]:
        """A sentence for each change."""
        return tuple(step.sentence for step in self.changes.steps)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Return the commands of the changes."""
        return command_blocks(self.changes.steps)

    def document(self) -> tuple[str, str]:
        """Return the changes as a file for `diskwright apply`."""
        from wizard.plan.settings.tuning import render_changes

        return render_changes(self.changes), f"{Path(self.changes.device).name}-changes.json"

    def command(self, services: Services, file: str) -> str:
        """Return the command with the drive's token."""
        token = shlex.quote(printable(self.changes.drive.token))
        return str(APPLY_COMMAND(file=shlex.quote(file), options=f"--confirm {token}"))

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Start the changes."""
        return services.start(self.changes, tokens)

    @property
    def places(self) -> tuple[str, ...]:
        """New mount points."""
        return tuple(
            one.operation.mount_point for one in self.changes.steps if isinstance(one.operation, Mount)
        )

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the result, from the last journal entry if the changes failed."""
        from wizard.apply.run.progress_log import Decision, DecisionChoice, Settling
        from wizard.apply.run.runs import run_argument
        from wizard.plan.settings.steps_of import stays

        if state.value == "done":
            off = isinstance(self.changes.wanted, SwitchOff)
            done = (
                Sentence("{device} is off. You can unplug the drive now.")
                if off
                else Sentence("Done: {device} is changed as shown and verified.")
            )(device=self.changes.device)
            said, *rest = (*services.ready(self.changes), done)
            final = any(stays(step.operation) for step in self.changes.steps)
            more: tuple[Text, ...] = () if final else (UNDO_LATER(run=run_argument(run)),)
            back = DecisionChoice(
                Settling.UNDO, str(UNDO_QUESTION(drives=(self.changes.device,))), str(UNDO_EARLY)
            )
            decision = Decision(() if final else (back,), settled=True)
            return RunOutcome(Banner(said, (*rest, *self.sentences), Tone.GOOD), more, decision)
        last = next((entry.sentence for entry in reversed(entries)), "")
        tone = Tone.GOOD if state.value == "undone" else Tone.WARN
        return RunOutcome(Banner(last or NOT_DONE, (), tone), (), Decision())
