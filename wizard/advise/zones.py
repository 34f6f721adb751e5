"""Drives whose zones the host must manage: what can live there on this kernel with these programs. Pure rules
over facts.

Sources: Linux fs/btrfs/zoned.c, fs/f2fs, fs/zonefs, drivers/md/dm-zoned, fs/xfs (6.15); mkfs.btrfs(8),
mkfs.xfs(8), mkfs.f2fs(8), dmzadm(8), mkzonefs(8); tried on emulated drives with kernel 6.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from wizard.advise.filesystems import BTRFS, XFS, Filesystem
from wizard.advise.missing import lacking
from wizard.advise.words import zones as words
from wizard.model.advice import Ability, Option, ZonedUse
from wizard.model.machine import Drive, Machine
from wizard.model.said import Said, in_a_row
from wizard.model.units import GIB, MIB, TIB

Version = tuple[int, int]

BTRFS_SINCE: Version = (5, 12)
F2FS_SINCE: Version = (4, 10)
ZONEFS_SINCE: Version = (5, 6)
DM_ZONED_SINCE: Version = (4, 13)
DM_ZONED_WITH_A_SECOND_SINCE: Version = (5, 8)
XFS_SINCE: Version = (6, 15)

BTRFS_ZONE_BYTES = (4 * MIB, 8 * GIB)
BTRFS_LEAST_ZONES = 16
"""It starts with 10 where metadata are kept twice; with fewer than these hardly any room is left for data."""

BTRFS_LEAST_ACTIVE = 8
"""BTRFS_MIN_ACTIVE_ZONES: those of the superblocks, one each of three kinds, of the log, and one to move data
to."""

F2FS_MOST_BYTES = 16 * TIB
XFS_SHARE = 100
"""One in so many zones must take any write, so that metadata have room."""

OTHER = "/dev/OTHER"
"""Stands in commands for a second, ordinary drive."""

PLACE = "/mnt"

MKFS_F2FS = ("mkfs.f2fs", "-f", "-m")


@dataclass(frozen=True, slots=True)
class _Findings:
    """What speaks against a use (`against`), and what could not be known (`unknown`), in sentences."""

    against: tuple[Said, ...] = ()
    unknown: tuple[Said, ...] = ()

    def __add__(self, other: "_Findings") -> "_Findings":
        return _Findings(self.against + other.against, self.unknown + other.unknown)


def manages_zones(drive: Drive) -> bool:
    """Whether the kernel shows zones that must be written in order."""
    return drive.zoned == "host-managed"


def zone_obstacles(kind: Filesystem, machine: Machine, drive: Drive) -> tuple[str, ...]:
    """Why `kind` cannot be made on this host-managed drive, in sentences; empty where it can."""
    if kind is not BTRFS:
        return (str(words.TAKES_NO_PARTITIONS(why=kind.zones or "")),)
    return tuple(map(str, _btrfs(machine, drive).against))


def zone_doubts(machine: Machine, drive: Drive) -> tuple[Said, ...]:
    """What could not be known about making Btrfs on this host-managed drive."""
    return _btrfs(machine, drive).unknown


def zone_notes(*, root: bool) -> tuple[str, ...]:
    """What else is good to know about such a drive."""
    found = [words.IN_ORDER(), words.EMPTIED(), *((words.NOT_BOOTED(),) if root else ())]
    return tuple(map(str, found))


def zoned_uses(machine: Machine, drive: Drive, btrfs_options: Sequence[Option]) -> tuple[ZonedUse, ...]:
    """Everything that could live on a host-managed drive, with what speaks against it here and the commands
    that make it."""
    alone = _has_conventional(drive)
    options = " ".join(option.text for option in btrfs_options)
    return (
        _use(
            "Btrfs",
            words.BTRFS(),
            _has(machine, "btrfs", BTRFS.title) + _tool(machine, BTRFS.tool) + _btrfs(machine, drive),
            f"mkfs.btrfs {options} {drive.path}",
            _mount("btrfs", drive.path),
        ),
        _use("F2FS", _f2fs_nature(alone), _f2fs(machine, drive), *_f2fs_commands(drive.path, alone)),
        _use("XFS", _xfs_nature(drive), _xfs(machine), *_xfs_commands(drive)),
        _use(
            "zonefs",
            words.ZONEFS(),
            _has(machine, "zonefs", "zonefs")
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
        ZonedUse(str(words.OTHERS()), Ability.CANNOT, str(words.IN_PLACE())),
    )


def _use(title: str, nature: Said, found: _Findings, *commands: str) -> ZonedUse:
    ability = Ability.CANNOT if found.against else Ability.DOUBT if found.unknown else Ability.CAN
    return ZonedUse(title, ability, str(in_a_row(*found.against, *found.unknown, nature)), commands)


def _mount(kind: str, device: str, *options: str) -> str:
    return " ".join(("mount", "-t", kind, *options, device, PLACE))


def _has(machine: Machine, name: str, title: str) -> _Findings:
    if not machine.kernel.filesystems:
        return _Findings(unknown=(words.FILESYSTEMS_UNKNOWN(),))
    if name in machine.kernel.filesystems:
        return _Findings()
    return _Findings((words.NO_DRIVER(release=machine.kernel.release, title=title),))


def _since(machine: Machine, title: str | Said, first: Version) -> _Findings:
    kernel = machine.kernel
    if kernel.version == (0, 0):
        return _Findings(unknown=(words.KERNEL_UNKNOWN(title=title, first=_dotted(first)),))
    if kernel.version < first:
        old = words.KERNEL_OLD(first=_dotted(first), title=title, release=kernel.release)
        return _Findings((old,))
    return _Findings()


def _tool(machine: Machine, name: str) -> _Findings:
    absent = lacking(machine, (name,))
    return _Findings((absent.said,)) if absent else _Findings()


def _dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def _has_conventional(drive: Drive) -> bool | None:
    """Whether some zones take any write; None where the zones could not be counted."""
    if drive.zones is None or drive.zones.conventional is None:
        return None
    return drive.zones.conventional > 0


def _btrfs(machine: Machine, drive: Drive) -> _Findings:
    """What concerns zones alone; that kernel and program are there at all is asked elsewhere."""
    return _since(machine, "Btrfs", BTRFS_SINCE) + _btrfs_program(machine) + _btrfs_zones(drive)


def _btrfs_program(machine: Machine) -> _Findings:
    if not machine.has_tool(BTRFS.tool):
        return _Findings()
    known = machine.program(BTRFS.tool)
    if known is None or not known.features:
        return _Findings(unknown=(words.BUILD_UNKNOWN(),))
    if "zoned" in known.features:
        return _Findings()
    return _Findings((words.NOT_BUILT(),))


def _btrfs_zones(drive: Drive) -> _Findings:
    zones = drive.zones
    size, count = (zones.size_bytes, zones.count) if zones else (None, None)
    least, most = BTRFS_ZONE_BYTES
    if zones is None or size is None or count is None:
        return _Findings(unknown=(words.SIZE_UNKNOWN(),))
    if not least <= size <= most or size & (size - 1):
        return _Findings((words.ZONE_SIZE(size=size),))
    if count < BTRFS_LEAST_ZONES:
        return _Findings((words.FEW_ZONES(zones=count, least=BTRFS_LEAST_ZONES),))
    if zones.most_active and zones.most_active < BTRFS_LEAST_ACTIVE:
        return _Findings((words.FEW_ACTIVE(active=zones.most_active, least=BTRFS_LEAST_ACTIVE),))
    return _Findings()


def _f2fs(machine: Machine, drive: Drive) -> _Findings:
    found = _has(machine, "f2fs", "F2FS") + _since(machine, "F2FS", F2FS_SINCE) + _tool(machine, "mkfs.f2fs")
    if drive.size_bytes is not None and drive.size_bytes > F2FS_MOST_BYTES:
        found += _Findings((words.F2FS_SIZE(size=drive.size_bytes),))
    return found + _counted(_has_conventional(drive))


def _counted(alone: bool | None) -> _Findings:
    if alone is not None:
        return _Findings()
    return _Findings(unknown=(words.CONVENTIONAL_UNKNOWN(),))


def _f2fs_nature(alone: bool | None) -> Said:
    second = (words.F2FS_SECOND(),) if alone is False else ()
    return in_a_row(words.METADATA(), *second, words.F2FS_RESERVE())


def _f2fs_commands(path: str, alone: bool | None) -> tuple[str, str]:
    if alone is False:
        return " ".join((*MKFS_F2FS, "-c", path, OTHER)), _mount("f2fs", OTHER)
    return " ".join((*MKFS_F2FS, path)), _mount("f2fs", path)


def _xfs(machine: Machine) -> _Findings:
    found = _has(machine, "xfs", XFS.title) + _since(machine, "XFS", XFS_SINCE) + _tool(machine, XFS.tool)
    if machine.kernel.built_with("XFS_RT") is False:
        found += _Findings((words.NO_REALTIME(),))
    known = machine.program(XFS.tool)
    if known is not None and (0, 0) < known.version < XFS_SINCE:
        found += _Findings((words.MKFS_OLD(version=_dotted(known.version), first=_dotted(XFS_SINCE)),))
    if not found.against:
        built = machine.kernel.built_with("XFS_RT") is not None
        found += _Findings(unknown=() if built else (words.REALTIME_UNKNOWN(),))
        versed = known is not None and known.version != (0, 0)
        found += _Findings(unknown=() if versed else (words.MKFS_UNKNOWN(),))
    return found


def _xfs_alone(drive: Drive) -> bool:
    """Whether enough zones take any write for its metadata, about one in a hundred."""
    zones = drive.zones
    if zones is None or zones.conventional is None or zones.count is None or zones.size_bytes is None:
        return False
    return (
        zones.conventional * zones.size_bytes >= XFS.minimum_bytes
        and zones.conventional * XFS_SHARE >= zones.count
    )


def _xfs_nature(drive: Drive) -> Said:
    second = () if _xfs_alone(drive) else (words.XFS_SECOND(),)
    return in_a_row(words.XFS_EXPERIMENTAL(), words.METADATA(), *second)


def _xfs_commands(drive: Drive) -> tuple[str, str]:
    if _xfs_alone(drive):
        return f"mkfs.xfs -r zoned=1 {drive.path}", _mount("xfs", drive.path)
    return (
        f"mkfs.xfs -r zoned=1,rtdev={drive.path} {OTHER}",
        _mount("xfs", OTHER, "-o", f"rtdev={drive.path}"),
    )


def _dm_zoned(machine: Machine, alone: bool | None) -> _Findings:
    first = DM_ZONED_WITH_A_SECOND_SINCE if alone is False else DM_ZONED_SINCE
    built = machine.kernel.built_with("DM_ZONED")
    found = _since(machine, words.DM_ZONED_SECOND() if alone is False else "dm-zoned", first)
    if built is False:
        found += _Findings((words.NO_DM_ZONED(),))
    found += _tool(machine, "dmzadm")
    if built is None:
        found += _Findings(unknown=(words.DM_ZONED_UNKNOWN(),))
    return found + _counted(alone)


def _dm_zoned_nature(alone: bool | None) -> Said:
    lent = (words.DM_ZONED_LENT(),) if alone is False else ()
    return in_a_row(words.DM_ZONED(), *lent)


def _dm_zoned_commands(path: str, alone: bool | None) -> tuple[str, str]:
    devices = (OTHER, path) if alone is False else (path,)
    return " ".join(("dmzadm", "--format", *devices)), " ".join(("dmzadm", "--start", *devices))
