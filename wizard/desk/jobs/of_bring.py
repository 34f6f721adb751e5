"""Files that are brought to a volume, as a run that can be followed. A command begins it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.desk.jobs.job import Job, Outcome
from wizard.desk.view import Banner, Block, Text, Tone
from wizard.desk.words import job as words
from wizard.desk.words.work import UNDO_QUESTION
from wizard.model.documents.bring import Bring
from wizard.model.names import printable

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.model.identity import Identity
    from wizard.model.journal import Entry
    from wizard.services.contract import Services


class BringJob(Job):
    """Adds files to a volume, and touches none that is there."""

    def __init__(self, bring: Bring) -> None:
        self.bring = bring
        self.title = words.BRING(folder=printable(bring.target.folder, 200))

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
        return (words.BRING_BACK(),)

    @property
    def doubts(self) -> tuple[Text, ...]:
        """What the copy does not keep."""
        return self.bring.doubts

    @property
    def sentences(self) -> tuple[Text, ...]:
        """Each step."""
        from wizard.apply.bring.told import step_said

        return tuple(step_said(self.bring, step) for step in self.bring.steps)

    @property
    def seconds(self) -> tuple[float, ...]:
        """Reading and writing, a look, reading again."""
        return (6.0, 1.0, 3.0)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """No other program is run."""
        return ()

    def power(self, services: Services, run: Path, working: int | None, begun: bool) -> Text:
        """The source is only read."""
        return words.BRING_POWER()

    def outcome(self, services: Services, run: Path, state: RunState, entries: Sequence[Entry]) -> Outcome:
        """The last thing that was said."""
        from wizard.apply.run.decision import Choice, Decision, Settling
        from wizard.apply.run.runs import called

        last = next((entry.sentence for entry in reversed(entries)), "") or words.NOT_DONE()
        drives = (self.bring.drive.path,)
        back = Choice(Settling.UNDO, str(UNDO_QUESTION(drives=drives)), str(words.BRING_BACK()))
        if state.value == "undone":
            return Outcome(Banner(last, (), Tone.GOOD), (), Decision())
        if state.value != "done":
            early = state.value in ("failed", "stopped", "interrupted")
            return Outcome(Banner(last, (), Tone.WARN), (), Decision((back,) if early else ()))
        more = (words.UNDO_LATER(run=called(run)),)
        return Outcome(Banner(last, self.sentences, Tone.GOOD), more, Decision((back,), settled=True))
