"""To ext4, step 6: what was checked, and the choice between keeping and undoing."""

from pathlib import Path

from rich.text import Text
from textual.app import ComposeResult

from wizard.apply.migration.moved import HALF_DONE, decision_of, moved_sentence
from wizard.apply.run.decision import Decision
from wizard.apply.run.journal import RunState
from wizard.model.errors import DiskwrightError
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.tui.migrating import MovingStep
from wizard.tui.settling import SettlingScreen, decision_blocks
from wizard.tui.text.runtext import INKS, check_blocks, settled_blocks, step_blocks
from wizard.tui.widgets.words import Block, Prose, Words, gap, para


class MigratedScreen(SettlingScreen, MovingStep):
    """One page; k keeps, u undoes, Enter or q leaves that for later."""

    NUMBER = 6
    TITLE = "Result"
    HELP = """
Every check was made after the last step, by reading the filesystem anew.

Keeping: k lets go of what is needed for undoing, and gives its room back. There is no way back then.

Undoing: u brings the filesystem back as it was before, to the bit. It works as long as nobody has mounted it
for writing.

Later: both can be done later by `diskwright keep` and `diskwright undo`. Until then the room stays taken, and
the filesystem should not be mounted for writing.

The journal has every command with what it printed; it stays where it is.
"""

    def body(self) -> ComposeResult:
        """The page."""
        yield Words(id="result")

    def begin(self) -> None:
        """Read the journal."""
        self.query_one(Words).focus()
        self.read()

    def read(self) -> None:
        """The journal, and whether the filesystem was used since."""
        run = self.session.run
        assert run is not None
        page = self.query_one(Words)
        try:
            state, entries = self.services.state(run), tuple(self.services.follow(run))
            used = self.services.closed(run)
        except DiskwrightError as error:
            self.decision = Decision()
            page.show([para(str(error), "red")])
            return
        self.decision = decision_of(self.migration, state, entries, closed=bool(used))
        self.query_one("#intro", Prose).update(Text(moved_sentence(state), INKS.get(state, "")))
        page.show(self._blocks(run, state, entries, used))
        self.draw_keys()

    def _blocks(self, run: Path, state: RunState, entries: tuple[Entry, ...], used: str) -> list[Block]:
        """The choice, the checks, the steps that are missing, and the journal."""
        blocks: list[Block] = [para(printable(used, 1000), "red")] if used else []
        blocks += decision_blocks(self.decision, run)
        blocks += (
            settled_blocks(entries) if state in (RunState.UNDONE, RunState.KEPT) else check_blocks(entries)
        )
        if state in HALF_DONE or state is RunState.REFUSED:
            blocks += step_blocks([step.sentence for step in self.migration.steps], entries)
            failed = [entry for entry in entries if entry.event in (Event.FAILED, Event.REFUSED)]
            blocks += [*(para(printable(entry.sentence, 400), "red") for entry in failed), gap()]
        return [*blocks, para(f"Journal: {printable(str(run), 200)}", hang=9)]
