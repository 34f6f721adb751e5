"""How documents of plans are read, checked and rendered."""

from collections.abc import Iterator

from wizard.documents import codec
from wizard.model.said import Message, t
from wizard.plan.plan import LOST, Plan

OLD_DOUBTS = {
    "Whoever loses the passphrase loses everything in the encrypted volume: nobody can open it without, and "
    "diskwright keeps it nowhere. A damaged header loses it too, unless `cryptsetup luksHeaderBackup` was "
    "kept elsewhere.": LOST.english,
    "advise.options.made-dangerous": "The volume for {purpose} will be created with {option}; {why}",
    "advise.options.mounted-dangerous": "The volume for {purpose} will be mounted with {option}; {why}",
    "layout.wishes.lost": LOST.english,
}
"""Doubts that a plan must have, by their text in schema 1 or their code in version 1.0."""


def _with_current_doubts(body: codec.JSON) -> codec.JSON:
    doubts = body.get("doubts")
    if not isinstance(doubts, list):
        return body
    coded = [doubt if isinstance(doubt, dict) else {"code": doubt, "values": {}} for doubt in doubts]
    converted = [
        {"english": OLD_DOUBTS[code], "values": old.get("values")}
        if (code := str(old.get("code"))) in OLD_DOUBTS
        else doubt
        for doubt, old in zip(doubts, coded, strict=True)
    ]
    return {**body, "doubts": converted}


def _removed(body: codec.JSON) -> Message | None:
    stripe = body.get("stripe")
    if isinstance(stripe, dict) and stripe.get("kind") == "lvm":
        return t("Striping with LVM is no longer supported; stripe with md instead, with `plan --stripe md`.")
    return None


def _faults(plan: Plan) -> Iterator[str]:
    # The planner is imported only to check a document.
    from wizard.plan.check import faults

    return faults(plan)


PLANS = codec.Sealed(
    "diskwright.plan/2",
    Plan,
    t("Create the plan again with `diskwright plan`."),
    _faults,
    Plan.with_current_texts,
    {
        "diskwright.plan/1": lambda body: codec.without_texts(_with_current_doubts(body)),
        "diskwright.plan/2": _with_current_doubts,
    },
    _removed,
)
