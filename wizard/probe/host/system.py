"""Read raw facts of the machine: kernel, tools, and the graph of block devices and their uses."""

import os
import re
import stat
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path

from wizard.filesystems.registry import MADE
from wizard.model.errors import Failed
from wizard.model.machine import Obstacle
from wizard.model.said import t
from wizard.probe import facts
from wizard.probe.host import sysfs
from wizard.probe.host.environment import container_signs, os_release
from wizard.probe.host.sysfs import names_in
from wizard.process.program import find, run

PARTS = {"dm_mod": ("dm_crypt",), "md_mod": ("raid0", "raid1")}
"""Modules of the device mapper and md, and their parts that plans use."""

LAYER_MODULES = tuple(name for whole, parts in PARTS.items() for name in (whole, *parts))


def listed_modules(folder: Path) -> str:
    """Return the lists of loadable and built-in modules in /lib/modules/RELEASE (depmod(8))."""
    return "\n".join(sysfs.text(folder / name) or "" for name in ("modules.dep", "modules.builtin")).strip()


def modules_below(listed: str, folder: str) -> set[str]:
    """Return the names of the listed modules below a folder, as in /proc/modules."""
    return {name.replace("-", "_") for name in re.findall(rf"(?m)^{folder}(?:[\w.-]+/)*([\w-]+)\.ko", listed)}


def has_loop(listed: str, *, shown: bool, loads_modules: bool) -> bool | None:
    """Return True if the kernel has or can load loop devices, None if unknown. `shown`: /sys/module has the
    driver."""
    if shown or "loop" in modules_below(listed, "kernel/drivers/block/"):
        return True
    return False if listed or not loads_modules else None


def kernel_modules(raw: facts.RawMachine) -> tuple[tuple[str, bool], ...]:
    """Return whether the kernel has or can load LAYER_MODULES and `loop`, as far as known. /sys/module shows
    the device mapper and md even if built in, their parts only if loaded. Without lists, a missing module may
    still be loadable from a distribution's own path."""
    loops = () if raw.has_loop is None else (("loop", raw.has_loop),)
    if raw.shown_modules is None:
        return loops
    present = {*raw.shown_modules, *(raw.listed_modules or ())}
    is_complete = raw.listed_modules is not None
    known = {}
    for whole, parts in PARTS.items():
        if whole in present or is_complete or raw.loads_modules is False:
            known[whole] = whole in present
        for part in parts:
            if part in present or is_complete or known.get(whole) is False:
                known[part] = known.get(whole, True) and part in present
    return (*known.items(), *loops)


PROC = Path("/proc")
LINKS = Path("/dev/disk/by-id")

LOCAL = frozenset(
    (
        *("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs", "bcachefs", "zfs", "vfat", "exfat", "ntfs3"),
        *("udf", "iso9660", "erofs", "squashfs", "overlay", "tmpfs", "ramfs", "devtmpfs"),
    )
)
"""Filesystems that need no network. A stat() of a file on any other could hang on a dead server."""

TOOLS = (
    *(name for kind in MADE.values() for name in kind.programs),
    *(kind.growing.check[0] for kind in MADE.values() if kind.growing),
    *(f"mount.{kind.mount_helper}" for kind in MADE.values() if kind.mount_helper),
    "mkzonefs",
    "dmzadm",
    "blkzone",
    "tune2fs",
    "sfdisk",
    "wipefs",
    "parted",
    "partx",
    "losetup",
    "smartctl",
    "lsblk",
    "mount",
    "umount",
    "findmnt",
    "blkid",
    "udevadm",
    "mdadm",
    "pvcreate",
    "vgcreate",
    "lvcreate",
    "lvs",
    "cryptsetup",
    *("blockdev", "dmesg", "fuser", "gdisk", "hdparm", "lvchange", "ntfsfix", "nvme"),
    *("sg_format", "sg_readcap", "sgdisk", "swapoff", "vgimportclone"),
)

FILES = tuple(dict.fromkeys(path for kind in MADE.values() for path, _ in kind.needs_files))
"""Files that mkfs tools require."""

ASKED = (
    ("mkfs.btrfs", "--version"),
    ("mkfs.btrfs", "-O", "list-all"),
    ("mkfs.xfs", "-V"),
    ("mkfs.f2fs", "-V"),
    ("mkfs.ext4", "-V"),
)
"""Commands that print a tool's version and features. None touches a device."""
MKE2FS_CONF = "/etc/mke2fs.conf"

ASKED_SECONDS = 5.0
GZIP = 16 + zlib.MAX_WBITS
"""zlib's wbits for a gzip file."""

CONFIGURATION = ("BLK_DEV_ZONED", "BTRFS_FS", "XFS_RT", "F2FS_FS", "ZONEFS_FS", "DM_ZONED")


def read_machine() -> facts.RawMachine:
    """Read everything except the drives."""
    release = os.uname().release
    listed, loads = listed_modules(Path("/lib/modules") / release), (PROC / "modules").exists()
    drivers = modules_below(listed, "kernel/drivers/md/")
    zoned = any(
        sysfs.text(sysfs.SYS / "block" / name / "queue/zoned") == "host-managed"
        for name in names_in(sysfs.SYS / "block")
    )
    links: dict[str, list[str]] = {}
    for name in names_in(LINKS):
        with suppress(OSError):
            node = os.path.normpath(LINKS / (LINKS / name).readlink())
            links.setdefault(sysfs.name_of(node), []).append(str(LINKS / name))
    said = {}
    for argv in ASKED:
        if path := find(argv[0]):
            with suppress(Failed, OSError):
                said[" ".join(argv)] = _answer(argv, Path(path).stat().st_mtime_ns)
    return facts.RawMachine(
        release=release,
        filesystems=sysfs.text(PROC / "filesystems") or "",
        modules=tuple(sorted(modules_below(listed, "kernel/fs/"))),
        memory=(sysfs.text(PROC / "meminfo") or "").partition("\n")[0],
        root=os.geteuid() == 0,
        tools={name: path for name in TOOLS if (path := find(name))},
        links={name: tuple(found) for name, found in links.items()},
        graph=read_graph(),
        boot_id=boot_id(),
        config=_configuration(release) if zoned else "",
        said=said | {f"mkfs.ext4 {MKE2FS_CONF}": sysfs.text(Path(MKE2FS_CONF)) or ""},
        architecture=os.uname().machine,
        missing_files=tuple(path for path in FILES if not Path(path).exists()),
        shown_modules=tuple(name for name in LAYER_MODULES if (sysfs.SYS / "module" / name).exists()),
        listed_modules=tuple(name for name in LAYER_MODULES if name in drivers) if listed else None,
        loads_modules=loads,
        os_release=os_release(),
        container=container_signs(),
        attached=sysfs.attached_drives(),
        has_loop=has_loop(listed, shown=(sysfs.SYS / "module/loop").exists(), loads_modules=loads),
    )


def boot_id() -> str | None:
    """Return the kernel's random ID of this boot (random(4)), or None."""
    return sysfs.text(PROC / "sys/kernel/random/boot_id")


def read_graph() -> facts.RawGraph:
    """Read the block devices with their holders, and all visible mounts and swaps."""
    blocks = {
        name: block
        for name in names_in(sysfs.SYS / "class/block")
        if (block := _block(sysfs.SYS / "class/block" / name))
    }
    mounts, errors = _mounts()
    swaps = sysfs.text(PROC / "swaps") or ""
    paths = {one.source for space in mounts for one in sysfs.mounts_in(space.text)}
    paths.update(sysfs.swaps_in(swaps))
    # Paths outside /dev may be on a dead network mount.
    devices = sorted(path for path in paths if path.startswith("/dev/"))
    return facts.RawGraph(
        blocks=blocks,
        mounts=mounts,
        swaps=swaps,
        numbers={path: number for path in devices if (number := _identity(path)[0])},
        btrfs={
            uuid: names
            for uuid in names_in(sysfs.SYS / "fs/btrfs")
            if (names := tuple(names_in(sysfs.SYS / "fs/btrfs" / uuid / "devices")))
        },
        active={
            kind: names
            for kind in ("ext4", "xfs", "f2fs")
            if (names := tuple(name for name in names_in(sysfs.SYS / "fs" / kind) if name in blocks))
        },
        errors=errors,
    )


def _configuration(release: str) -> str:
    """Searches the places that distributions use. dm-zoned also counts if its module exists."""
    modules = Path("/lib/modules") / release
    found = ""
    with suppress(OSError, zlib.error):
        found = zlib.decompress((PROC / "config.gz").read_bytes(), GZIP).decode(errors="replace")
    found = found or sysfs.text(Path(f"/boot/config-{release}")) or sysfs.text(modules / "config") or ""
    names = "|".join(CONFIGURATION)
    lines = re.findall(rf"(?m)^(?:CONFIG_(?:{names})=.*|# CONFIG_(?:{names}) is not set)$", found)
    if not lines and "/dm-zoned.ko" in (sysfs.text(modules / "modules.dep") or ""):
        lines = ["CONFIG_DM_ZONED=m"]
    return "\n".join(lines)


@cache
def _answer(argv: tuple[str, ...], modified_ns: int) -> str:
    del modified_ns
    result = run(argv, seconds=ASKED_SECONDS, accept=range(256))
    return (result.output + result.errors).strip()


def _block(folder: Path) -> facts.RawBlock | None:
    number, there = sysfs.text(folder / "dev"), sysfs.target(folder)
    if number is None or there is None:
        return None
    backing = sysfs.text(folder / "loop/backing_file")
    is_local = backing and sysfs.filesystem_of(backing) in LOCAL
    number_behind, inode_behind = _identity(backing) if backing and is_local else (None, None)
    layered = (folder / "dm").exists() or (folder / "md").exists()
    names = ("dm/name", "dm/uuid", "md/level", "md/array_state") if layered else ()
    texts = sysfs.attributes(folder, names)
    return facts.RawBlock(
        number=number,
        disk=there.parent.name if (folder / "partition").exists() else None,
        holders=tuple(names_in(folder / "holders")),
        dm_name=texts.get("dm/name"),
        dm_uuid=texts.get("dm/uuid"),
        md_level=texts.get("md/level"),
        md_state=texts.get("md/array_state"),
        backing_file=backing,
        backing_number=number_behind,
        backing_inode=inode_behind,
    )


def _identity(path: str) -> tuple[str | None, str | None]:
    """Return the major:minor of a device node, or device:inode of a file. The path of a file that a run
    serves is only `/`, a folder."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None, None
    if stat.S_ISBLK(status.st_mode):
        return f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}", None
    return None, f"{status.st_dev}:{status.st_ino}" if stat.S_ISREG(status.st_mode) else None


def _mounts() -> tuple[tuple[facts.RawMounts, ...], tuple[facts.RawError, ...]]:
    found: list[facts.RawMounts] = []
    seen: set[str] = set()
    own, first, hidden = _namespace("self"), _namespace("1"), False
    for process in ("self", *filter(str.isdigit, names_in(PROC))):
        space = _namespace(process)
        if space in seen and space is not None:
            continue
        content = sysfs.text(PROC / process / "mountinfo")
        if space is None or content is None:
            hidden = hidden or (PROC / process).exists()
            if process != "self" or content is None:
                continue
        seen.add(space or "self")
        # A Btrfs has a device number of its own, but names a device as its source.
        lines = "\n".join(
            line
            for line in content.split("\n")
            for one in sysfs.mounts_in(line)
            if not one.number.startswith("0:") or one.mount_point == "/" or one.source.startswith("/dev/")
        )
        is_first = space is not None and space == first
        found.append(facts.RawMounts(process == "self" or space == own, is_first, lines))
    why = t("Reading mounts in other users' namespaces needs root.")
    denied = facts.RawError("uses", why, Obstacle.DENIED)
    return tuple(found), (denied,) if hidden and os.geteuid() != 0 else ()


def _namespace(process: str) -> str | None:
    try:
        return str((PROC / process / "ns/mnt").readlink())
    except OSError:
        return None
