"""A ranking of filesystems as text: ratings, options with reasons, and published figures. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from wizard.advice.missing import for_files
from wizard.filesystems.registry import title_of
from wizard.model.advice import Advice, Choice, Evidence, Option, Rank, Unmade, ZonedUse
from wizard.model.said import t
from wizard.ui import view as ui
from wizard.ui.components.plan_rows import RANKS
from wizard.ui.components.reasons import evidence_blocks

CANNOT = t("cannot")
IN_DOUBT = t("Note:")

FIGURES_OF_UNMADE = 3
"""Most figures to show for an unsupported filesystem. The JSON document has all."""


def none_usable(advice: Advice) -> ui.Text:
    """Explain that no filesystem can be created, or that none suits the purpose."""
    return (
        t("No filesystem suits this purpose here. Those without an obstacle can still be created.")
        if for_files(advice.usable)
        else t("No filesystem can be created here.")
    )


def rating(choice: Choice) -> ui.Piece:
    """Return the rating in a word or two. Filesystems outside the ranking get a plain tone."""
    if choice.obstacles:
        return ui.Piece(CANNOT, ui.Tone.MUTED)
    word, tone = RANKS[choice.place if choice.ranked else Rank.NOT_RECOMMENDED]
    return ui.Piece(word(), tone if choice.ranked else ui.Tone.PLAIN)


def choice_blocks(
    choice: Choice, doubts: Iterable[ui.Text] = (), told: Collection[Option] = (), *, withheld: bool = True
) -> Iterator[ui.Block]:
    """Explain the rating, with mkfs and mount options. Omits the first obstacle, shown in the row, and
    reasons of the options in `told`."""
    yield ui.para(choice.sentence)
    for obstacle in choice.obstacles[1:]:
        yield ui.para(ui.Piece(t("Not possible here:"), ui.Tone.DANGER), obstacle, hang=2)
    for doubt in doubts:
        yield ui.para(ui.Piece(IN_DOUBT, ui.Tone.WARN), doubt, hang=2)
    if choice.obstacles:
        return
    yield ui.GAP
    yield from _options(t("Made with"), choice.mkfs, told)
    yield from _options(t("Mounted with"), choice.mount, told)
    if choice.scheduler:
        yield from _options(t("Drive scheduler (not changed by the plan)"), (choice.scheduler,), told)
    if not withheld:
        return
    if choice.withheld:
        yield ui.para(ui.strong(t("Not offered")))
    for held in choice.withheld:
        yield ui.para(ui.muted(held.text), held.reason, indent=2, hang=2)


def _options(caption: ui.Text, options: Sequence[Option], told: Collection[Option]) -> Iterator[ui.Block]:
    yield ui.para(ui.strong(caption)) if options else ui.para(ui.strong(caption), t("defaults only"))
    for option in options:
        known = option in told
        yield ui.para(ui.Piece(option.text, ui.Tone.ACCENT), "" if known else option.why, indent=2, hang=2)
        if option.risk and not known:
            yield ui.para(ui.Piece(t("Cost:"), ui.Tone.WARN), option.risk, indent=4, hang=2)


def unmade_blocks(unmade: Unmade) -> Iterator[ui.Block]:
    """Explain why a filesystem is never created, and what to do."""
    yield ui.para(unmade.why_not)
    yield ui.GAP
    yield ui.para(ui.strong(t("What to do:")), unmade.way_off, hang=2)


def advice_blocks(advice: Advice) -> Iterator[ui.Block]:
    """Describe the limits of the drive, and its zones."""
    for doubt in advice.doubts:
        yield ui.para(ui.Piece(IN_DOUBT, ui.Tone.WARN), doubt, hang=2)
    for note in advice.notes:
        yield ui.para(ui.muted(t("Note:")), note, hang=2)
    if advice.zoned:
        yield ui.para(ui.strong(t("Zone support with this kernel and these tools")))
    for use in advice.zoned:
        yield from _zoned_blocks(use)


def _zoned_blocks(use: ZonedUse) -> Iterator[ui.Block]:
    yield ui.para(ui.strong(use.verdict), use.sentence, indent=2, hang=2)
    for command in use.commands:
        yield ui.Command((command,))


def advice_page(advice: Advice) -> Iterator[ui.Block]:
    """Show the ranking with options, other filesystems, notes and published figures as one text. Options are
    explained once."""
    if not advice.chosen:
        yield ui.GAP
        yield ui.para(ui.Piece(none_usable(advice), ui.Tone.WARN))
    told: set[Option] = set()
    for number, choice in enumerate((one for one in advice.choices if one.ranked), 1):
        yield ui.GAP
        yield ui.para(ui.strong(f"{number}. {title_of(choice.filesystem)}:"), rating(choice))
        for obstacle in choice.obstacles[:1]:
            yield ui.para(ui.Piece(t("Not possible here:"), ui.Tone.DANGER), obstacle, hang=2)
        yield from choice_blocks(choice, (), told, withheld=False)
        told.update(choice.mkfs, choice.mount, (choice.scheduler,) if choice.scheduler else ())
    others = [one for one in for_files(advice.choices) if not one.ranked]
    named = [(title_of(one.filesystem), one.sentence) for one in others]
    unmade = [
        (one.title, t("{why} What to do: {remedy}", why=one.why_not, remedy=one.way_off))
        for one in advice.unmade
    ]
    for heading, several in ((t("Also supported"), named), (t("Known but not supported"), unmade)):
        yield ui.GAP
        yield ui.para(ui.strong(heading))
        yield from (ui.para(ui.strong(f"{title}:"), said, hang=2) for title, said in several)
    yield ui.GAP
    yield from advice_blocks(advice)
    if cited := _cited(advice):
        yield ui.GAP
        yield ui.para(ui.strong(t("Figures, best first. They are old; note era, kernel and hardware.")))
        yield ui.GAP
        yield from evidence_blocks(cited)


def _cited(advice: Advice) -> tuple[Evidence, ...]:
    """Return the figures of the ranking, then a few of unsupported filesystems, without duplicates."""
    cited = dict.fromkeys(card for one in advice.choices if one.ranked for card in one.evidence)
    for unmade in advice.unmade:
        if not any(card in cited for card in unmade.evidence):
            cited |= dict.fromkeys(unmade.evidence[:FIGURES_OF_UNMADE])
    return tuple(replace(card, figures=tuple(_best_first(card))) for card in cited)


def _best_first(card: Evidence) -> list[tuple[str, float]]:
    return sorted(card.figures, key=lambda figure: figure[1], reverse=not card.lower_is_better)
