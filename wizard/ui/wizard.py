"""Open screens on request. The only module that imports the screens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from wizard.process.deferred import deferred
from wizard.ui.desk import Desk

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.advice.missing import Missing
    from wizard.model.machine import Drive, Partition
    from wizard.plan.changes import RunDocument
    from wizard.plan.partition import moves
    from wizard.ui.dialogs import asking, health, pages
    from wizard.ui.jobs import in_place
    from wizard.ui.jobs.job import AnyJob
    from wizard.ui.screens import actions, copying, drives, measurements, plan, purpose, review, ways, work
else:
    (moves,) = deferred("wizard.plan.partition", "moves")
    asking, health, pages = deferred("wizard.ui.dialogs", "asking", "health", "pages")
    (in_place,) = deferred("wizard.ui.jobs", "in_place")
    actions, copying, drives, measurements, plan, purpose, review, ways, work = deferred(
        "wizard.ui.screens",
        *("actions", "copying", "drives", "measurements", "plan", "purpose", "review", "ways", "work"),
    )


class Wizard(Desk):
    """The desk with every screen. `Desk` documents the requests.

    The first list of drives appears before the other screens are loaded.
    """

    def open_drives(self, drive: str, part: str) -> None:
        self.go(drives.DrivesScreen(self, drive, part))

    def open_actions(self, device: str) -> None:
        self.go(actions.Actions(self, device))

    def open_purpose(self) -> None:
        self.go(purpose.PurposeScreen(self))

    def open_plan(self) -> None:
        self.go(plan.PlanScreen(self))

    def open_review(self, document: RunDocument) -> None:
        self.go(review.Review(self, in_place.job_of(self.services, document)))

    def open_moves(self, part: Partition | None, start: int | None = None) -> None:
        machine, drive, recording = self.session.machine, self.session.drive, self.session.diagnosis.recording
        self.open_review(
            moves.planned_moves(machine, drive, recording)
            if part is None
            else moves.one_moves(machine, drive, part, start, recording)
        )

    def open_run(self, run: Path, action: str = "", job: AnyJob | None = None) -> None:
        job = job or in_place.job_of(self.services, self.services.runs.document(run))
        screen = work.WorkScreen(self, job, run)
        self.run = run
        self.go(screen)
        if action:
            screen.act(action, "", {})

    def open_conversions(self, device: str = "") -> None:
        ways.open_ways(self, device)

    def open_copy(self, targets: Sequence[str]) -> None:
        self.go(copying.CopyScreen(self, targets))

    def open_alignment_test(self, drive: Drive) -> None:
        self.go(measurements.TrialScreen(self, drive))

    def open_smr_test(self, drive: Drive) -> None:
        self.go(measurements.ShingledTest(self, drive))

    def open_help(self) -> None:
        self.go(pages.help_page(self))

    def open_glossary(self) -> None:
        self.go(pages.Glossary(self))

    def open_install(self, missing: Missing, then: Callable[[], None]) -> None:
        self.go(health.Install(self, missing, then))

    def open_exit(self) -> None:
        if question := asking.ending(self):
            self.go(question)
        else:
            self.end()
