"""Options beside those that are advised, in step 3: taken one by one, a dangerous one only when its danger is
typed back."""

from collections.abc import Sequence
from functools import partial

from wizard.advise.asked import Taken
from wizard.advise.offered import Offered
from wizard.model.advice import Choice
from wizard.model.errors import BadInput, DiskwrightError
from wizard.model.names import printable
from wizard.plain.desk import Desk
from wizard.plain.questions import Choosing, Item, Topic, Word, Writing, choose, write
from wizard.plain.talk import Para
from wizard.services.session import Session

HELP = (
    "Each number is an option of the program that makes the filesystem, mkfs, or of mount. The number of one "
    "that was taken drops it again. An advised one is used by itself, and gives way to one that cannot stand "
    "beside it.",
    "What is not advised or dangerous is repeated in the plan, with the reason. A volume that the system "
    "lives on never gets a dangerous one.",
)
DANGER_HELP = ("The option is taken only by these words, exactly. An empty line or b leaves it.",)
DONE = "Done: go back to the filesystems."


def choose_options(desk: Desk, session: Session, taken: Taken, advised: Choice) -> Taken:
    """The choice with what was taken and dropped; `taken` as it was where the catalogue cannot be read."""
    assert (
        session.machine is not None
        and session.drive is not None
        and session.diagnosis is not None
        and session.advice is not None
    )
    asked = (session.machine, session.drive, session.diagnosis.recording, session.advice.workload.id, advised)
    try:
        offers = desk.services.offered_options(*asked)
    except DiskwrightError as error:
        desk.talk.say(str(error))
        return taken
    topic = Topic(f"Which option of {advised.filesystem} is to be taken or dropped?", HELP)
    open_offers = [offer for offer in offers if not offer.advised]
    while True:
        desk.talk.say()
        desk.talk.say_all(_used(taken))
        items = (Item(DONE), *(_item(offer, taken) for offer in open_offers))
        answer = choose(desk.talk, Choosing(topic, items, 0))
        if isinstance(answer, Word) or answer == 0:
            return taken
        option = open_offers[answer - 1].option
        names, phrases = _changed(taken, option.id), taken.phrases
        if option.id in names and option.phrase:
            if not _typed(desk, open_offers[answer - 1]):
                desk.talk.say(f"{printable(option.text, 60)} is not taken.")
                continue
            phrases = (*phrases, option.phrase)
        wanted = {offer.option.phrase for offer in offers if offer.option.id in names}
        try:
            taken = desk.services.take_options(
                *asked, names, [phrase for phrase in phrases if phrase in wanted]
            )
        except DiskwrightError as error:
            desk.talk.say(str(error))


def _used(taken: Taken) -> list[Para]:
    """What the filesystem is made and mounted with as it is now."""
    choice = taken.choice
    made = ", ".join(printable(option.text, 60) for option in choice.mkfs) or "nothing beyond the defaults"
    mounted = (
        ", ".join(printable(option.text, 60) for option in choice.mount) or "nothing beyond the defaults"
    )
    return [Para(f"{choice.filesystem} is made with {made}; mounted with {mounted}.")]


def _item(offer: Offered, taken: Taken) -> Item:
    word = "taken" if offer.option.id in taken.names else offer.standing
    said = (
        f"{offer.option.kind}: {printable(offer.option.text, 60)}: {word}. "
        f"{printable(offer.option.does or offer.option.why, 400)}"
    )
    return Item(said, refusal=offer.refusal, reasons=partial(_reasons, offer))


def _reasons(offer: Offered) -> list[Para]:
    return [
        Para(),
        Para(f"{printable(offer.option.text, 60)}:"),
        *(Para(printable(text, 600), 2, 2) for text in offer.sentences),
        Para(),
    ]


def _changed(taken: Taken, name: str) -> Sequence[str]:
    """The ids with one more, or without one that is there."""
    kept = [known for known in taken.names if known != name]
    return kept if len(kept) < len(taken.names) else [*kept, name]


def _typed(desk: Desk, offer: Offered) -> bool:
    """Whether the danger of an option was typed back."""
    option = offer.option

    def same(answer: str) -> bool:
        if answer and answer != option.phrase:
            raise BadInput("That is not its danger.")
        return bool(answer)

    asks = (
        f"{printable(option.text, 60)} puts data at risk. {printable(option.never, 400)} To have it, type "
        f"exactly: {option.phrase}"
    )
    return write(desk.talk, Writing(Topic(asks, DANGER_HELP), "", "that it is not taken"), same) is True
