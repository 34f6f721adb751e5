"""What the last steps share: a run is kept or undone after a question, or that is left for later."""

from pathlib import Path

from wizard.apply.run.decision import Choice, Decision, Settling
from wizard.model.errors import DiskwrightError, EndedByUser
from wizard.plain.desk import Desk
from wizard.plain.questions import Choosing, Item, Topic, agreed, choose
from wizard.plain.talk import Ended


def settle(desk: Desk, run: Path, decision: Decision, explained: tuple[str, ...]) -> Settling | None:
    """Which way the run was settled; None where that is left for later, or there is nothing to settle."""
    if not decision.choices:
        return None
    if decision.look:
        desk.talk.say(decision.look)
    # The demo's run goes with its drive, so there is no later for it.
    later = () if desk.services.demo else (decision.later(run),)
    offered = [
        Item("Neither now.", later),
        *(Item(f"{choice.way.capitalize()} it.", (choice.means,)) for choice in decision.choices),
    ]
    ending = "The run has ended." if desk.services.demo else "The run has ended; both can be done later."
    while True:
        topic = Topic("What becomes of it?", explained, back=False, ending=ending)
        answer = choose(desk.talk, Choosing(topic, tuple(offered), 0))
        if not isinstance(answer, int) or not answer:
            return None
        choice = decision.choices[answer - 1]
        if _settled(desk, run, choice):
            return choice.way


def _settled(desk: Desk, run: Path, choice: Choice) -> bool:
    """Whether it was kept or undone, after asking once more; why not is said."""
    if not agreed(desk.talk, choice.means, "No.", f"Yes, {choice.way} it."):
        return False
    secret = None
    if choice.why_secret and (secret := _secret(desk, choice.why_secret)) is None:
        return False
    desk.talk.say("At work; this may take a while ...")
    try:
        if choice.way is Settling.KEEP:
            desk.talk.say(f"Kept. {desk.services.keep(run, secret)}")
        else:
            desk.services.undo(run)
            desk.talk.say("Undone.")
    except EndedByUser as error:
        desk.talk.say(str(error))
        raise Ended from None
    except DiskwrightError as error:
        desk.talk.say(str(error))
        return False
    return True


def _secret(desk: Desk, why: str) -> bytes | None:
    """The passphrase of what is encrypted; None for an empty line."""
    desk.talk.say(f"{why} It is not shown. An empty line means no, and back.")
    return desk.talk.hidden_answer("Passphrase:") or None
