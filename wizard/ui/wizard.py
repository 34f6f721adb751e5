"""Open the first screen, Review and the pages of every screen, and report what remains at exit."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from wizard.model.errors import DiskwrightError, ExitCode
from wizard.model.said import Sentence, tn
from wizard.process.deferred import deferred
from wizard.ui.components.run_rows import RUNNING
from wizard.ui.desk import Desk, Screen

with deferred(__name__):
    from wizard.ui.dialogs import asking, health, measuring, pages
    from wizard.ui.screens import drives, review

if TYPE_CHECKING:
    from wizard.apply.local_runs import OpenRun
    from wizard.plan.changes import RunDocument
    from wizard.ui.view import Values

MOST_RUNS = 4
"""Maximum number of runs listed individually."""


class Wizard(Desk):
    """The desk, and all screens. The first list of drives appears before the others are loaded."""

    def begin(self, drive: str = "", part: str = "") -> None:
        """Open the first screen, at a drive or partition if named, and watch the drives."""
        self.watch()
        self.go(drives.DrivesScreen(self, drive, part))

    def perform(self, screen: Screen, name: str, values: Values) -> None:
        match name:
            case "help":
                self.go(pages.help_page(self))
            case "glossary":
                self.go(pages.Glossary(self))
            case "health":
                self.go(health.health_page(self, *screen.subject))
            case "speed":
                self.go(measuring.TrialScreen(self, screen.subject[0]))
            case "install" if screen.missing is not None:
                self.go(health.Install(self, screen.missing))
            case "quit":
                if self.may_end and (question := asking.ending(self)):
                    self.go(question)
                elif self.may_end:
                    self.end()
            case _:
                screen.act(name, values)

    def farewell(self) -> tuple[str, ...]:
        """Return the state of every open run with the next commands, most urgent first. Empty in the demo."""
        if self.services.demo:
            return ()
        from wizard.apply.run import job, runs
        from wizard.apply.run_control import CONTINUES

        def left(one: OpenRun) -> str:
            if one.state == RUNNING:
                return str(CONTINUES(run=runs.run_argument(one.run)))
            unfinished = Sentence("The run {name} is unfinished: {commands}")
            done = Sentence("The run {name} is done, not in use yet: {commands}")
            commands = job.NextCommands(one.ways, one.why_not).said(one.run)
            return str((done if "keep" in one.ways else unfinished)(name=one.run.name, commands=commands))

        found: tuple[OpenRun, ...] = ()
        # Only root can read runs started by root.
        with suppress(DiskwrightError, OSError):
            found = self.services.open_runs()
        # Half-written drives first, then waiting runs, then active ones.
        by_urgency = sorted(found, key=lambda one: 2 if one.state == RUNNING else int("keep" in one.ways))
        lines = tuple(map(left, by_urgency))
        if (more := len(lines) - MOST_RUNS) <= 0:
            return lines
        said = tn(
            "1 more run: see `diskwright status`.", "{count} more runs: see `diskwright status`.", count=more
        )
        return (*lines[:MOST_RUNS], str(said))

    def exit_code(self) -> ExitCode:
        """Return the exit code of the run that was started. Without one, Ctrl+C counts as an error, `q` does
        not."""
        if self.run is None:
            return ExitCode.ENDED_BY_USER if self.interrupted else ExitCode.DONE
        from wizard.apply.plan.run_summary import exit_code_of

        return exit_code_of(self.services.runs.state(self.run))

    def open_review(self, document: RunDocument) -> None:
        self.go(review.Review(self, document))
