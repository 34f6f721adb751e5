"""Drives whose zones the host must manage: what can live there on this kernel with these programs. Pure rules
over facts.

Sources: Linux fs/btrfs/zoned.c, fs/f2fs, fs/zonefs, drivers/md/dm-zoned, fs/xfs (6.15); mkfs.btrfs(8),
mkfs.xfs(8), mkfs.f2fs(8), dmzadm(8), mkzonefs(8); tried on emulated drives with kernel 6.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from wizard.advise.filesystems import BTRFS, XFS, Filesystem
from wizard.advise.missing import lacking
from wizard.model.advice import Ability, Option, ZonedUse
from wizard.model.machine import Drive, Machine
from wizard.model.units import GIB, MIB, TIB, format_capacity, format_exact

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


@dataclass(frozen=True, slots=True)
class _Findings:
    """What speaks against a use (`against`), and what could not be known (`unknown`), in sentences."""

    against: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def __add__(self, other: "_Findings") -> "_Findings":
        return _Findings(self.against + other.against, self.unknown + other.unknown)


def manages_zones(drive: Drive) -> bool:
    """Whether the kernel shows zones that must be written in order."""
    return drive.zoned == "host-managed"


def zone_obstacles(kind: Filesystem, machine: Machine, drive: Drive) -> tuple[str, ...]:
    """Why `kind` cannot be made on this host-managed drive, in sentences; empty where it can."""
    if kind is not BTRFS:
        return (
            "The host must manage this drive's zones, and the kernel takes no partitions on it: "
            f"{kind.zones}.",
        )
    return _btrfs(machine, drive).against


def zone_doubts(machine: Machine, drive: Drive) -> tuple[str, ...]:
    """What could not be known about making Btrfs on this host-managed drive."""
    return _btrfs(machine, drive).unknown


def zone_notes(*, root: bool) -> tuple[str, ...]:
    """What else is good to know about such a drive."""
    found = [
        "The drive takes writes only in the order of its zones: no partition table, and one filesystem on "
        "the whole drive.",
        "Making a filesystem empties every zone at once: nothing of what the drive held can be brought back.",
    ]
    if root:
        found.append(
            "Nothing can be booted from such a drive: /boot and the boot loader must lie on another one."
        )
    return tuple(found)


def zoned_uses(machine: Machine, drive: Drive, btrfs_options: Sequence[Option]) -> tuple[ZonedUse, ...]:
    """Everything that could live on a host-managed drive, with what speaks against it here and the commands
    that make it."""
    alone = _has_conventional(drive)
    options = " ".join(option.text for option in btrfs_options)
    return (
        _use(
            "Btrfs",
            "It writes everything in new places, zone after zone. It takes the whole drive, and is what "
            "diskwright makes there.",
            _has(machine, "btrfs", BTRFS.title) + _tool(machine, BTRFS.tool) + _btrfs(machine, drive),
            f"mkfs.btrfs {options} {drive.path}",
            f"mount -t btrfs {drive.path} {PLACE}",
        ),
        _use("F2FS", _f2fs_words(alone), _f2fs(machine, drive), *_f2fs_commands(drive.path, alone)),
        _use("XFS", _xfs_words(drive), _xfs(machine), *_xfs_commands(drive)),
        _use(
            "zonefs",
            "It shows every zone as one file that programs can only append to: for programs written for "
            "that, not for ordinary files.",
            _has(machine, "zonefs", "zonefs")
            + _since(machine, "zonefs", ZONEFS_SINCE)
            + _tool(machine, "mkzonefs"),
            f"mkzonefs {drive.path}",
            f"mount -t zonefs {drive.path} {PLACE}",
        ),
        _use(
            "dm-zoned",
            _dm_zoned_words(alone),
            _dm_zoned(machine, alone),
            *_dm_zoned_commands(drive.path, alone),
        ),
        ZonedUse(
            "ext4, JFS, NILFS2 and partitions",
            Ability.CANNOT,
            "They write in place, and the drive refuses that. mkfs.jfs even claims success, and what it made "
            "cannot be mounted.",
        ),
    )


def _use(title: str, words: str, found: _Findings, *commands: str) -> ZonedUse:
    ability = Ability.CANNOT if found.against else Ability.DOUBT if found.unknown else Ability.CAN
    return ZonedUse(title, ability, " ".join((*found.against, *found.unknown, words)), commands)


def _has(machine: Machine, name: str, title: str) -> _Findings:
    if not machine.kernel.filesystems:
        return _Findings(unknown=("Which filesystems the kernel has could not be read.",))
    if name in machine.kernel.filesystems:
        return _Findings()
    return _Findings((f"The running kernel ({machine.kernel.release}) has no {title}.",))


def _since(machine: Machine, title: str, first: Version) -> _Findings:
    kernel = machine.kernel
    if kernel.version == (0, 0):
        return _Findings(
            unknown=(f"The kernel's version could not be read; {title} needs {_dotted(first)} for zones.",)
        )
    if kernel.version < first:
        return _Findings(
            (f"Kernel {_dotted(first)} is the first with {title} for zones; {kernel.release} runs.",)
        )
    return _Findings()


def _tool(machine: Machine, name: str) -> _Findings:
    absent = lacking(machine, (name,))
    return _Findings((str(absent.said),)) if absent else _Findings()


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
        return _Findings(
            unknown=(
                "Whether this mkfs.btrfs was built for zones could not be found out (mkfs.btrfs -O list-all "
                "tells).",
            )
        )
    if "zoned" in known.features:
        return _Findings()
    return _Findings(
        ("This mkfs.btrfs was built without zones: version 5.12 is the first that can be built with them.",)
    )


def _btrfs_zones(drive: Drive) -> _Findings:
    zones = drive.zones
    size, count = (zones.size_bytes, zones.count) if zones else (None, None)
    least, most = BTRFS_ZONE_BYTES
    if zones is None or size is None or count is None:
        return _Findings(
            unknown=("The size and number of its zones could not be read, so that they were not checked.",)
        )
    if not least <= size <= most or size & (size - 1):
        return _Findings(
            (f"Its zones span {format_exact(size)}; Btrfs takes powers of two from 4 MiB to 8 GiB.",)
        )
    if count < BTRFS_LEAST_ZONES:
        return _Findings(
            (f"It has {count} zones; below {BTRFS_LEAST_ZONES} Btrfs has hardly any room for data.",)
        )
    if zones.most_active and zones.most_active < BTRFS_LEAST_ACTIVE:
        return _Findings(
            (f"It can write to {zones.most_active} zones at a time; Btrfs needs {BTRFS_LEAST_ACTIVE}.",)
        )
    return _Findings()


def _f2fs(machine: Machine, drive: Drive) -> _Findings:
    found = _has(machine, "f2fs", "F2FS") + _since(machine, "F2FS", F2FS_SINCE) + _tool(machine, "mkfs.f2fs")
    if drive.size_bytes is not None and drive.size_bytes > F2FS_MOST_BYTES:
        found += _Findings((f"{format_capacity(drive.size_bytes)} are more than F2FS can address (16 TiB).",))
    return found + _counted(_has_conventional(drive))


def _counted(alone: bool | None) -> _Findings:
    if alone is not None:
        return _Findings()
    return _Findings(
        unknown=(
            "Whether some zones take any write was not read (root can): without them it needs a second "
            "drive.",
        )
    )


def _f2fs_words(alone: bool | None) -> str:
    where = (
        " They lie on a second, ordinary drive, since every zone of this one must be written in order."
        if alone is False
        else ""
    )
    return (
        f"Its metadata need zones that take any write.{where} It keeps a part of the drive in reserve to "
        "move data about."
    )


def _f2fs_commands(path: str, alone: bool | None) -> tuple[str, str]:
    if alone is False:
        return f"mkfs.f2fs -f -m -c {path} {OTHER}", f"mount -t f2fs {OTHER} {PLACE}"
    return f"mkfs.f2fs -f -m {path}", f"mount -t f2fs {path} {PLACE}"


def _xfs(machine: Machine) -> _Findings:
    found = _has(machine, "xfs", XFS.title) + _since(machine, "XFS", XFS_SINCE) + _tool(machine, XFS.tool)
    if machine.kernel.built_with("XFS_RT") is False:
        found += _Findings(
            ("The kernel was built without XFS's realtime part (CONFIG_XFS_RT), which holds the zones.",)
        )
    known = machine.program(XFS.tool)
    if known is not None and (0, 0) < known.version < XFS_SINCE:
        found += _Findings(
            (
                f"mkfs.xfs {_dotted(known.version)} is here; {_dotted(XFS_SINCE)} is the first that knows "
                "zones.",
            )
        )
    if not found.against:
        built = machine.kernel.built_with("XFS_RT") is not None
        found += _Findings(
            unknown=()
            if built
            else ("Whether the kernel has XFS's realtime part (CONFIG_XFS_RT) could not be read.",)
        )
        versed = known is not None and known.version != (0, 0)
        found += _Findings(unknown=() if versed else ("The version of mkfs.xfs could not be read.",))
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


def _xfs_words(drive: Drive) -> str:
    where = (
        ""
        if _xfs_alone(drive)
        else " They lie on a second, ordinary drive of about a hundredth of this one's size."
    )
    return f"Its authors call it experimental. Its metadata need zones that take any write.{where}"


def _xfs_commands(drive: Drive) -> tuple[str, str]:
    if _xfs_alone(drive):
        return f"mkfs.xfs -r zoned=1 {drive.path}", f"mount -t xfs {drive.path} {PLACE}"
    return (
        f"mkfs.xfs -r zoned=1,rtdev={drive.path} {OTHER}",
        f"mount -t xfs -o rtdev={drive.path} {OTHER} {PLACE}",
    )


def _dm_zoned(machine: Machine, alone: bool | None) -> _Findings:
    first = DM_ZONED_WITH_A_SECOND_SINCE if alone is False else DM_ZONED_SINCE
    built = machine.kernel.built_with("DM_ZONED")
    found = _since(machine, "dm-zoned with a second drive" if alone is False else "dm-zoned", first)
    if built is False:
        found += _Findings(("The kernel was built without dm-zoned (CONFIG_DM_ZONED).",))
    found += _tool(machine, "dmzadm")
    if built is None:
        found += _Findings(unknown=("Whether the kernel has dm-zoned could not be read.",))
    return found + _counted(alone)


def _dm_zoned_words(alone: bool | None) -> str:
    where = " They are lent by a second, ordinary drive." if alone is False else ""
    return (
        "It makes an ordinary device of the drive (below /dev/mapper), for any filesystem, at a price: what "
        f"is rewritten goes to zones that take any write, and is moved again later.{where}"
    )


def _dm_zoned_commands(path: str, alone: bool | None) -> tuple[str, str]:
    devices = f"{OTHER} {path}" if alone is False else path
    return f"dmzadm --format {devices}", f"dmzadm --start {devices}"
