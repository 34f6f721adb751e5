"""Common interface of jobs for Review and Work, independent of their kind. Also changes and copies."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.model.changes import Bring, Changes, PowerOff, SwitchOff
from wizard.model.drive_facts import usual_bytes_per_second
from wizard.model.errors import printable
from wizard.model.plan import Mount
from wizard.model.said import Sentence, t
from wizard.plan.copy import fstab_difference
from wizard.ui.components.reasons import command_blocks
from wizard.ui.messages import UNDO_EARLY, UNDO_QUESTION
from wizard.ui.view import Banner, Bar, Block, Command, Text, Tone

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.apply.run.progress_log import Decision
    from wizard.host.contract import Services
    from wizard.model.ext import JournalEntry
    from wizard.model.geometry import Identity
    from wizard.plan.undo_policy import WayBackRoom


LOST_NOW = t("Deleted when applied")

UNDO_LATER = Sentence("To undo: sudo diskwright undo {run}")
NOT_DONE = t("Not done.")
APPLY_COMMAND = Sentence("sudo diskwright apply {file} {options}")


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run stands that is not at work: what matters most, more of it, and what can be decided."""

    banner: Banner
    more: tuple[Text, ...]
    decision: Decision


class Job:
    """A plan, changes or a migration. Nothing here writes but `start`, which begins a process of its own."""

    title: Text
    """What it does, in a few words: the banner's and the head's."""

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The drives that are confirmed by their tokens, in this order."""
        raise NotImplementedError

    def lost(self) -> tuple[Text, ...]:
        """Everything that is destroyed, a sentence each; none where nothing is."""
        return ()

    @property
    def keeps_all(self) -> bool:
        """Whether what it writes to is known to lose nothing, as where one partition grows."""
        return False

    def risk(self, services: Services) -> Text:
        """What can still go wrong where nothing is lost by the work itself: no protection against a power
        cut, or no way back; empty where there is both."""
        return ""

    def lost_when(self, services: Services) -> Text:
        """When that is: a heading."""
        return LOST_NOW

    def ways_back(self, services: Services) -> tuple[Text, ...]:
        """Until when it can be undone, and what a power cut would leave."""
        raise NotImplementedError

    def puts_nothing_back(self, services: Services) -> bool:
        """Whether a way back has nothing to bring back, so that its room is of no interest."""
        return False

    @property
    def doubts(self) -> tuple[Text, ...]:
        """What could not be known."""
        return ()

    @property
    def bars(self) -> tuple[Bar, ...]:
        """Now and then, where it changes a layout."""
        return ()

    @property
    def sentences(self) -> tuple[Text, ...]:
        """What each step does."""
        raise NotImplementedError

    @property
    def brief(self) -> tuple[Text, ...]:
        """What is told of the steps before the last question: all that matters, in few lines."""
        return self.sentences

    @property
    def seconds(self) -> tuple[float, ...]:
        """How long each step takes, roughly."""
        return tuple(1.0 for _ in self.sentences)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Every step with its commands, how it is undone and what is checked."""
        raise NotImplementedError

    def word(self, services: Services) -> str:
        """What is typed beside the tokens where there is no way back; else empty."""
        return ""

    @property
    def takes_passphrase(self) -> bool:
        """Whether it takes a new passphrase."""
        return False

    @property
    def unread(self) -> bool:
        """Whether a drive of it was not read, so that it is never begun."""
        return False

    def tries_out(self, services: Services) -> bool:
        """Whether finding out how much room the way back takes tries the job out."""
        return False

    def room(self, services: Services) -> WayBackRoom:
        """How much room the way back takes. May take long."""
        raise NotImplementedError

    def document(self) -> tuple[str, str]:
        """It as a file, and how that could be called."""
        raise NotImplementedError

    def command(self, services: Services, file: str) -> str:
        """The command by which root begins what was saved in a file."""
        raise NotImplementedError

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Begin it; the run's folder. Writes."""
        raise NotImplementedError

    @property
    def stop_means(self) -> Text:
        """What asking it to stop does."""
        return t("The current step finishes first. Then you can go on or undo.")

    @property
    def places(self) -> tuple[str, ...]:
        """Where it has mounted something that files can be brought to, once it is done."""
        return ()

    def power(self, services: Services, run: Path, working: int | None, begun: bool) -> Text:
        """What a power cut now would leave, while step `working`, from 1, is done; empty where nothing
        tells."""
        return services.power(run)

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """How the run stands."""
        raise NotImplementedError


BRING_BACK = t("Undo removes copied files if the source is still identical.")


class BringJob(Job):
    """Adds files to a volume, and touches none that is there."""

    def __init__(self, bring: Bring) -> None:
        self.bring = bring
        self.title = t("Copy files to {folder}", folder=printable(bring.target.folder, 200))

    def document(self) -> tuple[str, str]:
        """For `diskwright apply`."""
        from wizard.plan.copy import render_bring

        return render_bring(self.bring), f"{Path(self.bring.target.device).name}-bring.json"

    def command(self, services: Services, file: str) -> str:
        """With the drive's token."""
        token = shlex.quote(printable(self.bring.drive.token))
        return str(APPLY_COMMAND(file=shlex.quote(file), options=f"--confirm {token}"))

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """All of it."""
        return services.begin(self.bring, tokens[0])

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The one that the volume is on."""
        return (self.bring.drive,)

    @property
    def keeps_all(self) -> bool:
        """Nothing is overwritten."""
        return True

    def ways_back(self, services: Services) -> tuple[Text, ...]:
        """What undo removes."""
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
        """What the copy does not keep."""
        return self.bring.doubts

    @property
    def sentences(self) -> tuple[Text, ...]:
        """Each step."""
        from wizard.apply.copy.job import step_said

        return tuple(step_said(self.bring, step) for step in self.bring.steps)

    @property
    def seconds(self) -> tuple[float, ...]:
        """Reading and writing, a look, reading again."""
        rate = usual_bytes_per_second(self.bring.drive.rotational)
        once = max(1.0, self.bring.amount.size_bytes / rate)
        return (2 * once, 1.0, once, *(1.0 for _ in self.bring.steps[3:]))

    def commands(self, services: Services) -> tuple[Block, ...]:
        """No other program is run; what changes in fstab is shown."""
        return tuple(Command((line,)) for line in fstab_difference(self.bring))

    def power(self, services: Services, run: Path, working: int | None, begun: bool) -> Text:
        """The source is only read."""
        return t("The source does not change. Copied files remain, and `diskwright resume` continues.")

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """The last thing that was said."""
        from wizard.apply.run.progress_log import Decision, Settling, SettlingChoice
        from wizard.apply.run.runs import run_argument

        last = next((entry.sentence for entry in reversed(entries)), "") or NOT_DONE
        drives = (self.bring.drive.path,)
        back = SettlingChoice(Settling.UNDO, str(UNDO_QUESTION(drives=drives)), str(BRING_BACK))
        if state.value == "undone":
            return RunOutcome(Banner(last, (), Tone.GOOD), (), Decision())
        if state.value != "done":
            early = state.value in ("failed", "stopped", "interrupted")
            return RunOutcome(Banner(last, (), Tone.WARN), (), Decision((back,) if early else ()))
        more = (UNDO_LATER(run=run_argument(run)),)
        return RunOutcome(Banner(last, self.sentences, Tone.GOOD), more, Decision((back,), settled=True))


class ChangesJob(Job):
    """Changes something without touching a file of what it is for."""

    def __init__(self, changes: Changes) -> None:
        self.changes = changes
        self.title = t("Change {device}", device=changes.device)

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The one that it is on."""
        return (self.changes.drive,)

    def risk(self, services: Services) -> Text:
        """What has no way back; a drive that is off is as it was."""
        from wizard.plan.settings.steps_of import stays

        final = any(
            stays(step.operation) and not isinstance(step.operation, PowerOff) for step in self.changes.steps
        )
        return t("No file is lost. This cannot be undone.") if final else ""

    def ways_back(self, services: Services) -> tuple[Text, ...]:
        """How each step is undone, once."""
        return tuple(dict.fromkeys(step.undo for step in self.changes.steps))

    @property
    def doubts(self) -> tuple[Text, ...]:
        """What is left out, or holds only later."""
        return (*self.changes.reasons, *self.changes.doubts)

    @property
    def sentences(self) -> tuple[Text, ...]:
        """Each change."""
        return tuple(step.sentence for step in self.changes.steps)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """As they will be run."""
        return command_blocks(self.changes.steps)

    def document(self) -> tuple[str, str]:
        """For `diskwright apply`."""
        from wizard.plan.settings.tuning import render_changes

        return render_changes(self.changes), f"{Path(self.changes.device).name}-changes.json"

    def command(self, services: Services, file: str) -> str:
        """With the drive's token."""
        token = shlex.quote(printable(self.changes.drive.token))
        return str(APPLY_COMMAND(file=shlex.quote(file), options=f"--confirm {token}"))

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """All of them."""
        return services.begin(self.changes, tokens[0])

    @property
    def places(self) -> tuple[str, ...]:
        """Where it is mounted."""
        return tuple(
            one.operation.mount_point for one in self.changes.steps if isinstance(one.operation, Mount)
        )

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Done as shown, or the last thing that was said."""
        from wizard.apply.run.progress_log import Decision, Settling, SettlingChoice
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
            back = SettlingChoice(
                Settling.UNDO, str(UNDO_QUESTION(drives=(self.changes.device,))), str(UNDO_EARLY)
            )
            decision = Decision(() if final else (back,), settled=True)
            return RunOutcome(Banner(said, (*rest, *self.sentences), Tone.GOOD), more, decision)
        last = next((entry.sentence for entry in reversed(entries)), "")
        tone = Tone.GOOD if state.value == "undone" else Tone.WARN
        return RunOutcome(Banner(last or NOT_DONE, (), tone), (), Decision())
