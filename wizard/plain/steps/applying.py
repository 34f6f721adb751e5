"""Steps 8 and 9: follow the run line by line, and tell how it ended. It goes on without this conversation."""

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from wizard.apply.plan.steps_told import SETTLED, decision_of, goes_on, result_sentence, undo_sentence
from wizard.apply.run.journal import RunState
from wizard.apply.run.runs import called
from wizard.apply.run.telling import Telling
from wizard.model.errors import DiskwrightError
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.plain.desk import Desk
from wizard.plain.questions import Choosing, Item, Topic, Writing, choose, write
from wizard.plain.steps.settling import settle
from wizard.plain.talk import Ended
from wizard.services.session import Moved, Next, Session

HELP = (
    "Every step is written to a journal before and after it is done. The journal is on another drive than "
    "the one being set up.",
    "Most plans are tried out on a stand-in first: the drive is as it was until every step has been done "
    "there. Then it is written in one go. If it held something, it waits after that until you keep it or "
    "take it back.",
    "Stopping ends the run before the next step begins; a step that has begun is finished. What was done "
    "stays done, on the stand-in or on the drive, and resume or undo goes on from there.",
)
SETTLING = (
    "Everything is written and was read back, but for what the drive is recognised by: nobody can mount it "
    "before you decide.",
    "Keeping puts it to use: it is mounted, and every check is made. What was there before is lost then.",
    "Undoing puts back what was there before, bit for bit, and compares it. What was made is gone then.",
    "Both can be done on any later day by diskwright keep and diskwright undo.",
)
WATCH, STOP, LEAVE = range(3)


def follow_run(desk: Desk, session: Session) -> Moved:
    """A line for each entry of the journal until the run has ended, and one whenever a power cut would leave
    something else than before. Ctrl+C asks what is meant."""
    desk.heading(8, "Applying")
    plan, run = session.plan, session.run
    assert plan is not None and run is not None
    said = ""

    def tell(entry: Entry) -> None:
        nonlocal said
        tell_entry(desk, entry, len(plan.steps))
        told = desk.services.power(run)
        if told and told != said:
            said = told
            desk.talk.say(printable(told, 1000), 2, 2)

    follow_entries(desk, run, tell)
    return Next(session)


def follow_entries(desk: Desk, run: Path, tell: Callable[[Entry], None]) -> None:
    """Tell each entry of the journal until the run has ended. Raises Ended where the person leaves it, or it
    cannot be followed."""
    desk.talk.say(
        f"A process of its own is at work. {_without(desk)} Ctrl+C asks whether it is to be stopped."
    )
    seen = 0
    telling = Telling(partial(desk.services.progress, run), lambda sentence: desk.talk.say(sentence, 2, 2))
    while True:
        try:
            for entry in islice(desk.services.follow(run, telling), seen, None):
                seen += 1
                telling.heard(entry)
                tell(entry)
            return
        except KeyboardInterrupt:
            _interrupted(desk, run)
        except DiskwrightError as error:
            desk.talk.say(f"{error} {_without(desk)}")
            raise Ended from None


def _without(desk: Desk) -> str:
    """What becomes of the run when the conversation ends."""
    if desk.services.demo:
        return "In the demo its drive goes when the wizard ends."
    return "It goes on without this conversation, and diskwright status tells how it goes."


def _interrupted(desk: Desk, run: Path) -> None:
    """Go on watching, stop the run, or leave it to itself; a second Ctrl+C leaves it."""
    topic = Topic("The run is still at work. What now?", HELP, back=False, ending=_without(desk))
    items = (
        Item("Go on watching it."),
        Item("Stop it when its present step is done."),
        Item("Leave it to itself."),
    )
    try:
        answer = choose(desk.talk, Choosing(topic, items, WATCH))
    except (KeyboardInterrupt, Ended):
        answer = LEAVE
    if answer == STOP:
        desk.services.request_stop(run)
        desk.talk.say("It will stop when the present step is done.")
    elif answer == LEAVE:
        desk.talk.say(_without(desk))
        raise Ended


def tell_entry(desk: Desk, entry: Entry, total: int) -> None:
    """One entry as a line."""
    sentence = printable(entry.sentence, 2000)
    match entry.event:
        case Event.STEP_STARTED:
            percent = f"{100 * (entry.step - 1) // total} percent of the steps are done"
            desk.talk.say(f"Step {entry.step} of {total} ({percent}): {sentence}", hang=2)
        case Event.STEP_DONE | Event.STEP_FAILED | Event.SAVED:
            desk.talk.say(sentence, 2, 2)
        case Event.COMMAND:
            desk.talk.say(f"Command: {shlex.join(entry.command)}" if entry.command else sentence, 2, 2)
        case Event.VERIFIED | Event.NOT_VERIFIED:
            desk.talk.say(_check(entry), hang=2)
        case _:
            desk.talk.say(sentence, hang=2)


def _check(entry: Entry) -> str:
    holds = "Holds" if entry.event is Event.VERIFIED else "Does not hold"
    seen = printable(entry.output.strip(), 400)
    return f"{holds}: {printable(entry.sentence, 400).rstrip('.')}." + (
        f" Seen: {seen.rstrip('.')}." if seen else ""
    )


def tell_result(desk: Desk, session: Session) -> Moved:
    """How it ended, from the whole journal once more; what is not yet in use is kept or undone, and then it
    is told how that ended."""
    desk.heading(9, "Result")
    plan, run = session.plan, session.run
    assert plan is not None and run is not None
    state = _told(desk, plan, run)
    if state is not None and settle(desk, run, decision_of(plan, state), SETTLING):
        _told(desk, plan, run)
    _end_demo(desk)
    return Next(session)


def _told(desk: Desk, plan: Plan, run: Path) -> RunState | None:
    """Tell how it stands, and give that; None where it cannot be read, which is said."""
    try:
        state, entries = desk.services.state(run), tuple(desk.services.follow(run))
        phase = desk.services.phase(run)
    except DiskwrightError as error:
        desk.talk.say(str(error))
        return None
    desk.talk.say(result_sentence(plan, state, phase))
    tell_checks(desk, entries)
    if state not in SETTLED:
        tell_steps(desk, [step.sentence for step in plan.steps], entries)
    desk.talk.say(f"Journal: {printable(str(run), 200)}", hang=2)
    if state is not RunState.WAITING:
        desk.talk.say(undo_sentence(plan, run, state, entries, phase), hang=2)
    if goes_on(state, phase) and not desk.services.demo:
        desk.talk.say(f"To go on: sudo diskwright resume {called(run)}")
    return state


def tell_checks(desk: Desk, entries: Sequence[Entry]) -> None:
    """How many checks hold, and which do not."""
    checks = [entry for entry in entries if entry.event in (Event.VERIFIED, Event.NOT_VERIFIED)]
    if checks:
        holding = sum(entry.event is Event.VERIFIED for entry in checks)
        desk.talk.say(f"Checked afterwards: {holding} of {len(checks)} hold.")
    for entry in checks:
        if entry.event is Event.NOT_VERIFIED:
            desk.talk.say(_check(entry), 2, 2)


def tell_steps(desk: Desk, sentences: Sequence[str], entries: Sequence[Entry]) -> None:
    """Which steps were done and which were not, and what went wrong."""
    done = {entry.step for entry in entries if entry.event is Event.STEP_DONE}
    for number, sentence in enumerate(sentences, 1):
        desk.talk.say(
            f"{'Done' if number in done else 'Not done'}: step {number}, {printable(sentence, 200)}", 2, 2
        )
    for entry in entries:
        if entry.event in (Event.FAILED, Event.REFUSED):
            desk.talk.say(printable(entry.sentence, 400))


def _end_demo(desk: Desk) -> None:
    if desk.services.demo:
        topic = Topic(
            "This was the demo: the drive and its journal are taken away when the wizard ends.",
            (),
            back=False,
            ending="The run has ended.",
        )
        write(desk.talk, Writing(topic, "", "that it ends"), lambda _: None)
