"""One volume, field by field: each question proposes what the volume has now."""

from collections.abc import Callable
from dataclasses import replace

from wizard.advise.workloads import Profile
from wizard.layout.wishes.wish import Wish, check_wishes, parse_share, size_words
from wizard.model.advice import Advice, Choice
from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.plan import NO_PLACE
from wizard.plain.desk import Desk
from wizard.plain.questions import Choosing, Topic, Word, Writing, choose, write
from wizard.plain.steps.advice import choice_item
from wizard.plain.steps.more import Left, ask_more
from wizard.plain.steps.purpose import HELP as PURPOSE_HELP
from wizard.plain.steps.purpose import purpose_item
from wizard.services.session import Session

FILESYSTEM_HELP = (
    "The ranking for this purpose on this drive. e and a number tells why, with the published figures.",
)
SIZE_HELP = (
    "500G and 500GiB are powers of 1024, 500GB is as on the drive's box, a power of 1000. 30% is that share "
    "of all the room there is for volumes. One volume can take the rest: all that the others leave.",
)
LABEL_HELP = (
    "The name by which the volume is found. Where the label is one of the wizard's own words, put = before "
    "it, such as =b.",
)
MOUNT_HELP = (
    "The directory where the volume appears, such as /srv/media: now and at every start, by a line in "
    "/etc/fstab. no makes the volume and mounts it nowhere.",
)
SWAP_HELP = (
    "Swap that is turned on serves the kernel as memory: now and at every start, by a line in /etc/fstab.",
)
NO, YES = "no", "yes"

Change = Callable[[Wish, str], Wish]


def ask_volume(desk: Desk, session: Session, wish: Wish) -> list[Wish]:
    """The changed volume; none where the person goes back."""
    try:
        wish = _ask_kind(desk, session, wish)
        size = size_words(wish, None)
        wish = _ask(
            desk,
            Topic(
                "How large? A size such as 500G or 750GB, a share such as 30%, or the word rest.", SIZE_HELP
            ),
            wish,
            size,
            _sized,
        )
        label = printable(wish.final_label, 20)
        wish = _ask(desk, Topic("Which label?", LABEL_HELP), wish, label, _labelled)
        wish = _ask_place(desk, wish)
        wish = ask_more(desk, session, wish)
    except Left:
        desk.talk.say("The list of volumes stays as it was.")
        return []
    return [wish]


def _ask_place(desk: Desk, wish: Wish) -> Wish:
    """Where it is mounted; for swap, whether it is turned on."""
    if wish.choice.filesystem == "swap":
        topic = Topic("Is the swap turned on, now and at every start? yes or no.", SWAP_HELP)
        return _ask(desk, topic, wish, YES if wish.mount_point else NO, _turned_on)
    mount = printable(wish.mount_point, 60) if wish.mount_point else NO
    return _ask(
        desk, Topic("Where is it mounted? A directory, or the word no.", MOUNT_HELP), wish, mount, _mounted
    )


def _ask_kind(desk: Desk, session: Session, wish: Wish) -> Wish:
    """Purpose and filesystem."""
    profiles = desk.services.profiles()
    index = _ask_purpose(desk, profiles, wish)
    advice = _advice(desk, session, profiles[index].workload.id)
    kept = (
        wish.choice.filesystem
        if advice.workload.id == wish.workload.id or advice.chosen is None
        else advice.chosen.filesystem
    )
    choices = _choices(desk, session, advice.workload.id, wish.role)
    names = [choice.filesystem for choice in choices]
    topic = Topic("Which filesystem?", FILESYSTEM_HELP)
    default = names.index(kept) if kept in names and not choices[names.index(kept)].obstacles else None
    answer = choose(
        desk.talk, Choosing(topic, tuple(choice_item(choice, brief=True) for choice in choices), default)
    )
    if isinstance(answer, Word):
        raise Left
    choice = choices[answer]
    # What was asked for beside the advice stays with what it was asked for.
    same = (advice.workload.id, choice.filesystem) == (wish.workload.id, wish.choice.filesystem)
    choice, doubts = (wish.choice, wish.doubts) if same else (choice, ())
    # A directory is no place for swap, and to be turned on is none for anything else.
    swaps = (
        "swap" in (choice.filesystem, wish.choice.filesystem) and choice.filesystem != wish.choice.filesystem
    )
    return replace(
        wish,
        choice=choice,
        doubts=doubts,
        workload=advice.workload,
        mount_point=None if swaps else wish.mount_point,
    )


def _ask_purpose(desk: Desk, profiles: tuple[Profile, ...], wish: Wish) -> int:
    names = [profile.workload.id for profile in profiles]
    default = names.index(wish.workload.id) if wish.workload.id in names else None
    items = tuple(purpose_item(profile, brief=True) for profile in profiles)
    answer = choose(desk.talk, Choosing(Topic("What is the volume for?", PURPOSE_HELP), items, default))
    if isinstance(answer, Word):
        raise Left
    return answer


def _advice(desk: Desk, session: Session, workload: str) -> Advice:
    assert session.machine is not None and session.drive is not None and session.diagnosis is not None
    return desk.services.advise(session.machine, session.drive, session.diagnosis.recording, workload)


def _choices(desk: Desk, session: Session, workload: str, role: str) -> tuple[Choice, ...]:
    assert session.machine is not None and session.drive is not None and session.diagnosis is not None
    return desk.services.volume_choices(
        session.machine, session.drive, session.diagnosis.recording, workload, role
    )


def _ask(desk: Desk, topic: Topic, wish: Wish, means: str, change: Change) -> Wish:
    """One field; an empty line leaves it as it is."""

    def take(answer: str) -> Wish:
        changed = change(wish, answer) if answer else wish
        check_wishes((changed,))
        return changed

    taken = write(desk.talk, Writing(topic, "", means), take)
    if isinstance(taken, Word):
        raise Left
    return taken


def _sized(wish: Wish, answer: str) -> Wish:
    size_bytes, percent = parse_share(answer)
    return replace(wish, size_bytes=size_bytes, percent=percent)


def _labelled(wish: Wish, answer: str) -> Wish:
    return replace(wish, label=answer)


def _mounted(wish: Wish, answer: str) -> Wish:
    return replace(wish, mount_point=None if answer.lower() == NO else answer)


def _turned_on(wish: Wish, answer: str) -> Wish:
    if answer.lower() not in (NO, YES):
        raise BadInput("Type yes or no.")
    return replace(wish, mount_point=NO_PLACE if answer.lower() == YES else None)
