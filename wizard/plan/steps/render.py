"""Derive all displayed texts of a step from the operation and the plan's facts. Repeatable."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from wizard.filesystems.registry import MADE
from wizard.model.errors import partition_path, printable
from wizard.model.geometry import Identity
from wizard.model.layout import NO_PLACE, Layout, Member, Slot
from wizard.model.said import TIB, Message, t, tn
from wizard.operations.filesystem import (
    GrowFilesystem,
    MakeFilesystem,
    MakeSubvolumes,
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
)
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.operations.table import ResetZones, WipeSignatures, WriteTable
from wizard.plan.messages import who
from wizard.plan.partition.possible import lost, resize_message, table_message
from wizard.plan.plan import Operation, Plan, Step, devices_of
from wizard.plan.raid.lvm import DATA_BYTES, logical_sentence
from wizard.plan.raid.striping import mirror_lost, mirror_sentence
from wizard.plan.rehearsed import ON_DRIVE, why_on_drive
from wizard.plan.request.subvolumes import mounted_subvolume
from wizard.plan.steps.commands import commands_of, edits_of
from wizard.plan.steps.operations import KEY_SECONDS, SAVED_BESIDE, container_sentence, container_undo
from wizard.plan.steps.postconditions import data_lost, holds_after, marks, table_lost, whole_lost

UNTIL_KEPT = t(
    "If the drive has old contents, `diskwright undo` restores them bit for bit until you keep the result."
)
OWN_FSTAB = "/etc/fstab"


@dataclass(frozen=True, slots=True)
class Context:
    """Facts for describing a step besides its operation: drive and layouts, other drives, md mirroring,
    logical volumes. `direct`: why the steps run directly on the drive, as a clause, or empty if rehearsed.
    `part`: as in the plan. `fstab`: the file of mounts at boot."""

    drive: Identity
    before: Layout
    after: Layout
    others: tuple[Member, ...] = ()
    logical: tuple[MakeLogicalVolume, ...] = ()
    direct: str = ""
    part: int = 0
    fstab: str = OWN_FSTAB

    @property
    def members(self) -> tuple[Member, ...]:
        """All drives."""
        return (Member(self.drive, self.before, self.after), *self.others)

    def is_drive(self, device: str) -> bool:
        """Return True if `device` is a whole drive of the plan."""
        return any(device == member.drive.path for member in self.members)

    def under(self, device: str) -> str:
        """Return the partition of the container that opens as `device`, or `device` itself."""
        for member in self.members:
            for slot in member.after.partitions:
                if slot.opened is not None and slot.opened == device:
                    return partition_path(member.drive.path, slot.number)
        return device

    def members_of(self, devices: Sequence[str]) -> tuple[Member, ...]:
        """Return the drives of these devices, all for an array."""
        found = tuple(member for member in self.members if any(member.owns(device) for device in devices))
        return found or self.members

    @property
    def changed(self) -> Slot | None:
        """Old state of the only partition that the plan changes. None if the plan covers the whole drive."""
        return next((slot for slot in self.before.partitions if slot.number == self.part), None)

    def overwritten(self, devices: Sequence[str]) -> list[str]:
        """Describe the old data lost by creating a filesystem on these devices, or for an array on all
        drives."""
        return data_lost(devices, self.members_of(devices), named=len(self.members) > 1)


def steps_of(operations: Sequence[Operation], context: Context) -> tuple[Step, ...]:
    """Return a step for each operation."""
    logical = tuple(one for one in operations if isinstance(one, MakeLogicalVolume))
    context = replace(context, logical=logical, direct=context.direct or why_on_drive(operations))
    return tuple(step_of(operation, context) for operation in operations)


def with_current_texts(plan: Plan) -> Plan:
    """Recompute all texts, commands and estimates of a valid plan from its operations. Only these are shown
    or run."""
    return replace(plan, steps=_derived(plan))


def described_as_direct(plan: Plan, why: str) -> Plan:
    """Return the plan described as running directly on the drive because of `why`, or the same plan if `why`
    is empty. For display only."""
    return replace(plan, steps=_derived(plan, why)) if why else plan


def described_for_fstab(plan: Plan, fstab: str) -> Plan:
    """Return the plan described with this fstab, and the crypttab beside it."""
    return replace(plan, steps=_derived(plan, fstab=fstab)) if fstab != OWN_FSTAB else plan


def described_as_kept(plan: Plan) -> Plan:
    """Return the plan described as kept immediately. For display only."""
    until_kept, kept = str(UNTIL_KEPT), str(t("The result is kept immediately and cannot be undone."))
    steps = (replace(step, undo=kept) if step.undo == until_kept else step for step in plan.steps)
    return replace(plan, steps=tuple(steps))


def _derived(plan: Plan, direct: str = "", fstab: str = OWN_FSTAB) -> tuple[Step, ...]:
    operations = [step.operation for step in plan.steps]
    return steps_of(
        operations,
        Context(
            plan.drive,
            plan.before,
            plan.after,
            plan.others,
            direct=direct,
            part=plan.part,
            fstab=fstab,
        ),
    )


def step_of(operation: Operation, context: Context) -> Step:
    """Return the step for an operation, with all descriptions and an estimate in seconds."""
    return Step(
        operation=operation,
        sentence=_sentence(operation, context),
        commands=commands_of(operation),
        edits=_edits(operation, context),
        destroys=_data_loss(operation, context),
        undo=_undo(operation, context)
        if context.direct or not isinstance(operation, ON_DRIVE)
        else str(UNTIL_KEPT),
        holds=holds_after(operation, places=not context.part, fstab=context.fstab),
        seconds=_seconds(operation, context),
    )


def _edits(operation: Operation, context: Context) -> tuple[str, ...]:
    """Return lines written without a command. wipefs does not erase table signatures inside partitions."""
    if isinstance(operation, WipeSignatures) and not context.is_drive(operation.device):
        return (str(t("zeros over any remaining table signature (55 AA, EFI PART)")),)
    return edits_of(
        operation, context.members_of(devices_of(operation))[0].drive.geometry.logical_block_bytes
    )


def _wipe_sentence(operation: WipeSignatures, context: Context) -> str:
    device, what = operation.device, marks(operation.expected)
    if context.is_drive(device):
        message = (
            t("Clear the signatures of {what} on the drive {device} itself.", what=what, device=device)
            if what
            else t("Clear old signatures on the drive {device} itself.", device=device)
        )
    else:
        message = (
            t("Clear the signatures of {what} on {device}.", what=what, device=device)
            if operation.expected
            else t("Clear old signatures on {device}.", device=device)
        )
    return str(message)


def _sentence(operation: Operation, context: Context) -> str:
    match operation:
        case WipeSignatures():
            return _wipe_sentence(operation, context)
        case WriteTable():
            return _table_sentence(operation, context)
        case ResetZones(device=device):
            return str(
                t(
                    "{erased}, and clear remaining signatures outside resettable zones.",
                    erased=t("Reset every zone of {device}, which erases the whole drive", device=device),
                )
            )
        case MakeFilesystem():
            return str(_creation_sentence(operation))
        case GrowFilesystem() | ShrinkFilesystem():
            return str(resize_message(operation))
        case MakeSubvolumes() | SetOwner() | AddFstabLine() | Mount() | TurnOnSwap():
            return _use_sentence(operation, context.fstab)
        case MakeArray(level="raid1", parts=parts):
            return mirror_sentence(operation, _new_bytes(context.members_of(parts)[0], parts[0]))
        case MakeContainer() | OpenContainer() | AddCrypttabLine():
            return container_sentence(operation, context.fstab)
        case _:
            return str(_array_sentence(operation))


def _creation_sentence(operation: MakeFilesystem) -> Message:
    kind, devices = operation.filesystem, (operation.device, *operation.others)
    noun, label = MADE[kind].noun, repr(printable(operation.label))
    if not operation.others:
        return t(
            "Create the {filesystem} {noun} {label} on {devices:and}.",
            filesystem=kind,
            noun=noun,
            label=label,
            devices=devices,
        )
    spread = _btrfs_spread(operation.options)
    return t(
        "Create the {filesystem} {noun} {label} on {devices:and}: {spread}.",
        filesystem=kind,
        noun=noun,
        label=label,
        devices=devices,
        spread=spread,
    )


def _btrfs_spread(options: Sequence[str]) -> Message:
    """Describe how Btrfs uses several devices, as the end of a sentence."""
    if ("-d", "raid1") in pairwise(options):
        return t(
            "{copies}, so bad blocks are repaired from the other copy",
            copies=t("two copies of data and metadata, on two drives each (raid1)"),
        )
    if ("-m", "raid1") in pairwise(options):
        return t(
            "{spread}, which costs little and allows repair of bad metadata blocks, but recovers no files",
            spread=t("one copy of data, spread across all devices, and metadata on two (raid1)"),
        )
    return t("one copy of data and metadata, spread across all devices")


def _array_sentence(operation: MakeArray | MakeVolumeGroup | MakeLogicalVolume) -> Message:
    match operation:
        case MakeLogicalVolume():
            return logical_sentence(operation)
        case MakeArray(device=device, name=name, chunk_bytes=chunk, parts=parts):
            return t(
                "Create the RAID0 {device} named {name} from {parts:and}, in chunks of {chunk:exact}.",
                parts=parts,
                device=device,
                name=name,
                chunk=chunk,
            )
        case MakeVolumeGroup(name=name, parts=parts):
            return t(
                "Create the LVM volume group {name} on {parts:and}, with data from {start:exact} on.",
                name=name,
                parts=parts,
                start=DATA_BYTES,
            )


def _table_sentence(operation: WriteTable, context: Context) -> str:
    device, kind = operation.device, operation.table.upper()
    if operation.fresh:
        return str(
            tn(
                "Write a new {table} with {count} partition on {device}.",
                "Write a new {table} with {count} partitions on {device}.",
                table=kind,
                device=device,
                count=len(operation.entries),
            )
        )
    if context.changed:
        return str(table_message(context.changed, operation))
    if context.before.table == "none":
        return str(
            tn(
                "Write a {table} with {count} partition to {device}, around the contents found.",
                "Write a {table} with {count} partitions to {device}, around the contents found.",
                table=kind,
                device=device,
                count=len(operation.entries),
            )
        )
    new = sum(not entry.kept for entry in operation.entries)
    kept = len(operation.entries) - new
    added = tn(
        "Add {count} partition to the {table} on {device}; {kept}.",
        "Add {count} partitions to the {table} on {device}; {kept}.",
        table=kind,
        device=device,
        kept=tn("{count} partition is preserved", "{count} partitions are preserved", count=kept),
        count=new,
    )
    return str(added)


def _data_loss(operation: Operation, context: Context) -> str:
    """Describe the data loss. If a single partition changes, everything is lost with its signatures, and
    described there."""
    if context.changed is None:
        return _operation_loss(operation, context)
    if isinstance(operation, WipeSignatures):
        return str(lost(operation.device, context.changed))
    return ""


def _operation_loss(operation: Operation, context: Context) -> str:
    match operation:
        case WipeSignatures(device=device, expected=expected) if expected:
            on_itself = [one for one in context.members_of((device,)) if one.drive.path == device]
            whole = "".join(map(whole_lost, on_itself))
            return whole or str(
                t(
                    "The signatures of {what} on {device}; the data is overwritten later.",
                    device=device,
                    what=marks(expected),
                )
            )
        case WipeSignatures(device=device) if any(
            member.drive.content_digest is None for member in context.members_of((device,))
        ):
            return str(
                t(
                    "Any signatures on {device}; unreadable during planning.",
                    device=device,
                )
            )
        case WriteTable(device=device, fresh=True):
            return table_lost(context.members_of((device,))[0])
        case ResetZones(device=device):
            return " ".join(
                [
                    str(t("Everything on {device}, immediately.", device=device)),
                    *context.overwritten((device,)),
                ]
            )
        case MakeFilesystem(device=device) if context.under(device) != device:
            # The old data was already lost when the container was created.
            return ""
        case MakeContainer(device=device):
            return " ".join(context.overwritten((device,)))
        case MakeFilesystem(device=device, others=others):
            return " ".join(context.overwritten((device, *others)))
        case MakeArray(level="raid1", parts=parts):
            return " ".join((mirror_lost(operation), *context.overwritten(parts)))
        case _:
            return ""


def _undo(operation: Operation, context: Context) -> str:
    match operation:
        case OpenContainer() | AddCrypttabLine():
            return container_undo(operation, context.fstab)
        case AddFstabLine():
            return str(SAVED_BESIDE(file=context.fstab))
        case Mount(mount_point=place):
            return str(t("Unmount {place}.", place=printable(place, 2000)))
        case TurnOnSwap(device=device):
            return str(t("Run `swapoff {device}`.", device=device))
        case _:
            return str(t("Cannot be undone. After a power cut, the drive must be set up again."))


def _seconds(operation: Operation, context: Context) -> float:
    match operation:
        case MakeFilesystem(device=device, filesystem=filesystem, others=others):
            least, solid_state, rotating = MADE[filesystem].seconds
            members = context.members_of((device, *others))
            per_tib = solid_state if all(member.drive.rotational is False for member in members) else rotating
            logical = next((one.size_bytes for one in context.logical if one.device == device), None)
            size_bytes = (
                logical
                if logical is not None
                else sum(_new_bytes(member, context.under(device)) for member in members)
            )
            return round(least + per_tib * size_bytes / TIB, 1)
        case MakeContainer() | OpenContainer():
            return KEY_SECONDS
        case WriteTable() | MakeArray() | MakeVolumeGroup() | MakeLogicalVolume():
            return 1.0
        case ResetZones():
            return 2.0
        case GrowFilesystem(size_bytes=size) | ShrinkFilesystem(size_bytes=size):
            # The check reads every inode twice.
            return round(2.0 + 20.0 * size / TIB, 1)
        case _:
            return 0.2


def _new_bytes(member: Member, device: str) -> int:
    """Return the size of the new partition `device`. If the drive has no such partition, use its only new
    one, or the whole drive."""
    if device == member.drive.path:
        return member.drive.size_bytes
    new = [slot for slot in member.after.partitions if not slot.kept]
    matching = [slot for slot in new if partition_path(member.drive.path, slot.number) == device]
    return sum(slot.size_bytes for slot in matching or new[:1])


def _use_sentence(
    operation: MakeSubvolumes | SetOwner | AddFstabLine | Mount | TurnOnSwap, fstab: str
) -> str:
    """Describe the step."""
    match operation:
        case MakeSubvolumes(device=device, names=names):
            return str(
                tn(
                    "Create the subvolume {names:list} in the filesystem on {device}.",
                    "Create the subvolumes {names:list} in the filesystem on {device}.",
                    names=names,
                    device=device,
                    count=len(names),
                )
            )
        case SetOwner(device=device, writer=writer):
            return str(
                t("Allow {who} to write to the filesystem on {device}.", who=who(writer), device=device)
            )
        case AddFstabLine(mount_point=place) if place == NO_PLACE:
            return str(t("Enable swap on every boot (one line in {file}).", file=fstab))
        case AddFstabLine(mount_point=place, options=options):
            return str(
                t(
                    "Mount {what} at {place} on every boot (one line in {file}).",
                    what=mounted_subvolume(options) or t("the filesystem"),
                    place=place,
                    file=fstab,
                )
            )
        case Mount(device=device, mount_point=place, options=options):
            if name := mounted_subvolume(options):
                return str(t("Mount {name} of {device} at {place}.", name=name, device=device, place=place))
            return str(t("Mount {device} at {place}.", device=device, place=place))
        case TurnOnSwap(device=device):
            return str(t("Enable swap on {device}.", device=device))
