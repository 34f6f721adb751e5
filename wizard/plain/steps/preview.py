"""Step 5: before and after, every step with its commands, and what it costs."""

from pathlib import Path

from wizard.layout.document import render_plan
from wizard.layout.steps.shown import told_as_direct
from wizard.layout.told.preview import steps_lines
from wizard.layout.told.promise import promise
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.plain.advicewords import volumes_reasons
from wizard.plain.desk import Desk
from wizard.plain.planwords import doubts_paragraphs, layout_paragraphs
from wizard.plain.questions import Choosing, Item, Topic, Word, choose
from wizard.plain.saving import save
from wizard.plain.talk import Para
from wizard.services.session import Back, Moved, Next, Session

HELP = (
    "The steps are carried out in this order. Commands are told as they will be run; a backslash at the end "
    "of a line means that the command goes on in the next one. A table is not written by a command but by a "
    "program of diskwright's own, with exactly the starts and sizes told.",
    "Most plans are tried out on a stand-in for the drive first. What is to change is saved, everything is "
    "written, and it waits: not in use, and taken back bit for bit by diskwright undo, until you keep it.",
    "Destroys: what cannot be read any more after the step. Undo: how it is taken back, or that it is not.",
    "A saved plan is told by diskwright show, and carried out by diskwright apply, today or later, as long "
    "as the drive is the same.",
)
GO_ON, SAVE, REPEAT = range(3)


def show_plan(desk: Desk, session: Session) -> Moved:
    """Tell the whole plan; go on, save it, or tell it again."""
    desk.heading(5, "Preview")
    plan = session.plan
    assert plan is not None
    _tell(desk, plan)
    topic = Topic(
        "What is to be done with this plan?",
        HELP,
        reasons=lambda: [*volumes_reasons(session.wishes), *_checks(plan)],
    )
    items = (Item("Go on."), Item("Save the plan in a file."), Item("Tell the plan again."))
    while True:
        answer = choose(desk.talk, Choosing(topic, items, GO_ON))
        if isinstance(answer, Word):
            return Back(session)
        if answer == GO_ON:
            return Next(session)
        if answer == SAVE:
            save_plan(desk, plan)
        else:
            _tell(desk, plan)


def save_plan(desk: Desk, plan: Plan) -> Path | None:
    """Ask for a name and save the plan; None where the person went back."""
    return save(desk.talk, "The plan", render_plan(plan), f"{Path(plan.drive.path).name}-plan.json")


def _tell(desk: Desk, plan: Plan) -> None:
    desk.talk.say("Exactly this will be done, and nothing else. Nothing has been written yet.")
    desk.talk.say_all(layout_paragraphs(plan))
    desk.talk.say()
    why = desk.services.why_direct(plan)
    desk.talk.say(printable(promise(plan, why), 1000))
    tell_room(desk, plan)
    desk.talk.say()
    desk.talk.show(steps_lines(told_as_direct(plan, why).steps, desk.talk.width))
    if plan.doubts:
        desk.talk.say()
        desk.talk.say_all(doubts_paragraphs(plan))


def tell_room(desk: Desk, plan: Plan) -> bool:
    """Say how much room the way back takes, or why that is not known; False where there is not enough."""
    if desk.services.tries_out(plan):
        desk.talk.say("Trying it out on a stand-in; nothing is written to the drive ...")
    room = desk.services.way_back_room(plan)
    if room.sentence:
        desk.talk.say(room.sentence)
    return room.fits


def _checks(plan: Plan) -> list[Para]:
    """What is checked when all is done."""
    held = [check for step in plan.steps for check in step.holds]
    return [Para("Checked afterwards:"), *(Para(printable(check, 400), 2, 2) for check in held), Para()]
