"""Explain until when a plan can be undone, or why undo is impossible, and list the data lost."""

from dataclasses import dataclass

from wizard.model.errors import printable
from wizard.model.operations import MakeArray
from wizard.model.plan import Layout, Member, Plan, Slot
from wizard.model.said import Sentences, joined, t, tn
from wizard.plan.free_space import content_of
from wizard.plan.raid.striping import mirror_lost
from wizard.plan.rehearsed import direct_reason
from wizard.plan.steps.postconditions import waiting_lost, whole_lost

TRIED = Sentences(
    "The plan is rehearsed on a scratch copy of the drive first, and all contents to be changed are saved.",
    "The plan is rehearsed on a scratch copy of the drives first, and all contents to be changed are saved.",
)

WORD = "no undo"
"""Typed beside the serial number to confirm a change that cannot be undone."""


@dataclass(frozen=True, slots=True)
class WayBackRoom:
    """Whether there is room for what a way back takes, and a sentence on how much that is, or why it is not
    known; empty where there is no way back to tell of. `lost` is data that nothing recognises and no plan
    shows."""

    sentence: str = ""
    fits: bool = True
    lost: tuple[str, ...] = ()


ROOM_NOT_YET = WayBackRoom(str(t("The space required for undo is unknown until root rehearses the plan.")))


def wants_word(plan: Plan, why_direct: str = "") -> bool:
    """Whether what the drives hold cannot be put back once the plan was begun, so that a token alone does not
    confirm it. `why_direct` is why no stand-in can be had, as a clause; empty where one can.
    """
    return bool(direct_reason(plan) or why_direct) and not shows_nothing(plan)


def promise(plan: Plan, why_direct: str = "", *, keep: bool = False) -> str:
    """Until when what is on the drives can be put back. `why_direct` is why no stand-in can be had on this
    machine, as a clause; empty where one can, or nobody has looked. `keep`: the way back is given up
    beforehand.
    """
    drives = len(plan.members)
    if why := direct_reason(plan) or why_direct:
        return str(
            tn(
                "The steps run directly on the drive, because {why}. A power failure or "
                "error can leave the steps incomplete. The old contents can be restored only "
                "until the first irreversible step.",
                "The steps run directly on the drives, because {why}. A power failure or "
                "error can leave the steps incomplete. The old contents can be restored only "
                "until the first irreversible step.",
                why=why,
                count=drives,
            )
        )
    if keep:
        return joined(
            [
                TRIED(count=drives),
                t(
                    "The result is used as soon as writing finishes. The old contents are then "
                    "lost, and `undo` cannot restore them."
                ),
            ]
        )
    said = [
        TRIED(count=drives),
        t(
            "{written}. `diskwright keep` accepts the result. Until then, {undone}.",
            written=t("When writing finishes, the result is waiting and not in use yet"),
            undone=t("`diskwright undo` restores the old contents bit for bit"),
        ),
    ]
    if plan.containers:
        said.append(t("Encrypted volumes are then opened, so `keep` asks for the passphrase."))
    copied = plan.stripe is not None and plan.stripe.kind == "md" and plan.stripe.mirrors
    # md copies over more than was read, so that waits for a decision.
    if shows_nothing(plan) and not copied:
        said.append(
            tn(
                "If only zeros would be overwritten, the result is used immediately, without undo.",
                "If only zeros would be overwritten, the result is used immediately, without undo.",
                count=drives,
            )
        )
    return joined(said)


def lost_when(plan: Plan, why_direct: str = "") -> str:
    """When what a plan destroys is lost, as the end of a heading: `, once you keep it`; empty where that is
    at once."""
    return "" if direct_reason(plan) or why_direct else str(t(", when you keep the result"))


def shows_nothing(plan: Plan) -> bool:
    """Whether nothing is recognised on any drive, and no run waits there; it may hold bytes all the same."""
    return all(is_bare(member.before) for member in plan.members)


def is_bare(layout: Layout) -> bool:
    """Return True if the drive shows no table, partition, signature or waiting run."""
    return layout.table == "none" and not layout.partitions and not layout.holds_more


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
        return [str(t("{drive}: any contents; unreadable during planning.", drive=path))]
    if whole := whole_lost(member):
        return [whole, *waiting]
    marks = [
        printable(mark, 40)
        for mark in (*before.signatures, *([before.table] if before.table != "none" else []))
    ]
    return (
        [
            str(t("{drive}: everything, recognised as {marks:list}.", drive=path, marks=tuple(marks))),
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
