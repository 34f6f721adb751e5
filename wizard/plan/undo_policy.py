"""Explain until when a plan can be undone, or why undo is impossible, and list the data lost."""

from wizard.model.errors import FrozenStruct, printable
from wizard.model.said import Message, Sentences, joined, t, tn
from wizard.operations import data_loss
from wizard.plan.plan import Plan

TRIED = Sentences(
    "The plan is rehearsed on a scratch copy of the drive first, and all contents to be changed are saved.",
    "The plan is rehearsed on a scratch copy of the drives first, and all contents to be changed are saved.",
)

WORD = "no undo"
"""Typed together with the serial number to confirm a change that cannot be undone."""


class UndoSpace(FrozenStruct):
    """Space for undo data, with the run's own files. `fits`: there is enough. `sentence`: the amount, or why
    it is unknown; empty if undo is not possible. `lost`: unrecognised data that no plan shows. `blanks`: for
    each drive, if only zeros are overwritten."""

    sentence: Message | str = ""
    fits: bool = True
    lost: tuple[Message | str, ...] = ()
    blanks: tuple[bool, ...] = ()
    needed_bytes: int = 0


ROOM_NOT_YET = UndoSpace(t("The space required for undo is unknown until root rehearses the plan."))


def needs_word(plan: Plan, why_direct: str = "") -> bool:
    """Return True if the plan cannot be undone once started, so a token alone does not confirm it.
    `why_direct`: why no scratch copy is possible, as a clause, or empty."""
    return bool(plan.direct_reason or why_direct) and not shows_nothing(plan)


def promise(plan: Plan, why_direct: str = "", *, keep: bool = False) -> str:
    """Describe until when the plan can be undone, if at all.

    `why_direct`: why no scratch copy is possible on this machine, as a clause; empty if possible or unknown.
    `keep`: the result is kept immediately.
    """
    drives = len(plan.members)
    if why := plan.direct_reason or why_direct:
        return str(
            tn(
                "The steps run directly on the drive, because {why}. The run can be neither "
                "undone nor resumed. After a power cut or an error, the drive must be set up again.",
                "The steps run directly on the drives, because {why}. The run can be neither "
                "undone nor resumed. After a power cut or an error, the drives must be set up again.",
                why=why,
                count=drives,
            )
        )
    if keep:
        lost = t(
            "The result is used as soon as writing finishes. The old contents are then lost, and `undo` "
            "cannot restore them."
        )
        return joined([TRIED(count=drives), lost])
    # md copies more than was read, so a decision is required.
    overwrites = plan.stripe is not None and plan.stripe.kind == "md" and plan.stripe.mirrors
    sentences = [TRIED(count=drives)]
    sentences.append(
        t(
            "When writing finishes, the result is waiting and not in use yet. `diskwright keep` accepts the "
            "result. Until then, `diskwright undo` restores the old contents bit for bit."
        )
    )
    if shows_nothing(plan) and not overwrites:
        zeros = t("If only zeros would be overwritten, the result is used immediately, without undo.")
        sentences.append(zeros)
    if plan.containers:
        sentences.append(t("Encrypted volumes are then opened, so `keep` asks for the passphrase."))
    return joined(sentences)


def shows_nothing(plan: Plan) -> bool:
    """Return True if no table, partition or contents are recognised on any drive and no run waits there. The
    drives may still contain data."""
    return all(member.before.is_bare for member in plan.members)


def losses(plan: Plan) -> list[str]:
    """Return each partition that is lost, with the contents. If the only drive has none, return the data loss
    of the steps."""
    lost: list[str] = []
    for member in () if plan.only_table else plan.members:
        path, before = member.drive.path, member.before
        if slots := before.changed:
            lost += [f"{member.node(slot.number)}: {data_loss.described(slot)}." for slot in slots]
            # What the losses mean for other drives.
            lost += [str(said) for slot in slots for said in slot.beyond]
        elif not before.partitions and (whole := data_loss.whole_lost(member)):
            lost.append(whole)
        elif not plan.others:
            return list(dict.fromkeys(printable(step.destroys, 4000) for step in plan.steps if step.destroys))
        elif before.table == "unread":
            lost.append(str(data_loss.UNREADABLE(device=path)))
        elif before.table != "none":
            lost.append(str(data_loss.ALL(device=path, what=before.table)))
        if waiting := data_loss.waiting_lost(before):
            lost.append(f"{path}: {waiting}" if plan.others else waiting)
    # A mirror overwrites everything, recognised or not.
    return [*lost, *(array.copy_loss for array in plan.arrays if array.copied)]
