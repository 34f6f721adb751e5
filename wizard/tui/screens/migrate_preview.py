"""To ext4, step 3: every step with its commands, how it is undone, and what a power cut meanwhile would
leave."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from wizard.tui.migrating import MovingStep, migration_blocks
from wizard.tui.saving import save_migration
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.words import Words


class MigratePreviewScreen(MovingStep):
    """One page to scroll; Enter goes on, s saves it."""

    NUMBER = 3
    TITLE = "Preview"
    INTRO = "Exactly this will be done, and nothing else. Nothing has been written yet."
    HELP = """
The steps are carried out in this order. Commands are shown with the device's name; where a copy-on-write
snapshot is worked on, its node stands there instead.

Undo: how a step is taken back, and until when. A filesystem that was mounted for writing has changed: then
there is no way back.

If the power goes: what would be found after a power cut in the middle of this step, and what is to be done
then.

Saving: s writes all this as a file, which `diskwright show` prints and `diskwright apply` carries out, today
or later, as long as the filesystem is still the same; on a rescue medium, too.
"""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "save", show=False, id="moving.save")]

    def body(self) -> ComposeResult:
        """The page."""
        yield Words(id="preview")

    def begin(self) -> None:
        """Draw the steps."""
        page = self.query_one(Words)
        page.show(migration_blocks(self.migration))
        page.focus()

    def keys(self) -> Pairs:
        """Reading and saving."""
        return (("Up/Down", "scroll"), ("Enter", "next"), ("s", "save"))

    def action_save(self) -> None:
        """Ask for a name."""
        save_migration(self, self.migration)
