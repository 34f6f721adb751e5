"""Step 4: what becomes of the drive's content, and which volumes it gets."""

from dataclasses import replace
from functools import partial

from wizard.layout.planner import Mode
from wizard.layout.room.refusals import unread_content
from wizard.layout.several.mirrors import mirror_note
from wizard.layout.told.inside import volume_bytes
from wizard.layout.told.preview import danger_of
from wizard.layout.told.promise import lost_then
from wizard.layout.wishes.wish import Wish, more_words, size_words
from wizard.migrate.ext.candidates import instead_words, old_filesystems
from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.plain.advicewords import volumes_reasons
from wizard.plain.desk import Desk
from wizard.plain.planwords import place_words
from wizard.plain.questions import Choosing, Item, Topic, Word, choose
from wizard.plain.steps.arrangement import (
    arranged,
    arrangement_actions,
    arrangement_refusals,
    arrangement_words,
)
from wizard.plain.steps.spread import ask_spread
from wizard.plain.steps.volume import ask_volume
from wizard.services.session import Back, Moved, Next, Session
from wizard.services.spread import (
    ONE_VOLUME,
    TAKES_ALL,
    candidates,
    fitting,
    plan_of,
    spread_words,
    still_there,
)

MODES = (Mode.REPLACE, Mode.USE_FREE)

MODE_HELP = (
    "Replace everything: the drive gets a new partition table and new volumes; what it holds now is lost "
    "when you keep the result, not before; where the steps run on the drive directly, which the preview "
    "says, when the plan is applied.",
    "Use the free space: the table and every partition stay as they are, to the byte; volumes are added "
    "where nothing is.",
)
VOLUMES_HELP = (
    "A volume is a partition with a filesystem. Without a size it takes all that is left. With a mount point "
    "it is mounted there at once and at every start, by a line in /etc/fstab; without one it is made, and "
    "mounting is left to you.",
    "Starts and ends are placed on whole blocks of the drive.",
)
ACTIONS = (
    "Go on with these volumes.",
    "Add a volume.",
    "Change a volume.",
    "Take a volume off the list.",
    "Choose over how many drives: one, several striped, or several mirrored.",
)
SPREAD = 4


def choose_layout(desk: Desk, session: Session) -> Moved:
    """One volume over all the room there is, unless it is changed here."""
    desk.heading(4, "Layout")
    session = still_there(session)
    if not session.wishes:
        session = replace(session, wishes=(fitting(desk.services, session, default_wish(desk, session)),))
    while True:
        chosen = _choose_mode(desk, session)
        if isinstance(chosen, Word):
            return Back(session)
        session = replace(session, mode=chosen)
        outcome = _choose_volumes(desk, session)
        if isinstance(outcome, Next):
            return outcome
        session = outcome.session
        if _is_settled(session):
            return outcome


def _is_settled(session: Session) -> bool:
    """Whether there was no choice of what becomes of the content, since there is none."""
    return session.drive is not None and session.drive.is_empty is True


def default_wish(desk: Desk, session: Session) -> Wish:
    """All that is left, for the purpose and the filesystem that were taken."""
    assert session.drive is not None and session.advice is not None and session.choice is not None
    workload = session.advice.workload
    wish = Wish(session.choice, workload, None, None, None, session.choice_doubts)
    return desk.services.put_to_use(session.drive, wish, session.wishes)


def _choose_mode(desk: Desk, session: Session) -> Mode | Word:
    assert session.drive is not None
    if _is_settled(session):
        desk.talk.say("The drive holds nothing, so nothing can be lost.")
        return Mode.REPLACE
    faults = {mode: _fault(desk, session, mode) for mode in MODES}
    whole = "Empty every zone, for one filesystem without a partition table. What the drive holds is lost."
    replaced = "Replace everything on the drive. What it holds is lost."
    titles = {
        Mode.REPLACE: whole if session.drive.zoned == "host-managed" else replaced,
        Mode.USE_FREE: "Use the free space, and keep all partitions.",
    }
    found = old_filesystems(session.drive)
    kept = (f"{instead_words(found)} the answers behind the drives in step 1.",) if found else ()
    items = tuple(Item(titles[mode], kept if mode is Mode.REPLACE else (), faults[mode]) for mode in MODES)
    topic = Topic("What becomes of what is on the drive? Nothing is written yet.", MODE_HELP)
    # What destroys nothing comes first, where it is possible; to destroy is never what an empty line means,
    # unless it was said before.
    wanted = session.mode or Mode.USE_FREE
    answer = choose(desk.talk, Choosing(topic, items, None if faults[wanted] else MODES.index(wanted)))
    return answer if isinstance(answer, Word) else MODES[answer]


def _fault(desk: Desk, session: Session, mode: Mode) -> str:
    """Why the volumes cannot be made in this way, where that would be so for any volume; empty where it can
    be tried."""
    try:
        planned(desk, replace(session, mode=mode), session.wishes)
    except DiskwrightError as error:
        return str(error)
    return ""


def planned(desk: Desk, session: Session, wishes: tuple[Wish, ...]) -> Plan:
    """The plan for these volumes; raises the planner's reason."""
    return plan_of(desk.services, replace(session, wishes=wishes))


def _choose_volumes(desk: Desk, session: Session) -> Moved:
    """Change the list until the person goes on, which needs a plan."""
    while True:
        plan, fault = _plan_or_fault(desk, session)
        desk.talk.say()
        for line in _volume_lines(session.wishes, plan):
            desk.talk.say(line, hang=2)
        if said := arrangement_words(session):
            desk.talk.say(said)
        if session.stripe:
            desk.talk.say(f"It lies on {spread_words(session)}.", hang=2)
        desk.talk.say(f"Not possible: {fault}" if plan is None else _costs(session, plan))
        last = "The last volume stays; it can be changed." if len(session.wishes) == 1 else ""
        one = (
            ONE_VOLUME
            if len(session.wishes) > 1
            else ""
            if candidates(desk.services, session)
            else "There is no other drive."
        )
        refusals = (
            fault,
            TAKES_ALL if session.stripe else "",
            "",
            last,
            one,
            *arrangement_refusals(desk, session, fault),
        )
        texts = (*ACTIONS, *arrangement_actions(session))
        items = tuple(Item(text, refusal=refusal) for text, refusal in zip(texts, refusals, strict=True))
        topic = Topic(
            "What is to be done with the list of volumes?",
            VOLUMES_HELP,
            reasons=partial(volumes_reasons, session.wishes),
        )
        answer = choose(desk.talk, Choosing(topic, items, None if fault else 0))
        if isinstance(answer, Word):
            return Back(session)
        if answer == 0:
            return Next(replace(session, plan=plan))
        session = _after(desk, session, answer)
        if session.mode is None:
            return Back(session)


def _after(desk: Desk, session: Session, action: int) -> Session:
    """The session after one of the actions but the first."""
    if action == SPREAD:
        return ask_spread(desk, session)
    if action > SPREAD:
        return replace(arranged(desk, session, action - SPREAD - 1), plan=None)
    return replace(session, wishes=_changed(desk, session, action), plan=None)


def _changed(desk: Desk, session: Session, action: int) -> tuple[Wish, ...]:
    """The list after adding (1), changing (2) or taking away (3) a volume."""
    wishes = list(session.wishes)
    if action == 1:
        fresh = default_wish(desk, session)
        return (*wishes, *ask_volume(desk, session, fresh))
    index = 0 if len(wishes) == 1 else _which(desk, session)
    if index is None:
        return session.wishes
    wishes[index : index + 1] = (
        ask_volume(desk, session, wishes[index]) or [wishes[index]] if action == 2 else []
    )
    return tuple(wishes)


def _which(desk: Desk, session: Session) -> int | None:
    items = tuple(Item(line.partition(": ")[2]) for line in _volume_lines(session.wishes, None))
    answer = choose(desk.talk, Choosing(Topic("Which volume?", VOLUMES_HELP), items))
    return None if isinstance(answer, Word) else answer


def _plan_or_fault(desk: Desk, session: Session) -> tuple[Plan | None, str]:
    """The plan; else None and the reason."""
    try:
        return planned(desk, session, session.wishes), ""
    except DiskwrightError as error:
        return None, str(error)


def _volume_lines(wishes: tuple[Wish, ...], plan: Plan | None) -> list[str]:
    return [
        f"Volume {number}: {_volume(wish, volume_bytes(plan, number - 1) if plan else None)}."
        for number, wish in enumerate(wishes, 1)
    ]


def _volume(wish: Wish, made_bytes: int | None) -> str:
    size = size_words(wish, made_bytes)
    label = f'label "{printable(wish.final_label, 20)}"'
    more = "".join(f", {said}" for said in more_words(wish))
    return (
        f"{printable(wish.title, 40)}, {wish.choice.filesystem}, {size}, {label}, "
        f"{place_words(wish.mount_point)}{more}"
    )


def _costs(session: Session, plan: Plan) -> str:
    """That it is possible, and what is lost by it."""
    assert session.drive is not None
    lost = sum(not slot.kept for member in plan.members for slot in member.before.partitions)
    spread = " ".join(f" {said}" for said in (danger_of(plan), mirror_note(plan)) if said)
    then = lost_then(plan)
    if lost:
        are = "1 partition that is" if lost == 1 else f"{lost} partitions that are"
        return f"Possible. Danger: {are} there now will be lost {then}.{spread}"
    if any(member.before.holds_more for member in plan.members) or session.drive.unrecognised_zones:
        drives = "the drive" if len(plan.members) == 1 else "the drives"
        return f"Possible. Danger: all that is on {drives} will be lost {then}.{spread}"
    if any(map(unread_content, (session.drive, *session.others))):
        return f"Possible. Danger: what is there now could not be read, and will be lost {then}.{spread}"
    return f"Possible. No partition is lost.{spread}"
