"""Layouts of drives as bars: partitions, free space, and the effect of a plan."""

from collections.abc import Iterator

from msgspec import Struct

from wizard.model.geometry import FLOOR_BYTES
from wizard.model.layout import Layout, Slot
from wizard.model.machine import Drive
from wizard.model.said import t
from wizard.plan.dangers import layout_of
from wizard.plan.free_space import is_container
from wizard.plan.plan import Plan
from wizard.ui import messages
from wizard.ui import view as ui

WHOLE = t("whole drive")
NOW = t("Now")
THEN = t("Then")

FINEST = 400
"""Width of a layout in cells. Stretches under half a cell are omitted."""


class _Drawn(Struct, frozen=True):
    """A range of a drive. `slot`: None if the drive is unreadable or has contents without a table."""

    fate: ui.Fate
    size_bytes: int
    slot: Slot | None = None


def _bar_of(
    layout: Layout, size_bytes: int, *, after: bool, caption: ui.Text = "", keeps: bool = False
) -> ui.Bar:
    """Return the bar of a layout. If `keeps`, mark existing contents as preserved."""
    found = []
    for stretch in _drawn(layout, size_bytes, after=after):
        slot = stretch.slot if stretch.slot and (stretch.slot.number or stretch.slot.filesystem) else None
        fate = stretch.fate
        if keeps and fate is ui.Fate.LOST:
            fate = ui.Fate.PRESERVED
        kind = (
            slot.filesystem or "" if slot else "+".join(layout.signatures) if fate is not ui.Fate.FREE else ""
        )
        named = layout.label if slot is None and fate in (ui.Fate.PRESERVED, ui.Fate.LOST) else ""
        used = (
            slot.used_bytes
            if slot
            else layout.used_bytes
            if fate in (ui.Fate.PRESERVED, ui.Fate.LOST)
            else None
        )
        name = named or _name(slot, fate)
        found.append(ui.Stretch(name, stretch.size_bytes, kind, fate, used))
    return ui.Bar(tuple(found), caption)


def drive_bar(drive: Drive) -> ui.Bar | None:
    """Return the current layout of a drive, or None if the size is unknown."""
    layout = layout_of(drive)
    return None if layout is None else _bar_of(layout, drive.size_bytes or 0, after=False, keeps=True)


def layout_bars(before: Layout, after: Layout | None, size_bytes: int) -> Iterator[ui.Bar]:
    """Yield bars of the layout before and, if known, after a change without data loss."""
    yield _bar_of(before, size_bytes, after=False, caption=NOW, keeps=True)
    if after is not None:
        yield _bar_of(after, size_bytes, after=True, caption=THEN)


def plan_bars(plan: Plan) -> tuple[ui.Bar, ...]:
    """Return bars before and after the plan for each drive."""
    bars: list[ui.Bar] = []
    for member in plan.members:
        size = member.drive.size_bytes
        drive = member.drive.path.removeprefix("/dev/")
        now, then = (
            (t("{drive} now", drive=drive), t("{drive} then", drive=drive)) if plan.others else (NOW, THEN)
        )
        bars.append(_bar_of(member.drawn_before, size, after=False, caption=now))
        bars.append(_bar_of(member.after, size, after=True, caption=then))
    return tuple(bars)


def _name(slot: Slot | None, fate: ui.Fate) -> ui.Text:
    if slot is None:
        names: dict[ui.Fate, ui.Text] = {ui.Fate.FREE: messages.FREE, ui.Fate.UNREAD: messages.NOT_READ}
        return names.get(fate, WHOLE)
    named = slot.label or slot.name
    return named if named else str(slot.number) if slot.number else WHOLE


def _drawn(layout: Layout, drive_size_bytes: int, *, after: bool) -> Iterator[_Drawn]:
    """Yield the ranges to draw, without unusably small free space and slots inside others. `after` draws
    changed slots as new instead of lost."""
    if layout.whole:
        yield _Drawn(ui.Fate.NEW, drive_size_bytes, layout.whole)
        return
    found = False
    position = 0
    container_end = 0
    for slot in layout.slots:
        if slot.start_bytes < container_end:
            continue
        if is_container(slot):
            container_end = slot.end_bytes
        size = max(0, min(slot.end_bytes, max(drive_size_bytes, position)) - max(slot.start_bytes, position))
        position = max(position, slot.end_bytes)
        least = max(FLOOR_BYTES + 1, drive_size_bytes // (2 * FINEST))
        if slot.number or size >= least:
            found = True
            yield _Drawn(_fate_of(slot, after=after), size, slot)
    if not found:
        whole = (
            ui.Fate.UNREAD
            if layout.table == "unread"
            else ui.Fate.LOST
            if layout.has_other_contents
            else ui.Fate.FREE
        )
        yield _Drawn(whole, drive_size_bytes)


def _fate_of(slot: Slot, *, after: bool) -> ui.Fate:
    """Return the fate of a slot. A filesystem without number fills a drive without a table."""
    if slot.kept:
        return ui.Fate.PRESERVED
    if not slot.number and not slot.filesystem:
        return ui.Fate.FREE
    return ui.Fate.NEW if after else ui.Fate.LOST
