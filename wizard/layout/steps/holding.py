"""What must hold when a step is done, in words."""

from itertools import pairwise

from wizard.filesystems.registry import MADE
from wizard.layout.group.groupsteps import DATA_BYTES, logical_holds
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
from wizard.model.said import Said, Sentence, t

GROWN_CLEAN = t("The filesystem's own check finds it clean.")


def holds_after(operation: Operation, *, places: bool = True) -> tuple[str, ...]:
    """What is checked after an operation, a sentence each. `places`: a table gives partitions new ones."""
    match operation:
        case WipeSignatures(device=device) | ResetZones(device=device):
            return (str(t("No filesystem, RAID or table is recognised on {device}.", device=device)),)
        case WriteTable(device=device):
            aligned = (
                (t("Each new partition is aligned by the kernel's rule and by parted's."),) if places else ()
            )
            return tuple(
                map(
                    str,
                    (
                        t(
                            "The table read back from {device} has exactly these starts, sizes, types "
                            "and names.",
                            device=device,
                        ),
                        t("The kernel sees the same partitions."),
                        *aligned,
                    ),
                )
            )
        case MakeFilesystem() | GrowFilesystem() | ShrinkFilesystem():
            return _filesystem_holds(operation)
        case MakeSubvolumes() | SetOwner():
            return (str(_within_holds(operation)),)
        case AddFstabLine():
            return (str(_line_holds(operation)),)
        case Mount():
            return (str(_mount_holds(operation)),)
        case TurnOnSwap(device=device):
            return (str(t("The kernel lists {device} as swap.", device=device)),)
        case MakeContainer() | OpenContainer() | AddCrypttabLine():
            return container_holds(operation)
        case MakeLogicalVolume():
            return logical_holds(operation)
        case _:
            return tuple(map(str, _array_holds(operation)))


def _line_holds(operation: AddFstabLine) -> Said:
    name, uuid = mounted_subvolume(operation.options), operation.uuid
    return t(
        "/etc/fstab has exactly this one line for {what}, and every other line as before.",
        what=t("{name} of {uuid}", name=name, uuid=uuid) if name else uuid,
    )


def _mount_holds(operation: Mount) -> Said:
    device, place = operation.device, printable(operation.mount_point, 2000)
    if not operation.options:
        return t("{device} is mounted at {place}.", device=device, place=place)
    return t(
        "{device} is mounted at {place} with {options}.",
        device=device,
        place=place,
        options=",".join(operation.options),
    )


def _within_holds(operation: MakeSubvolumes | SetOwner) -> Said:
    if isinstance(operation, MakeSubvolumes):
        return t(
            "Btrfs lists on {device} exactly {names:and}.", device=operation.device, names=operation.names
        )
    writer = operation.writer
    return BELONGS(device=operation.device, uid=writer.uid, gid=writer.gid, mode=f"{writer.mode:o}")


def _filesystem_holds(operation: MakeFilesystem | Resizing) -> tuple[str, ...]:
    if isinstance(operation, Resizing):
        return (str(GROWN_CLEAN),)
    device, kind, striping = operation.device, operation.filesystem, operation.striping
    devices = (device, *operation.others)
    holds = [words.RECOGNISED(devices=devices, what=kind, uuid=operation.uuid, count=len(devices))]
    if striping:
        holds.append(
            t(
                "Its superblock says that it is striped: {unit:exact} to a drive, "
                "{width:exact} to all of them.",
                unit=striping.unit_bytes,
                width=striping.width_bytes,
            )
        )
    if operation.others:
        twice = ("-d", "raid1") in pairwise(operation.options)
        holds.append(
            (
                Sentence("It lies on {devices} devices, with its data in two copies.")
                if twice
                else Sentence("It lies on {devices} devices, with its data striped over them.")
            )(devices=len(devices))
        )
    if MADE[kind].clean_check:
        holds.append(GROWN_CLEAN)
    return tuple(map(str, holds))


def _array_holds(operation: MakeArray | MakeVolumeGroup | MakeStripedVolume) -> tuple[Said, ...]:
    match operation:
        case MakeArray(level="raid1"):
            return mirror_holds(operation)
        case MakeArray(device=device, uuid=uuid, chunk_bytes=chunk, parts=parts):
            return (
                t(
                    "mdadm finds on {device} and on each of its parts a RAID0 of {parts} with UUID {uuid}.",
                    device=device,
                    parts=len(parts),
                    uuid=array_uuid(uuid),
                ),
                _kernel_says(device, chunk, len(parts)),
            )
        case MakeVolumeGroup(name=name, parts=(part,)):
            return (
                t(
                    "LVM finds the volume group {name} on {part} alone, with its data from {start:exact} on.",
                    name=name,
                    part=part,
                    start=DATA_BYTES,
                ),
            )
        case MakeVolumeGroup(name=name, parts=parts):
            return (
                t(
                    "LVM finds the volume group {name} on exactly these {parts} physical volumes.",
                    name=name,
                    parts=len(parts),
                ),
            )
        case MakeStripedVolume(device=device, stripes=stripes, chunk_bytes=chunk):
            return (
                t(
                    "LVM finds {device} striped over {stripes}, {chunk:exact} each.",
                    device=device,
                    stripes=stripes,
                    chunk=chunk,
                ),
                _kernel_says(device, chunk, stripes),
            )


def _kernel_says(device: str, chunk_bytes: int, count: int) -> Said:
    return t(
        "The kernel advises {least:exact} at least and {best:exact} at best for "
        "{device}, and finds it aligned on every drive.",
        least=chunk_bytes,
        best=chunk_bytes * count,
        device=device,
    )
