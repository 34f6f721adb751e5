"""The order of the steps, and the loop that goes through them."""

from importlib import import_module
from typing import TYPE_CHECKING, cast

from wizard.services.session import Back, Gone, Next, Quit, Session
from wizard.tui.step import StepScreen

if TYPE_CHECKING:
    from wizard.tui.app import WizardApp

STEPS = (
    "drives.DrivesScreen",
    "purpose.PurposeScreen",
    "advice.AdviceScreen",
    "layout.LayoutScreen",
    "preview.PreviewScreen",
    "benchmark.BenchmarkScreen",
    "confirm.ConfirmScreen",
    "applying.ApplyingScreen",
    "done.DoneScreen",
)
"""By module and name: a step is loaded when it is come to, so that the first is on the screen at once."""

MOVING_STEPS = (
    STEPS[0],
    "migrate_ways.WaysScreen",
    "migrate_preview.MigratePreviewScreen",
    "migrate_confirm.MigrateConfirmScreen",
    "migrate_running.MigratingScreen",
    "migrate_done.MigratedScreen",
)
"""Where files are kept and their filesystem becomes ext4."""


def steps_of(session: Session) -> tuple[str, ...]:
    """The steps of the walk that the session is on."""
    return MOVING_STEPS if session.moving is not None else STEPS


def screen_of(name_of_step: str) -> type[StepScreen]:
    """The screen of a step."""
    module, _, name = name_of_step.partition(".")
    return cast(type[StepScreen], getattr(import_module(f"wizard.tui.screens.{module}"), name))


async def walk(app: "WizardApp", session: Session) -> Session:
    """Through the steps, forth and back, until the last one is left or the person quits; what was
    gathered."""
    index = 0
    while True:
        outcome = await app.push_screen_wait(screen_of(steps_of(session)[index])(session, app.services))
        match outcome:
            case Next(handed_on):
                session, index = handed_on, index + 1
            case Back(handed_on):
                session, index = handed_on, max(0, index - 1)
            case Gone(handed_on):
                session, index = handed_on, 0
            case Quit():
                return session
        if index == len(steps_of(session)):
            return session
