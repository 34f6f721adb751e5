"""Drive images in unusual states, as users report them. Each builder returns the drives to inspect."""

import struct
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.devices import forget_partitions, tool
from tests.loop.applying import Work
from tests.loop.engine.test_old_pools import label
from tests.loop.partition.test_beyond_partition import MAKES, cut_short
from tests.loop.partition.test_restored import erase, made
from tests.loop.probe.test_layers import STATES
from tests.loop.program import GIB, KIB, MIB, partition_path
from tests.loop.volumes.test_shared_volumes import SET, btrfs, pool, write
from tests.machines.images import Prepare, after, chain_to_itself, slots, sound_gpt, table, zeros
from tests.unit.probe.superblocks import bcache, luks_2, md_0, md_1, segment

Drives = list[str]
Builder = Callable[[Work], Drives]

SIZE = 600 * MIB
MAKE = {
    **MAKES,
    "ext2": ("mkfs.ext2", "-q"),
    "swap": ("mkswap", "-q"),
    "f2fs": ("mkfs.f2fs", "-q", "-f"),
    "luks": ("cryptsetup", "luksFormat", "-q", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"),
}
KEY = "correct horse"


def create(kind: str, node: str) -> None:
    """Make the content on a device of the test."""
    if kind == "group":
        group(node)
    elif kind == "luks":
        tool("sh", "-c", f"echo '{KEY}' | {' '.join(MAKE[kind])} {node} -")
    else:
        tool(*MAKE[kind], node)


def group(*nodes: str) -> None:
    """Make a volume group, with a name that no other test has, and a volume."""
    name = f"group-{Path(nodes[0]).name}"
    tool("pvcreate", "-q", "-y", *nodes)
    tool("vgcreate", "-q", name, *nodes)
    tool("vgchange", "-q", "-an", name)


def drive(work: Work, script: str = "", size_bytes: int = SIZE, block_bytes: int = 512) -> str:
    """Return a new drive with the table of this sfdisk script."""
    path = work.bench.make_drive(size_bytes, block_bytes)
    if script:
        tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread --wipe never {path}")
        tool("partx", "--add", path)
    return path


def parted(work: Work, kind: str, script: str, block_bytes: int = 512) -> str:
    path = drive(work, script, block_bytes=block_bytes)
    create(kind, partition_path(path, 1))
    return path


def whole(kind: str) -> Builder:
    """A drive with content and without a table."""

    def build(work: Work) -> Drives:
        path = drive(work)
        create(kind, path)
        return [path]

    return build


def lost(table_name: str, kind: str, block_bytes: int, how: str) -> Builder:
    def build(work: Work) -> Drives:
        path = made(work, work.bench.make_drive, table_name, kind, block_bytes)
        forget_partitions(path)
        erase(path, how)
        return [path]

    return build


def beyond(kind: str, name: str, block_bytes: int = 512) -> Builder:
    """A filesystem that its partition cuts."""

    def build(work: Work) -> Drives:
        path = work.bench.make_drive(1000 * MIB, block_bytes)
        cut_short(path, kind, name, "1MiB" if kind != "ntfs" else "3MiB")
        return [path]

    return build


def smaller(kind: str, *, mounted: bool = False, name: str = "gpt") -> Builder:
    """A filesystem that leaves the end of its partition unused."""

    def build(work: Work) -> Drives:
        path = drive(work)
        node = partition_path(path, 1)
        for size in (350, 550):
            script = f"label: {name}\\nstart=1MiB,size={size}MiB\\n"
            tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread --wipe never {path}")
            forget_partitions(path)
            tool("partx", "--add", path)
            if size == 350:
                create(kind, node)
        if mounted:
            mount(work, node)
        return [path]

    return build


def mount(work: Work, node: str) -> None:
    place = work.place("of-test")
    place.mkdir(parents=True, exist_ok=True)
    tool("mount", node, str(place))


def copies(kind: str, script: str = "label: gpt\\nstart=1MiB,size=500MiB\\n") -> Builder:
    """A drive and its copy by dd."""

    def build(work: Work) -> Drives:
        path = parted(work, kind, script) if script else whole(kind)(work)[0]
        return [path, copy_of(work, path)]

    return build


def copy_of(work: Work, path: str, size_bytes: int = SIZE) -> str:
    """Copy a drive to a larger or smaller one."""
    other = work.bench.make_drive(size_bytes)
    work.bench.own(other)
    tool("blockdev", "--flushbufs", path)
    size = min(SIZE, size_bytes) // MIB
    tool("dd", f"if={path}", f"of={other}", "bs=1M", f"count={size}", "conv=fsync", "status=none")
    reread(other)
    return other


def reread(path: str) -> None:
    """Show the kernel the partitions of a drive that may have no table, or a wrong one."""
    forget_partitions(path)
    tool("sh", "-c", f"partx --add {path} || true")


def resized(kind: str, size_bytes: int, *, mounted: bool = False, script: str = "") -> Builder:
    """A drive copied to a larger or smaller one."""

    def build(work: Work) -> Drives:
        path = parted(work, kind, script or "label: gpt\\nstart=1MiB,size=590MiB\\n")
        other = copy_of(work, path, size_bytes)
        if mounted:
            mount(work, partition_path(other, 1))
        return [other]

    return build


def half(make: Callable[..., None], *, in_partitions: bool) -> Builder:
    """A volume with a missing second device."""

    def build(work: Work) -> Drives:
        drives = [drive(work, "label: gpt\\nstart=1MiB,size=500MiB\\n" * in_partitions) for _ in range(2)]
        make(*(partition_path(path, 1) if in_partitions else path for path in drives))
        return drives[:1]

    return build


def stale(kind: str, script: str) -> Builder:
    """A partition table, and an older signature of the whole drive."""

    def build(work: Work) -> Drives:
        path = drive(work)
        if kind == "zfs":
            label(path, "oldtank", 6)
        else:
            create(kind, path)
        tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread --wipe never {path}")
        tool("partx", "--add", path)
        return [path]

    return build


def misaligned(kind: str, script: str, block_bytes: int = 512) -> Builder:
    return lambda work: [parted(work, kind, script, block_bytes)]


def prepared(*steps: Prepare, block_bytes: int = 512) -> Builder:
    """A table written byte for byte."""

    def build(work: Work) -> Drives:
        path = work.bench.make_drive(SIZE, block_bytes)
        after(*steps)(work.bench.image_of(path))
        tool("blockdev", "--flushbufs", path)
        reread(path)
        return [path]

    return build


def bytes_at(pieces: Mapping[int, bytes], script: str = "") -> Builder:
    """Content written byte for byte to a drive, or to its partition."""

    def build(work: Work) -> Drives:
        path = drive(work, script)
        write(partition_path(path, 1) if script else path, dict(pieces))
        return [path]

    return build


def of_state(code: str) -> Builder:
    """A filesystem in a state that tools report."""

    def build(work: Work) -> Drives:
        (make, *changes), offset, data = STATES[code]
        path = drive(work, "label: gpt\\nstart=1MiB,size=400MiB\\n")
        node = partition_path(path, 1)
        tool(*make, node)
        for argv in changes:
            tool("sh", "-c", f"echo y | {' '.join(argv)} {node}")
        if data:
            write(node, {offset: data})
        return [path]

    return build


def without_superblock(script: str) -> Builder:
    """An ext4 whose first superblock is erased."""

    def build(work: Work) -> Drives:
        path = drive(work, script)
        node = partition_path(path, 1) if script else path
        create("ext4", node)
        write(node, {0: bytes(64 * KIB)})
        return [path]

    return build


def conflicting(work: Work) -> Drives:
    """Btrfs and swap signatures in one partition."""
    path = parted(work, "btrfs", "label: gpt\\nstart=1MiB,size=500MiB\\n")
    header = struct.pack("<II", 1, 1000)
    write(partition_path(path, 1), {1024: header, 4086: b"SWAPSPACE2"})
    return [path]


def swap_on(work: Work) -> Drives:
    path = parted(work, "swap", "label: gpt\\nstart=1MiB,size=100MiB\\n")
    tool("swapon", partition_path(path, 1))
    return [path]


def mounted_drive(work: Work) -> Drives:
    path = parted(work, "ext4", "label: gpt\\nstart=1MiB,size=100MiB\\n")
    mount(work, partition_path(path, 1))
    return [path]


def loop_on_top(work: Work) -> Drives:
    path = drive(work, "label: gpt\\nstart=1MiB,size=100MiB\\n")
    tool("losetup", "--find", partition_path(path, 1))
    return [path]


def read_only(work: Work) -> Drives:
    path = parted(work, "ext4", "label: gpt\\nstart=1MiB,size=100MiB\\n")
    tool("blockdev", "--setro", path)
    return [path]


def unlike_kernel(work: Work) -> Drives:
    """A table that the kernel has not read again."""
    path = parted(work, "ext4", "label: gpt\\nstart=1MiB,size=100MiB\\n")
    script = "label: gpt\\nstart=1MiB,size=300MiB\\n"
    command = f"sfdisk --quiet --no-reread --no-tell-kernel --wipe never {path}"
    tool("sh", "-c", f"printf '{script}' | {command}")
    return [path]


def striped(work: Work) -> Drives:
    """An ext4 on a plain partition that is set up for an array."""
    path = drive(work, "label: gpt\\nstart=1MiB,size=500MiB\\n")
    tool("mkfs.ext4", "-q", "-E", "stride=16,stripe_width=48", partition_path(path, 1))
    return [path]


def striped_xfs(work: Work) -> Drives:
    path = drive(work, "label: gpt\\nstart=1MiB,size=900MiB\\n", 1000 * MIB)
    tool("mkfs.xfs", "-q", "-f", "-d", "sunit=128,swidth=384", partition_path(path, 1))
    return [path]


def installer(work: Work) -> Drives:
    """An ISO image with an overlapping MBR, as on installer sticks."""
    path = drive(work)
    descriptor = b"\1CD001\1\0" + b"LINUX".ljust(32) + b"DEBIAN 12".ljust(32)
    descriptor = descriptor.ljust(80, b"\0") + struct.pack("<I", 100000) + struct.pack(">I", 100000)
    write(path, {16 * 2048: descriptor.ljust(2048, b"\0"), 17 * 2048: b"\xffCD001\1".ljust(2048, b"\0")})
    slots((0x00, 0, 400000), (0xEF, 4000, 8000))(work.bench.image_of(path))
    tool("blockdev", "--flushbufs", path)
    return [path]


def stopped_array(version: int) -> Builder:
    """A member of an md array that is not assembled, with a GPT that the array contains."""

    def build(work: Work) -> Drives:
        path = drive(work, "label: gpt\\nstart=1MiB,size=500MiB\\n")
        size = int(tool("blockdev", "--getsize64", path))
        if version:
            write(path, {size - 8 * KIB & ~4095: md_1(1, 2, 0, 0)})
        else:
            write(path, {(size - 64 * KIB) // (64 * KIB) * 64 * KIB: md_0(1, 2, 65536)})
        return [path]

    return build


def same_drive_twice(work: Work) -> Drives:
    """A partition copied into another one of the same drive."""
    script = "label: gpt\\nstart=1MiB,size=250MiB\\nstart=300MiB,size=250MiB\\n"
    path = parted(work, "ext4", script)
    first, second = (partition_path(path, number) for number in (1, 2))
    tool("dd", f"if={first}", f"of={second}", "bs=1M", "conv=fsync", "status=none")
    return [path]


def half_copied(work: Work) -> Drives:
    """A copy of one of two physical volumes."""
    (path,) = half(group, in_partitions=True)(work)
    return [path, copy_of(work, path)]


def damaged_luks_copy(work: Work) -> Drives:
    """A copy of an encrypted drive, and one of its two LUKS2 headers damaged."""
    path, other = copies("luks")(work)
    write(partition_path(other, 1), {16 * KIB: bytes(4096)})
    return [other, path]


PLAIN_GPT = "label: gpt\\nstart=1MiB,size=500MiB\\n"
OLD_GPT = "label: gpt\\nfirst-lba: 34\\nstart=65,size=700000\\n"
OLD_MBR = "label: dos\\nstart=63,size=700000,type={}\\n"
ONE = table("start=1MiB,size=500MiB")
BUILDERS: dict[str, Builder] = {
    **{
        f"{kind} beyond its partition, {name}": beyond(kind, name, 4096 if kind in ("ext4", "btrfs") else 512)
        for kind in MAKES
        for name in ("gpt", "dos")
    },
    **{
        f"{kind} smaller than its partition": smaller(kind)
        for kind in ("ext4", "xfs", "btrfs", "ntfs", "vfat", "exfat", "LVM2_member", "swap", "f2fs")
    },
    **{f"mounted {kind} smaller": smaller(kind, mounted=True) for kind in ("ext4", "xfs", "btrfs")},
    "ext4 smaller than an MBR partition": smaller("ext4", name="dos"),
    **{
        f"copy of {kind}": copies(kind)
        for kind in ("ext4", "xfs", "btrfs", "vfat", "ntfs", "exfat", "swap", "luks", "group")
    },
    **{f"copy of a drive with {kind}": copies(kind, "") for kind in ("ext4", "luks", "group", "LVM2_member")},
    "copy of half a volume group": half_copied,
    "copy with an MBR": copies("ext4", "label: dos\\nstart=1MiB,size=500MiB\\n"),
    "copy in the same drive": same_drive_twice,
    "copy with a damaged LUKS2 header": damaged_luks_copy,
    **{
        f"lost {name} around {kind}, {block}, {how}": lost(name, kind, block, how)
        for name, kind, block, how in (
            ("gpt", "ext4", 512, "head"),
            ("gpt", "xfs", 4096, "head"),
            ("close", "btrfs", 512, "ends"),
            ("close", "ntfs", 512, "signatures"),
            ("mbr", "xfs", 512, "head"),
            ("mbr", "ext4", 4096, "signatures"),
            ("dos", "vfat", 512, "dos head"),
            ("full", "ext4", 512, "head"),
        )
    },
    **{
        f"half of {make.__name__}, {'partition' if inside else 'whole drive'}": half(
            make, in_partitions=inside
        )
        for make in (btrfs, group, pool)
        for inside in (False, True)
    },
    "member of md 1.0": stopped_array(1),
    "member of md 0.90": stopped_array(0),
    "stale ZFS beside a GPT": stale("zfs", "label: gpt\\nstart=2048,size=1024000\\n"),
    "stale ZFS in a partition": stale("zfs", "label: gpt\\nstart=2048,size=1226700\\n"),
    "stale Btrfs beside a GPT": stale("btrfs", "label: gpt\\nstart=2048,size=1024000\\n"),
    "stale Btrfs in a partition": stale("btrfs", "label: gpt\\nfirst-lba: 34\\nstart=64,size=1024000\\n"),
    "stale ext4 beside an MBR": stale("ext4", "label: dos\\nstart=2048,size=1024000\\n"),
    "stale LVM beside an MBR": stale("LVM2_member", "label: dos\\nstart=2048,size=1024000\\n"),
    "stale swap beside an MBR": stale("swap", "label: dos\\nstart=2048,size=1024000\\n"),
    "enlarged drive": resized("ext4", 900 * MIB),
    "enlarged drive with XFS": resized("xfs", 900 * MIB),
    "enlarged drive with Btrfs": resized("btrfs", 900 * MIB),
    "enlarged drive with NTFS": resized("ntfs", 900 * MIB),
    "enlarged drive with LUKS": resized("luks", 900 * MIB),
    "enlarged drive with LVM": resized("LVM2_member", 900 * MIB),
    "enlarged drive with swap": resized("swap", 900 * MIB),
    "enlarged drive with exFAT": resized("exfat", 900 * MIB),
    "enlarged drive, mounted": resized("ext4", 900 * MIB, mounted=True),
    "enlarged drive with an MBR": resized("ext4", 900 * MIB, script="label: dos\\nstart=1MiB,size=590MiB\\n"),
    "shrunken drive": resized("ext4", 500 * MIB),
    "shrunken drive with an MBR": resized("ext4", 500 * MIB, script="label: dos\\nstart=1MiB,size=590MiB\\n"),
    "misaligned ext4": misaligned("ext4", OLD_MBR.format("83")),
    "misaligned NTFS": misaligned("ntfs", OLD_MBR.format("7")),
    "misaligned swap": misaligned("swap", OLD_MBR.format("82")),
    "misaligned FAT in a GPT": misaligned("vfat", OLD_GPT),
    "misaligned XFS in a GPT": misaligned("xfs", OLD_GPT),
    "misaligned Btrfs in a GPT": misaligned("btrfs", OLD_GPT),
    "misaligned LUKS in a GPT": misaligned("luks", OLD_GPT),
    "misaligned LVM": misaligned("LVM2_member", OLD_MBR.format("8e")),
    "misaligned partition without room": misaligned("ext4", "label: dos\\nstart=63,size=1228737\\n"),
    "misaligned extended partition": misaligned(
        "ext4", "label: dos\\nstart=63,size=200000\\nstart=200063,size=600000,type=5\\nstart=200126\\n"
    ),
    "primary GPT damaged": prepared(ONE, zeros(1)),
    "backup GPT missing": prepared(ONE, zeros(-33, 33)),
    "backup GPT damaged": prepared(ONE, zeros(-33)),
    "both GPTs damaged": prepared(ONE, zeros(2, 32), zeros(-33, 32)),
    "overlapping entries": prepared(slots((0x83, 2048, 400000), (0x83, 200000, 400000))),
    "overlapping GPT entries": prepared(sound_gpt((2048, 400000, "a"), (200000, 600000, "b"))),
    "entry past the end": prepared(slots((0x83, 2048, 9000000))),
    "entry without bytes": prepared(sound_gpt((2048, 400000, "a"), (500000, 499999, "b"))),
    "entry over the table": prepared(sound_gpt((2, 400000, "a"))),
    "hybrid": prepared(sound_gpt((2048, 400000, "a")), slots((0xEE, 1, 2047), (0x83, 2048, 397953))),
    "chain to itself": prepared(
        table(
            "start=1MiB,size=100MiB", "start=102MiB,size=400MiB,type=5", "size=9MiB", "size=9MiB", label="dos"
        ),
        chain_to_itself,
    ),
    "table for other blocks": prepared(ONE, block_bytes=4096),
    "installer": installer,
    "conflicting signatures": conflicting,
    "erased superblock": without_superblock(""),
    "erased superblock in a partition": without_superblock(PLAIN_GPT),
    **{code: of_state(code) for code in STATES},
    "exFAT without a table": whole("exfat"),
    "vfat without a table": whole("vfat"),
    "LUKS without a table": whole("luks"),
    "unrecognised data": bytes_at({MIB: b"\x5a\xa5" * 4096, 64 * MIB: b"films" * 9999}),
    "unrecognised data in a partition": bytes_at({MIB: b"\x5a\xa5" * 4096}, PLAIN_GPT),
    "bcache": bytes_at({4096: bcache(1, SET, SET)}, PLAIN_GPT),
    "misaligned inside LUKS": bytes_at({0: luks_2({"0": segment(16 * MIB + 512)})}, PLAIN_GPT),
    "ext4 set up for an array": striped,
    "XFS set up for an array": striped_xfs,
    "mounted": mounted_drive,
    "active swap": swap_on,
    "loop device on a partition": loop_on_top,
    "read-only": read_only,
    "unlike the kernel's view": unlike_kernel,
    "tiny": lambda work: [drive(work, "", GIB // 1024)],
}
