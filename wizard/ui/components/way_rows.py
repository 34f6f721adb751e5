"""A conversion method as a row with details, and notices about this system. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from wizard.ext4.ways import HOW, SUMMARIES, TITLES, is_damaged
from wizard.host.services import Services
from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, Machine
from wizard.model.said import t, tn
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import finding_paras

if TYPE_CHECKING:
    from wizard.plan.changes import Prospect, WayOffer


COLUMNS = (
    ui.Column(t("How")),
    ui.Column(t("Time"), right=True),
    ui.Column(t("Extra space"), right=True),
    ui.Column(t("Here")),
)


def way_row(offer: WayOffer, prospect: Prospect, *, repairs: bool) -> ui.Row:
    """Return the row of a conversion method, with time, extra space and availability."""
    cells = (
        ui.strong(TITLES[offer.way]),
        ui.Piece(t("{seconds:time}", seconds=offer.seconds) if offer.seconds >= 1 else t("< 1 s")),
        ui.Piece(t("{size:size}", size=offer.room_bytes) if offer.room_bytes else t("none")),
        _standing(offer, prospect),
    )
    why_not = obstacle_words(prospect, offer) if not repairs else ""
    return ui.Row(offer.way.value, cells, why_not=why_not)


def obstacle_words(prospect: Prospect, offer: WayOffer) -> ui.Text:
    """Return the obstacle to a method, or an empty text. The finding itself shows the remedy."""
    found = (one.sentence for one in prospect.findings if one.code == offer.obstacle_code)
    return next(found, offer.obstacle) if offer.obstacle else ""


def _standing(offer: WayOffer, prospect: Prospect) -> ui.Piece:
    if offer.obstacle:
        return ui.Piece(t("cannot"), ui.Tone.WARN)
    if offer.way is prospect.default:
        return ui.Piece(t("recommended"), ui.Tone.GOOD)
    return ui.Piece(t("good too"))


def way_panes(prospect: Prospect, offer: WayOffer, compares: bool, repairs: bool) -> tuple[ui.Pane, ...]:
    """Describe the selected method and the findings about the filesystem."""
    found = tuple(finding_paras(prospect.findings))
    told = ui.Pane(
        TITLES[offer.way],
        (
            *offer_blocks(prospect, offer, SUMMARIES[offer.way]),
            ui.para(ui.muted(t("Options:")), *_settled(prospect, offer, compares, repairs), hang=2),
        ),
    )
    return (told, ui.Pane(t("About this filesystem"), found)) if found else (told,)


def offer_blocks(prospect: Prospect, offer: WayOffer, *summary: ui.Text) -> Iterator[ui.Block]:
    """Show gains, costs, undo and method of a conversion, and its obstacle."""
    if offer.obstacle:
        yield ui.para(ui.Piece(t("Cannot:"), ui.Tone.WARN), obstacle_words(prospect, offer), hang=2)
    yield from map(ui.para, summary)
    yield from _listed(t("Gain:"), offer.gains)
    yield from _listed(t("Costs:"), offer.costs)
    yield from _listed(t("Undo:"), (offer.undone,))
    if offer.way.converts:
        yield from _listed(t("How:"), (HOW,))


def _listed(caption: ui.Text, said: Sequence[ui.Text]) -> Iterator[ui.Block]:
    """Yield texts as paragraphs, the first with the caption and the others indented."""
    for number, one in enumerate(said):
        yield ui.para(ui.muted(caption), one, hang=2) if number == 0 else ui.para(one, indent=2, hang=2)


def _settled(prospect: Prospect, offer: WayOffer, compares: bool, repairs: bool) -> Iterator[ui.Text]:
    """Yield the other options of the conversion."""
    if not offer.way.converts:
        yield t("no comparison needed.")
    elif compares:
        yield t(
            "every file is compared before and after ({seconds:time}).",
            seconds=offer.compare_seconds,
        )
    else:
        yield t("files are not compared individually.")
    if is_damaged(prospect.before):
        yield t("Damage may be repaired.") if repairs else t("Damage is not repaired.")


NEEDED = ("partx", "wipefs")
"""Tools required to set up any drive."""

OTHERS = ("mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "mkfs.vfat", "smartctl", "cryptsetup")
"""Tools expected on a live system. Elsewhere, missing tools are reported when needed."""

Found = tuple[Drive, Diagnosis] | None


def listed(around: Machine | None, found: Mapping[str, Found]) -> dict[str, Found]:
    """Return the drives to list, without the live system's boot medium."""
    return {path: one for path, one in found.items() if not (around and one and around.is_medium(one[0]))}


def notice(
    services: Services, around: Machine | None, drives: Sequence[Drive], *, nothing: bool, brief: bool
) -> ui.Piece | None:
    """Return one line about missing drives, write access, missing tools or the hidden boot medium.

    If `brief`, only report obstacles that affect every drive.
    """
    if nothing:
        return ui.Piece(t("No drive found. Plug in a drive."))
    if services.apply_obstacle:
        return ui.Piece(services.apply_obstacle, ui.Tone.WARN)
    if around is None or not around.tools:
        return None
    if absent := _absent(around, NEEDED):
        return ui.Piece(
            t("Cannot set up any drive: this system lacks {programs:and}.", programs=absent), ui.Tone.WARN
        )
    if brief or not around.live_medium:
        return None
    if absent := _absent(around, OTHERS):
        return ui.Piece(
            t("This system lacks {programs:and}. Everything else works.", programs=absent), ui.Tone.WARN
        )
    medium = tuple(drive.path for drive in drives if around.is_medium(drive))
    return (
        ui.Piece(
            tn(
                "Not listed: {drives:and}, the boot drive of this system.",
                "Not listed: {drives:and}, the boot drives of this system.",
                drives=medium,
                count=len(medium),
            ),
            ui.Tone.MUTED,
        )
        if medium
        else None
    )


def _absent(around: Machine, programs: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in programs if not around.has_tool(name))
