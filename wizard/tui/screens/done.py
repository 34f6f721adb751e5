"""Step 9: what was checked, where the journal is, and the choice between keeping and undoing."""

from rich.text import Text
from textual.app import ComposeResult

from wizard.apply.plan.steps_told import decision_of
from wizard.apply.run.decision import Decision
from wizard.model.errors import DiskwrightError
from wizard.tui.settling import SettlingScreen, decision_blocks
from wizard.tui.text.runtext import result_blocks, result_words
from wizard.tui.widgets.words import Prose, Words, para


class DoneScreen(SettlingScreen):
    """One page; k keeps and u undoes what is not yet in use, Enter or q ends the wizard."""

    NUMBER = 9
    TITLE = "Result"
    HELP = """
Not yet in use: everything is written and was read back, but for what the drive is recognised by. Nobody can
mount it before you decide, also after a restart or on another machine. A drive that held nothing is put to
use at once.

Keeping: k puts it to use: it is mounted, and every check is made. What was there before is lost then.

Undoing: u puts back what was there before, bit for bit, and compares it. What was made is gone then.

Later: both can be done on any later day by `diskwright keep` and `diskwright undo`.

Checks were made after the last step, by reading the drive, the kernel and the running system anew. holds:
what was planned was found. does not hold: something else was found, which stands beside it.

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
        """The journal, and how far the run is."""
        run, plan = self.session.run, self.session.plan
        assert run is not None and plan is not None
        page = self.query_one(Words)
        try:
            state, entries = self.services.state(run), tuple(self.services.follow(run))
            phase = self.services.phase(run)
        except DiskwrightError as error:
            self.decision = Decision()
            page.show([para(str(error), "red")])
            return
        self.decision = decision_of(plan, state)
        said, ink = result_words(plan, state, phase)
        self.query_one("#intro", Prose).update(Text(said, ink))
        demo = self.services.demo
        blocks = decision_blocks(self.decision, run, later=not demo)
        page.show([*blocks, *result_blocks(plan, run, state, entries, phase, demo=demo)])
        self.draw_keys()
