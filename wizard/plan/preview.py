"""Plain-text preview of a plan: bars to scale, layouts, and steps with commands. Needs no colour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wizard.findings.contents import used_text
from wizard.model.errors import printable
from wizard.model.geometry import FLOOR_BYTES, Identity
from wizard.model.layout import NO_PLACE, Layout, Slot
from wizard.model.said import Message, Sentence, Sentences, format_capacity, format_exact, roughly, t, tn
from wizard.operations.data_loss import content_of
from wizard.plan import text as words
from wizard.plan.free_space import is_container
from wizard.plan.plan import Plan, Step
from wizard.plan.raid.striping import copies, mirror_note, striping_of, together_bytes
from wizard.plan.steps import described_as_kept
from wizard.plan.text import command_lines, cut, inside_sentences, wrapped
from wizard.plan.undo_policy import promise

UNREAD = Sentences(
    "{drives:and} was not read, so this plan cannot be applied.",
    "{drives:and} were not read, so this plan cannot be applied.",
)
AGAIN_AS_ROOT = t("Create the plan again as root, when the drive is readable.")
ALL_OF_IT = t("all of it")
TAKES = Sentence("Takes {time} (estimate).")
DESTROYS = t("Destroys:")
UNDO = t("Undo:")


class StretchState(StrEnum):
    """State of a range of the drive in a plan."""

    PRESERVED = "preserved"
    NEW = "new"
    REMOVED = "removed"
    FREE = "free"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class BarGlyphs:
    """Fill character for each state, and the edge between ranges. All are available in console fonts."""

    preserved: str
    new: str
    removed: str
    free: str
    unread: str
    edge: str

    def fill(self, state: StretchState) -> str:
        """Return the fill character of a state."""
        filled: str = getattr(self, state.value)
        return filled


ASCII = BarGlyphs(preserved="=", new="#", removed="x", free=".", unread="?", edge="|")


@dataclass(frozen=True, slots=True)
class Cell:
    """A range in a bar. `text` is exactly `width` characters wide. `slots`: drawn by this cell, several if
    there is not enough space.

    `slots` is empty for a drive that is unreadable or has contents without a table.
    """

    state: StretchState
    width: int
    text: str
    slots: tuple[Slot, ...]


@dataclass(slots=True)
class DrawnStretch:
    """Slots drawn together, and their state."""

    state: StretchState
    size_bytes: int
    slots: list[Slot]


def bar(
    layout: Layout, drive_size_bytes: int, width: int, glyphs: BarGlyphs = ASCII, *, after: bool = False
) -> tuple[Cell, ...]:
    """Return the drive as cells to scale, with a total width of exactly `width` and at least one cell per
    partition.

    Omits free space too small to see or use. `after` draws changed slots as new instead of removed.
    """
    if width < 1:
        return ()
    ranges = stretches(layout, drive_size_bytes, width, after=after)
    while len(ranges) > width:
        _merge_smallest(ranges)
    widths = _cell_widths([stretch.size_bytes for stretch in ranges], width)
    return tuple(
        Cell(stretch.state, cells, _cell_text(stretch, cells, glyphs, first=index == 0), tuple(stretch.slots))
        for index, (stretch, cells) in enumerate(zip(ranges, widths, strict=True))
    )


def stretches(layout: Layout, drive_size_bytes: int, width: int, *, after: bool) -> list[DrawnStretch]:
    """Return the ranges to draw in `width` cells, without unusably small free space and slots inside others.
    `after` is as in `bar`."""
    if layout.whole:
        return [DrawnStretch(StretchState.NEW, drive_size_bytes, [layout.whole])]
    found: list[DrawnStretch] = []
    position = 0
    container_end = 0
    for slot in layout.slots:
        if slot.start_bytes < container_end:
            continue
        if is_container(slot):
            container_end = slot.end_bytes
        size = max(0, min(slot.end_bytes, max(drive_size_bytes, position)) - max(slot.start_bytes, position))
        position = max(position, slot.end_bytes)
        least = max(FLOOR_BYTES + 1, drive_size_bytes // (2 * width))
        if slot.number or size >= least:
            found.append(DrawnStretch(_state_of(slot, after=after), size, [slot]))
    if not found:
        whole = (
            StretchState.UNREAD
            if layout.table == "unread"
            else StretchState.REMOVED
            if layout.has_other_contents
            else StretchState.FREE
        )
        found.append(DrawnStretch(whole, drive_size_bytes, []))
    return found


def _state_of(slot: Slot, *, after: bool) -> StretchState:
    """Return the state of a slot. A filesystem without number fills a drive without a table."""
    if slot.kept:
        return StretchState.PRESERVED
    if not slot.number and not slot.filesystem:
        return StretchState.FREE
    return StretchState.NEW if after else StretchState.REMOVED


def _merge_smallest(ranges: list[DrawnStretch]) -> None:
    """Merge the two adjacent ranges with the smallest total. New and removed states take precedence."""
    order = [
        StretchState.NEW,
        StretchState.REMOVED,
        StretchState.PRESERVED,
        StretchState.UNREAD,
        StretchState.FREE,
    ]
    index = min(range(len(ranges) - 1), key=lambda at: ranges[at].size_bytes + ranges[at + 1].size_bytes)
    one, two = ranges[index], ranges.pop(index + 1)
    one.state = min(one.state, two.state, key=order.index)
    one.size_bytes += two.size_bytes
    one.slots += two.slots


def _cell_widths(sizes: Sequence[int], width: int) -> list[int]:
    """Distribute `width` cells by size, at least one each, by the largest remainder method."""
    spare = width - len(sizes)
    total = sum(sizes) or 1
    # Subtract the guaranteed cell from each share, so that large ones stay to scale.
    wanted = [max(0.0, size * width / total - 1) for size in sizes]
    scale = spare / (sum(wanted) or 1)
    exact = [want * scale for want in wanted]
    shares = [1 + int(want) for want in exact]
    by_remainder = sorted(range(len(sizes)), key=lambda index: (-(exact[index] - int(exact[index])), index))
    for index in (by_remainder * (1 + spare))[: width - sum(shares)]:
        shares[index] += 1
    return shares


def _cell_text(stretch: DrawnStretch, width: int, glyphs: BarGlyphs, *, first: bool) -> str:
    """Return the cell's text: fill, the partition number in the middle if it fits, and a left edge unless
    `first`."""
    fill = glyphs.fill(stretch.state)
    edge = "" if first or width < 2 else glyphs.edge
    numbers = [str(slot.number) for slot in stretch.slots if slot.number]
    label = ("+" if len(numbers) > 1 else numbers[0]) if numbers else ""
    room = width - len(edge)
    if len(label) > room or (label and room == len(label) and not edge and width < 2):
        label = ""
    left = (room - len(label)) // 2
    return edge + fill * left + label + fill * (room - len(label) - left)


def preview_lines(plan: Plan, width: int = 80) -> list[str]:
    """Return the whole plan as plain text, with lines up to `width` (at least 40)."""
    width = max(40, width)
    note = unread_words(plan)
    first = (*wrapped(f"{note} {AGAIN_AS_ROOT}", width), "") if note else ()
    return [*first, *plan_lines(plan, width)]


def unread_words(plan: Plan) -> str:
    """Return the note that a plan was made without reading its drives and cannot be applied, or an empty
    string."""
    return str(UNREAD(drives=plan.unread, count=len(plan.unread))) if plan.unread else ""


def plan_lines(plan: Plan, width: int, *, keep: bool = False) -> list[str]:
    """Return the plan without the note about applying it. `keep`: the result is used immediately."""
    undo = () if plan.unread else ("", *wrapped(promise(plan, keep=keep), width))
    plan = described_as_kept(plan) if keep else plan
    return [
        *_head(plan, width),
        *_layouts_lines(plan, width),
        *undo,
        "",
        *_steps_lines(plan, width),
        *_doubts(plan, width),
    ]


def _head(plan: Plan, width: int) -> Iterator[str]:
    for member in plan.members:
        yield from wrapped(who(member.drive), width)
    if warning := danger_of(plan) or mirror_note(plan):
        yield ""
        yield from wrapped(warning, width)
    yield ""


def who(drive: Identity) -> str:
    """Describe a drive: `/dev/sda: Example HDD 500, serial S1, 500 GB (500107862016 bytes), 512e.`"""
    model = printable(drive.model) if drive.model else t("unnamed drive")
    serial = t("serial {number}", number=drive.serial) if drive.serial else t("no serial number")
    capacity = f"{format_capacity(drive.size_bytes)} ({drive.size_bytes} bytes)"
    return f"{drive.path}: {model}, {serial}, {capacity}, {drive.geometry.sector_format}."


def danger_of(plan: Plan) -> str | None:
    """Return the warning to show before a striped plan, or None."""
    if plan.stripe is None or plan.stripe.mirrors:
        return None
    return str(
        t(
            "Striping adds no safety: every file is spread across all {drives} drives. "
            "If any drive fails, everything on all drives is lost. Only a copy elsewhere "
            "protects the data.",
            drives=len(plan.members),
        )
    )


def _layouts_lines(plan: Plan, width: int) -> Iterator[str]:
    """Yield bars and legends of every drive before and after, and the key to the bars."""
    drawn = []
    for member in plan.members:
        size = member.drive.size_bytes
        if len(plan.members) > 1:
            yield f"{member.drive.path}:"
        yield from _layout_lines(member.drawn_before, size, width, after=False)
        yield ""
        yield from _layout_lines(member.after, size, width, after=True)
        yield ""
        drawn += [bar(member.drawn_before, size, width), bar(member.after, size, width, after=True)]
    if together := _together_words(plan):
        yield from wrapped(together, width, hang=2)
        yield ""
    if within := inside_sentences(plan):
        yield from (line for sentence in within for line in wrapped(sentence, width, hang=2))
        yield ""
    states = [
        state for state in StretchState if any(cell.state is state for cells in drawn for cell in cells)
    ]
    yield from wrapped("Key: " + ", ".join(f"{ASCII.fill(state)} {state.value}" for state in states), width)


def _together_words(plan: Plan) -> str | None:
    """Describe the volume across all drives of a stripe or mirror, or return None."""
    if plan.stripe is None:
        return None
    (volume,) = plan.volumes
    size = together_bytes(plan)
    where = f"{plan.stripe.device}: " if plan.stripe.device else ""
    mounted = f" at {printable(volume.mount_point, 2000)}" if volume.mount_point else ""
    drives = len(plan.members)
    what = f'{where}{volume.filesystem} "{printable(volume.label)}"{mounted}'
    if plan.stripe.mirrors:
        how = t("{copies} copies of every byte", copies=copies(plan.stripe, drives))
    else:
        how = t("striped in units of {unit:exact}", unit=striping_of(plan.stripe, drives).unit_bytes)
    return str(
        t(
            "Across all {drives} drives: {what}, about {size:size}, {how}.",
            drives=drives,
            what=what,
            size=size,
            how=how,
        )
    )


def _layout_lines(
    layout: Layout, drive_size_bytes: int, width: int, glyphs: BarGlyphs = ASCII, *, after: bool
) -> Iterator[str]:
    """Yield one layout: table, bar, and legend of each partition and usable free range."""
    holds = tuple(_layout_facts(layout))
    yield from wrapped(
        str(
            (Sentence("After: {holds:semicolons}") if after else Sentence("Before: {holds:semicolons}"))(
                holds=holds
            )
        ),
        width,
    )
    yield "".join(cell.text for cell in bar(layout, drive_size_bytes, width, glyphs, after=after))
    if layout.whole:
        whole = f"{glyphs.new}     new     {ALL_OF_IT} {_contents(layout.whole)}"
        yield from wrapped(whole, width, hang=6)
    named = [slot for slot in layout.slots if slot.number or slot.size_bytes > FLOOR_BYTES]
    start_width = max((len(format_exact(slot.start_bytes)) for slot in named), default=0)
    for slot in named:
        yield from _legend(slot, start_width, width, glyphs, after=after)


def _layout_facts(layout: Layout) -> Iterator[Message | str]:
    """Yield the table, contents outside partitions, and a waiting run."""
    match layout.table:
        case "none":
            yield t("no partition table")
        case "unread":
            yield t("not read")
        case "mbr" | "gpt" as kind:
            yield kind.upper()
        case kind:
            yield printable(kind, 30)
    if layout.signatures:
        yield t(
            "on the drive itself: {marks:list}",
            marks=tuple(name for name in layout.signatures),
        )
    if layout.waiting:
        yield t("waiting: {waiting}", waiting=layout.waiting)


def _legend(slot: Slot, start_width: int, width: int, glyphs: BarGlyphs, *, after: bool) -> Iterator[str]:
    state = _state_of(slot, after=after)
    number = str(slot.number) if slot.number else "-"
    start = format_exact(slot.start_bytes)
    fixed = (
        f"{glyphs.fill(state)} {number:>3} {state.value:<9} {format_capacity(slot.size_bytes):>8} at "
        f"{start:<{start_width}}"
    )
    if not slot.number:
        yield cut(fixed.rstrip(), width)
        return
    used = () if state is StretchState.NEW else used_text(slot.filesystem, slot.used_bytes)
    yield from wrapped(f"{fixed} {_contents(slot, used)}", width, hang=6)


def _contents(slot: Slot, used: Sequence[Message] = ()) -> str:
    label = printable(slot.label or slot.name or "")
    where = (
        str(words.TURNED_ON)
        if slot.mount_point == NO_PLACE
        else f"at {printable(slot.mount_point, 2000)}"
        if slot.mount_point
        else ""
    )
    tail = [content_of(slot), f'"{label}"' if label else "", where, *map(str, used)]
    return " ".join(word for word in tail if word)


def _steps_lines(plan: Plan, width: int) -> Iterator[str]:
    """Yield the steps in order. Commands have their own lines, so they can be copied; wrapped ones end with a
    backslash."""
    steps = plan.steps
    total = sum(step.seconds for step in steps)
    yield from wrapped(
        str(
            tn(
                "{count} step, {time} (estimate):",
                "{count} steps, {time} (estimate):",
                time=roughly(total),
                count=len(steps),
            )
        ),
        width,
    )
    for note in words.background_work(plan):
        yield from wrapped(str(note), width)
    for number, step in enumerate(steps, 1):
        yield ""
        yield from _step_lines(number, step, width)


def _step_lines(number: int, step: Step, width: int) -> Iterator[str]:
    """Yield one step: description, commands or edits, data loss, undo and duration."""
    yield from wrapped(f"{number:>2}. {step.sentence}", width, hang=4)
    for argv in step.commands:
        yield from command_lines(argv, width, indent=6)
    for edit in step.edits:
        yield from wrapped(f"      {printable(edit, 4000)}", width, hang=8)
    if step.destroys:
        yield from wrapped(f"    {DESTROYS} {printable(step.destroys, 4000)}", width, hang=6)
    yield from wrapped(f"    {UNDO} {printable(step.undo, 4000)}", width, hang=6)
    if step.seconds >= 1:
        yield from wrapped(f"    {TAKES(time=roughly(step.seconds))}", width, hang=6)


def _doubts(plan: Plan, width: int) -> Iterator[str]:
    if plan.doubts:
        yield ""
        yield str(t("Notes:"))
        for doubt in plan.doubts:
            yield from wrapped(f"  - {printable(str(doubt), 1000)}", width, hang=4)
