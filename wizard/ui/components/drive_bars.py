"""Layouts of drives as bars: partitions, free space, and the effect of a plan."""

from collections.abc import Iterator

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


def _bar_of(layout: Layout, size_bytes: int, changed: ui.Fate, caption: ui.Text = "") -> ui.Bar:
    found = []
    for fate, stretch_bytes, slot in _drawn(layout, size_bytes, changed):
        if slot and (slot.number or slot.filesystem):
            name: ui.Text = slot.label or slot.name or (str(slot.number) if slot.number else WHOLE)
            kind, used = slot.filesystem or "", slot.used_bytes
        elif fate in (ui.Fate.PRESERVED, ui.Fate.LOST):
            name = layout.label or WHOLE
            kind, used = "+".join(layout.signatures), layout.used_bytes
        else:
            name = {ui.Fate.FREE: messages.FREE, ui.Fate.UNREAD: messages.NOT_READ}.get(fate, WHOLE)
            kind, used = "" if fate is ui.Fate.FREE else "+".join(layout.signatures), None
        found.append(ui.Stretch(name, stretch_bytes, kind, fate, used))
    return ui.Bar(tuple(found), caption)


def drive_bar(drive: Drive) -> ui.Bar | None:
    """Return the current layout of a drive, or None if the size is unknown."""
    layout = layout_of(drive)
    return None if layout is None else _bar_of(layout, drive.size_bytes or 0, ui.Fate.PRESERVED)


def layout_bars(before: Layout, after: Layout | None, size_bytes: int) -> Iterator[ui.Bar]:
    """Yield bars of the layout before and, if known, after a change without data loss."""
    yield _bar_of(before, size_bytes, ui.Fate.PRESERVED, NOW)
    if after is not None:
        yield _bar_of(after, size_bytes, ui.Fate.NEW, THEN)


def plan_bars(plan: Plan) -> tuple[ui.Bar, ...]:
    """Return bars before and after the plan for each drive."""
    bars: list[ui.Bar] = []
    for member in plan.members:
        drive, size = ui.short(member.drive.path), member.drive.size_bytes
        name = f"{drive}: " if plan.others else ""
        bars.append(_bar_of(member.drawn_before, size, ui.Fate.LOST, f"{name}{NOW}"))
        bars.append(_bar_of(member.after, size, ui.Fate.NEW, f"{name}{THEN}"))
    return tuple(bars)


def _drawn(
    layout: Layout, drive_size_bytes: int, changed: ui.Fate
) -> Iterator[tuple[ui.Fate, int, Slot | None]]:
    """Yield the ranges to draw with sizes, without unusably small free space and slots inside others.

    The slot is None for an unreadable drive, or contents without a table.
    """
    if layout.whole:
        yield ui.Fate.NEW, drive_size_bytes, layout.whole
        return
    found, position, container_end = False, 0, 0
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
            # A filesystem without number fills a drive without a table.
            fate = changed if slot.number or slot.filesystem else ui.Fate.FREE
            yield ui.Fate.PRESERVED if slot.kept else fate, size, slot
    if not found:
        whole = (
            ui.Fate.UNREAD
            if layout.table == "unread"
            else changed
            if layout.has_other_contents
            else ui.Fate.FREE
        )
        yield whole, drive_size_bytes, None
