"""What a plan takes away and what of it can be taken back, in words, the same on every face."""

from wizard.layout.room.space import content_of
from wizard.layout.several.mirrors import mirror_lost
from wizard.layout.steps.destroyed import waiting_lost
from wizard.model.names import printable
from wizard.model.plan import MakeArray, Member, Plan, Slot
from wizard.model.units import format_capacity


def losses(plan: Plan) -> list[str]:
    """Each partition that goes, with all that is in it; where the drive has none, what the steps say that
    they destroy."""
    if plan.others:
        return [line for member in plan.members for line in _of_member(member)] + _copied(plan)
    gone = [slot for slot in plan.before.partitions if not slot.kept]
    if gone:
        lost = [
            f"All of partition {slot.number}: {_content(slot)}, {format_capacity(slot.size_bytes)}."
            for slot in gone
        ]
        return [*lost, *filter(None, [waiting_lost(plan.before)])]
    return list(dict.fromkeys(printable(step.destroys, 4000) for step in plan.steps if step.destroys))


def _of_member(member: Member) -> list[str]:
    """What goes of one drive of several, which are all taken whole."""
    path, before = member.drive.path, member.before
    waiting = [f"{path}: {waiting_lost(before)}"] if before.waiting else []
    if before.partitions:
        lost = [
            f"{path}: all of partition {slot.number}, {_content(slot)}, {format_capacity(slot.size_bytes)}."
            for slot in before.partitions
        ]
        return [*lost, *waiting]
    if before.table == "unread":
        return [f"{path}: whatever it holds; it could not be read when this was planned."]
    marks = [
        printable(mark, 40)
        for mark in (*before.signatures, *([before.table] if before.table != "none" else []))
    ]
    return [f"{path}: all of it, which is recognised as {', '.join(marks)}.", *waiting] if marks else waiting


def _copied(plan: Plan) -> list[str]:
    """What a mirror writes over, be it recognised as anything or not."""
    return [
        mirror_lost(step.operation)
        for step in plan.steps
        if isinstance(step.operation, MakeArray) and step.operation.level == "raid1"
    ]


def _content(slot: Slot) -> str:
    label = slot.label or slot.name
    named = f' "{printable(label, 40)}"' if label else ""
    return content_of(slot) + named


def undo_ways(plan: Plan) -> list[str]:
    """How the steps are undone, steps that share a way together: `Steps 1, 2: ...`."""
    ways: dict[str, list[str]] = {}
    for number, step in enumerate(plan.steps, 1):
        ways.setdefault(step.undo, []).append(str(number))
    return [
        f"Step{'s' * (len(numbers) > 1)} {', '.join(numbers)}: {printable(way, 4000)}"
        for way, numbers in ways.items()
    ]
