"""Stacks of block devices as data: their partitions and layers, and the expected report. Pure.

A stack is built from the bottom. Each step uses the result of the previous one. To add a stack, add a member
to `STACKS`.
"""

from dataclasses import dataclass

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet

SECTOR_BYTES = 512


@dataclass(frozen=True, slots=True)
class Base:
    """A partition. It starts at a whole MiB (plus the drive's alignment offset), or `skew_bytes` off."""

    drive: str
    skew_bytes: int = 0
    mib: int = 40


@dataclass(frozen=True, slots=True)
class Md:
    """An array of all devices so far. `data_offset_sectors` (of 512 bytes): start of the data in each
    member; None for mdadm's default."""

    level: int
    chunk_kib: int | None = None
    metadata: str = "1.2"
    data_offset_sectors: int | None = None


@dataclass(frozen=True, slots=True)
class Luks:
    """Encryption. `offset_sectors`: start of the data; None for cryptsetup's default."""

    version: int
    offset_sectors: int | None = None


@dataclass(frozen=True, slots=True)
class Lvm:
    """A volume group of all devices so far, with one logical volume. `pvcreate`, `lvcreate`: options of
    those commands."""

    pvcreate: tuple[str, ...] = ()
    lvcreate: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """A filesystem with these stripe values (mke2fs -E, mkfs.xfs -d), or with those of the device."""

    kind: str
    stripes: str = ""


Step = Md | Luks | Lvm | Made


@dataclass(frozen=True, slots=True)
class Stack:
    """`opened`: codes of all alignment findings about the stack's partitions and devices while it is open,
    each once. `closed`: the same with everything closed and stopped."""

    name: str
    bases: tuple[Base, ...]
    steps: tuple[Step, ...]
    opened: tuple[str, ...]
    closed: tuple[str, ...]


def _drive(
    name: str, serial: str, logical: int = 512, optimal: int | None = None, size_bytes: int = 2048 * MIB
) -> EmulatedDrive:
    return EmulatedDrive(
        name,
        Bus.VIRTIO,
        serial=serial,
        logical_block_bytes=logical,
        physical_block_bytes=4096,
        size_bytes=size_bytes,
        minimum_io_bytes=4096 if optimal else None,
        optimal_io_bytes=optimal,
    )


STACK_FLEET = Fleet(
    "stacks",
    (
        _drive("one", "LAB-STACK-ONE"),
        _drive("two", "LAB-STACK-TWO"),
        _drive("three", "LAB-STACK-THREE"),
        _drive("native", "LAB-STACK-4KN", logical=4096),
        _drive("bogus", "LAB-STACK-BOGUS", optimal=33553920, size_bytes=16384 * MIB),
        EmulatedDrive(
            "jumper",
            Bus.SATA,
            serial="LAB-STACK-JUMPER",
            model="LAB Stacked Jumpered",
            wwn=0x5000C500AAAA0401,
            rotation_rate=5400,
            logical_block_bytes=512,
            physical_block_bytes=4096,
            size_bytes=1024 * MIB,
            alignment_offset_bytes=3584,
            identify=((209, 0x4001),),
        ),
    ),
)

FINE, INSIDE, OFF, MADE_UP = "alignment-ok", "alignment-inside", "alignment-physical", "alignment-compensated"
STRIPE, CHUNK, TORN = "alignment-stripe", "alignment-chunk", "alignment-stack"
FITS, UNTOLD, UNFIT = f"{STRIPE}: ok", f"{STRIPE}: info", f"{STRIPE}: warning"
"""Of stripes the severity counts, too."""
SKEW = 34 * SECTOR_BYTES
"""As a GPT's first usable sector."""
NOT_MADE_UP = ("--config", "devices/data_alignment_offset_detection=0")
NOT_DETECTED = ("--config", "devices/data_alignment_detection=0")
"""As the finding on a bogus optimal size recommends."""
TWO = (Base("one"), Base("two"))
THREE = (*TWO, Base("three"))

STACKS = (
    # One layer, aligned and not, on drives of 512e.
    Stack("luks1", (Base("one"),), (Luks(1), Made("ext4")), (FINE,), (FINE,)),
    Stack("luks2-made-up", (Base("one", SKEW),), (Luks(2), Made("ext4")), (MADE_UP,), (MADE_UP,)),
    Stack("luks1-off", (Base("one", SKEW),), (Luks(1, offset_sectors=4096), Made("ext4")), (OFF,), (OFF,)),
    Stack("lvm", (Base("one"),), (Lvm(), Made("ext4")), (FINE,), (FINE,)),
    Stack("lvm-made-up", (Base("two", SKEW),), (Lvm(), Made("ext4")), (MADE_UP,), (MADE_UP,)),
    Stack(
        "lvm-spoiled",
        (Base("two"),),
        (Lvm(("--dataalignmentoffset", "512b")), Made("ext4")),
        (INSIDE,),
        (INSIDE,),
    ),
    Stack("lvm-off", (Base("two", SKEW),), (Lvm(NOT_MADE_UP), Made("ext4")), (OFF,), (OFF,)),
    Stack("md1-spoiled", TWO, (Md(1, data_offset_sectors=2049), Made("ext4")), (INSIDE,), (INSIDE,)),
    Stack("md1-end", TWO, (Md(1, metadata="1.0"), Made("ext4")), (FINE,), (FINE,)),
    Stack("md1-old", TWO, (Md(1, metadata="0.90"), Made("ext4")), (FINE,), (FINE,)),
    # Arrays that stripe.
    Stack("md0", TWO, (Md(0, 64), Made("ext4")), (FINE, FITS), (FINE,)),
    Stack(
        "md0-torn",
        (Base("one"), Base("two", SKEW)),
        (Md(0, 64), Made("ext4")),
        (FINE, OFF, TORN, FITS),
        (FINE, OFF),
    ),
    Stack("md0-misfit", TWO, (Md(0, 64), Made("ext4", "stride=4,stripe_width=12")), (FINE, UNFIT), (FINE,)),
    Stack(
        "md0-xfs",
        (Base("one", mib=200), Base("two", mib=200)),
        (Md(0, 128), Made("xfs")),
        (FINE, UNTOLD),
        (FINE,),
    ),
    Stack("md5", THREE, (Md(5, 64), Made("ext4")), (FINE, FITS), (FINE,)),
    Stack(
        "lvm-striped",
        (Base("one"), Base("three")),
        (Lvm((), ("-i2", "-I64k")), Made("ext4")),
        (FINE, FITS),
        (FINE,),
    ),
    Stack("luks-on-lvm-on-md", THREE, (Md(5, 64), Lvm(), Luks(2), Made("ext4")), (FINE, FITS), (FINE,)),
    Stack(
        "luks-on-lvm-spoiled-on-md",
        TWO,
        (Md(1), Lvm(("--dataalignmentoffset", "512b")), Luks(1, offset_sectors=4096), Made("ext4")),
        (INSIDE,),
        (FINE,),
    ),
    Stack(
        "lvm-off-chunks",
        TWO,
        (Md(0, 64), Lvm(("--dataalignment", "36k")), Made("ext4")),
        (FINE, CHUNK, FITS),
        (FINE,),
    ),
    # Other drives.
    Stack("native-luks", (Base("native"),), (Luks(2), Made("ext4")), (FINE,), (FINE,)),
    Stack("native-lvm", (Base("native"),), (Lvm(), Made("ext4")), (FINE,), (FINE,)),
    Stack("jumper-luks", (Base("jumper"),), (Luks(2), Made("ext4")), (FINE,), (FINE,)),
    Stack("jumper-lvm-made-up", (Base("jumper", -3584),), (Lvm(), Made("ext4")), (MADE_UP,), (MADE_UP,)),
    Stack("bogus-lvm", (Base("bogus", mib=80),), (Lvm(), Made("ext4")), (INSIDE, TORN), (INSIDE,)),
    Stack("bogus-lvm-right", (Base("bogus"),), (Lvm(NOT_DETECTED), Made("ext4")), (FINE, TORN), (FINE,)),
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A stack's partition: drive, number and place."""

    drive: str
    number: int
    start_bytes: int
    size_bytes: int


def placed(fleet: Fleet, stacks: tuple[Stack, ...]) -> tuple[tuple[Stack, tuple[Placed, ...]], ...]:
    """Return each stack with its partitions, side by side on the fleet's drives in the order of the
    stacks."""
    ends = {drive.name: (0, MIB) for drive in fleet.drives}
    found = []
    for stack in stacks:
        parts = []
        for base in stack.bases:
            number, end = ends[base.drive]
            start = -(-end // MIB) * MIB + fleet[base.drive].alignment_offset_bytes + base.skew_bytes
            start += MIB if start < end else 0
            parts.append(Placed(base.drive, number + 1, start, base.mib * MIB))
            ends[base.drive] = (number + 1, start + base.mib * MIB)
        found.append((stack, tuple(parts)))
    return tuple(found)
