"""Layouts of drives as bars: partitions, free space, and the effect of a plan."""

from collections.abc import Iterator

from wizard.filesystems.partition_types import is_extended
from wizard.model.geometry import FLOOR_BYTES
from wizard.model.layout import Layout, Slot
from wizard.model.machine import Drive
from wizard.model.said import t
from wizard.plan.dangers import layout_of
from wizard.plan.plan import Plan
from wizard.ui import messages
from wizard.ui import view as ui

WHOLE = t("whole drive")
NOW = t("Now")
THEN = t("Then")

FINEST = 400
"""Width of a layout in cells. Stretches under half a cell are omitted."""


def _bar_of(layout: Layout, size_bytes: int, changed: ui.Fate, caption: ui.Text = "") -> ui.Bar:
    """Draw a layout without unusably small free space and slots inside others."""
    if layout.whole:
        return ui.Bar((_stretch(layout, layout.whole, ui.Fate.NEW, size_bytes),), caption)
    found, position, container_end = [], 0, 0
    for slot in layout.slots:
        if slot.start_bytes < container_end:
            continue
        if is_extended(slot):
            container_end = slot.end_bytes
        size = max(0, min(slot.end_bytes, max(size_bytes, position)) - max(slot.start_bytes, position))
        position = max(position, slot.end_bytes)
        if slot.number or size >= max(FLOOR_BYTES + 1, size_bytes // (2 * FINEST)):
            # A filesystem without number fills a drive without a table.
            fate = changed if slot.number or slot.filesystem else ui.Fate.FREE
            found.append(_stretch(layout, slot, ui.Fate.PRESERVED if slot.kept else fate, size))
    if not found:
        # Unreadable, or contents without a table.
        fate = changed if layout.has_other_contents else ui.Fate.FREE
        fate = ui.Fate.UNREAD if layout.table == "unread" else fate
        found.append(_stretch(layout, None, fate, size_bytes))
    return ui.Bar(tuple(found), caption)


def _stretch(layout: Layout, slot: Slot | None, fate: ui.Fate, size_bytes: int) -> ui.Stretch:
    if slot and (slot.number or slot.filesystem):
        name: ui.Text = slot.label or slot.name or (str(slot.number) if slot.number else WHOLE)
        return ui.Stretch(name, size_bytes, slot.filesystem or "", fate, slot.used_bytes)
    kind = "+".join(layout.signatures)
    if fate in (ui.Fate.PRESERVED, ui.Fate.LOST):
        return ui.Stretch(layout.label or WHOLE, size_bytes, kind, fate, layout.used_bytes)
    name = {ui.Fate.FREE: t("free"), ui.Fate.UNREAD: messages.NOT_READ}.get(fate, WHOLE)
    return ui.Stretch(name, size_bytes, "" if fate is ui.Fate.FREE else kind, fate)


def drive_bar(drive: Drive) -> ui.Bar | None:
    """Return the current layout of a drive, or None if the size is unknown."""
    layout = layout_of(drive)
    return None if layout is None else _bar_of(layout, drive.size_bytes or 0, ui.Fate.PRESERVED)


def layout_bars(before: Layout, after: Layout | None, size_bytes: int, name: str = "") -> Iterator[ui.Bar]:
    """Yield bars of the layout before and, if known, after a change."""
    yield _bar_of(before, size_bytes, ui.Fate.LOST, f"{name}{NOW}")
    if after is not None:
        yield _bar_of(after, size_bytes, ui.Fate.NEW, f"{name}{THEN}")


def plan_bars(plan: Plan) -> tuple[ui.Bar, ...]:
    """Return bars before and after the plan for each drive."""
    bars: list[ui.Bar] = []
    for member in plan.members:
        name = f"{ui.short(member.drive.path)}: " if plan.others else ""
        bars += layout_bars(member.drawn_before, member.after, member.drive.size_bytes, name)
    return tuple(bars)
