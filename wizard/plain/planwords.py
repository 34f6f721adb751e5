"""A plan as paragraphs: a sentence for each partition where a screen draws a bar."""

from collections.abc import Iterator

from wizard.layout.room.space import content_of
from wizard.layout.several.mirrors import mirror_note
from wizard.layout.steps.shown import told_as_direct
from wizard.layout.told.inside import inside_sentences
from wizard.layout.told.losses import losses, undo_ways
from wizard.layout.told.preview import danger_of, together_words
from wizard.layout.told.promise import lost_when, promise
from wizard.model.geometry import FLOOR_BYTES
from wizard.model.names import printable
from wizard.model.plan import NO_PLACE, Layout, Member, Plan, Slot
from wizard.model.units import format_capacity, format_exact
from wizard.plain.talk import Para

_TABLES = {
    "none": "no partition table",
    "unread": "could not be read",
    "gpt": "a GPT table",
    "mbr": "an MBR table",
    "hybrid": "a hybrid table",
}


def layout_paragraphs(plan: Plan) -> list[Para]:
    """Every drive of the plan before and after, a line for each partition and each free stretch worth
    naming."""
    said: list[Para] = []
    if danger := danger_of(plan):
        said.append(Para(f"Danger: {danger}"))
    if note := mirror_note(plan):
        said.append(Para(note))
    for member in plan.members:
        said += _member(member, name=len(plan.members) > 1)
    if together := together_words(plan):
        said.append(Para(together))
    return said + [Para(sentence, 0, 2) for sentence in inside_sentences(plan)]


def _member(member: Member, *, name: bool) -> Iterator[Para]:
    of = f" on {member.drive.path}" if name else ""
    yield Para(f"Before{of}: {_head(member.before)}.")
    yield from _slots(member.before, after=False)
    yield Para(f"After{of}: {_head(member.after)}.")
    yield from _slots(member.after, after=True)


def _head(layout: Layout) -> str:
    table = _TABLES.get(layout.table, printable(layout.table, 30))
    kinds = ", ".join(printable(kind, 30) for kind in layout.signatures)
    return (
        table
        + (f"; on the drive itself, and will be erased: {kinds}" if kinds else "")
        + (f"; waiting there: {printable(layout.waiting, 300)}" if layout.waiting else "")
    )


def _slots(layout: Layout, *, after: bool) -> Iterator[Para]:
    if layout.whole:
        yield Para(f"The whole drive: new, {_content(layout.whole)}.", 2, 2)
    for slot in layout.slots:
        if slot.number or slot.size_bytes > FLOOR_BYTES:
            yield Para(_slot(slot, after=after), 2, 2)
    if not layout.whole and not layout.slots and not layout.holds_more and layout.table != "unread":
        yield Para("Nothing.", 2)


def _slot(slot: Slot, *, after: bool) -> str:
    """`Partition 1: kept, starts at 1 MiB, 4.0 GB, ext4, label "films".`"""
    where = f"starts at {format_exact(slot.start_bytes)}, {format_capacity(slot.size_bytes)}"
    if not slot.number:
        return f"Free space: {where}."
    state = "kept" if slot.kept else "new" if after else "will be erased"
    return f"Partition {slot.number}: {state}, {where}, {_content(slot)}."


def _content(slot: Slot) -> str:
    label = slot.label or slot.name
    said = [
        content_of(slot),
        f'label "{printable(label, 60)}"' if label else "",
        place_words(slot.mount_point) if slot.mount_point else "",
    ]
    return ", ".join(filter(None, said))


def place_words(mount_point: str | None) -> str:
    """`mounted at /srv`, `not mounted`, or `turned on` for swap."""
    if mount_point == NO_PLACE:
        return "turned on at every start"
    return f"mounted at {printable(mount_point, 2000)}" if mount_point else "not mounted"


def doubts_paragraphs(plan: Plan) -> list[Para]:
    """What could not be known."""
    return [Para(f"In doubt: {printable(doubt, 1000)}", 0, 2) for doubt in plan.doubts]


def loss_paragraphs(plan: Plan, why_direct: str) -> list[Para]:
    """Which drives are meant, what is destroyed, and what of it can be undone. `why_direct` is why no
    stand-in can be had here."""
    said: list[Para] = []
    for member in plan.members:
        drive = member.drive
        serial = f"serial number {printable(drive.serial, 40)}" if drive.serial else "no serial number"
        said.append(
            Para(
                f"Drive: {drive.path}, {printable(drive.model or 'no name', 60)}, "
                f"{format_capacity(drive.size_bytes)}, {serial}.",
                0,
                2,
            )
        )
    lost = losses(plan)
    said += [Para(f"Will be destroyed{lost_when(plan, why_direct)}: {loss}", 0, 2) for loss in lost] or [
        Para("Nothing that is on the drive is destroyed.")
    ]
    said += [Para(printable(promise(plan, why_direct), 1000)), Para("What can be undone, and what cannot:")]
    return [*said, *(Para(way, 2, 2) for way in undo_ways(told_as_direct(plan, why_direct)))]
