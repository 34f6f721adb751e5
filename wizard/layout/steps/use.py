"""What a step says that puts a filesystem to use: its subvolumes, its line in fstab, its mount, or turning it
on as swap."""

from wizard.layout.steps import words
from wizard.layout.wishes.subvolumes import mounted_subvolume
from wizard.layout.words import LET_WRITE, ROOTS_AGAIN, who
from wizard.model.operations.writer import SetOwner
from wizard.model.plan import NO_PLACE, AddFstabLine, MakeSubvolumes, Mount, TurnOnSwap


def use_sentence(
    operation: MakeSubvolumes | SetOwner | AddFstabLine | Mount | TurnOnSwap,
) -> str:
    """What the step does."""
    match operation:
        case MakeSubvolumes(device=device, names=names):
            return str(words.MAKE_SUBVOLUMES(names=names, device=device, count=len(names)))
        case SetOwner(device=device, writer=writer):
            return str(LET_WRITE(who=who(writer), device=device))
        case AddFstabLine(mount_point=place) if place == NO_PLACE:
            return str(words.SWAP_AT_BOOT())
        case AddFstabLine(mount_point=place, options=options):
            return str(words.MOUNT_AT_BOOT(what=mounted_subvolume(options) or words.IT(), place=place))
        case Mount(device=device, mount_point=place, options=options):
            if name := mounted_subvolume(options):
                return str(words.MOUNT_SUBVOLUME(name=name, device=device, place=place))
            return str(words.MOUNT(device=device, place=place))
        case TurnOnSwap(device=device):
            return str(words.SWAP_ON(device=device))


def within_undo(operation: MakeSubvolumes | SetOwner) -> str:
    """How what was made in a filesystem is taken back, where the steps run on the drive itself."""
    if isinstance(operation, SetOwner):
        return str(ROOTS_AGAIN())
    return str(words.SUBVOLUMES_BACK())
