"""What a plan promises to whoever has something on the drive: until when it can be put back, or why it
cannot."""

from dataclasses import dataclass

from wizard.layout.rehearsed import direct_reason
from wizard.model.plan import Layout, Plan
from wizard.model.said import Sentences, joined, t, tn

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
