"""What a plan takes away and what of it can be taken back, in words, the same on every face."""

from wizard.layout.room.space import content_of
from wizard.layout.several.mirrors import mirror_lost
from wizard.layout.steps.destroyed import waiting_lost, whole_lost
from wizard.model.names import printable
from wizard.model.operations.arrays import MakeArray
from wizard.model.plan import Member, Plan, Slot
from wizard.model.said import t


def losses(plan: Plan) -> list[str]:
    """Each partition that goes, with all that is in it; where the drive has none, what the steps say that
    they destroy."""
    if plan.others:
        return [line for member in plan.members for line in _of_member(member)] + _copied(plan)
    gone = [slot for slot in plan.before.partitions if not slot.kept]
    if gone:
        lost = [
            str(
                t(
                    "All of partition {number}: {content}, {size:size}.",
                    number=slot.number,
                    content=_content(slot),
                    size=slot.size_bytes,
                )
            )
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
            t(
                "{drive}: all of partition {number}, {content}, {size:size}.",
                drive=path,
                number=slot.number,
                content=_content(slot),
                size=slot.size_bytes,
            )
            for slot in before.partitions
        ]
        return [*map(str, lost), *waiting]
    if before.table == "unread":
        return [str(t("{drive}: whatever it holds; it could not be read when this was planned.", drive=path))]
    if whole := whole_lost(member):
        return [whole, *waiting]
    marks = [
        printable(mark, 40)
        for mark in (*before.signatures, *([before.table] if before.table != "none" else []))
    ]
    return (
        [
            str(
                t("{drive}: all of it, which is recognised as {marks:list}.", drive=path, marks=tuple(marks))
            ),
            *waiting,
        ]
        if marks
        else waiting
    )


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
