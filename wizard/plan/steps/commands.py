"""Commands, or file edits, of a typed operation. Display and execution both use them."""

from wizard.filesystems.kind import TYPE_NAMES, Argv, Growing
from wizard.filesystems.registry import KINDS, MADE
from wizard.model.errors import printable
from wizard.model.layout import TableEntry
from wizard.model.said import KERNEL_SECTOR_BYTES, KIB, Sentence, format_exact, t
from wizard.operations.filesystem import (
    GrowFilesystem,
    MakeFilesystem,
    MakeSubvolumes,
    Resizing,
    SetOwner,
    ShrinkFilesystem,
)
from wizard.operations.fstab import fstab_escaped
from wizard.operations.layers import (
    AddCrypttabLine,
    MakeArray,
    MakeContainer,
    MakeLogicalVolume,
    MakeVolumeGroup,
    OpenContainer,
    array_uuid,
)
from wizard.operations.mounts import CREATED, AddFstabLine, Mount, TurnOnSwap
from wizard.operations.table import ResetZones, WipeSignatures, WriteTable
from wizard.plan.plan import Operation

PRIVATE_PLACES = "/run/diskwright"
"""Only accessible to root, and cleared at reboot."""


def commands_of(operation: Operation) -> tuple[Argv, ...]:
    """Return the commands of an operation in order. Empty if it is an edit (`edits_of`).

    The commands ask no questions but refuse mounted devices. wipefs opens the device exclusively (wipefs(8),
    no --force).
    """
    match operation:
        case WipeSignatures(device=device):
            return (wipe(device),)
        case ResetZones(device=device):
            # A reset does not affect conventional zones, which may contain a table or signature.
            return (("blkzone", "reset", device), wipe(device))
        case MakeArray() | MakeVolumeGroup() | MakeLogicalVolume():
            return _array_commands(operation)
        case MakeFilesystem(device=device, striping=striping, mirrored=mirrored, logical=logical):
            # Old data of an array's members may end up where a filesystem signature is expected.
            return (
                *([wipe(device)] if striping or mirrored or logical else []),
                *MADE[operation.filesystem].commands(operation),
            )
        case MakeSubvolumes() | SetOwner() | Mount() | TurnOnSwap():
            return _use_commands(operation)
        case MakeContainer() | OpenContainer():
            return (_container_command(operation),)
        case GrowFilesystem() | ShrinkFilesystem():
            return _resizing_commands(operation)
        case WriteTable() | AddFstabLine() | AddCrypttabLine():
            return ()


def wipe(device: str) -> Argv:
    """Return the command to erase all signatures on a device."""
    return ("wipefs", "--all", "--quiet", device)


def _resizing_commands(operation: Resizing) -> tuple[Argv, ...]:
    growing = KINDS[operation.filesystem].growing
    if growing is None:
        return ()
    if not growing.mounted:
        return _resize_at(operation, growing, operation.device)
    mount = private_mount(operation)
    between = _resize_at(operation, growing, mount.mount_point)
    return (*mount.commands(), *between, ("umount", mount.mount_point))


def _resize_at(operation: Resizing, growing: Growing, place: str) -> tuple[Argv, ...]:
    """Return the commands for a node, or for a mount point if the filesystem is resized while mounted."""
    if isinstance(operation, ShrinkFilesystem):
        return growing.smaller(place, operation.size_bytes) if growing.smaller else ()
    return growing.commands(place)


def _use_commands(operation: MakeSubvolumes | SetOwner | Mount | TurnOnSwap) -> tuple[Argv, ...]:
    match operation:
        case MakeSubvolumes(names=names):
            mount = private_mount(operation)
            creations = (("btrfs", "subvolume", "create", f"{mount.mount_point}/{name}") for name in names)
            return (*mount.commands(), *creations, ("umount", mount.mount_point))
        case SetOwner(writer=writer, names=names):
            mount = private_mount(operation)
            places = (mount.mount_point, *(f"{mount.mount_point}/{name}" for name in names))
            owner = ("chown", f"{writer.uid}:{writer.gid}", *places)
            mode = ("chmod", f"{writer.mode:04o}", *places)
            return (*mount.commands(), owner, mode, ("umount", mount.mount_point))
        case Mount():
            return operation.commands()
        case TurnOnSwap(device=device):
            return (("swapon", device),)


def private_mount(operation: MakeSubvolumes | SetOwner | Resizing) -> Mount:
    """Return the temporary mount for changes inside a filesystem. The mount point contains UUID or node, so
    runs do not conflict."""
    if isinstance(operation, Resizing):
        known = KINDS[operation.filesystem]
        options = known.growing.mount_options if known.growing else ()
        place = f"{PRIVATE_PLACES}/{operation.device.removeprefix('/dev/').replace('/', '-')}"
        return Mount(operation.device, place, known.kernel_names[0], options)
    kind = MADE[operation.filesystem]
    return Mount(
        operation.device,
        f"{PRIVATE_PLACES}/{operation.uuid}",
        kind.kernel_names[0],
        kind.quiet_options,
        others=operation.others,
    )


def _array_commands(operation: MakeArray | MakeVolumeGroup | MakeLogicalVolume) -> tuple[Argv, ...]:
    match operation:
        case MakeArray():
            return (_make_array(operation),)
        case MakeVolumeGroup(name=name, parts=parts, uuids=uuids):
            return (
                *map(_make_physical_volume, parts, uuids),
                ("vgcreate", "--physicalextentsize", "4m", name, *parts),
            )
        case MakeLogicalVolume():
            return (_make_logical_volume(operation),)


def _make_array(operation: MakeArray) -> Argv:
    """Return the mdadm command. `--run` confirms partitions with existing signatures. The home host `any`
    makes the name the same on all machines and rescue media (mdadm(8)). A write-intent bitmap limits the
    comparison after a crash to recent writes."""
    shape = (
        ("--level=1", "--bitmap=internal")
        if operation.level == "raid1"
        else ("--level=0", f"--chunk={operation.chunk_bytes // KIB}")
    )
    return (
        *("mdadm", "--create", operation.device, "--run", "--homehost=any", f"--name={operation.name}"),
        *(f"--uuid={array_uuid(operation.uuid)}", "--metadata=1.2", *shape),
        *(f"--raid-devices={len(operation.parts)}", *operation.parts),
    )


def physical_volume_uuid(uuid: str) -> str:
    """Format a UUID for LVM: seven groups, the first and last of six digits, the others of four."""
    digits = uuid.replace("-", "")
    return "-".join((digits[:6], *(digits[at : at + 4] for at in range(6, 26, 4)), digits[26:]))


def _make_physical_volume(part: str, uuid: str) -> Argv:
    """Return the pvcreate command. Data starts at 1 MiB, regardless of LVM's detection."""
    return (
        "pvcreate",
        "--yes",
        "--norestorefile",
        "--uuid",
        physical_volume_uuid(uuid),
        "--dataalignment",
        "1m",
        part,
    )


PASSPHRASE_FROM = "--key-file=-"
"""cryptsetup reads the whole standard input as passphrase, so it is not visible in process lists
(cryptsetup(8))."""


def _container_command(operation: MakeContainer | OpenContainer) -> Argv:
    """Return the cryptsetup command, with all values that it would otherwise detect. --batch-mode answers the
    confirmation."""
    if isinstance(operation, OpenContainer):
        return ("cryptsetup", "open", "--type", "luks2", PASSPHRASE_FROM, operation.device, operation.name)
    return (
        *(
            "cryptsetup",
            "luksFormat",
            "--type",
            "luks2",
            "--batch-mode",
            PASSPHRASE_FROM,
            "--uuid",
            operation.uuid,
        ),
        *(
            "--offset",
            str(operation.offset_bytes // KERNEL_SECTOR_BYTES),
            "--sector-size",
            str(operation.sector_bytes),
            operation.device,
        ),
    )


LVM_WITHOUT_UDEV = ("--config", "activation{udev_sync=0 udev_rules=0}")
"""LVM creates nodes itself without waiting for udev, which may be absent on rescue media or delayed by locked
drives."""


def _make_logical_volume(operation: MakeLogicalVolume) -> Argv:
    """Return the lvcreate command. In a new group, volumes are contiguous anyway, so contiguous allocation is
    not required. Nothing is zeroed or erased until the filesystem is created, so undo is possible until
    then."""
    return (
        *("lvcreate", "--yes", *LVM_WITHOUT_UDEV, "--type", "linear", "--size", f"{operation.size_bytes}b"),
        *("--zero", "n", "--wipesignatures", "n", "--name", operation.name, operation.group),
    )


def edits_of(operation: Operation, logical_block_bytes: int | None = None) -> tuple[str, ...]:
    """Return the lines that an operation writes to a table or file. With a block size, starts are also given
    in sectors."""
    match operation:
        case WriteTable(table=table, fresh=fresh):
            kind = table.upper()
            head = (
                Sentence("new {table} on {device}")
                if fresh
                else Sentence("the {table} on {device}, with these entries")
            )(table=kind, device=operation.device)
            return (str(head), *(_entry_line(entry, logical_block_bytes) for entry in operation.entries))
        case AddFstabLine():
            return (fstab_line(operation),)
        case MakeSubvolumes() | SetOwner():
            return (
                str(
                    t(
                        "directory {place}, temporarily",
                        place=private_mount(operation).mount_point,
                    )
                ),
            )
        case AddCrypttabLine():
            return (crypttab_line(operation),)
        case MakeContainer() | OpenContainer():
            return (
                str(
                    t(
                        "the passphrase, on the command's standard input, never in a command, plan, "
                        "journal or log"
                    )
                ),
            )
        case Mount(mount_point=place):
            return (str(CREATED(place=printable(place, 2000))),)
        case _:
            return ()


def _entry_line(entry: TableEntry, logical_block_bytes: int | None) -> str:
    start, size = entry.start_bytes, entry.size_bytes
    extent = str(
        t(
            "start {start} bytes (sector {sector}), size {size} bytes",
            start=start,
            sector=start // logical_block_bytes,
            size=size,
        )
        if logical_block_bytes
        else t("start {start} bytes, size {size} bytes", start=start, size=size)
    )
    if not size % 1024:
        extent += f" ({format_exact(size)})"
    kind = (
        f"{TYPE_NAMES[entry.type]} ({entry.type})" if entry.type in TYPE_NAMES else printable(entry.type, 40)
    )
    line = (
        Sentence("partition {number}, preserved: {extent}, type {type}")
        if entry.kept
        else Sentence("partition {number}: {extent}, type {type}")
    )(number=entry.number, extent=extent, type=kind)
    return str(
        t("{entry}, name {name}", entry=line, name=repr(printable(entry.name))) if entry.name else line
    )


def fstab_line(operation: AddFstabLine) -> str:
    """Return the fstab line without newline: UUID, mount point, filesystem, options, no dump, fsck pass
    (fstab(5))."""
    options = ",".join(operation.options)
    return (
        f"UUID={operation.uuid} {fstab_escaped(operation.mount_point)} {operation.filesystem} {options} 0 "
        f"{operation.pass_number}"
    )


def crypttab_line(operation: AddCrypttabLine) -> str:
    """Return the crypttab line without newline: name, container, key file, options (crypttab(5)). Boot
    continues without passphrase or key file."""
    return f"{operation.name} UUID={operation.uuid} {operation.key or 'none'} luks,nofail"
