"""Derive typed operations in order from a plan's decisions. Used by the planner and by validation."""

from collections.abc import Sequence

from wizard.filesystems.registry import MADE
from wizard.model.errors import partition_path
from wizard.model.geometry import Geometry
from wizard.model.layout import NO_PLACE, Encryption, Layout, Slot, TableEntry, Volume
from wizard.model.machine import Extent
from wizard.model.said import Sentence, Sentences, t
from wizard.operations.filesystem import MakeFilesystem, MakeSubvolumes, SetOwner
from wizard.operations.layers import AddCrypttabLine, MakeContainer, OpenContainer
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.operations.rules import partition_name
from wizard.operations.table import WipeSignatures, WriteTable
from wizard.plan.free_space import is_container, reserved_in, with_free
from wizard.plan.plan import Operation
from wizard.plan.request.roles import TableKind, partition_type
from wizard.plan.request.subvolumes import subvolume_option
from wizard.plan.request.using import is_given_afterwards, made_options, owner_options

RECOGNISED = Sentences(
    "{devices:and} is recognised as {what} with UUID {uuid}.",
    "{devices:and} are recognised as {what} with UUID {uuid}.",
)
ONE_LINE = Sentence("{file} has exactly this one line for {what}, with all other lines unchanged.")

# How a line is removed again.
SAVED_BESIDE = Sentence("The old {file} is saved next to the new file. To undo, remove the line.")


ContainerOperation = MakeContainer | OpenContainer | AddCrypttabLine

KEY_SECONDS = 4.0
"""Key derivation in cryptsetup takes about two seconds by design, and twice that on slow machines."""


def _container_operations(encryption: Encryption) -> tuple[MakeContainer, OpenContainer]:
    """Return the operations required before a filesystem can be created inside."""
    return (
        MakeContainer(encryption.device, encryption.uuid, encryption.sector_bytes, encryption.offset_bytes),
        OpenContainer(encryption.device, encryption.uuid, encryption.name),
    )


def _opened_at_start(encryption: Encryption) -> AddCrypttabLine:
    """Return the operation that opens the container at every boot, by key file or passphrase prompt."""
    return AddCrypttabLine(encryption.uuid, encryption.name, encryption.key)


def container_sentence(operation: ContainerOperation, fstab: str) -> str:
    """Describe the step."""
    match operation:
        case MakeContainer(device=device, sector_bytes=sector, offset_bytes=offset):
            creation = t(
                "Create an encrypted container (LUKS2) on {device}, opened only by the passphrase",
                device=device,
            )
            return str(
                t(
                    "{made}: data starts at {offset:exact}, encrypted in sectors of {sector} bytes.",
                    made=creation,
                    offset=offset,
                    sector=sector,
                )
            )
        case OpenContainer(device=device, name=name):
            return str(
                t(
                    "Open the container on {device} as {opened} until `cryptsetup close {name}` or reboot.",
                    device=device,
                    opened=operation.opened,
                    name=name,
                )
            )
        case AddCrypttabLine(name=name, key=key):
            return str(
                t(
                    "Open the container as {name} on every boot with the key {key} (one line in {file}).",
                    name=name,
                    key=key,
                    file=_crypttab_beside(fstab),
                )
                if key
                else t(
                    "Open the container as {name} on every boot, asking for the passphrase (one "
                    "line in {file}).",
                    name=name,
                    file=_crypttab_beside(fstab),
                )
            )


def _crypttab_beside(fstab: str) -> str:
    """Return the crypttab in the folder of an fstab."""
    return f"{fstab.rpartition('/')[0]}/crypttab"


def container_undo(operation: OpenContainer | AddCrypttabLine, fstab: str) -> str:
    """Describe how to undo the step."""
    match operation:
        case OpenContainer(name=name):
            return str(t("Run `cryptsetup close {name}`.", name=name))
        case AddCrypttabLine():
            return str(SAVED_BESIDE(file=_crypttab_beside(fstab)))


def container_holds(operation: ContainerOperation, fstab: str) -> tuple[str, ...]:
    """Describe the checks after the step."""
    match operation:
        case MakeContainer(device=device, uuid=uuid, sector_bytes=sector, offset_bytes=offset):
            found = RECOGNISED(devices=(device,), what="crypto_LUKS", uuid=uuid, count=1)
            return (
                str(found),
                str(
                    t(
                        "According to the header, data starts at {offset:exact} in sectors of "
                        "{sector} bytes, and is aligned.",
                        offset=offset,
                        sector=sector,
                    )
                ),
            )
        case OpenContainer(device=device):
            return (
                str(
                    t(
                        "The device mapper has {opened} open only on {device}.",
                        opened=operation.opened,
                        device=device,
                    )
                ),
            )
        case AddCrypttabLine(uuid=uuid):
            return (str(ONE_LINE(file=_crypttab_beside(fstab), what=uuid)),)


def table_after(
    drive_path: str,
    before: Layout,
    fresh: bool,
    volumes: Sequence[Volume],
    extents: Sequence[Extent],
    gpt_type: str = "",
    fresh_kind: TableKind = "gpt",
) -> WriteTable:
    """Return the table to write: preserved entries of `before` unless new, and one entry per volume, sorted
    by number.

    A new table is of `fresh_kind`. `gpt_type`: type of new entries that do not contain the volumes directly.
    """
    table: TableKind = fresh_kind if fresh else "mbr" if before.table == "mbr" else "gpt"
    kept = [] if fresh else [_kept_entry(slot) for slot in before.partitions]
    new = [
        TableEntry(
            number=volume.partition,
            start_bytes=extent.start_bytes,
            size_bytes=extent.size_bytes,
            type=gpt_type or partition_type(volume, table),
            name=partition_name(volume.label) if table == "gpt" else "",
        )
        for volume, extent in zip(volumes, extents, strict=True)
    ]
    entries = tuple(sorted([*kept, *new], key=lambda entry: entry.number))
    return WriteTable(drive_path, table, fresh, entries)


def _kept_entry(slot: Slot) -> TableEntry:
    return TableEntry(
        slot.number, slot.start_bytes, slot.size_bytes, slot.type or "", slot.name or "", kept=True
    )


def layout_after(before: Layout, table: WriteTable, volumes: Sequence[Volume], bounds: Extent) -> Layout:
    """Return the final layout. `bounds`: usable range of the new table."""
    by_number = {volume.partition: volume for volume in volumes}
    kept = {slot.number: slot for slot in before.partitions} if not table.fresh else {}
    slots = [
        kept[entry.number]
        if entry.kept and entry.number in kept
        else _new_slot(entry, by_number.get(entry.number))
        for entry in table.entries
    ]
    return Layout(table.table, with_free(slots, bounds, () if table.fresh else reserved_in(before, bounds)))


def _new_slot(entry: TableEntry, volume: Volume | None) -> Slot:
    return Slot(
        number=entry.number,
        start_bytes=entry.start_bytes,
        size_bytes=entry.size_bytes,
        type=entry.type,
        name=entry.name or None,
        filesystem=volume.filesystem if volume else None,
        label=volume.label if volume else None,
        uuid=volume.uuid if volume else None,
        mount_point=volume.mount_point if volume else None,
        opened=volume.encryption.opened if volume and volume.encryption else None,
    )


def operations_of(
    wipes: Sequence[WipeSignatures], table: WriteTable, volumes: Sequence[Volume], geometry: Geometry
) -> tuple[Operation, ...]:
    """Return all operations in order: erase signatures, write the table, then create each filesystem, add its
    fstab line and mount it.

    All filesystems are created before the first is mounted, so a failure leaves no device in use.
    """
    operations: list[Operation] = [*wipes, table]
    for volume in volumes:
        operations.append(WipeSignatures(volume.encryption.device if volume.encryption else volume.path, ()))
        operations += _container_operations(volume.encryption) if volume.encryption else ()
        options = volume.mkfs_options if volume.encryption else _options_at_place(volume, table, geometry)
        operations.append(make(volume, options))
    return (*operations, *(operation for volume in volumes for operation in mounted(volume)))


def make(volume: Volume, options: tuple[str, ...]) -> MakeFilesystem:
    """Return the creation of the volume's filesystem with these options and its writer."""
    owned = made_options(volume, options)
    return MakeFilesystem(volume.path, volume.filesystem, volume.uuid, volume.label, owned)


def _options_at_place(volume: Volume, table: WriteTable, geometry: Geometry) -> tuple[str, ...]:
    """Return mkfs options, including those that mkfs would detect on the drive itself."""
    places = (entry.extent for entry in table.entries if entry.number == volume.partition)
    place = next(places, None)
    options = volume.mkfs_options
    return MADE[volume.filesystem].for_place(geometry, place, options) if place else options


def mounted(volume: Volume, others: tuple[str, ...] = ()) -> tuple[Operation, ...]:
    """Return the operations to mount the volume, if requested. `others`: further devices of a multi-device
    Btrfs.

    Subvolumes and owners are set first. The volume is mounted before its subvolumes, each with its own fstab
    line. Swap also gets a line, and is activated. An encrypted volume gets its crypttab line before all
    mounts.
    """
    kind = MADE[volume.filesystem]
    opened = (_opened_at_start(volume.encryption),) if volume.encryption else ()
    if not kind.mounts:
        not_mounted = volume.mount_point is None
        line = AddFstabLine(volume.uuid, NO_PLACE, kind.name, ("sw", "nofail"), kind.fsck_pass)
        return () if not_mounted else (*opened, line, TurnOnSwap(volume.path))
    names = tuple(subvolume.name for subvolume in volume.subvolumes)
    preparations: list[Operation] = []
    if names:
        preparations.append(MakeSubvolumes(volume.path, volume.filesystem, volume.uuid, names, others=others))
    if is_given_afterwards(volume):
        owner = SetOwner(volume.path, volume.filesystem, volume.uuid, volume.writer, names, others=others)
        preparations.append(owner)
    common = (*volume.mount_options, *owner_options(volume.filesystem, volume.writer, volume.mount_options))
    places = [(volume.mount_point, common)]
    places += [(one.mount_point, (*common, subvolume_option(one.name))) for one in volume.subvolumes]
    mounts = [
        operation
        for place, options in places
        if place
        for operation in _mount_operations(volume, place, options, others)
    ]
    return (*preparations, *(opened if mounts else ()), *mounts)


def _mount_operations(
    volume: Volume, place: str, options: tuple[str, ...], others: tuple[str, ...]
) -> tuple[Operation, ...]:
    kind = MADE[volume.filesystem]
    at_boot = tuple(dict.fromkeys((*options, "nofail")))
    return (
        AddFstabLine(volume.uuid, place, kind.kernel_names[0], at_boot, kind.fsck_pass),
        Mount(volume.path, place, kind.kernel_names[0], options, others=others),
    )


def wipes_of(drive_path: str, before: Layout, unread: bool) -> tuple[WipeSignatures, ...]:
    """Return the wipes before a new table: all partitions with contents, last first, then the drive itself.

    If the contents are `unread`, all known partitions and the drive are wiped.
    """
    wipes = [
        WipeSignatures(
            partition_path(drive_path, slot.number),
            tuple(slot.filesystem.split("+")) if slot.filesystem else (),
        )
        for slot in before.partitions
        if not slot.kept and not is_container(slot) and (slot.filesystem or unread)
    ]
    on_drive = (*before.signatures, *([before.table] if before.table not in ("none", "unread") else []))
    if wipes or before.partitions or on_drive or unread:
        wipes.append(WipeSignatures(drive_path, on_drive))
    return tuple(wipes)
