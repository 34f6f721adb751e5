"""What a plan promises to whoever has something on the drive: until when it can be put back, or why it
cannot."""

from dataclasses import dataclass

from wizard.layout.rehearsed import direct_reason
from wizard.layout.told import words
from wizard.model.plan import Layout, Plan
from wizard.model.said import joined

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


ROOM_NOT_YET = WayBackRoom(str(words.ROOM_NOT_YET()))


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
        return str(words.DIRECT(why=why, count=drives))
    if keep:
        return joined([words.TRIED(count=drives), words.KEPT_AT_ONCE()])
    said = [words.TRIED(count=drives), words.WAITS(written=words.WRITTEN(), undone=words.UNDONE())]
    if plan.containers:
        said.append(words.OPENED())
    copied = plan.stripe is not None and plan.stripe.kind == "md" and plan.stripe.mirrors
    # md copies over more than was read, so that waits for a decision.
    if shows_nothing(plan) and not copied:
        said.append(words.ONLY_ZEROS(count=drives))
    return joined(said)


def lost_when(plan: Plan, why_direct: str = "") -> str:
    """When what a plan destroys is lost, as the end of a heading: `, once you keep it`; empty where that is
    at once."""
    return "" if direct_reason(plan) or why_direct else str(words.ONCE_KEPT())


def shows_nothing(plan: Plan) -> bool:
    """Whether nothing is recognised on any drive, and no run waits there; it may hold bytes all the same."""
    return all(is_bare(member.before) for member in plan.members)


def is_bare(layout: Layout) -> bool:
    """Return True if the drive shows no table, partition, signature or waiting run."""
    return layout.table == "none" and not layout.partitions and not layout.holds_more
