"""What must hold when a step is done, in words."""

from itertools import pairwise

from wizard.filesystems.registry import MADE
from wizard.layout.group.groupsteps import DATA_BYTES, logical_holds
from wizard.layout.one.words import GROWN_CLEAN
from wizard.layout.several.mirrors import mirror_holds
from wizard.layout.steps import words
from wizard.layout.steps.commands import array_uuid
from wizard.layout.steps.container import container_holds
from wizard.layout.wishes.subvolumes import mounted_subvolume
from wizard.layout.words import BELONGS
from wizard.model.names import printable
from wizard.model.operations.arrays import MakeArray, MakeStripedVolume, MakeVolumeGroup
from wizard.model.operations.encryption import AddCrypttabLine, MakeContainer, OpenContainer
from wizard.model.operations.group import MakeLogicalVolume
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.operations.writer import SetOwner
from wizard.model.plan import (
    AddFstabLine,
    GrowFilesystem,
    MakeSubvolumes,
    Mount,
    Operation,
    ResetZones,
    Resizing,
    ShrinkFilesystem,
    TurnOnSwap,
    WipeSignatures,
    WriteTable,
)
from wizard.model.said import Said


def holds_after(operation: Operation, *, places: bool = True) -> tuple[str, ...]:
    """What is checked after an operation, a sentence each. `places`: a table gives partitions new ones."""
    match operation:
        case WipeSignatures(device=device) | ResetZones(device=device):
            return (str(words.NOTHING_RECOGNISED(device=device)),)
        case WriteTable(device=device):
            aligned = (words.NEW_ALIGNED(),) if places else ()
            return tuple(map(str, (words.TABLE_READ(device=device), words.KERNEL_SEES(), *aligned)))
        case MakeFilesystem() | GrowFilesystem() | ShrinkFilesystem():
            return _filesystem_holds(operation)
        case MakeSubvolumes() | SetOwner():
            return (str(_within_holds(operation)),)
        case AddFstabLine():
            return (str(_line_holds(operation)),)
        case Mount():
            return (str(_mount_holds(operation)),)
        case TurnOnSwap(device=device):
            return (str(words.SWAP_LISTED(device=device)),)
        case MakeContainer() | OpenContainer() | AddCrypttabLine():
            return container_holds(operation)
        case MakeLogicalVolume():
            return logical_holds(operation)
        case _:
            return tuple(map(str, _array_holds(operation)))


def _line_holds(operation: AddFstabLine) -> Said:
    name, uuid = mounted_subvolume(operation.options), operation.uuid
    return words.FSTAB_LINE(what=words.SUBVOLUME_OF(name=name, uuid=uuid) if name else uuid)


def _mount_holds(operation: Mount) -> Said:
    device, place = operation.device, printable(operation.mount_point, 2000)
    if not operation.options:
        return words.IS_MOUNTED(device=device, place=place)
    return words.IS_MOUNTED_WITH(device=device, place=place, options=",".join(operation.options))


def _within_holds(operation: MakeSubvolumes | SetOwner) -> Said:
    if isinstance(operation, MakeSubvolumes):
        return words.SUBVOLUMES_LISTED(device=operation.device, names=operation.names)
    writer = operation.writer
    return BELONGS(device=operation.device, uid=writer.uid, gid=writer.gid, mode=f"{writer.mode:o}")


def _filesystem_holds(operation: MakeFilesystem | Resizing) -> tuple[str, ...]:
    if isinstance(operation, Resizing):
        return (str(GROWN_CLEAN()),)
    device, kind, striping = operation.device, operation.filesystem, operation.striping
    devices = (device, *operation.others)
    holds = [words.RECOGNISED(devices=devices, what=kind, uuid=operation.uuid, count=len(devices))]
    if striping:
        holds.append(words.SUPERBLOCK_STRIPED(unit=striping.unit_bytes, width=striping.width_bytes))
    if operation.others:
        twice = ("-d", "raid1") in pairwise(operation.options)
        holds.append((words.DATA_TWICE if twice else words.DATA_STRIPED)(devices=len(devices)))
    if MADE[kind].clean_check:
        holds.append(GROWN_CLEAN())
    return tuple(map(str, holds))


def _array_holds(operation: MakeArray | MakeVolumeGroup | MakeStripedVolume) -> tuple[Said, ...]:
    match operation:
        case MakeArray(level="raid1"):
            return mirror_holds(operation)
        case MakeArray(device=device, uuid=uuid, chunk_bytes=chunk, parts=parts):
            return (
                words.ARRAY_FOUND(device=device, parts=len(parts), uuid=array_uuid(uuid)),
                _kernel_says(device, chunk, len(parts)),
            )
        case MakeVolumeGroup(name=name, parts=(part,)):
            return (words.GROUP_FOUND(name=name, part=part, start=DATA_BYTES),)
        case MakeVolumeGroup(name=name, parts=parts):
            return (words.GROUP_PARTS(name=name, parts=len(parts)),)
        case MakeStripedVolume(device=device, stripes=stripes, chunk_bytes=chunk):
            return (
                words.STRIPED_FOUND(device=device, stripes=stripes, chunk=chunk),
                _kernel_says(device, chunk, stripes),
            )


def _kernel_says(device: str, chunk_bytes: int, count: int) -> Said:
    return words.KERNEL_ADVISES(least=chunk_bytes, best=chunk_bytes * count, device=device)
