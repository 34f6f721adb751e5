"""Asking for root from a step, with the terminal as it was before the wizard."""

from contextlib import ExitStack, suppress

from textual.app import SuspendNotSupported

from wizard.model.errors import DiskwrightError
from wizard.tui.step import StepScreen

ON_TERMINAL = "\ndiskwright asks for root's rights; the wizard comes back with the answer."


def has_root(step: StepScreen) -> bool:
    """Ask for root where it is still to be asked for; why it was not given is said."""
    if not step.services.asks_for_root:
        return True
    failure = ""
    with ExitStack() as stack:
        # A screen that is no terminal's has none to give up.
        with suppress(SuspendNotSupported):
            stack.enter_context(step.app.suspend())
            print(ON_TERMINAL, flush=True)
        # The screen does not come back by itself from an error.
        try:
            step.services.obtain_root()
        except DiskwrightError as error:
            failure = str(error)
    if failure:
        step.say(failure, "yellow")
    return not failure
