"""A plan as a document: `diskwright.plan/1`."""

from wizard.documents.sealed import Sealed
from wizard.layout.check import check_plan
from wizard.model.plan import Plan

PLANS = Sealed("diskwright.plan/1", Plan, "a plan", "with `diskwright plan`", check_plan)
SCHEMA, render_plan, read_plan = PLANS.schema, PLANS.render, PLANS.read
