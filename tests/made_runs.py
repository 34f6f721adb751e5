"""Make the folders of runs of plans."""

from pathlib import Path

from wizard.apply.run.backup_store import Environment
from wizard.apply.run.runs import PLAN, make_run
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan


def new_run(folder: Path, plan: Plan, environment: Environment) -> Path:
    """Create the folder of a new run with the plan and settings. Raises Refused."""
    return make_run(folder, plan.devices, PLAN, PLANS.render(plan), environment)
