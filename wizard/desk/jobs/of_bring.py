"""Files that are brought to a volume, as a run that can be begun and followed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.desk.jobs import words
from wizard.desk.jobs.job import Job, Outcome
from wizard.desk.places.words.work import UNDO_QUESTION
from wizard.desk.view import Banner, Block, Command, Text, Tone
from wizard.layout.bring.told import fstab_difference
from wizard.model.documents.bring import Bring
from wizard.model.drive_facts import usual_bytes_per_second
from wizard.model.names import printable
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.model.identity import Identity
    from wizard.model.journal import Entry
    from wizard.services.contract import Services

BRING_BACK = t("Undo removes what was copied, as far as its source still holds the same.")


class BringJob(Job):
    """Adds files to a volume, and touches none that is there."""

    def __init__(self, bring: Bring) -> None:
        self.bring = bring
        self.title = t("Bring files to {folder}", folder=printable(bring.target.folder, 200))

    def document(self) -> tuple[str, str]:
        """For `diskwright apply`."""
        from wizard.layout.bring.document import render_bring

        return render_bring(self.bring), f"{Path(self.bring.target.device).name}-bring.json"

    def command(self, services: Services, file: str) -> str:
        """With the drive's token."""
        token = shlex.quote(printable(self.bring.drive.token))
        return str(words.APPLY_COMMAND(file=shlex.quote(file), options=f"--confirm {token}"))

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
                (t("Undo puts the old lines of fstab back first, also where the drive is gone."),)
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
        from wizard.apply.bring.told import step_said

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
        return t("The source stays as it is. What is copied stays, and `diskwright resume` goes on.")

    def outcome(self, services: Services, run: Path, state: RunState, entries: Sequence[Entry]) -> Outcome:
        """The last thing that was said."""
        from wizard.apply.run.decision import Choice, Decision, Settling
        from wizard.apply.run.runs import called

        last = next((entry.sentence for entry in reversed(entries)), "") or words.NOT_DONE
        drives = (self.bring.drive.path,)
        back = Choice(Settling.UNDO, str(UNDO_QUESTION(drives=drives)), str(BRING_BACK))
        if state.value == "undone":
            return Outcome(Banner(last, (), Tone.GOOD), (), Decision())
        if state.value != "done":
            early = state.value in ("failed", "stopped", "interrupted")
            return Outcome(Banner(last, (), Tone.WARN), (), Decision((back,) if early else ()))
        more = (words.UNDO_LATER(run=called(run)),)
        return Outcome(Banner(last, self.sentences, Tone.GOOD), more, Decision((back,), settled=True))
