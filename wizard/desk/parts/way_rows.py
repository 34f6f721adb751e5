"""A way to ext4 as a row, and everything that is said of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wizard.desk.parts.drive_rows import finding_paras
from wizard.desk.places.words import ways as words
from wizard.desk.view import Block, Column, Pane, Piece, Row, Text, Tone, muted, para, strong
from wizard.desk.words import SIZE, TIME
from wizard.migrate.told.ways import COMPARED, MEANS, SUMMARIES, TITLES, is_damaged
from wizard.model.documents.migration import Means, Way

if TYPE_CHECKING:
    from wizard.model.documents.migration import Offer, Prospect
    from wizard.services.session import Moving

COLUMNS = (
    Column(words.WAY()),
    Column(words.TAKES(), right=True),
    Column(words.ROOM(), right=True),
    Column(words.POWER(), least=90),
    Column(words.HERE()),
)
POWER = {
    Means.TRANSACTION: (words.NOTHING_LOST, Tone.GOOD),
    Means.DIRECT: (words.HAVE_BACKUP, Tone.WARN),
    Means.FILES: (words.NOTHING_HAPPENS, Tone.GOOD),
    Means.COPY: (words.NOTHING_LOST, Tone.GOOD),
}


def way_row(offer: Offer, prospect: Prospect, moving: Moving) -> Row:
    """What it takes, and whether it can be had here."""
    power, tone = POWER[offer.means]
    cells = (
        strong(TITLES[offer.way]),
        Piece(TIME(seconds=offer.seconds) if offer.seconds >= 1 else words.NO_TIME()),
        Piece(SIZE(size=offer.room_bytes) if offer.room_bytes else words.NO_ROOM()),
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
        return Piece(words.CANNOT(), Tone.WARN)
    if offer.way is prospect.default:
        return Piece(words.RECOMMENDED(), Tone.GOOD)
    return Piece(words.GOOD_TOO())


def way_panes(prospect: Prospect, offer: Offer, moving: Moving) -> tuple[Pane, ...]:
    """Everything of the way under the cursor, then what was found of the filesystem."""
    found = tuple(finding_paras(prospect.findings))
    told = Pane(TITLES[offer.way], tuple(_offer_blocks(prospect, offer, moving)))
    return (told, Pane(words.FOUND(), found)) if found else (told,)


def _offer_blocks(prospect: Prospect, offer: Offer, moving: Moving) -> Iterator[Block]:
    if offer.obstacle:
        yield para(Piece(words.CANNOT_HERE(), Tone.WARN), obstacle_words(prospect, offer), hang=2)
    yield para(SUMMARIES[offer.way])
    yield from _listed(words.GETS(), offer.gains)
    yield from _listed(words.COSTS(), offer.costs)
    yield from _listed(words.UNDO(), (offer.undone,))
    yield from _listed(words.HOW(), (MEANS[offer.means],))
    yield para(muted(words.SETTLED()), *settled(prospect, offer, moving), hang=2)


def _listed(caption: Text, said: Sequence[str]) -> Iterator[Block]:
    """The caption before the first one; the others stand below it."""
    for number, one in enumerate(said):
        yield para(muted(caption), one, hang=2) if number == 0 else para(one, indent=2, hang=2)


def settled(prospect: Prospect, offer: Offer, moving: Moving) -> Iterator[Text]:
    """What is settled beside the way."""
    if offer.way not in COMPARED:
        yield words.COMPARES_ITSELF() if offer.way is Way.FRESH else words.NOTHING_TO_COMPARE()
    elif moving.compares:
        yield words.COMPARED(seconds=moving.comparing_seconds)
    else:
        yield words.NOT_COMPARED()
    if is_damaged(prospect.before):
        yield words.REPAIRED() if moving.repairs else words.NOT_REPAIRED()
    if moving.folder is not None:
        yield words.IN_FOLDER(folder=str(moving.folder))
    if moving.target is not None and offer.way is Way.FRESH:
        yield words.ON_TARGET(target=moving.target)
