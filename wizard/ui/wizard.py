"""Open screens on request. The only module that imports the screens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from wizard.ui.desk import Desk

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.advice.missing import Missing
    from wizard.model.machine import Drive, Machine, Partition
    from wizard.plan.changes import RunDocument
    from wizard.ui.jobs.job import AnyJob
    from wizard.ui.view import View

# Each screen is imported when it is opened: the first list of drives appears before the others are loaded.


class Wizard(Desk):
    """The desk with every screen. `Desk` documents the requests."""

    def open_drives(self, drive: str, part: str) -> None:
        from wizard.ui.screens.drives import DrivesScreen

        self.go(DrivesScreen(self, drive, part))

    def open_actions(self, device: str) -> None:
        from wizard.ui.screens.actions import Actions

        self.go(Actions(self, device))

    def open_purpose(self) -> None:
        from wizard.ui.screens.purpose import PurposeScreen

        self.go(PurposeScreen(self))

    def open_plan(self) -> None:
        from wizard.ui.screens.plan import PlanScreen

        self.go(PlanScreen(self))

    def open_review(self, document: RunDocument) -> None:
        from wizard.ui.jobs.in_place import job_of
        from wizard.ui.screens.review import Review

        self.go(Review(self, job_of(self.services, document)))

    def open_moves(
        self, machine: Machine, drive: Drive, part: Partition | None, start: int | None = None
    ) -> None:
        from wizard.plan.partition.moves import one_moves, planned_moves

        recording = self.services.diagnose(machine, drive).recording
        self.open_review(
            planned_moves(machine, drive, recording)
            if part is None
            else one_moves(machine, drive, part, start, recording)
        )

    def open_run(self, run: Path, action: str = "", job: AnyJob | None = None) -> None:
        from wizard.ui.jobs.in_place import job_of
        from wizard.ui.screens.work import WorkScreen

        screen = WorkScreen(self, job or job_of(self.services, self.services.runs.document(run)), run)
        self.run = run
        self.go(screen)
        if action:
            screen.act(action, "", {})

    def open_conversions(self, drive: Drive, device: str = "") -> None:
        from wizard.ui.screens.ways import open_ways

        open_ways(self, drive, device)

    def open_copy(self, targets: Sequence[str]) -> None:
        from wizard.ui.screens.copying import CopyScreen

        self.go(CopyScreen(self, targets))

    def open_alignment_test(self, drive: Drive) -> None:
        from wizard.ui.screens.measurements import TrialScreen

        self.go(TrialScreen(self, drive))

    def open_smr_test(self, drive: Drive) -> None:
        from wizard.ui.screens.measurements import ShingledTest

        self.go(ShingledTest(self, drive))

    def open_help(self, view: View) -> None:
        from wizard.ui.dialogs.pages import help_page

        self.go(help_page(self, view))

    def open_glossary(self, view: View) -> None:
        from wizard.ui.dialogs.pages import Glossary

        self.go(Glossary(self, view))

    def open_install(self, missing: Missing, then: Callable[[], None]) -> None:
        from wizard.ui.dialogs.health import Install

        self.go(Install(self, missing, then))

    def open_exit(self) -> None:
        from wizard.ui.dialogs.asking import ending

        question = ending(self)
        if question is None:
            self.end()
        else:
            self.go(question)
