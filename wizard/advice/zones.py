"""Uses of host-managed zoned drives with this kernel and these tools. Pure rules over facts.

Sources: Linux fs/btrfs/zoned.c, fs/f2fs, fs/zonefs, drivers/md/dm-zoned, fs/xfs (6.15); mkfs.btrfs(8),
mkfs.xfs(8), mkfs.f2fs(8), dmzadm(8), mkzonefs(8); tested on emulated drives with kernel 6.1.
"""

from collections.abc import Sequence

from msgspec import Struct

from wizard.advice import missing
from wizard.findings.use import NOT_CHECKED, named_field
from wizard.model.advice import Ability, Option, ZonedUse
from wizard.model.machine import Drive, Machine
from wizard.model.said import GIB, MIB, TIB, Message, join, t

METADATA = t("Metadata needs conventional zones.")

Version = tuple[int, int]

BTRFS_SINCE: Version = (5, 12)
F2FS_SINCE: Version = (4, 10)
ZONEFS_SINCE: Version = (5, 6)
DM_ZONED_SINCE: Version = (4, 13)
DM_ZONED_WITH_A_SECOND_SINCE: Version = (5, 8)
XFS_SINCE: Version = (6, 15)

BTRFS_ZONE_BYTES = (4 * MIB, 8 * GIB)
BTRFS_LEAST_ZONES = 16
"""Metadata in two copies needs at least 10 zones. With fewer than these, almost no space is left for data."""

BTRFS_LEAST_ACTIVE = 8
"""BTRFS_MIN_ACTIVE_ZONES: superblocks, one zone for each of three types, the log, and one for relocation."""

F2FS_MOST_BYTES = 16 * TIB
XFS_SHARE = 100
"""One in this many zones must be conventional, to have enough space for metadata."""

OTHER = "/dev/OTHER"
"""Placeholder for a second, conventional drive in commands."""

PLACE = "/mnt"

MKFS_F2FS = ("mkfs.f2fs", "-f", "-m")


class _Findings(Struct, frozen=True):
    """Sentences on what rules out a use (`against`) and what is unknown (`unknown`)."""

    against: tuple[Message, ...] = ()
    unknown: tuple[Message, ...] = ()

    def __add__(self, other: "_Findings") -> "_Findings":
        return _Findings(self.against + other.against, self.unknown + other.unknown)


def manages_zones(drive: Drive) -> bool:
    """Return True if the kernel reports zones that must be written sequentially."""
    return drive.zoned == "host-managed"


def zone_obstacles(kind: missing.Filesystem, machine: Machine, drive: Drive) -> tuple[str, ...]:
    """Return sentences on why `kind` cannot be created on this host-managed drive."""
    if kind is not missing.BTRFS:
        return (
            str(
                t(
                    "This drive is host-managed, and the kernel accepts no partitions on the drive: {why}.",
                    why=kind.zones or "",
                )
            ),
        )
    return tuple(map(str, _btrfs(machine, drive).against))


def zone_doubts(machine: Machine, drive: Drive) -> tuple[Message, ...]:
    """Return unknown facts about creating Btrfs on this host-managed drive."""
    return _btrfs(machine, drive).unknown


def zone_notes(*, root: bool) -> tuple[str, ...]:
    """Return further remarks about host-managed drives."""
    found = [
        t(
            "The drive accepts writes only in zone order. One filesystem uses the whole "
            "drive, without a partition table."
        ),
        t("Creating a filesystem empties every zone immediately. The old contents cannot be recovered."),
        *(
            (
                t(
                    "The system cannot boot from such a drive. /boot and the boot loader must be "
                    "on another drive."
                ),
            )
            if root
            else ()
        ),
    ]
    return tuple(map(str, found))


def zoned_uses(machine: Machine, drive: Drive, btrfs_options: Sequence[Option]) -> tuple[ZonedUse, ...]:
    """Return all possible uses of a host-managed drive, with obstacles and commands."""
    alone = _has_conventional(drive)
    options = " ".join(option.text for option in btrfs_options)
    return (
        _use(
            "Btrfs",
            t(
                "Every write goes to a new place, zone after zone. diskwright creates this "
                "filesystem on the whole drive."
            ),
            _kernel_support(machine, "btrfs", missing.BTRFS.title)
            + _tool(machine, missing.BTRFS.tool)
            + _btrfs(machine, drive),
            f"mkfs.btrfs {options} {drive.path}",
            _mount("btrfs", drive.path),
        ),
        _use("F2FS", _f2fs_nature(alone), _f2fs(machine, drive), *_f2fs_commands(drive.path, alone)),
        _use("XFS", _xfs_nature(drive), _xfs(machine), *_xfs_commands(drive)),
        _use(
            "zonefs",
            t(
                "Presents each zone as an append-only file, for programs written for this "
                "purpose, not for ordinary files."
            ),
            _kernel_support(machine, "zonefs", "zonefs")
            + _since(machine, "zonefs", ZONEFS_SINCE)
            + _tool(machine, "mkzonefs"),
            f"mkzonefs {drive.path}",
            _mount("zonefs", drive.path),
        ),
        _use(
            "dm-zoned",
            _dm_zoned_nature(alone),
            _dm_zoned(machine, alone),
            *_dm_zoned_commands(drive.path, alone),
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


def _use(title: str, nature: Message, found: _Findings, *commands: str) -> ZonedUse:
    ability = Ability.CANNOT if found.against else Ability.DOUBT if found.unknown else Ability.CAN
    return ZonedUse(title, ability, str(join(*found.against, *found.unknown, nature)), commands)


def _mount(kind: str, device: str, *options: str) -> str:
    return " ".join(("mount", "-t", kind, *options, device, PLACE))


def _kernel_support(machine: Machine, name: str, title: str) -> _Findings:
    if not machine.kernel.filesystems:
        return _Findings(unknown=(missing.NO_LIST,))
    if name in machine.kernel.filesystems:
        return _Findings()
    return _Findings((missing.NO_DRIVER(release=machine.kernel.release, title=title),))


def _since(machine: Machine, title: str | Message, first: Version) -> _Findings:
    kernel = machine.kernel
    if kernel.version == (0, 0):
        return _Findings(
            unknown=(
                t(
                    "Cannot read the kernel version. Zone support in {title} requires {first} or later.",
                    title=title,
                    first=_dotted(first),
                ),
            )
        )
    if kernel.version < first:
        old = t(
            "Zone support in {title} requires kernel {first} or later; running {release}.",
            first=_dotted(first),
            title=title,
            release=kernel.release,
        )
        return _Findings((old,))
    return _Findings()


def _built_with(machine: Machine, config: str, title: Message | str) -> _Findings:
    """Check a build option of the kernel, which zones require."""
    match machine.kernel.built_with(config):
        case None:
            return _Findings(unknown=(t("Cannot read whether the kernel has {title}.", title=title),))
        case False:
            lacks = t("The kernel was built without {title} (CONFIG_{config}).", title=title, config=config)
            return _Findings((lacks,))
        case _:
            return _Findings()


def _tool(machine: Machine, name: str) -> _Findings:
    absent = missing.lacking(machine, (name,))
    return _Findings((absent.said,)) if absent else _Findings()


def _dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def _has_conventional(drive: Drive) -> bool | None:
    """Return True if some zones are conventional, None if unknown."""
    if drive.zones is None or drive.zones.conventional is None:
        return None
    return drive.zones.conventional > 0


def _btrfs(machine: Machine, drive: Drive) -> _Findings:
    """Check zone support only. Kernel and tool are checked elsewhere."""
    return _since(machine, "Btrfs", BTRFS_SINCE) + _btrfs_program(machine) + _btrfs_zones(drive)


def _btrfs_program(machine: Machine) -> _Findings:
    if not machine.has_tool(missing.BTRFS.tool):
        return _Findings()
    known = machine.program(missing.BTRFS.tool)
    if known is None or not known.features:
        return _Findings(
            unknown=(
                t("Unknown whether this mkfs.btrfs supports zones. Check with `mkfs.btrfs -O list-all`."),
            )
        )
    if "zoned" in known.features:
        return _Findings()
    return _Findings(
        (
            t(
                "This mkfs.btrfs was built without zone support. Version 5.12 is the first "
                "to offer zone support at build time."
            ),
        )
    )


def _btrfs_zones(drive: Drive) -> _Findings:
    zones = drive.zones
    size, count = (zones.size_bytes, zones.count) if zones else (None, None)
    least, most = BTRFS_ZONE_BYTES
    if zones is None or size is None or count is None:
        return _Findings(unknown=(NOT_CHECKED(what=named_field("zones")),))
    if not least <= size <= most or size & (size - 1):
        return _Findings(
            (
                t(
                    "Each zone has {size:exact}. Btrfs supports powers of two from 4 MiB to 8 GiB.",
                    size=size,
                ),
            )
        )
    if count < BTRFS_LEAST_ZONES:
        return _Findings(
            (
                t(
                    "The drive has {zones} zones. With fewer than {least}, Btrfs has almost no "
                    "space for data.",
                    zones=count,
                    least=BTRFS_LEAST_ZONES,
                ),
            )
        )
    if zones.most_active and zones.most_active < BTRFS_LEAST_ACTIVE:
        return _Findings(
            (
                t(
                    "The drive can write to {active} zones at a time. Btrfs needs {least} or more.",
                    active=zones.most_active,
                    least=BTRFS_LEAST_ACTIVE,
                ),
            )
        )
    return _Findings()


def _f2fs(machine: Machine, drive: Drive) -> _Findings:
    found = (
        _kernel_support(machine, "f2fs", "F2FS")
        + _since(machine, "F2FS", F2FS_SINCE)
        + _tool(machine, "mkfs.f2fs")
    )
    if drive.size_bytes is not None:
        found += _Findings(missing.size_obstacles(missing.filesystem("f2fs"), drive.size_bytes))
    return found + _conventional_known(_has_conventional(drive))


def _conventional_known(alone: bool | None) -> _Findings:
    if alone is not None:
        return _Findings()
    return _Findings(
        unknown=(
            t(
                "Unknown whether the drive has conventional zones (run as root to check). "
                "Without such zones, a second drive is needed."
            ),
        )
    )


def _f2fs_nature(alone: bool | None) -> Message:
    second = (
        (
            t(
                "Metadata needs a second, conventional drive, since every zone of this drive "
                "must be written in order."
            ),
        )
        if alone is False
        else ()
    )
    return join(METADATA, *second, t("Part of the drive is reserved for moving data."))


def _f2fs_commands(path: str, alone: bool | None) -> tuple[str, str]:
    if alone is False:
        return " ".join((*MKFS_F2FS, "-c", path, OTHER)), _mount("f2fs", OTHER)
    return " ".join((*MKFS_F2FS, path)), _mount("f2fs", path)


def _xfs(machine: Machine) -> _Findings:
    found = (
        _kernel_support(machine, "xfs", missing.XFS.title)
        + _since(machine, "XFS", XFS_SINCE)
        + _tool(machine, missing.XFS.tool)
    )
    built = _built_with(machine, "XFS_RT", t("the XFS realtime part"))
    found += _Findings(built.against)
    known = machine.program(missing.XFS.tool)
    if known is not None and (0, 0) < known.version < XFS_SINCE:
        found += _Findings(
            (
                t(
                    "mkfs.xfs {version} is too old. Zone support requires {first} or later.",
                    version=_dotted(known.version),
                    first=_dotted(XFS_SINCE),
                ),
            )
        )
    if not found.against:
        found += _Findings(unknown=built.unknown)
        version_known = known is not None and known.version != (0, 0)
        found += _Findings(unknown=() if version_known else (t("Cannot read the version of mkfs.xfs."),))
    return found


def _has_xfs_metadata_zones(drive: Drive) -> bool:
    """Return True if there are enough conventional zones for metadata, about one in a hundred."""
    zones = drive.zones
    if zones is None or zones.conventional is None or zones.count is None or zones.size_bytes is None:
        return False
    return (
        zones.conventional * zones.size_bytes >= missing.XFS.minimum_bytes
        and zones.conventional * XFS_SHARE >= zones.count
    )


def _xfs_nature(drive: Drive) -> Message:
    second = (
        ()
        if _has_xfs_metadata_zones(drive)
        else (t("Metadata needs a second, conventional drive of about 1 % of this drive's size."),)
    )
    return join(t("The authors call this experimental."), METADATA, *second)


def _xfs_commands(drive: Drive) -> tuple[str, str]:
    if _has_xfs_metadata_zones(drive):
        return f"mkfs.xfs -r zoned=1 {drive.path}", _mount("xfs", drive.path)
    return (
        f"mkfs.xfs -r zoned=1,rtdev={drive.path} {OTHER}",
        _mount("xfs", OTHER, "-o", f"rtdev={drive.path}"),
    )


def _dm_zoned(machine: Machine, alone: bool | None) -> _Findings:
    first = DM_ZONED_WITH_A_SECOND_SINCE if alone is False else DM_ZONED_SINCE
    found = _since(machine, t("dm-zoned with a second drive") if alone is False else "dm-zoned", first)
    found += _built_with(machine, "DM_ZONED", "dm-zoned")
    return found + _tool(machine, "dmzadm") + _conventional_known(alone)


def _dm_zoned_nature(alone: bool | None) -> Message:
    second = (t("A second, conventional drive provides these zones."),) if alone is False else ()
    return join(
        t(
            "Presents the drive as an ordinary device (below /dev/mapper) for any "
            "filesystem. The cost: rewritten data first goes to conventional zones and "
            "is moved again later."
        ),
        *second,
    )


def _dm_zoned_commands(path: str, alone: bool | None) -> tuple[str, str]:
    devices = (OTHER, path) if alone is False else (path,)
    return " ".join(("dmzadm", "--format", *devices)), " ".join(("dmzadm", "--start", *devices))
