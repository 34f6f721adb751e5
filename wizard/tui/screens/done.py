"""Step 9: what was checked, where the journal is, and whether it can be undone."""

from rich.text import Text
from textual.app import ComposeResult

from wizard.model.errors import DiskwrightError
from wizard.services.session import Quit
from wizard.tui.runtext import result_blocks, result_words
from wizard.tui.step import StepScreen
from wizard.tui.widgets.words import Prose, Words, para


class DoneScreen(StepScreen):
    """One page; Enter or q ends the wizard."""

    NUMBER = 9
    TITLE = "Result"
    HELP = """
Every check was made after the last step, by reading the drive, the kernel and the running system anew.

holds: what was planned was found. does not hold: something else was found, which stands beside it.

The journal has every command with what it printed; it stays where it is.
"""

    def body(self) -> ComposeResult:
        """The page."""
        yield Words(id="result")

    def begin(self) -> None:
        """Read the whole journal once more: it is the truth."""
        run, plan = self.session.run, self.session.plan
        assert run is not None and plan is not None
        page = self.query_one(Words)
        page.focus()
        try:
            state, entries = self.services.state(run), tuple(self.services.follow(run))
        except DiskwrightError as error:
            page.show([para(str(error), "red")])
            return
        said, ink = result_words(plan, state)
        self.query_one("#intro", Prose).update(Text(said, ink))
        page.show(result_blocks(plan, run, state, entries, demo=self.services.demo))

    def can_go_back(self) -> bool:
        """It is done."""
        return False

    def keys(self) -> tuple[tuple[str, str], ...]:
        """Reading and ending."""
        return (("Up/Down", "scroll"), ("Enter", "end"))

    def action_next(self) -> None:
        """The end."""
        self.dismiss(Quit())

    def action_end(self) -> None:
        """Nothing to ask."""
        self.dismiss(Quit())
