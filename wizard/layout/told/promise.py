"""What a plan promises to whoever has something on the drive: until when it can be put back, or why it
cannot."""

from dataclasses import dataclass

from wizard.layout.rehearsed import direct_reason
from wizard.model.plan import Layout, Plan

WORD = "no way back"
"""What a person types beside the token where what the drive holds cannot be put back."""


@dataclass(frozen=True, slots=True)
class WayBackRoom:
    """Whether there is room for what a way back takes, and a sentence on how much that is, or why it is not
    known; empty where there is no way back to tell of."""

    sentence: str = ""
    fits: bool = True


ROOM_NOT_YET = WayBackRoom(
    "How much room the way back takes is not known yet: root finds that out by trying the plan out."
)


def wants_word(plan: Plan, why_direct: str = "") -> bool:
    """Whether what the drives hold cannot be put back once the plan was begun, so that a token alone does not
    confirm it. `why_direct` is why no stand-in can be had, as a clause; empty where one can.
    """
    return bool(direct_reason(plan) or why_direct) and not shows_nothing(plan)


def promise(plan: Plan, why_direct: str = "") -> str:
    """Until when what is on the drives can be put back. `why_direct` is why no stand-in can be had on this
    machine, as a clause; empty where one can, or nobody has looked.
    """
    drive, it = ("drives", "they hold") if plan.others else ("drive", "it holds")
    if why := direct_reason(plan) or why_direct:
        return (
            f"The steps run on the {drive} directly, since {why}. A power cut or an error can leave a part "
            "of them done, and what was there can be put back only until the first step that cannot be "
            "undone."
        )
    said = (
        f"Everything is tried out on a stand-in for the {drive} first, and what {it} where it changes is "
        "saved. When all is written it waits, not yet in use: `diskwright keep` puts it to use, and until "
        "then `diskwright undo` puts back what was there, bit for bit."
    )
    if plan.containers:
        said += " What is encrypted is opened then, so `keep` asks for the passphrase."
    if shows_nothing(plan):
        return f"{said} Where {it} only zeros there is nothing to put back: it is put to use at once."
    return said


def lost_when(plan: Plan, why_direct: str = "") -> str:
    """When what a plan destroys is lost, as the end of a heading: `, once you keep it`; empty where that is
    at once."""
    return "" if direct_reason(plan) or why_direct else ", once you keep it"


def lost_then(plan: Plan) -> str:
    """The same as the end of a sentence: `when you keep what the plan makes`."""
    return "when the plan is applied" if direct_reason(plan) else "when you keep what the plan makes"


def shows_nothing(plan: Plan) -> bool:
    """Whether nothing is recognised on any drive, and no run waits there; it may hold bytes all the same."""
    return all(_is_bare(member.before) for member in plan.members)


def _is_bare(layout: Layout) -> bool:
    return layout.table == "none" and not layout.partitions and not layout.holds_more
