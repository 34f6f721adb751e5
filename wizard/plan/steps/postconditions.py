"""Describe the state required after a step, and the data that a plan destroys."""

from collections.abc import Sequence
from itertools import pairwise

from wizard.filesystems.registry import MADE, title_of
from wizard.findings.contents import used_text
from wizard.model.errors import partition_path, printable
from wizard.model.layout import Layout, Member, Slot
from wizard.model.said import Message, Sentence, join, t
from wizard.operations.filesystem import (
    GrowFilesystem,
    MakeFilesystem,
    MakeSubvolumes,
    Resizing,
    SetOwner,
    ShrinkFilesystem,
)
from wizard.operations.layers import (
    AddCrypttabLine,
    MakeArray,
    MakeContainer,
    MakeLogicalVolume,
    MakeVolumeGroup,
    OpenContainer,
    array_uuid,
)
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.operations.table import ResetZones, WipeSignatures, WriteTable
from wizard.plan.free_space import content_of
from wizard.plan.plan import Operation
from wizard.plan.raid.lvm import DATA_BYTES, logical_holds
from wizard.plan.raid.striping import mirror_holds
from wizard.plan.request.subvolumes import mounted_subvolume
from wizard.plan.steps import operations
from wizard.plan.steps.operations import container_holds

GROWN_CLEAN = t("The filesystem check reports a clean filesystem.")


def holds_after(operation: Operation, *, places: bool, fstab: str) -> tuple[str, ...]:
    """Describe the checks after an operation. `places`: the table has partitions at new places."""
    match operation:
        case WipeSignatures(device=device) | ResetZones(device=device):
            return (str(t("No filesystem, RAID or table is recognised on {device}.", device=device)),)
        case WriteTable(device=device):
            aligned = (
                (t("Each new partition is aligned according to the kernel and parted."),) if places else ()
            )
            return tuple(
                map(
                    str,
                    (
                        t(
                            "The table on {device}, read back, has exactly these starts, sizes, types "
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
            return (str(_inside_holds(operation)),)
        case AddFstabLine():
            return (str(_line_holds(operation, fstab)),)
        case Mount():
            return (str(_mount_holds(operation)),)
        case TurnOnSwap(device=device):
            return (str(t("The kernel lists {device} as swap.", device=device)),)
        case MakeContainer() | OpenContainer() | AddCrypttabLine():
            return container_holds(operation, fstab)
        case MakeLogicalVolume():
            return logical_holds(operation)
        case _:
            return tuple(map(str, _array_holds(operation)))


def _line_holds(operation: AddFstabLine, fstab: str) -> Message:
    name, uuid = mounted_subvolume(operation.options), operation.uuid
    what = t("{name} of {uuid}", name=name, uuid=uuid) if name else uuid
    return operations.ONE_LINE(file=fstab, what=what)


def _mount_holds(operation: Mount) -> Message:
    device, place = operation.device, printable(operation.mount_point, 2000)
    if not operation.options:
        return t("{device} is mounted at {place}.", device=device, place=place)
    return t(
        "{device} is mounted at {place} with {options}.",
        device=device,
        place=place,
        options=",".join(operation.options),
    )


def _inside_holds(operation: MakeSubvolumes | SetOwner) -> Message:
    if isinstance(operation, MakeSubvolumes):
        return t(
            "Btrfs lists exactly {names:and} on {device}.", device=operation.device, names=operation.names
        )
    writer = operation.writer
    return t(
        "The top of {device} belongs to {uid}:{gid}, mode {mode}.",
        device=operation.device,
        uid=writer.uid,
        gid=writer.gid,
        mode=f"{writer.mode:o}",
    )


def _filesystem_holds(operation: MakeFilesystem | Resizing) -> tuple[str, ...]:
    if isinstance(operation, Resizing):
        return (str(GROWN_CLEAN),)
    device, kind, striping = operation.device, operation.filesystem, operation.striping
    devices = (device, *operation.others)
    holds = [operations.RECOGNISED(devices=devices, what=kind, uuid=operation.uuid, count=len(devices))]
    if striping:
        holds.append(
            t(
                "The superblock reports a stripe unit of {unit:exact} and a stripe width of {width:exact}.",
                unit=striping.unit_bytes,
                width=striping.width_bytes,
            )
        )
    if operation.others:
        twice = ("-d", "raid1") in pairwise(operation.options)
        holds.append(
            (
                Sentence("The filesystem uses {devices} devices, with data in two copies.")
                if twice
                else Sentence("The filesystem uses {devices} devices, with striped data.")
            )(devices=len(devices))
        )
    if MADE[kind].clean_check:
        holds.append(GROWN_CLEAN)
    return tuple(map(str, holds))


def _array_holds(operation: MakeArray | MakeVolumeGroup) -> tuple[Message, ...]:
    match operation:
        case MakeArray(level="raid1"):
            return mirror_holds(operation)
        case MakeArray(device=device, uuid=uuid, chunk_bytes=chunk, parts=parts):
            return (
                t(
                    "mdadm reports on {device} and each part a RAID0 of {parts} with UUID {uuid}.",
                    device=device,
                    parts=len(parts),
                    uuid=array_uuid(uuid),
                ),
                t(
                    "The kernel reports {least:exact} minimum and {best:exact} optimal I/O size "
                    "for {device}, aligned on every drive.",
                    least=chunk,
                    best=chunk * len(parts),
                    device=device,
                ),
            )
        case MakeVolumeGroup(name=name, parts=parts):
            return (
                t(
                    "LVM reports the volume group {name} only on {parts:and}, with data from "
                    "{start:exact} on.",
                    name=name,
                    parts=parts,
                    start=DATA_BYTES,
                ),
            )


TABLES = {
    "gpt": Sentence("a GPT"),
    "mbr": Sentence("an MBR"),
    "hybrid": Sentence("a GPT and an MBR"),
    "other": Sentence("an old table"),
}
"""Table types in a sentence."""


def table_lost(member: Member) -> str:
    """Describe what is lost with the old table, and a run waiting there, or return an empty string."""
    return " ".join(filter(None, (_table_lost(member), waiting_lost(member.before))))


def whole_lost(member: Member) -> str:
    """Describe the contents of the drive itself by name and size, or return an empty string."""
    before = member.before
    kinds = [*map(title_of, before.signatures), *map(str, before.unmarked)]
    if not kinds:
        return ""
    named = f' "{printable(before.label, 40)}"' if before.label else ""
    content = ", ".join((f"{'+'.join(kinds)}{named}", *map(str, used_text(before.used_bytes))))
    whole = t(
        "All of {drive}: {content}, {size:size}.",
        drive=member.drive.path,
        content=content,
        size=member.drive.size_bytes,
    )
    return str(join(whole, *before.beyond))


def waiting_lost(before: Layout) -> str:
    """Describe what is lost of a run waiting on a drive, or return an empty string."""
    if not before.waiting:
        return ""
    return str(
        t(
            "The waiting result, {waiting}, and the undo of that run.",
            waiting=before.waiting,
        )
    )


def _table_lost(member: Member) -> str:
    if lost := _removed(member):
        table = t("The old table: {parts:semicolons}.", parts=tuple(map(_slot_text, lost)))
        return str(join(table, *(said for slot in lost for said in slot.beyond)))
    if member.before.table == "unread":
        return str(t("The old table, if any; unreadable during planning."))
    if member.before.table != "none":
        return str(t("The old table ({table}) without partitions.", table=member.before.table))
    return ""


def data_lost(devices: Sequence[str], members: Sequence[Member], *, named: bool) -> list[str]:
    """Describe the old data lost by creating a filesystem on `devices`, or for an array on all drives.
    `named`: include the drive's name."""
    found = [
        _lost_with(
            member,
            _lost_under(devices, member),
            t("on {drive}", drive=member.drive.path) if named else t("there"),
        )
        for member in members
    ]
    return [sentence for sentence in found if sentence]


def _lost_under(devices: Sequence[str], member: Member) -> list[Slot]:
    """Return the partitions lost under the `devices` of this drive: under all new ones if it has none of
    them, or all old ones for the drive itself."""
    if member.drive.path in devices:
        return _removed(member)
    new = [slot for slot in member.after.partitions if not slot.kept]
    targets = [slot for slot in new if partition_path(member.drive.path, slot.number) in devices] or new
    return [slot for slot in _removed(member) if any(slot.overlaps(target) for target in targets)]


def _lost_with(member: Member, lost: Sequence[Slot], where: Message) -> str:
    if lost:
        return str(
            t("The old data {where}: {parts:semicolons}.", where=where, parts=tuple(map(_slot_text, lost)))
        )
    if member.before.signatures:
        return str(t("The old data of {what} {where}.", what=marks(member.before.signatures), where=where))
    if member.before.table == "unread":
        return str(t("Any old data {where}; unreadable during planning.", where=where))
    return ""


def _removed(member: Member) -> list[Slot]:
    return [slot for slot in member.before.partitions if not slot.kept]


def _slot_text(slot: Slot) -> Message:
    number, content, size = slot.number, content_of(slot), slot.size_bytes
    used = used_text(slot.used_bytes)
    if not slot.label:
        return t(
            "partition {number} ({content}, {facts:list})",
            number=number,
            content=content,
            facts=(t("{size:size}", size=size), *used),
        )
    label = repr(printable(slot.label))
    return t(
        "partition {number} ({content} {label}, {facts:list})",
        number=number,
        content=content,
        label=label,
        facts=(t("{size:size}", size=size), *used),
    )


def marks(kinds: Sequence[str]) -> str:
    """List signatures and table types in a sentence."""
    shown = tuple(TABLES[kind]() if kind in TABLES else printable(kind, 40) for kind in kinds)
    return str(t("{marks:and}", marks=shown)) if shown else ""
