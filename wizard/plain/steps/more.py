"""The rest of a volume: its role, its encryption, its subvolumes. One question leads past all of it."""

from dataclasses import replace

from wizard.layout.wishes.roles import ROLES
from wizard.layout.wishes.subvolumes import parse_subvolumes, subvolumes_written
from wizard.layout.wishes.wish import Wish, check_wishes, size_words
from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.model.plan import Subvolume
from wizard.plain.desk import Desk
from wizard.plain.questions import Choosing, Item, Topic, Word, Writing, choose, write
from wizard.services.session import Session
from wizard.services.spread import plan_of

HELP = (
    "Role: what the volume is to a system that starts from this drive. The partition gets the type by which "
    "firmware and system find it, and the volume the filesystem and the size that are usual for it.",
    "Encryption: everything in the volume is written encrypted (LUKS2). Applying asks for the passphrase, "
    "and every start does; whoever loses it loses the data.",
    "Subvolumes: parts of a Btrfs that are mounted and kept in snapshots each for itself.",
)
SUBVOLUMES_HELP = (
    "A name each, and behind a colon the directory where it is mounted, such as @:/mnt/new, "
    "@home:/mnt/new/home, @snapshots. Without a directory it is made and mounted nowhere.",
)
NONE = "none"


class Left(Exception):
    """The person leaves the volume as it was."""


def ask_more(desk: Desk, session: Session, wish: Wish) -> Wish:
    """The volume with whatever is changed of its role, encryption and subvolumes; an empty line leaves all of
    it as it is."""
    while True:
        items = (
            Item("Nothing more."),
            Item(f"Its role, which is {ROLES[wish.role].title if wish.role else NONE}."),
            Item(
                f"Its encryption, which is {'LUKS2' if wish.encrypted else NONE}.",
                refusal=_encryption_refusal(desk, session, wish),
            ),
            Item(
                f"Its subvolumes, which are {_subvolumes_words(wish)}.",
                refusal=_subvolumes_refusal(desk, session, wish),
            ),
        )
        answer = choose(
            desk.talk, Choosing(Topic("Is anything more of this volume to be changed?", HELP), items, 0)
        )
        if isinstance(answer, Word):
            raise Left
        if answer == 0:
            return wish
        wish = (_ask_role, _switch_encryption, _ask_subvolumes)[answer - 1](desk, session, wish)


def _ask_role(desk: Desk, session: Session, wish: Wish) -> Wish:
    """Another role, with what that calls for; as it was where the person goes back."""
    tried = {name: _in_role(desk, session, wish, name) for name in ("", *ROLES)}
    items = tuple(
        Item(
            f"{ROLES[name].title}." if name else "None: its purpose says all.",
            (ROLES[name].summary,) if name else (),
            found if isinstance(found, str) else "",
        )
        for name, found in tried.items()
    )
    answer = choose(
        desk.talk,
        Choosing(Topic("Which role has the volume?", HELP[:1]), items, list(tried).index(wish.role)),
    )
    if isinstance(answer, Word):
        return wish
    name = list(tried)[answer]
    changed = tried[name]
    if name == wish.role or isinstance(changed, str):
        return wish
    desk.talk.say(
        (
            f"The volume is now {changed.choice.filesystem}, size {size_words(changed, None)}, and mounted "
            "nowhere."
        )
        if name
        else ""
    )
    return changed


def _in_role(desk: Desk, session: Session, wish: Wish, role: str) -> Wish | str:
    """The wish with the role, or why it cannot have it."""
    assert session.machine is not None and session.drive is not None and session.diagnosis is not None
    try:
        return desk.services.in_role(session.machine, session.drive, session.diagnosis.recording, wish, role)
    except DiskwrightError as error:
        return str(error)


def _switch_encryption(_: Desk, __: Session, wish: Wish) -> Wish:
    return replace(wish, encrypted=not wish.encrypted)


def _encryption_refusal(desk: Desk, session: Session, wish: Wish) -> str:
    return "" if wish.encrypted else _refusal(desk, session, wish, replace(wish, encrypted=True))


def _subvolumes_refusal(desk: Desk, session: Session, wish: Wish) -> str:
    return (
        "" if wish.subvolumes else _refusal(desk, session, wish, replace(wish, subvolumes=(Subvolume("@"),)))
    )


def _refusal(desk: Desk, session: Session, wish: Wish, changed: Wish) -> str:
    """Why the planner would not take the volume for what is changed in it; empty where it would, or takes it
    neither way."""
    without, fault = _fault(desk, session, wish), _fault(desk, session, changed)
    return "" if without else fault


def _fault(desk: Desk, session: Session, wish: Wish) -> str:
    try:
        plan_of(desk.services, replace(session, wishes=(wish,)))
    except DiskwrightError as error:
        return str(error)
    return ""


def _subvolumes_words(wish: Wish) -> str:
    return printable(subvolumes_written(wish.subvolumes), 400) or NONE


def _ask_subvolumes(desk: Desk, _: Session, wish: Wish) -> Wish:
    def take(answer: str) -> Wish:
        if not answer:
            return wish
        changed = replace(wish, subvolumes=parse_subvolumes("" if answer.lower() == NONE else answer))
        check_wishes((changed,))
        return changed

    topic = Topic(
        "Which subvolumes? Such as @:/mnt/new, @home:/mnt/new/home; or the word none.", SUBVOLUMES_HELP
    )
    taken = write(desk.talk, Writing(topic, "", _subvolumes_words(wish)), take)
    return wish if isinstance(taken, Word) else taken
