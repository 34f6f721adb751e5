"""Within step 4: over how many drives the volume goes, and how."""

from dataclasses import replace

from wizard.model.errors import DiskwrightError
from wizard.model.machine import Drive
from wizard.plain.desk import Desk
from wizard.plain.drivewords import drive_line
from wizard.plain.questions import Choosing, Item, Topic, Word, agreed, choose
from wizard.services.session import Session
from wizard.services.spread import ALONE, WAYS, Way, candidates, loss_words, spread

SPREAD_HELP = (
    "A mirror keeps every file on more than one drive, so that a drive may fail; it has half the room or "
    "less, and is no backup: what is deleted is gone from all of them.",
    "A stripe puts each file in pieces on all drives: as much room and speed as they have together, and "
    "everything is lost when any one of them fails.",
    "Every drive is taken whole, and gives as much as the smallest one has. What they hold now is lost when "
    "you keep the result, or with md and LVM when the plan is applied, not before.",
)


def ask_spread(desk: Desk, session: Session) -> Session:
    """The session over the drives that are named, or as it was where the person goes back."""
    while True:
        others = _ask_drives(desk, session)
        if others is None:
            return session
        if not others:
            return spread(desk.services, session, ALONE, ())
        loss = loss_words((*session.drives[:1], *others))
        if loss and not agreed(
            desk.talk, f"Take these drives whole? {loss}", "No, choose other drives.", "Yes, take them."
        ):
            continue
        laid = _ask_way(desk, session, others)
        if laid is not None:
            return laid


def _ask_drives(desk: Desk, session: Session) -> tuple[Drive, ...] | None:
    """The drives besides the first, one after the other; None where the person goes back."""
    assert session.drive is not None
    taken: list[Drive] = []
    found = candidates(desk.services, session)
    while True:
        left = [(drive, refusal) for drive, refusal in found if drive not in taken]
        paths = [session.drive.path, *(drive.path for drive in taken)]
        enough = (
            f"On {paths[0]} alone." if not taken else f"No more: {', '.join(paths[:-1])} and {paths[-1]}."
        )
        items = (Item(enough), *(Item(drive_line(drive), refusal=refusal) for drive, refusal in left))
        topic = Topic(
            "Which drive is to be taken as well?" if not taken else "Which further drive is to be taken?",
            SPREAD_HELP,
        )
        answer = choose(desk.talk, Choosing(topic, items, 0))
        if isinstance(answer, Word):
            return None
        if answer == 0:
            return tuple(taken)
        taken.append(left[answer - 1][0])


def _ask_way(desk: Desk, session: Session, others: tuple[Drive, ...]) -> Session | None:
    """The session with the volume laid over these drives in one of the ways; None where the person goes
    back."""
    ways = WAYS[1:]
    tried = [_tried(desk, session, way, others) for way in ways]
    items = tuple(
        Item(f"{way.title}.", refusal=found if isinstance(found, str) else "")
        for way, found in zip(ways, tried, strict=True)
    )
    answer = choose(desk.talk, Choosing(Topic("How is the volume to lie on them?", SPREAD_HELP), items))
    if isinstance(answer, Word):
        return None
    laid = tried[answer]
    assert isinstance(laid, Session)
    return replace(laid, plan=None)


def _tried(desk: Desk, session: Session, way: Way, others: tuple[Drive, ...]) -> Session | str:
    """The session laid out in this way, or why it cannot be."""
    try:
        return spread(desk.services, session, way, others)
    except DiskwrightError as error:
        return str(error)
