"""A way to ext4 as a row, and everything that is said of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wizard.desk.parts.drive_rows import finding_paras
from wizard.desk.view import Block, Column, Pane, Piece, Row, Text, Tone, muted, para, strong
from wizard.migrate.told.ways import COMPARED, MEANS, SUMMARIES, TITLES, is_damaged
from wizard.model.documents.migration import Means, Way
from wizard.model.said import Sentence, t

if TYPE_CHECKING:
    from wizard.model.documents.migration import Offer, Prospect
    from wizard.services.session import Moving

NOTHING_LOST = Sentence("nothing is lost")

COLUMNS = (
    Column(t("Way")),
    Column(t("Takes"), right=True),
    Column(t("Room elsewhere"), right=True),
    Column(t("If the power goes"), least=90),
    Column(t("Here")),
)
POWER = {
    Means.TRANSACTION: (NOTHING_LOST, Tone.GOOD),
    Means.DIRECT: (Sentence("have a backup"), Tone.WARN),
    Means.FILES: (Sentence("nothing happens"), Tone.GOOD),
    Means.COPY: (NOTHING_LOST, Tone.GOOD),
}


def way_row(offer: Offer, prospect: Prospect, moving: Moving) -> Row:
    """What it takes, and whether it can be had here."""
    power, tone = POWER[offer.means]
    cells = (
        strong(TITLES[offer.way]),
        Piece(t("{seconds:time}", seconds=offer.seconds) if offer.seconds >= 1 else t("no time")),
        Piece(t("{size:size}", size=offer.room_bytes) if offer.room_bytes else t("none")),
        Piece(power(), tone),
        _standing(offer, prospect),
    )
    why_not = obstacle_words(prospect, offer) if not moving.repairs else ""
    return Row(offer.way.value, cells, why_not=why_not)


def obstacle_words(prospect: Prospect, offer: Offer) -> Text:
    """What stands against a way, empty for nothing. What helps stands where the finding itself is told."""
    found = (one.sentence for one in prospect.findings if one.code == offer.obstacle_code)
    return next(found, offer.obstacle) if offer.obstacle else ""


def _standing(offer: Offer, prospect: Prospect) -> Piece:
    if offer.obstacle:
        return Piece(t("cannot"), Tone.WARN)
    if offer.way is prospect.default:
        return Piece(t("recommended"), Tone.GOOD)
    return Piece(t("good too"))


def way_panes(prospect: Prospect, offer: Offer, moving: Moving) -> tuple[Pane, ...]:
    """Everything of the way under the cursor, then what was found of the filesystem."""
    found = tuple(finding_paras(prospect.findings))
    told = Pane(TITLES[offer.way], tuple(_offer_blocks(prospect, offer, moving)))
    return (told, Pane(t("About this filesystem"), found)) if found else (told,)


def _offer_blocks(prospect: Prospect, offer: Offer, moving: Moving) -> Iterator[Block]:
    if offer.obstacle:
        yield para(Piece(t("Cannot:"), Tone.WARN), obstacle_words(prospect, offer), hang=2)
    yield para(SUMMARIES[offer.way])
    yield from _listed(t("Gets:"), offer.gains)
    yield from _listed(t("Costs:"), offer.costs)
    yield from _listed(t("Undo:"), (offer.undone,))
    yield from _listed(t("How:"), (MEANS[offer.means],))
    yield para(muted(t("Settled:")), *settled(prospect, offer, moving), hang=2)


def _listed(caption: Text, said: Sequence[str]) -> Iterator[Block]:
    """The caption before the first one; the others stand below it."""
    for number, one in enumerate(said):
        yield para(muted(caption), one, hang=2) if number == 0 else para(one, indent=2, hang=2)


def settled(prospect: Prospect, offer: Offer, moving: Moving) -> Iterator[Text]:
    """What is settled beside the way."""
    if offer.way not in COMPARED:
        yield (
            t("the way itself compares every file.")
            if offer.way is Way.FRESH
            else t("there is nothing to compare.")
        )
    elif moving.compares:
        yield t(
            "every file is compared before and after, which takes {seconds:time}.",
            seconds=moving.comparing_seconds,
        )
    else:
        yield t("files are not compared one by one.")
    if is_damaged(prospect.before):
        yield t("Damage may be repaired.") if moving.repairs else t("Damage is not repaired.")
    if moving.folder is not None:
        yield t("Room is taken in {folder}.", folder=str(moving.folder))
    if moving.target is not None and offer.way is Way.FRESH:
        yield t("It is made on {target}.", target=moving.target)
