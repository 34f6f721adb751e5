"""What a plan takes away and what of it can be taken back, in words, the same on every face."""

from wizard.layout.room.space import content_of
from wizard.layout.several.mirrors import mirror_lost
from wizard.layout.steps.destroyed import waiting_lost, whole_lost
from wizard.layout.told import words
from wizard.model.names import printable
from wizard.model.operations.arrays import MakeArray
from wizard.model.plan import Member, Plan, Slot


def losses(plan: Plan) -> list[str]:
    """Each partition that goes, with all that is in it; where the drive has none, what the steps say that
    they destroy."""
    if plan.others:
        return [line for member in plan.members for line in _of_member(member)] + _copied(plan)
    gone = [slot for slot in plan.before.partitions if not slot.kept]
    if gone:
        lost = [
            str(words.ALL_OF_PART(number=slot.number, content=_content(slot), size=slot.size_bytes))
            for slot in gone
        ]
        return [*lost, *filter(None, [waiting_lost(plan.before)])]
    if not plan.before.partitions and (whole := whole_lost(plan.members[0])):
        return [whole, *filter(None, [waiting_lost(plan.before)])]
    return list(dict.fromkeys(printable(step.destroys, 4000) for step in plan.steps if step.destroys))


def _of_member(member: Member) -> list[str]:
    """What goes of one drive of several, which are all taken whole."""
    path, before = member.drive.path, member.before
    waiting = [f"{path}: {waiting_lost(before)}"] if before.waiting else []
    if before.partitions:
        lost = [
            words.DRIVES_PART(drive=path, number=slot.number, content=_content(slot), size=slot.size_bytes)
            for slot in before.partitions
        ]
        return [*map(str, lost), *waiting]
    if before.table == "unread":
        return [str(words.DRIVE_UNREAD(drive=path))]
    if whole := whole_lost(member):
        return [whole, *waiting]
    marks = [
        printable(mark, 40)
        for mark in (*before.signatures, *([before.table] if before.table != "none" else []))
    ]
    return [str(words.DRIVE_MARKED(drive=path, marks=tuple(marks))), *waiting] if marks else waiting


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
