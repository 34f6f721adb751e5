"""What a run that brings files does, in words."""

from wizard.model.documents.bring import Bring, BringStep
from wizard.model.names import printable
from wizard.model.said import Said, t


def step_said(bring: Bring, step: BringStep) -> Said:
    """What a step does."""
    match step:
        case BringStep.COPY:
            return t(
                "Copy {entries:,d} files, folders and links, {size:size} of content.",
                entries=bring.amount.entries,
                size=bring.amount.size_bytes,
            )
        case BringStep.CATCH_UP:
            return t("Copy again what changed meanwhile, and give folders their owners and dates.")
        case BringStep.COMPARE:
            return t("Read the copy back from the drive, and compare.")
        case BringStep.TAKE_PLACE:
            assert bring.takes is not None
            file, place = (printable(path, 200) for path in (bring.takes.edit.file, bring.takes.place))
            return t(
                "Have {file} mount {device} at {place} from the next start on.",
                file=file,
                place=place,
                device=bring.target.device,
            )
