"""What a step says that puts a filesystem to use: its subvolumes, its line in fstab, its mount, or turning it
on as swap."""

from wizard.layout.one.words import grown_said
from wizard.layout.wishes.subvolumes import mounted_subvolume
from wizard.layout.words import LET_WRITE, ROOTS_AGAIN, who
from wizard.model.names import printable
from wizard.model.plan import NO_PLACE, AddFstabLine, GrowFilesystem, MakeSubvolumes, Mount, TurnOnSwap
from wizard.model.writer import SetOwner


def use_sentence(
    operation: MakeSubvolumes | SetOwner | AddFstabLine | Mount | TurnOnSwap | GrowFilesystem,
) -> str:
    """What the step does."""
    match operation:
        case MakeSubvolumes(device=device, names=names):
            return (
                f"Make {', '.join(names)} in it, {'a subvolume' if len(names) == 1 else 'subvolumes'} of the "
                f"filesystem on {device}."
            )
        case SetOwner(device=device, writer=writer):
            return str(LET_WRITE(who=who(writer), device=device))
        case AddFstabLine(mount_point=place) if place == NO_PLACE:
            return "Have it turned on as swap at every start: one line in /etc/fstab."
        case AddFstabLine(mount_point=place, options=options):
            what = mounted_subvolume(options) or "it"
            return f"Have {what} mounted at {printable(place, 2000)} at every start: one line in /etc/fstab."
        case Mount(device=device, mount_point=place, options=options):
            what = f"{name} of {device}" if (name := mounted_subvolume(options)) else device
            return f"Mount {what} at {printable(place, 2000)}."
        case GrowFilesystem():
            return str(grown_said(operation))
        case TurnOnSwap(device=device):
            return f"Let the kernel swap to {device}."


def within_undo(operation: MakeSubvolumes | SetOwner) -> str:
    """How what was made in a filesystem is taken back, where the steps run on the drive itself."""
    if isinstance(operation, SetOwner):
        return str(ROOTS_AGAIN())
    return (
        "By `btrfs subvolume delete`, which loses nothing while they are empty; the filesystem itself stays."
    )
