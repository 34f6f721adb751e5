"""A plan as a document: `diskwright.plan/2`."""

from wizard.documents.codec import JSON, to_json
from wizard.documents.sealed import Sealed, without_texts
from wizard.layout.check import check_plan
from wizard.layout.steps.shown import told_anew
from wizard.layout.wishes.words import LOST
from wizard.layout.words import AGAIN_WITH_PLAN
from wizard.model.plan import Plan


def _from_first(body: JSON) -> JSON:
    """Of schema 1, whose doubts were text: that of containers is one without which no plan makes any."""
    doubts = body.get("doubts")
    if isinstance(doubts, list):
        told = [to_json(LOST()) if doubt == LOST.english else doubt for doubt in doubts]
        body = {**body, "doubts": told}
    return without_texts(body)


PLANS = Sealed(
    "diskwright.plan/2",
    Plan,
    AGAIN_WITH_PLAN,
    check_plan,
    told_anew,
    {"diskwright.plan/1": _from_first},
)
SCHEMA, render_plan, read_plan, read_kept_plan = PLANS.schema, PLANS.render, PLANS.read, PLANS.read_kept
