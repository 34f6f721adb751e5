"""Step 7: the last question. An empty line never begins."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from wizard.apply.plan.steps_told import confirmation
from wizard.layout.told.promise import WORD, wants_word
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.plain.desk import Desk
from wizard.plain.planwords import loss_paragraphs
from wizard.plain.questions import Choosing, Item, Topic, Word, choose
from wizard.plain.steps.passphrase import typed_passphrase
from wizard.plain.steps.preview import save_plan, tell_room
from wizard.plain.steps.tokens import typed_tokens
from wizard.plain.talk import Ended
from wizard.services.session import Back, Gone, Moved, Next, Session
from wizard.tools.signals import ended_by_signal

HELP = (
    "Token: the drive's serial number, or its name where it has none. Typing it proves that you mean this "
    "drive and no other.",
    "Before the first write the drive is looked at once more: if it differs from the one that was planned "
    "for, nothing is written.",
    "Applying is a process of its own: closing this terminal does not stop it, and diskwright status tells "
    "how it goes.",
)
ASKS = (
    "You are not root. When the token is typed, root's rights are asked for, perhaps with a question for "
    "your password; without them nothing is written."
)
NOT_READ = (
    "This plan was made without the right to read what the drive holds, and a plan like that is not applied. "
    "With root's rights the drives are read once more: you hear what is there, and plan again. Nothing is "
    "written by that."
)
UNKNOWN = "Whether the run has begun is not known here; diskwright status tells."
SAVE, BACK, END = range(3)


def confirm(desk: Desk, session: Session) -> Moved:
    """Say what is lost, ask for the token, and begin; or say how it can be applied elsewhere."""
    desk.heading(7, "Confirm")
    plan = session.plan
    assert plan is not None
    desk.talk.say_all(loss_paragraphs(plan, desk.services.why_direct(plan)))
    for doubt in desk.services.journal_doubts():
        desk.talk.say(f"In doubt, of the journal: {printable(doubt, 400)}", hang=2)
    if desk.services.apply_obstacle:
        return _without_applying(desk, session, plan)
    if desk.services.asks_for_root and any(member.drive.content_digest is None for member in plan.members):
        return _read_as_root(desk, session, plan)
    if desk.services.asks_for_root:
        desk.talk.say(ASKS)
    word = WORD if wants_word(plan, desk.services.why_direct(plan)) or not tell_room(desk, plan) else ""
    tokens = (*plan.tokens, word) if word else plan.tokens
    while typed_tokens(desk, plan, HELP, word=word):
        secret = typed_passphrase(desk) if plan.containers else None
        if plan.containers and secret is None:
            continue
        if run := begun(desk, "the drive", partial(desk.services.start, plan, tokens, secret)):
            return Next(replace(session, run=run))
    return Back(session)


def begun(desk: Desk, what: str, begin: Callable[[], Path]) -> Path | None:
    """The run, which has begun; None where it has not, after saying why. Ctrl+C waits until that is known,
    and then stops the run.

    `what` is looked at once more by `begin`.
    """
    try:
        with ended_by_signal() as is_ended:
            desk.services.obtain_root()
            desk.talk.say(f"Looking at {what} once more, then beginning ...")
            run = begin()
            if is_ended():
                desk.services.request_stop(run)
                desk.talk.say("Ctrl+C: the run has begun, and will stop before its next step.")
    except (Refused, BadInput) as error:
        desk.talk.say(str(error))
        if is_ended():
            raise Ended from None
        return None
    except DiskwrightError as error:
        raise Ended(f"{error} {UNKNOWN}") from None
    except KeyboardInterrupt:
        raise Ended(UNKNOWN) from None
    return run


def _read_as_root(desk: Desk, session: Session, plan: Plan) -> Moved:
    """A plan for a drive that could not be read is not applied: with root's rights it is looked at again, or
    the plan is kept."""
    desk.talk.say(NOT_READ)
    items = (
        Item("Go back."),
        Item("Ask for root's rights and read the drives again."),
        Item("Save the plan in a file."),
    )
    while True:
        answer = choose(desk.talk, Choosing(Topic("What now?", HELP), items, 0))
        if isinstance(answer, Word) or answer == 0:
            return Back(session)
        if answer == 2:
            save_plan(desk, plan)
            continue
        try:
            desk.services.obtain_root()
        except DiskwrightError as error:
            desk.talk.say(str(error))
            continue
        return Gone(Session(workload=session.workload))


def _without_applying(desk: Desk, session: Session, plan: Plan) -> Moved:
    """From here the plan can only be kept."""
    desk.talk.say(desk.services.apply_obstacle)
    items = (Item("Save the plan in a file."), Item("Go back."), Item("End the wizard."))
    while True:
        answer = choose(desk.talk, Choosing(Topic("What is to be done with the plan?", HELP), items, SAVE))
        if isinstance(answer, Word) or answer == BACK:
            return Back(session)
        if answer == END:
            raise Ended
        path = save_plan(desk, plan)
        if path is not None and desk.services.needs_root:
            desk.talk.say("Apply it by:")
            confirmed = confirmation(plan, desk.services.why_direct(plan))
            desk.talk.say(f"sudo diskwright apply {shlex.quote(str(path))} {confirmed}", indent=4)
