"""Advice as paragraphs: options with reason and risk, and published figures in words."""

from collections.abc import Iterable, Sequence

from wizard.layout.wishes.wish import Wish
from wizard.model.advice import Advice, Choice, Evidence, Option, Place, ZonedUse
from wizard.model.names import printable
from wizard.plain.talk import Para

PLACES = {Place.CHOSEN: "advised", Place.SECOND: "a good choice too", Place.REJECTED: "not advised"}


def choice_line(choice: Choice) -> str:
    """`ext4: advised. It suits because ...`"""
    word = "cannot be made here" if choice.obstacles else PLACES[choice.place]
    return f"{choice.filesystem}: {word}. {printable(choice.sentence, 500)}"


def notes_paragraphs(advice: Advice) -> list[Para]:
    """What is in doubt about such a drive, what else is good to know, and what could live in its zones."""
    said = [Para(f"In doubt: {printable(doubt, 500)}", 0, 2) for doubt in advice.doubts]
    said += [Para(f"Good to know: {printable(note, 500)}", 0, 2) for note in advice.notes]
    if advice.unmade:
        said.append(
            Para(
                f"Known, and never made: {', '.join(unmade.title for unmade in advice.unmade)}. ? tells why.",
                0,
                2,
            )
        )
    return [*said, *_zoned(advice.zoned)]


def unmade_sentences(advice: Advice) -> tuple[str, ...]:
    """Why each filesystem that is never made is not, and how to get off it."""
    return tuple(
        f"{unmade.title}: {printable(unmade.why_not, 500)} {printable(unmade.way_off, 500)}"
        for unmade in advice.unmade
    )


def volumes_reasons(wishes: Iterable[Wish]) -> list[Para]:
    """The reasons behind the filesystem and the options of each volume."""
    said: list[Para] = []
    for number, wish in enumerate(wishes, 1):
        said += [
            Para(),
            Para(f"Volume {number}, for {printable(wish.workload.title, 70)}:"),
            *choice_reasons(wish.choice)[1:-1],
        ]
        said += [Para(f"In doubt: {printable(doubt, 500)}", 2, 2) for doubt in wish.doubts]
    return [*said, Para()]


def _zoned(uses: Sequence[ZonedUse]) -> list[Para]:
    said = [Para("In its zones, on this kernel with these programs:")] if uses else []
    for use in uses:
        said.append(Para(f"{use.verdict}. {printable(use.sentence, 600)}", 2, 2))
        said += [Para(f"Command: {printable(command, 200)}", 4, 2) for command in use.commands]
    return said


def options_paragraphs(choice: Choice) -> list[Para]:
    """What it is made and mounted with, each option with why and risk."""
    scheduler = (choice.scheduler,) if choice.scheduler else ()
    said: list[Para] = []
    for caption, options in (
        (f"Options of mkfs.{choice.filesystem}", choice.mkfs),
        ("Options of mount", choice.mount),
        ("Scheduler of the drive's queue, which the plan does not change", scheduler),
    ):
        said.append(Para(f"{caption}{':' if options else ': none beyond the defaults.'}"))
        said += _options(options)
    return said


def _options(options: Iterable[Option]) -> list[Para]:
    said: list[Para] = []
    for option in options:
        said.append(Para(f"{printable(option.text, 60)}: {printable(option.why, 300)}", 2, 2))
        said += [Para(f"Risk: {printable(option.risk, 300)}", 4, 2)] if option.risk else []
    return said


def choice_reasons(choice: Choice) -> list[Para]:
    """Everything behind a place in the ranking: options, what is not offered, and the figures."""
    said = [Para(), Para(choice_line(choice))]
    said += [Para(f"It cannot be made: {printable(obstacle, 300)}", 2, 2) for obstacle in choice.obstacles]
    said += [] if choice.obstacles else options_paragraphs(choice)
    said += [Para("Thought of, and not offered:")] if choice.withheld else []
    said += [
        Para(f"{printable(held.text, 40)}: {printable(held.reason, 300)}", 2, 2) for held in choice.withheld
    ]
    if not choice.evidence:
        said.append(Para("No published figure stands behind this place; the sentence is a judgement."))
    return [*said, *evidence_paragraphs(choice.evidence), Para()]


def evidence_paragraphs(cards: Iterable[Evidence]) -> list[Para]:
    """Published figures, one card after the other."""
    return [paragraph for card in cards for paragraph in _evidence(card)]


def _evidence(card: Evidence) -> list[Para]:
    """One card: what was measured, the figures from best to worst, what dates them, and where they stand."""
    said = [Para(f"Evidence: {printable(card.title, 200)}")]
    if card.figures:
        better = "less is better" if card.lower_is_better else "more is better"
        ordered = sorted(card.figures, key=lambda figure: figure[1], reverse=not card.lower_is_better)
        figures = "; ".join(f"{printable(name, 30)} {value:g}" for name, value in ordered)
        said.append(Para(f"{printable(card.unit, 60)}, {better}, best first: {figures}.", 2, 2))
    said += [Para(printable(card.note, 800), 2, 2)] if card.note else []
    dated = (
        f"Measured: {printable(card.era, 60)}, kernel {printable(card.kernel, 60)}, "
        f"{printable(card.hardware, 160)}"
    )
    return [*said, Para(dated, 2, 2), Para(f"Source: {printable(card.source, 200)}", 2, 2)]
