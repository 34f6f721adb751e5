"""Execute and verify each operation of a plan, by type."""

from collections.abc import Iterator

from wizard.apply.resize import resized
from wizard.apply.steps import arrays, containers, filesystem, layers, wipe
from wizard.apply.steps.step_context import Finished, StepContext, Steps, described
from wizard.apply.table import write
from wizard.model.run import Check
from wizard.model.said import Message
from wizard.operations.operation import Operation
from wizard.plan.plan import PlanOperation, Step

STEPS: Steps = {
    operation: step
    for module in (wipe, write, containers, arrays, layers, filesystem, resized)
    for operation, step in module.STEPS.items()
}


def execute(operation: Operation, context: StepContext) -> Message | str:
    """Execute an operation and return a summary. Raises Failed."""
    work, checks = STEPS[type(operation)]
    return work(operation, context) or context.confirm(checks(operation, context.finished()))


def verify(step: Step[PlanOperation], finished: Finished) -> Iterator[Check]:
    """Check the result of a step after the last one. Raises Failed."""
    return described(step, STEPS[type(step.operation)][1](step.operation, finished))
