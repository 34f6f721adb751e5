"""Step 2: what the drive is for."""

from dataclasses import replace

from rich.text import Text
from textual.app import ComposeResult

from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.services.session import Next
from wizard.tui.step import StepScreen
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.rows import Row, Rows
from wizard.tui.widgets.words import para


class PurposeScreen(StepScreen):
    """The workloads."""

    NUMBER = 2
    TITLE = "Purpose"
    INTRO = (
        "What will the drive mostly hold? The advice follows from it. Several volumes with a purpose each "
        "can be made later, in step 4."
    )
    HELP = """
A purpose, also called workload, says what the work at hand asks of a filesystem: many small files or a few
large ones, writing in place or at the end, being shared with other systems. Choose the nearest one; nothing
is settled by it that step 3 cannot change.

Purposes are files: your own in ~/.config/diskwright/workloads or /etc/diskwright/workloads appear in this
list.
"""

    def body(self) -> ComposeResult:
        """The list."""
        yield Rows(id="purposes")

    def begin(self) -> None:
        """All that can be read."""
        rows = self.query_one(Rows)
        rows.focus()
        try:
            profiles = self.services.profiles()
        except DiskwrightError as error:
            self.say(str(error), "red")
            return
        workloads = [profile.workload for profile in profiles]
        rows.set_rows(
            [
                Row(
                    workload.id,
                    (Text(printable(workload.title, 70)),),
                    (para(printable(workload.summary, 400), indent=2), para("")),
                )
                for workload in workloads
            ],
            self.session.workload,
        )

    def keys(self) -> Pairs:
        """Choosing."""
        return (("Up/Down", "choose"), ("Enter", "next"))

    def action_next(self) -> None:
        """A changed purpose makes the advice and all that follows anew."""
        row, session = self.query_one(Rows).current, self.session
        if row is None or session.machine is None or session.drive is None or session.diagnosis is None:
            return
        try:
            advice = self.services.advise(
                session.machine, session.drive, session.diagnosis.recording, row.key
            )
        except DiskwrightError as error:
            self.say(str(error), "red")
            return
        if advice != session.advice:
            session = replace(
                session, workload=row.key, advice=advice, choice=None, taken=None, wishes=(), plan=None
            )
        self.dismiss(Next(session))
