"""What a plan promises to whoever has something on the drive: until when it can be put back, or why it
cannot.
"""

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
    "Everything is tried out on a stand-in for the drive first, and what it holds where it changes is saved.",
    "Everything is tried out on a stand-in for the drives first, and what they "
    "hold where it changes is saved.",
)

WORD = "no way back"
"""What a person types beside the token where what the drive holds cannot be put back."""


@dataclass(frozen=True, slots=True)
class WayBackRoom:
    """Whether there is room for what a way back takes, and a sentence on how much that is, or why it is not
    known; empty where there is no way back to tell of. `lost` is data that nothing recognises and no plan
    shows."""

    sentence: str = ""
    fits: bool = True
    lost: tuple[str, ...] = ()


ROOM_NOT_YET = WayBackRoom(
    str(t("How much room the way back takes is not known yet: root finds that out by trying the plan out."))
)


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
                "The steps run on the drive directly, since {why}. A power cut or an error "
                "can leave a part of them done. What was there can be put back only until "
                "the first step that cannot be undone.",
                "The steps run on the drives directly, since {why}. A power cut or an error "
                "can leave a part of them done. What was there can be put back only until "
                "the first step that cannot be undone.",
                why=why,
                count=drives,
            )
        )
    if keep:
        return joined(
            [
                TRIED(count=drives),
                t(
                    "It is put to use as soon as it is written. What was there is lost then, and "
                    "`undo` does not bring it back."
                ),
            ]
        )
    said = [
        TRIED(count=drives),
        t(
            "{written}: `diskwright keep` puts it to use, and until then {undone}.",
            written=t("When all is written it waits, not yet in use"),
            undone=t("`diskwright undo` puts back what was there, bit for bit"),
        ),
    ]
    if plan.containers:
        said.append(t("What is encrypted is opened then, so `keep` asks for the passphrase."))
    copied = plan.stripe is not None and plan.stripe.kind == "md" and plan.stripe.mirrors
    # md copies over more than was read, so that waits for a decision.
    if shows_nothing(plan) and not copied:
        said.append(
            tn(
                "Where it holds only zeros there is nothing to put back: it is put to use at once.",
                "Where they hold only zeros there is nothing to put back: it is put to use at once.",
                count=drives,
            )
        )
    return joined(said)


def lost_when(plan: Plan, why_direct: str = "") -> str:
    """When what a plan destroys is lost, as the end of a heading: `, once you keep it`; empty where that is
    at once."""
    return "" if direct_reason(plan) or why_direct else str(t(", once you keep it"))


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
