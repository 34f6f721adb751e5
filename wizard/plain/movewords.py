"""A migration to ext4 as paragraphs to be read or heard."""

from collections.abc import Iterator, Sequence

from wizard.layout.told.text import command_lines, wrapped
from wizard.migrate.told.ways import (
    MEANS,
    SUMMARIES,
    how_sentences,
    risk_sentences,
    room_words,
    time_words,
    title_words,
)
from wizard.model.migration import Migration, MigrationStep, Offer, Way
from wizard.model.names import printable
from wizard.model.units import roughly
from wizard.plain.questions import Item
from wizard.plain.talk import Para

LONGEST = 1000


def offer_item(offer: Offer, default: Way | None, *, repairs: bool) -> Item:
    """A way as an answer, with all that is said of it. Where damage may be repaired, only planning tells what
    still stands against it."""
    proposed = ", proposed" if offer.way is default else ""
    more = (
        SUMMARIES[offer.way],
        *(f"Gain: {printable(gain, LONGEST)}" for gain in offer.gains),
        *(f"Cost: {printable(cost, LONGEST)}" for cost in offer.costs),
        f"Takes {time_words(offer)}{' (an estimate)' if offer.seconds >= 1 else ''}; room elsewhere: "
        f"{room_words(offer)}.",
        f"Undone: {printable(offer.undone, LONGEST)}",
        f"How: {MEANS[offer.means]}",
    )
    return Item(
        f"{title_words(offer)}{proposed}.", more, "" if repairs else printable(offer.obstacle, LONGEST)
    )


def how_paragraphs(migration: Migration) -> list[Para]:
    """How it is made safe, and what it brings."""
    said = [*how_sentences(migration), *(f"Gain: {printable(gain, LONGEST)}" for gain in migration.gains)]
    return [Para(sentence, hang=2) for sentence in said]


def risk_paragraphs(migration: Migration, journal_doubts: Sequence[str]) -> list[Para]:
    """What may happen, and what is in doubt."""
    said = [Para(f"What may happen: {sentence}", hang=2) for sentence in risk_sentences(migration)]
    return said + [
        Para(f"In doubt: {printable(doubt, LONGEST)}", hang=2)
        for doubt in (*migration.doubts, *journal_doubts)
    ]


def steps_lines(migration: Migration, width: int) -> Iterator[str]:
    """The steps in order; commands stand alone on their lines, and wrapped ones end in a backslash."""
    count, total = len(migration.steps), sum(step.seconds for step in migration.steps)
    yield from wrapped(f"{count} step{'s' * (count != 1)}, {roughly(total)} (an estimate):", width)
    for number, step in enumerate(migration.steps, 1):
        yield ""
        yield from _step_lines(number, step, width)


def _step_lines(number: int, step: MigrationStep, width: int) -> Iterator[str]:
    yield from wrapped(f"{number:>2}. {printable(step.sentence, LONGEST)}", width, hang=4)
    for argv in step.commands:
        yield from command_lines(argv, width, indent=6)
    for edit in step.edits:
        yield from wrapped(f"      {printable(edit, 4000)}", width, hang=8)
    said = [
        ("Undo", step.undo),
        ("If the power goes", step.power),
        *(("Checked", check) for check in step.holds),
    ]
    for caption, text in said:
        if text:
            yield from wrapped(f"    {caption}: {printable(text, LONGEST)}", width, hang=6)
    if step.seconds >= 1:
        yield from wrapped(f"    Takes {roughly(step.seconds)} (an estimate).", width, hang=6)
