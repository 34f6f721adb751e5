"""What a run that ended early would still write over, which a person confirms before it goes on."""

from collections.abc import Set

from wizard.model.encryption import AddCrypttabLine, OpenContainer
from wizard.model.plan import AddFstabLine, MakeSubvolumes, Mount, Operation, Plan, Step, TurnOnSwap

HARMLESS: tuple[type[Operation], ...] = (OpenContainer, AddCrypttabLine, AddFstabLine, MakeSubvolumes, Mount, TurnOnSwap)
"""Operations that write over nothing: they use what the run made, or add a line to a file."""


def writes_over(plan: Plan, done: Set[int]) -> tuple[tuple[int, Step], ...]:
    """The steps that are not done, by number from 1, and that write to the drive what was not there: a table, a
    filesystem, a container. Where nothing was recognised there, too: something can be there by now.
    """
    left = ((number, step) for number, step in enumerate(plan.steps, 1) if number not in done)
    return tuple((number, step) for number, step in left if step.destroys or not isinstance(step.operation, HARMLESS))
