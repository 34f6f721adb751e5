"""Uses of host-managed zoned drives with this kernel and these tools. Pure rules over facts.

Sources: Linux fs/btrfs/zoned.c, fs/f2fs, fs/zonefs, drivers/md/dm-zoned, fs/xfs (6.15); mkfs.btrfs(8),
mkfs.xfs(8), mkfs.f2fs(8), dmzadm(8), mkzonefs(8); tested on emulated drives with kernel 6.1.
"""

from collections.abc import Iterable, Iterator, Sequence

from wizard.advice import missing
from wizard.advice.catalogue import kernel_reason, version_of
from wizard.filesystems.registry import MADE
from wizard.findings.use import NOT_CHECKED, named_field
from wizard.model.advice import Ability, Option, ZonedUse
from wizard.model.machine import Drive, Machine
from wizard.model.said import GIB, MIB, Message, join, t

METADATA = t("Metadata needs conventional zones.")

XFS_SINCE = "6.15"

BTRFS_ZONE_BYTES = (4 * MIB, 8 * GIB)
BTRFS_LEAST_ZONES = 16
"""Metadata in two copies needs at least 10 zones. With fewer than these, almost no space is left for data."""

BTRFS_LEAST_ACTIVE = 8
"""BTRFS_MIN_ACTIVE_ZONES: superblocks, one zone for each of three types, the log, and one for relocation."""

XFS_SHARE = 100
"""One in this many zones must be conventional, to have enough space for metadata."""

BTRFS, XFS = MADE["btrfs"], MADE["xfs"]

OTHER = "/dev/OTHER"
"""Placeholder for a second, conventional drive in commands."""

PLACE = "/mnt"


_Fault = tuple[Ability, Message]
"""Why a use is impossible (`CANNOT`) or uncertain (`DOUBT`)."""


def zoned_uses(machine: Machine, drive: Drive, btrfs_options: Sequence[Option]) -> tuple[ZonedUse, ...]:
    """Return all possible uses of a host-managed drive, with obstacles and commands."""
    path, size, options = drive.path, drive.size_bytes, " ".join(option.text for option in btrfs_options)
    second: tuple[Message, ...] = ()
    zones: tuple[_Fault, ...] = ()
    if drive.zones is None or drive.zones.conventional is None:
        unknown = t(
            "Unknown whether the drive has conventional zones (run as root to check). "
            "Without such zones, a second drive is needed."
        )
        zones = ((Ability.DOUBT, unknown),)
    elif not drive.zones.conventional:
        second = (t("A second, conventional drive provides these zones."),)
    both = f"{OTHER} {path}" if second else path
    limit = None if size is None else missing.size_obstacle(MADE["f2fs"], size)
    return (
        _use(
            "Btrfs",
            t(
                "Every write goes to a new place, zone after zone. diskwright creates this "
                "filesystem on the whole drive."
            ),
            (*_needs(machine, "btrfs", BTRFS.title, BTRFS.tool), *btrfs_faults(machine, drive)),
            f"mkfs.btrfs {options} {path}",
            _mount("btrfs", path),
        ),
        _use(
            "F2FS",
            join(
                METADATA,
                *second,
                t("Part of the drive is reserved for moving data."),
            ),
            (
                *_needs(machine, "f2fs", "F2FS", "mkfs.f2fs", "4.10"),
                *([(Ability.CANNOT, limit)] if limit else []),
                *zones,
            ),
            " ".join(("mkfs.f2fs -f -m", *(("-c", path, OTHER) if second else (path,)))),
            _mount("f2fs", OTHER if second else path),
        ),
        _xfs(machine, drive),
        _use(
            "zonefs",
            t(
                "Presents each zone as an append-only file, for programs written for this "
                "purpose, not for ordinary files."
            ),
            _needs(machine, "zonefs", "zonefs", "mkzonefs", "5.6"),
            f"mkzonefs {path}",
            _mount("zonefs", path),
        ),
        _use(
            "dm-zoned",
            join(
                t(
                    "Presents the drive as an ordinary device (below /dev/mapper) for any "
                    "filesystem. The cost: rewritten data first goes to conventional zones and "
                    "is moved again later."
                ),
                *second,
            ),
            (
                *_since(machine, "5.8" if second else "4.13"),
                *_built_with(machine, "DM_ZONED"),
                *_tool(machine, "dmzadm"),
                *zones,
            ),
            f"dmzadm --format {both}",
            f"dmzadm --start {both}",
        ),
        ZonedUse(
            str(t("ext4, JFS, NILFS2 and partitions")),
            Ability.CANNOT,
            str(
                t(
                    "These write in place, which the drive refuses. mkfs.jfs reports success, "
                    "but the result cannot be mounted."
                )
            ),
        ),
    )


def _use(title: str, nature: Message, faults: Iterable[_Fault], *commands: str) -> ZonedUse:
    found = tuple(faults)
    # Doubts do not matter if the use is impossible.
    ability = next(
        (one for one in (Ability.CANNOT, Ability.DOUBT) if any(one is kind for kind, _ in found)), Ability.CAN
    )
    reasons = (said for kind, said in found if kind is ability)
    return ZonedUse(title, ability, str(join(*reasons, nature)), commands)


def _mount(kind: str, device: str, *options: str) -> str:
    return " ".join(("mount", "-t", kind, *options, device, PLACE))


def _needs(machine: Machine, name: str, title: str, tool: str, first: str = "") -> Iterator[_Fault]:
    """Check the kernel's filesystems, version and the tool."""
    if not machine.kernel.filesystems:
        yield Ability.DOUBT, missing.NO_LIST
    elif name not in machine.kernel.filesystems:
        yield Ability.CANNOT, missing.NO_DRIVER(release=machine.kernel.release, title=title)
    yield from _since(machine, first)
    yield from _tool(machine, tool)


def _since(machine: Machine, first: str) -> Iterator[_Fault]:
    if why := kernel_reason(machine.kernel, first):
        yield Ability.CANNOT if any(machine.kernel.version) else Ability.DOUBT, why


def _built_with(machine: Machine, config: str) -> Iterator[_Fault]:
    """Check a build option of the kernel, which zones require."""
    built = dict(machine.kernel.options).get(config)
    if built is None:
        yield Ability.DOUBT, t("It is unknown if the kernel has CONFIG_{config}.", config=config)
    elif not built:
        yield Ability.CANNOT, t("The kernel was built without CONFIG_{config}.", config=config)


def _tool(machine: Machine, name: str) -> Iterator[_Fault]:
    if absent := missing.lacking(machine, (name,)):
        yield Ability.CANNOT, absent.said


def btrfs_faults(machine: Machine, drive: Drive) -> Iterator[_Fault]:
    """Check zone support only. Kernel and tool are checked elsewhere."""
    yield from _since(machine, "5.12")
    known = machine.program(BTRFS.tool)
    if not machine.has_tool(BTRFS.tool):
        pass
    elif known is None or not known.features:
        unknown = t("Unknown whether this mkfs.btrfs supports zones. Check with `mkfs.btrfs -O list-all`.")
        yield Ability.DOUBT, unknown
    elif "zoned" not in known.features:
        yield (
            Ability.CANNOT,
            t(
                "This mkfs.btrfs was built without zone support. Version 5.12 is the first "
                "to offer zone support at build time."
            ),
        )
    zones = drive.zones
    if zones is None or zones.size_bytes is None or zones.count is None:
        yield Ability.DOUBT, NOT_CHECKED(what=named_field("zones"))
        return
    size, (least, most) = zones.size_bytes, BTRFS_ZONE_BYTES
    if not least <= size <= most or size & (size - 1):
        yield (
            Ability.CANNOT,
            t("Each zone has {size:exact}. Btrfs supports powers of two from 4 MiB to 8 GiB.", size=size),
        )
    elif zones.count < BTRFS_LEAST_ZONES:
        yield (
            Ability.CANNOT,
            t(
                "The drive has {zones} zones. With fewer than {least}, Btrfs has almost no space for data.",
                zones=zones.count,
                least=BTRFS_LEAST_ZONES,
            ),
        )
    elif zones.most_active and zones.most_active < BTRFS_LEAST_ACTIVE:
        yield (
            Ability.CANNOT,
            t(
                "The drive can write to {active} zones at a time. Btrfs needs {least} or more.",
                active=zones.most_active,
                least=BTRFS_LEAST_ACTIVE,
            ),
        )


def _xfs(machine: Machine, drive: Drive) -> ZonedUse:
    faults = [*_needs(machine, "xfs", XFS.title, XFS.tool, XFS_SINCE), *_built_with(machine, "XFS_RT")]
    known = machine.program(XFS.tool)
    if known is None or known.version == (0, 0):
        faults.append((Ability.DOUBT, t("Cannot read the version of mkfs.xfs.")))
    elif known.version < version_of(XFS_SINCE):
        old = t(
            "mkfs.xfs {version} is too old. Zone support requires {first} or later.",
            version=".".join(map(str, known.version)),
            first=XFS_SINCE,
        )
        faults.append((Ability.CANNOT, old))
    nature = [t("The authors call this experimental."), METADATA]
    commands = (f"mkfs.xfs -r zoned=1 {drive.path}", _mount("xfs", drive.path))
    zones, has_room = drive.zones, False
    if zones and zones.conventional is not None and zones.count is not None and zones.size_bytes is not None:
        has_room = (
            zones.conventional * zones.size_bytes >= XFS.minimum_bytes
            and zones.conventional * XFS_SHARE >= zones.count
        )
    if not has_room:
        nature.append(t("Metadata needs a second, conventional drive of about 1 % of this drive's size."))
        commands = (
            f"mkfs.xfs -r zoned=1,rtdev={drive.path} {OTHER}",
            _mount("xfs", OTHER, "-o", f"rtdev={drive.path}"),
        )
    return _use("XFS", join(*nature), faults, *commands)
