"""A drive's layout as a bar, before and after."""

from collections.abc import Iterator

from wizard.desk.view import Bar, Fate, Stretch, Text
from wizard.layout.before import layout_of
from wizard.layout.told.preview import State, stretches
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.plan import Layout, Plan, Slot
from wizard.model.said import t

WHOLE = t("whole drive")
NOW = t("Now")
THEN = t("Then")

FINEST = 400
"""Cells to which a layout is drawn: what would be narrower than half of one is left out."""

_FATES = {
    State.KEPT: Fate.KEPT,
    State.NEW: Fate.NEW,
    State.REMOVED: Fate.LOST,
    State.FREE: Fate.FREE,
    State.UNREAD: Fate.UNREAD,
}


def bar_of(layout: Layout, size_bytes: int, *, after: bool, caption: Text = "", keeps: bool = False) -> Bar:
    """The bar of a layout. With `keeps` nothing of what is there is going to change."""
    found = []
    for stretch in stretches(layout, size_bytes, FINEST, after=after):
        slot = next((one for one in stretch.slots if one.number or one.filesystem), None)
        fate = _FATES[stretch.state]
        if keeps and fate is Fate.LOST:
            fate = Fate.KEPT
        kind = slot.filesystem or "" if slot else "+".join(layout.signatures) if fate is not Fate.FREE else ""
        named = printable(layout.label, 40) if slot is None and fate in (Fate.KEPT, Fate.LOST) else ""
        found.append(Stretch(named or _name(slot, fate), stretch.size_bytes, printable(kind, 40), fate))
    return Bar(tuple(found), caption)


def drive_bar(drive: Drive) -> Bar | None:
    """What a drive holds now; None where nobody knows its size."""
    layout = layout_of(drive)
    return None if layout is None else bar_of(layout, drive.size_bytes or 0, after=False, keeps=True)


def layout_bars(before: Layout, after: Layout | None, size_bytes: int) -> Iterator[Bar]:
    """Now and, where there is one, then, of a drive on which nothing is lost."""
    yield bar_of(before, size_bytes, after=False, caption=NOW, keeps=True)
    if after is not None:
        yield bar_of(after, size_bytes, after=True, caption=THEN)


def plan_bars(plan: Plan) -> tuple[Bar, ...]:
    """Now and then, of every drive of a plan."""
    bars: list[Bar] = []
    for member in plan.members:
        size = member.drive.size_bytes
        drive = member.drive.path.removeprefix("/dev/")
        now, then = (
            (t("{drive} now", drive=drive), t("{drive} then", drive=drive)) if plan.others else (NOW, THEN)
        )
        bars.append(bar_of(member.before, size, after=False, caption=now))
        bars.append(bar_of(member.after, size, after=True, caption=then))
    return tuple(bars)


def _name(slot: Slot | None, fate: Fate) -> Text:
    if slot is None:
        return {Fate.FREE: t("free"), Fate.UNREAD: t("not read")}.get(fate, WHOLE)
    named = slot.label or slot.name
    return printable(named, 40) if named else t("{number}", number=slot.number) if slot.number else WHOLE
