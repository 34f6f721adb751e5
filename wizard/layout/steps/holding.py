"""What must hold when a step is done, in words."""

from collections.abc import Sequence
from itertools import pairwise

from wizard.filesystems.registry import MADE
from wizard.layout.group.groupsteps import DATA_BYTES, logical_holds
from wizard.layout.one.words import GROWN_CLEAN
from wizard.layout.several.mirrors import mirror_holds
from wizard.layout.steps.commands import array_uuid
from wizard.layout.steps.container import container_holds
from wizard.layout.wishes.subvolumes import mounted_subvolume
from wizard.layout.words import BELONGS
from wizard.model.encryption import AddCrypttabLine, MakeContainer, OpenContainer
from wizard.model.group import MakeLogicalVolume
from wizard.model.make_filesystem import MakeFilesystem
from wizard.model.names import printable
from wizard.model.plan import (
    AddFstabLine,
    GrowFilesystem,
    MakeArray,
    MakeStripedVolume,
    MakeSubvolumes,
    MakeVolumeGroup,
    Mount,
    Operation,
    ResetZones,
    TurnOnSwap,
    WipeSignatures,
    WriteTable,
)
from wizard.model.units import format_exact
from wizard.model.writer import SetOwner


def holds_after(operation: Operation, *, places: bool = True) -> tuple[str, ...]:
    """What is checked after an operation, a sentence each. `places`: a table gives partitions new ones."""
    match operation:
        case WipeSignatures(device=device) | ResetZones(device=device):
            return (f"No filesystem, RAID or table is recognised on {device}.",)
        case WriteTable(device=device):
            return (
                f"The table read back from {device} has exactly these starts, sizes, types and names.",
                "The kernel sees the same partitions.",
                *(("Each new partition is aligned by the kernel's rule and by parted's.",) if places else ()),
            )
        case MakeFilesystem() | GrowFilesystem():
            return _filesystem_holds(operation)
        case MakeSubvolumes() | SetOwner():
            return (_within_holds(operation),)
        case AddFstabLine(uuid=uuid, options=options):
            what = f"{name} of {uuid}" if (name := mounted_subvolume(options)) else uuid
            return (f"/etc/fstab has exactly this one line for {what}, and every other line as before.",)
        case Mount(device=device, mount_point=place, options=options):
            how = f" with {','.join(options)}" if options else ""
            return (f"{device} is mounted at {printable(place, 2000)}{how}.",)
        case TurnOnSwap(device=device):
            return (f"The kernel lists {device} as swap.",)
        case MakeContainer() | OpenContainer() | AddCrypttabLine():
            return container_holds(operation)
        case MakeLogicalVolume():
            return logical_holds(operation)
        case _:
            return _array_holds(operation)


def _within_holds(operation: MakeSubvolumes | SetOwner) -> str:
    if isinstance(operation, MakeSubvolumes):
        return f"Btrfs lists on {operation.device} exactly {listed(operation.names)}."
    writer = operation.writer
    return str(BELONGS(device=operation.device, uid=writer.uid, gid=writer.gid, mode=f"{writer.mode:o}"))


def _filesystem_holds(operation: MakeFilesystem | GrowFilesystem) -> tuple[str, ...]:
    if isinstance(operation, GrowFilesystem):
        return (str(GROWN_CLEAN()),)
    device, kind, striping = operation.device, operation.filesystem, operation.striping
    recognised = (
        f"{listed((device, *operation.others))} {'are' if operation.others else 'is'} recognised as {kind} "
        f"with UUID {operation.uuid}."
    )
    more = []
    if striping:
        unit, width = format_exact(striping.unit_bytes), format_exact(striping.width_bytes)
        more.append(f"Its superblock says that it is striped: {unit} to a drive, {width} to all of them.")
    if operation.others:
        how = "in two copies" if ("-d", "raid1") in pairwise(operation.options) else "striped over them"
        more.append(f"It lies on {1 + len(operation.others)} devices, with its data {how}.")
    clean = ("The filesystem's own check finds it clean.",) if MADE[kind].clean_check else ()
    return (recognised, *more, *clean)


def _array_holds(operation: MakeArray | MakeVolumeGroup | MakeStripedVolume) -> tuple[str, ...]:
    match operation:
        case MakeArray(level="raid1"):
            return mirror_holds(operation)
        case MakeArray(device=device, uuid=uuid, chunk_bytes=chunk, parts=parts):
            return (
                f"mdadm finds on {device} and on each of its parts a RAID0 of {len(parts)} with UUID "
                f"{array_uuid(uuid)}.",
                _kernel_says(device, chunk, len(parts)),
            )
        case MakeVolumeGroup(name=name, parts=(part,)):
            return (
                f"LVM finds the volume group {name} on {part} alone, with its data from "
                f"{format_exact(DATA_BYTES)} on.",
            )
        case MakeVolumeGroup(name=name, parts=parts):
            return (f"LVM finds the volume group {name} on exactly these {len(parts)} physical volumes.",)
        case MakeStripedVolume(device=device, stripes=stripes, chunk_bytes=chunk):
            return (
                f"LVM finds {device} striped over {stripes}, {format_exact(chunk)} each.",
                _kernel_says(device, chunk, stripes),
            )


def _kernel_says(device: str, chunk_bytes: int, count: int) -> str:
    return (
        f"The kernel advises {format_exact(chunk_bytes)} at least and {format_exact(chunk_bytes * count)} at "
        f"best for {device}, and finds it aligned on every drive."
    )


def listed(devices: Sequence[str]) -> str:
    """`/dev/sda, /dev/sdb and /dev/sdc`."""
    return " and ".join([", ".join(devices[:-1]), devices[-1]]) if len(devices) > 1 else "".join(devices)
