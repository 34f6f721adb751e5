"""Derive typed operations in order from a plan's decisions. Used by the planner and by validation."""

from collections.abc import Sequence

from wizard.filesystems.registry import MADE
from wizard.model.errors import partition_path
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent
from wizard.model.operations import (
    AddCrypttabLine,
    Encryption,
    MakeContainer,
    MakeFilesystem,
    OpenContainer,
    SetOwner,
)
from wizard.model.plan import (
    NO_PLACE,
    AddFstabLine,
    Layout,
    MakeSubvolumes,
    Mount,
    Operation,
    Slot,
    TableEntry,
    TurnOnSwap,
    Volume,
    WipeSignatures,
    WriteTable,
)
from wizard.model.said import Sentences, t
from wizard.plan.free_space import is_container, with_free
from wizard.plan.request.roles import TableKind, partition_type
from wizard.plan.request.subvolumes import subvolume_option
from wizard.plan.request.using import is_given_afterwards, made_options, owner_options
from wizard.plan.rules import partition_name

# What is written without a command.


# What a step destroys.

# How a step is undone.


# What is checked when a step is done.
RECOGNISED = Sentences(
    "{devices:and} is recognised as {what} with UUID {uuid}.",
    "{devices:and} are recognised as {what} with UUID {uuid}.",
)


ContainerOperation = MakeContainer | OpenContainer | AddCrypttabLine

KEY_SECONDS = 4.0
"""Deriving the key takes cryptsetup about two seconds on purpose, and twice that on a slow machine."""


def container_operations(encryption: Encryption) -> tuple[MakeContainer, OpenContainer]:
    """What has to be done before anything can be made within."""
    return (
        MakeContainer(encryption.device, encryption.uuid, encryption.sector_bytes, encryption.offset_bytes),
        OpenContainer(encryption.device, encryption.uuid, encryption.name),
    )


def opened_at_start(encryption: Encryption) -> AddCrypttabLine:
    """What has it opened at every start, by its key, or with a question for the passphrase."""
    return AddCrypttabLine(encryption.uuid, encryption.name, encryption.key)


def container_sentence(operation: ContainerOperation) -> str:
    """What the step does."""
    match operation:
        case MakeContainer(device=device, sector_bytes=sector, offset_bytes=offset):
            made = t(
                "Create an encrypted container (LUKS2) on {device}, opened only by the passphrase",
                device=device,
            )
            return str(
                t(
                    "{made}: data starts at {offset:exact}, encrypted in sectors of {sector} bytes.",
                    made=made,
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
                    "Open the container as {name} on every boot with the key {key} (one line in "
                    "/etc/crypttab).",
                    name=name,
                    key=key,
                )
                if key
                else t(
                    "Open the container as {name} on every boot, asking for the passphrase (one "
                    "line in /etc/crypttab).",
                    name=name,
                )
            )


def container_undo(operation: OpenContainer | AddCrypttabLine) -> str:
    """How what the step does is taken back."""
    match operation:
        case OpenContainer(name=name):
            return str(t("Run `cryptsetup close {name}`.", name=name))
        case AddCrypttabLine():
            return str(t("The old /etc/crypttab is saved next to the new file. To undo, remove the line."))


def container_holds(operation: ContainerOperation) -> tuple[str, ...]:
    """What is checked when the step is done."""
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
            return (
                str(
                    t(
                        "/etc/crypttab has exactly this one line for {uuid}, with all other lines unchanged.",
                        uuid=uuid,
                    )
                ),
            )


def table_after(
    drive_path: str,
    before: Layout,
    fresh: bool,
    volumes: Sequence[Volume],
    extents: Sequence[Extent],
    gpt_type: str = "",
    fresh_kind: TableKind = "gpt",
) -> WriteTable:
    """The table to write: the kept entries of `before` unless it is fresh, and one for each volume, in the
    order of their numbers.

    A fresh one is of `fresh_kind`. `gpt_type` is what the new ones are called where they hold something else
    than the volumes themselves.
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
    """What the drive holds when all is done: `bounds` are the usable bytes of the table that is written."""
    by_number = {volume.partition: volume for volume in volumes}
    kept = {slot.number: slot for slot in before.partitions} if not table.fresh else {}
    slots = [
        kept[entry.number]
        if entry.kept and entry.number in kept
        else _new_slot(entry, by_number.get(entry.number))
        for entry in table.entries
    ]
    return Layout(table.table, with_free(slots, bounds))


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
    """Everything in order: old signatures off, the table, then each volume's filesystem, and where wanted its
    line in fstab and mount.

    All filesystems are made before the first is mounted, so that a failure there leaves nothing in use.
    """
    made: list[Operation] = [*wipes, table]
    for volume in volumes:
        made.append(WipeSignatures(volume.encryption.device if volume.encryption else volume.path, ()))
        made += container_operations(volume.encryption) if volume.encryption else ()
        options = volume.mkfs_options if volume.encryption else _options_there(volume, table, geometry)
        made.append(make(volume, options))
    return (*made, *(operation for volume in volumes for operation in mounted(volume)))


def make(volume: Volume, options: tuple[str, ...]) -> MakeFilesystem:
    """The volume's filesystem, made with these options and for who may write to it."""
    owned = made_options(volume, options)
    return MakeFilesystem(volume.path, volume.filesystem, volume.uuid, volume.label, owned)


def _options_there(volume: Volume, table: WriteTable, geometry: Geometry) -> tuple[str, ...]:
    """What a volume's maker is told, with what it would ask the drive itself for."""
    places = (entry.extent for entry in table.entries if entry.number == volume.partition)
    place = next(places, None)
    options = volume.mkfs_options
    return MADE[volume.filesystem].for_place(geometry, place, options) if place else options


def mounted(volume: Volume, others: tuple[str, ...] = ()) -> tuple[Operation, ...]:
    """The volume's line in fstab and its mount, where it is to be mounted; `others` are the further devices
    of a Btrfs over several.

    Swap has a line too, and is turned on. Before that subvolumes are made, and all is given to who may write;
    subvolumes are mounted after the volume itself, each by its own line. An encrypted volume that is mounted
    anywhere has a line in crypttab before all that.
    """
    kind = MADE[volume.filesystem]
    opened = (opened_at_start(volume.encryption),) if volume.encryption else ()
    if not kind.mounts:
        nowhere = volume.mount_point is None
        line = AddFstabLine(volume.uuid, NO_PLACE, kind.name, ("sw", "nofail"), kind.fsck_pass)
        return () if nowhere else (*opened, line, TurnOnSwap(volume.path))
    names = tuple(subvolume.name for subvolume in volume.subvolumes)
    made: list[Operation] = []
    if names:
        made.append(MakeSubvolumes(volume.path, volume.filesystem, volume.uuid, names, others=others))
    if is_given_afterwards(volume):
        given = SetOwner(volume.path, volume.filesystem, volume.uuid, volume.writer, names, others=others)
        made.append(given)
    common = (*volume.mount_options, *owner_options(volume.filesystem, volume.writer, volume.mount_options))
    places = [(volume.mount_point, common)]
    places += [(one.mount_point, (*common, subvolume_option(one.name))) for one in volume.subvolumes]
    mounts = [
        operation
        for place, options in places
        if place
        for operation in _mounted_at(volume, place, options, others)
    ]
    return (*made, *(opened if mounts else ()), *mounts)


def _mounted_at(
    volume: Volume, place: str, options: tuple[str, ...], others: tuple[str, ...]
) -> tuple[Operation, ...]:
    kind = MADE[volume.filesystem]
    at_boot = tuple(dict.fromkeys((*options, "nofail")))
    return (
        AddFstabLine(volume.uuid, place, kind.kernel_names[0], at_boot, kind.fsck_pass),
        Mount(volume.path, place, kind.kernel_names[0], options, others=others),
    )


def wipes_of(drive_path: str, before: Layout, unread: bool) -> tuple[WipeSignatures, ...]:
    """The wipes before a fresh table: every partition that holds something, the last first, then the drive
    itself.

    Where the content is `unread`, every partition that is known, and the drive, may hold something.
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
