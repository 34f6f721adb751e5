"""What a run that ended early would still write over, which a person confirms before it goes on."""

from collections.abc import Set
from pathlib import Path

from wizard.apply.engine.record import Phase, load_record
from wizard.apply.run.journal import done_steps, read_entries
from wizard.model.operations.encryption import AddCrypttabLine, OpenContainer
from wizard.model.operations.writer import SetOwner
from wizard.model.plan import AddFstabLine, MakeSubvolumes, Mount, Operation, Plan, Step, TurnOnSwap

HARMLESS: tuple[type[Operation], ...] = (
    OpenContainer,
    AddCrypttabLine,
    AddFstabLine,
    MakeSubvolumes,
    SetOwner,
    Mount,
    TurnOnSwap,
)
"""Operations that write over nothing: they use what the run made, or add a line to a file."""


NOT_WRITTEN_YET = frozenset({Phase.REHEARSING, Phase.SAVED, Phase.CLEARING, Phase.REPLACING, Phase.UNKNOWN})
"""Phases from which a rehearsed run goes on by writing to its drives, whatever was done on stand-ins."""


def still_writes_over(run: Path, plan: Plan) -> tuple[tuple[int, Step], ...]:
    """What `writes_over` gives of the steps that the run has not brought to its drives. Raises BadInput where
    it cannot be read."""
    record = load_record(run)
    if record is None:
        return writes_over(plan, done_steps(read_entries(run)))
    return writes_over(plan, frozenset()) if record.phase in NOT_WRITTEN_YET else ()


def writes_over(plan: Plan, done: Set[int]) -> tuple[tuple[int, Step], ...]:
    """The steps that are not done, by number from 1, and that write to the drive what was not there: a table,
    a filesystem, a container. Where nothing was recognised there, too: something can be there by now.
    """
    left = ((number, step) for number, step in enumerate(plan.steps, 1) if number not in done)
    return tuple(
        (number, step) for number, step in left if step.destroys or not isinstance(step.operation, HARMLESS)
    )
