"""What a run that brings files does, in words."""

from wizard.apply.bring import words
from wizard.model.documents.bring import Bring, BringStep
from wizard.model.names import printable
from wizard.model.said import Said


def step_said(bring: Bring, step: BringStep) -> Said:
    """What a step does."""
    match step:
        case BringStep.COPY:
            return words.COPY(entries=bring.amount.entries, size=bring.amount.size_bytes)
        case BringStep.CATCH_UP:
            return words.CATCH_UP()
        case BringStep.COMPARE:
            return words.COMPARE()
        case BringStep.TAKE_PLACE:
            assert bring.takes is not None
            file, place = (printable(path, 200) for path in (bring.takes.edit.file, bring.takes.place))
            return words.TAKE_PLACE(file=file, place=place, device=bring.target.device)
