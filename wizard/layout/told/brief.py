"""What a plan does, in as few lines as tell all that matters: for the last question."""

from collections.abc import Iterator

from wizard.layout.wishes.subvolumes import mounted_subvolume
from wizard.layout.words import who
from wizard.model.names import printable
from wizard.model.operations.encryption import MakeContainer
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.operations.writer import SetOwner
from wizard.model.plan import (
    NO_PLACE,
    AddFstabLine,
    Mount,
    Operation,
    Plan,
    Step,
    TurnOnSwap,
    Volume,
    WipeSignatures,
)
from wizard.model.said import t

MOST_OPTIONS = 60
"""Characters of the options that are told; the commands tell all of them."""


def brief(plan: Plan) -> tuple[str, ...]:
    """A sentence for each thing that is lost, made, given to somebody or mounted.

    Steps that only prepare for the next are left out. A line in fstab and its mount are one.
    """
    volumes = {volume.path: volume for volume in plan.volumes}
    return tuple(_told(plan.steps, volumes))


def _told(steps: tuple[Step, ...], volumes: dict[str, Volume]) -> Iterator[str]:
    before: Operation | None = None
    for number, step in enumerate(steps):
        operation = step.operation
        after = steps[number + 1].operation if number + 1 < len(steps) else None
        match operation:
            case WipeSignatures(expected=()):
                # On a new partition: making what comes there overwrites it all the same.
                prepares = (
                    isinstance(after, MakeFilesystem | MakeContainer) and after.device == operation.device
                )
                if not prepares:
                    yield step.sentence
            case MakeFilesystem(device=device):
                yield _made(step.sentence, volumes.get(device))
            case SetOwner(device=device) if device in volumes:
                # It is told where the filesystem is made.
                pass
            case AddFstabLine() if _goes_with(operation, after):
                pass
            case Mount(device=device, mount_point=place, options=options) if _goes_with(before, operation):
                what = mounted_subvolume(options) or device
                yield str(
                    t(
                        "Mount {what} at {place}, now and at every boot.",
                        what=what,
                        place=printable(place, 200),
                    )
                )
            case TurnOnSwap(device=device) if _goes_with(before, operation):
                yield str(t("Swap to {device}, now and at every boot.", device=device))
            case _:
                yield step.sentence
        before = operation


def _made(sentence: str, volume: Volume | None) -> str:
    if volume is None:
        return sentence
    said = [sentence]
    if volume.mkfs_options:
        options = printable(" ".join(volume.mkfs_options), MOST_OPTIONS)
        said.append(str(t("Options: {options}.", options=options)))
    if volume.mount_point not in (None, NO_PLACE):
        said.append(str(t("Who may write: {who}.", who=who(volume.writer))))
    return " ".join(said)


def _goes_with(line: Operation | None, use: Operation | None) -> bool:
    """Whether a line in fstab is for just this mount, or for this swap."""
    if not isinstance(line, AddFstabLine):
        return False
    if isinstance(use, TurnOnSwap):
        return True
    return isinstance(use, Mount) and use.mount_point == line.mount_point
