"""Choices as rows and text: the ranking of filesystems with reasons and figures, conversions to ext4, and
notices about this system. Pure."""

from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from wizard.advice.missing import for_files, lacking
from wizard.ext4 import ways
from wizard.filesystems.registry import title_of
from wizard.host.services import Services
from wizard.model.advice import Advice, Choice, Evidence, Option, Unmade
from wizard.model.machine import Drive, Machine
from wizard.model.said import t, tn
from wizard.plan.changes import Prospect, WayOffer
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.plan_rows import rating
from wizard.ui.components.reasons import evidence_blocks

FIGURES_OF_UNMADE = 3
"""Most figures to show for an unsupported filesystem. The JSON document has all."""


def none_usable(advice: Advice) -> ui.Para:
    """Explain that no filesystem can be created, or that none suits the purpose."""
    said = t("No filesystem can be created here.")
    if for_files(advice.usable):
        said = t("No filesystem suits this purpose here. Those without an obstacle can still be created.")
    return ui.warning(said)


def choice_blocks(
    choice: Choice, doubts: Iterable[ui.Text] = (), told: Collection[Option] = (), *, withheld: bool = True
) -> ui.Blocks:
    """Explain the rating, with obstacles, or mkfs and mount options. Omits reasons of the options in
    `told`."""
    for obstacle in choice.obstacles:
        yield ui.alarm(messages.CANNOT, obstacle)
    yield ui.para(choice.sentence)
    for doubt in doubts:
        yield ui.warning(messages.NOTE, doubt)
    if choice.obstacles:
        return
    yield ui.GAP
    yield from _options(t("Made with"), choice.mkfs, told)
    yield from _options(t("Mounted with"), choice.mount, told)
    if choice.scheduler:
        yield from _options(t("Drive scheduler (not changed by the plan)"), (choice.scheduler,), told)
    if withheld and choice.withheld:
        yield ui.heading(t("Not offered"))
        yield from (ui.label(held.text, held.reason, indent=2) for held in choice.withheld)


def _options(caption: ui.Text, options: Sequence[Option], told: Collection[Option]) -> ui.Blocks:
    yield ui.heading(caption) if options else ui.heading(caption, messages.DEFAULTS)
    for option in options:
        known = option in told
        yield ui.named(option.text, "" if known else option.why, indent=2)
        if option.risk and not known:
            yield ui.warning(messages.COST, option.risk, indent=4)


def choice_page(choice: Choice, advice: Advice) -> ui.Blocks:
    """Explain the rating with published figures and the limits of the drive."""
    yield from (*choice_blocks(choice), ui.GAP, *evidence_blocks(choice.evidence), *advice_blocks(advice))


def unmade_blocks(unmade: Unmade) -> ui.Blocks:
    """Explain why a filesystem is never created, and what to do."""
    yield ui.para(unmade.why_not)
    yield ui.GAP
    yield ui.heading(messages.REMEDY, unmade.way_off)


def advice_blocks(advice: Advice) -> ui.Blocks:
    """Describe the limits of the drive, and the zones."""
    for doubt in advice.doubts:
        yield ui.warning(messages.NOTE, doubt)
    for note in advice.notes:
        yield ui.label(messages.NOTE, note)
    if advice.zoned:
        yield ui.heading(t("Zone support with this kernel and these tools"))
    for use in advice.zoned:
        yield ui.heading(use.verdict, use.sentence, indent=2)
        yield from (ui.Command((command,)) for command in use.commands)


def advice_page(advice: Advice) -> ui.Blocks:
    """Show the ranking with options, other filesystems, notes and published figures as one text. Options are
    explained once."""
    if not advice.chosen:
        yield ui.GAP
        yield none_usable(advice)
    told: set[Option] = set()
    for number, choice in enumerate((one for one in advice.choices if one.ranked), 1):
        yield ui.GAP
        yield ui.heading(f"{number}. {title_of(choice.filesystem)}:", rating(choice))
        yield from choice_blocks(choice, (), told, withheld=False)
        told.update(choice.mkfs, choice.mount, (choice.scheduler,) if choice.scheduler else ())
    others = [one for one in for_files(advice.choices) if not one.ranked]
    yield ui.GAP
    yield ui.heading(messages.ALSO_SUPPORTED)
    yield from (ui.heading(f"{title_of(one.filesystem)}:", one.sentence) for one in others)
    yield ui.GAP
    yield ui.heading(t("Known but not supported"))
    for unmade in advice.unmade:
        yield ui.heading(f"{unmade.title}:", unmade.why_not, messages.REMEDY, unmade.way_off)
    yield ui.GAP
    yield from advice_blocks(advice)
    # Figures of the ranking, then a few of unsupported filesystems, without duplicates.
    cited = dict.fromkeys(card for one in advice.choices if one.ranked for card in one.evidence)
    for unmade in advice.unmade:
        if not any(card in cited for card in unmade.evidence):
            cited |= dict.fromkeys(unmade.evidence[:FIGURES_OF_UNMADE])
    if cited:
        yield ui.GAP
        yield ui.heading(t("Figures, best first. They are old; note era, kernel and hardware."))
        yield ui.GAP
        yield from evidence_blocks(tuple(map(_best_first, cited)))


def _best_first(card: Evidence) -> Evidence:
    figures = sorted(card.figures, key=lambda one: one[1], reverse=not card.lower_is_better)
    return replace(card, figures=tuple(figures))


def obstacle_words(prospect: Prospect, offer: WayOffer) -> ui.Text:
    """Return the obstacle to a method, or an empty text. The finding itself shows the remedy."""
    found = (one.sentence for one in prospect.findings if one.code == offer.obstacle_code)
    return next(found, offer.obstacle) if offer.obstacle else ""


def offer_blocks(prospect: Prospect, offer: WayOffer, *summary: ui.Text) -> ui.Blocks:
    """Show gains, costs, undo and method of a conversion, and the obstacle."""
    if offer.obstacle:
        yield ui.warning(messages.CANNOT, obstacle_words(prospect, offer))
    yield from map(ui.para, summary)
    for caption, said in ((t("Gain:"), offer.gains), (messages.COST, offer.costs)):
        yield from (ui.label(caption, one) for one in said[:1])
        yield from (ui.para(one, indent=2, hang=2) for one in said[1:])
    yield ui.label(messages.UNDO_CAPTION, offer.undone)
    if offer.way.converts:
        yield ui.label(messages.CAPTION(what=t("how")), ways.HOW)


NEEDED = ("partx", "wipefs")
"""Tools required to set up any drive."""

OTHERS = ("mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "mkfs.vfat", "smartctl", "cryptsetup")
"""Tools expected on a live system. Elsewhere, missing tools are reported when needed."""


def notice(
    services: Services, around: Machine | None, drives: Sequence[Drive], *, nothing: bool, brief: bool
) -> ui.Piece | None:
    """Return one line about missing drives, write access, missing tools or the hidden boot medium.

    If `brief`, only report obstacles that affect every drive.
    """
    if nothing:
        return ui.Piece(t("No drive found. Plug in a drive."))
    if services.apply_obstacle:
        return ui.warn(services.apply_obstacle)
    if around is None or not around.tools:
        return None
    if absent := lacking(around, NEEDED):
        return ui.warn(
            t("Cannot set up any drive: this system lacks {programs:and}.", programs=absent.programs)
        )
    if brief or not around.live_medium:
        return None
    if absent := lacking(around, OTHERS):
        return ui.warn(
            t("This system lacks {programs:and}. Everything else works.", programs=absent.programs)
        )
    medium = tuple(drive.path for drive in drives if around.is_medium(drive))
    said = tn(
        "Not listed: {drives:and}, the boot drive of this system.",
        "Not listed: {drives:and}, the boot drives of this system.",
        drives=medium,
        count=len(medium),
    )
    return ui.muted(said) if medium else None
