"""Finding out how much room a way back takes, while the screen goes on."""

from dataclasses import dataclass

from textual.message import Message

from wizard.layout.told.promise import WayBackRoom
from wizard.model.plan import Plan
from wizard.tui.step import StepScreen

TRYING = WayBackRoom("It is being tried out on a stand-in. Nothing is written to the drive by that.")


@dataclass
class Measured(Message):
    """How much room the way back takes."""

    room: WayBackRoom


def find_room(step: StepScreen, plan: Plan) -> WayBackRoom:
    """What is known at once. Where that is `TRYING`, the step gets a `Measured` later."""
    if not step.services.tries_out(plan):
        return step.services.way_back_room(plan)

    def work() -> None:
        step.post_message(Measured(step.services.way_back_room(plan)))

    # The wizard ends only when the stand-ins are gone.
    step.in_background(work, finishes=True)
    return TRYING
