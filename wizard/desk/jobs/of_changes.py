"""Changes to a filesystem that exists, or to its drive, as something that can be begun."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.desk.jobs import words
from wizard.desk.jobs.job import Job, Outcome
from wizard.desk.places.words.work import UNDO_EARLY, UNDO_QUESTION
from wizard.desk.view import Banner, Block, Text, Tone
from wizard.model.documents.changes import Changes, PowerOff, SwitchOff
from wizard.model.names import printable
from wizard.model.plan import Mount
from wizard.model.said import Sentence, t

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.model.identity import Identity
    from wizard.model.journal import Entry
    from wizard.services.contract import Services


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
        from wizard.layout.changes.steps_of import stays

        final = any(
            stays(step.operation) and not isinstance(step.operation, PowerOff) for step in self.changes.steps
        )
        return t("Every file stays, and there is no way back.") if final else ""

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
        from wizard.desk.asides.pages import command_blocks

        return command_blocks(self.changes.steps)

    def document(self) -> tuple[str, str]:
        """For `diskwright apply`."""
        from wizard.layout.changes.changes_document import render_changes

        return render_changes(self.changes), f"{Path(self.changes.device).name}-changes.json"

    def command(self, services: Services, file: str) -> str:
        """With the drive's token."""
        token = shlex.quote(printable(self.changes.drive.token))
        return str(words.APPLY_COMMAND(file=shlex.quote(file), options=f"--confirm {token}"))

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """All of them."""
        return services.begin(self.changes, tokens[0])

    @property
    def places(self) -> tuple[str, ...]:
        """Where it is mounted."""
        return tuple(
            one.operation.mount_point for one in self.changes.steps if isinstance(one.operation, Mount)
        )

    def outcome(self, services: Services, run: Path, state: RunState, entries: Sequence[Entry]) -> Outcome:
        """Done as shown, or the last thing that was said."""
        from wizard.apply.run.decision import Choice, Decision, Settling
        from wizard.apply.run.runs import called
        from wizard.layout.changes.steps_of import stays

        if state.value == "done":
            off = isinstance(self.changes.wanted, SwitchOff)
            done = (
                Sentence("{device} is off. You can unplug it now.")
                if off
                else Sentence("Done: {device} is as shown, and was checked.")
            )(device=self.changes.device)
            said, *rest = (*services.ready(self.changes), done)
            final = any(stays(step.operation) for step in self.changes.steps)
            more: tuple[Text, ...] = () if final else (words.UNDO_LATER(run=called(run)),)
            back = Choice(Settling.UNDO, str(UNDO_QUESTION(drives=(self.changes.device,))), str(UNDO_EARLY))
            decision = Decision(() if final else (back,), settled=True)
            return Outcome(Banner(said, (*rest, *self.sentences), Tone.GOOD), more, decision)
        last = next((entry.sentence for entry in reversed(entries)), "")
        tone = Tone.GOOD if state.value == "undone" else Tone.WARN
        return Outcome(Banner(last or words.NOT_DONE, (), tone), (), Decision())
