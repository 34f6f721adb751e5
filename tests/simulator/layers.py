"""Rehearse containers, volume groups and md arrays without the device mapper and md.

Headers and records are real: cryptsetup and LVM write theirs without the kernel, and md's are written here.
The content of each layer is made on a loop device and then copied to where the kernel would put it: mixed
with noise in a container, behind LVM's records in a group, spread over the parts of a RAID0, copied to each
part of a RAID1.
"""

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from uuid import UUID

import pytest
from msgspec.structs import replace

from tests.devices import tool
from tests.loop.applying import Work
from wizard.apply.plan import rehearse
from wizard.apply.plan.run import execute
from wizard.apply.steps import arrays
from wizard.apply.steps.step_context import StepContext, alone_on
from wizard.model.said import KIB, MIB, Message
from wizard.operations.containers import MakeContainer, OpenContainer
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.layers import DATA_BYTES, MakeArray, MakeLogicalVolume, MakeVolumeGroup

PASSPHRASE = b"several words that nobody guesses"
CHEAP = ("--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000")
PIECE_BYTES = 4 * KIB
MD_MAGIC, BITMAP_MAGIC = 0xA92B4EFC, 0x6D746962
SUPERBLOCK_AT, BITMAP_AT, MD_DATA_AT = 4 * KIB, 8 * KIB, MIB
"""Where they lie on each part, of md's metadata 1.2."""

Write = Callable[[int, bytes], None]
"""Write bytes at an offset of a node."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A node that this kernel cannot create: the loop device in its place, and the destination of its
    bytes."""

    loop: str
    image: Path
    write: Write

    def pass_on(self) -> None:
        """Copy everything written to the loop device."""
        tool("blockdev", "--flushbufs", self.loop)
        with self.image.open("rb") as image:
            for start, end in _data(image.fileno()):
                for at in range(start, end, PIECE_BYTES):
                    image.seek(at)
                    self.write(at, image.read(min(PIECE_BYTES, end - at)))


@dataclass
class Layers:
    """Layers of one rehearsal, by node."""

    work: Work
    made: dict[str, Layer] = field(default_factory=dict)
    group_ends: int = DATA_BYTES
    offsets: dict[str, int] = field(default_factory=dict)

    def execute(self, site: StepContext) -> Message | str:
        """Execute a step, as `wizard.apply.plan.run.execute` does."""
        operation = site.plan.steps[site.step - 1].operation
        match operation:
            case MakeContainer(uuid=uuid, offset_bytes=offset):
                (argv,) = operation.commands()
                site.command((*argv, *CHEAP), stdin=site.work.secret)
                self.offsets[uuid] = offset
            case OpenContainer(device=device, uuid=uuid):
                self._open(device, operation.opened, self.offsets[uuid])
            case MakeVolumeGroup():
                for argv in operation.commands():
                    tool(*without_kernel(site.plan.devices, argv))
            case MakeLogicalVolume():
                (argv,) = operation.commands()
                tool(*without_kernel(site.plan.devices, (*argv, "--activate", "n")))
                self._volume(site.plan.group.device if site.plan.group else "", operation)
            case MakeArray():
                self._array(operation)
            case MakeFilesystem(device=device) if device in self.made:
                layer = self.made[device]
                for argv in replace(operation, device=layer.loop).commands():
                    site.command(argv)
                layer.pass_on()
            case _:
                return execute(site)
        return "It is made."

    def _new(self, device: str, size_bytes: int, write: Write) -> None:
        loop = self.work.bench.make_drive(size_bytes)
        self.made[device] = Layer(loop, self.work.bench.image_of(loop), write)

    def _open(self, device: str, opened: str, offset: int) -> None:
        def write(at: int, data: bytes) -> None:
            noise = Random(at).randbytes(len(data))
            mixed = int.from_bytes(data, "big") ^ int.from_bytes(noise, "big")
            _write_to(device, offset + at, mixed.to_bytes(len(data), "big"))

        self._new(opened, _size_bytes(device) - offset, write)

    def _volume(self, group: str, operation: MakeLogicalVolume) -> None:
        offset = self.group_ends
        self._new(
            operation.device, operation.size_bytes, lambda at, data: _write_to(group, offset + at, data)
        )
        self.group_ends += operation.size_bytes

    def _array(self, operation: MakeArray) -> None:
        parts, chunk = operation.parts, operation.chunk_bytes
        room = min(_size_bytes(part) for part in parts) - MD_DATA_AT
        each = room // (chunk or 64 * KIB) * (chunk or 64 * KIB)
        for number in range(len(parts)):
            write_md_records(operation, number, each)

        def write(at: int, data: bytes) -> None:
            if operation.level == "raid1":
                for part in parts:
                    _write_to(part, MD_DATA_AT + at, data)
                return
            number = at // chunk
            place = MD_DATA_AT + number // len(parts) * chunk + at % chunk
            _write_to(parts[number % len(parts)], place, data)

        self._new(operation.device, each * (1 if operation.level == "raid1" else len(parts)), write)


def write_md_records(
    operation: MakeArray, number: int, each_bytes: int, *, super_at: int = SUPERBLOCK_AT
) -> None:
    """Write the superblock of one member of an array, with a full bitmap for a mirror (Linux
    include/uapi/linux/raid/md_p.h, mdp_superblock_1; drivers/md/md-bitmap.h, bitmap_super_s)."""
    mirrors = operation.level == "raid1"
    identity, devices = UUID(operation.uuid).bytes, len(operation.parts)
    head = struct.pack(
        "<IIII16s32sQiIQIIi",
        *(MD_MAGIC, 1, int(mirrors), 0, identity, operation.name.encode(), 1_790_000_000),
        *(int(mirrors), 0, each_bytes // 512, operation.chunk_bytes // 512, devices),
        (BITMAP_AT - SUPERBLOCK_AT) // 512 if mirrors else 0,
    )
    this = struct.pack(
        "<QQQQII16sBBHI",
        *(MD_DATA_AT // 512, each_bytes // 512, super_at // 512, 0, number, 0),
        *(Random(f"{operation.uuid} {number}").randbytes(16), 0, 0, 0, 0),
    )
    state = struct.pack("<QQQII32x", 1_790_000_000, 17, 0 if mirrors else 2**64 - 1, 0, devices)
    whole = head.ljust(128, b"\0") + this.ljust(64, b"\0") + state.ljust(64, b"\0")
    whole += struct.pack(f"<{devices}H", *range(devices))
    total = sum(struct.unpack(f"<{len(whole) // 4}I", whole[: len(whole) // 4 * 4]))
    if len(whole) % 4:
        total += struct.unpack("<H", whole[-2:])[0]
    total = (total & 0xFFFFFFFF) + (total >> 32)
    summed = whole[:216] + struct.pack("<I", total & 0xFFFFFFFF) + whole[220:]
    _write_to(operation.parts[number], super_at, summed.ljust(4 * KIB, b"\0"))
    if mirrors:
        numbers = (17, 17, each_bytes // 512, 0, MIB, 5, 0, 0, 0)
        bitmap = struct.pack("<II16sQQQIIIIII", BITMAP_MAGIC, 4, identity, *numbers)
        bits = b"\xff" * (8 * KIB - 256)
        _write_to(operation.parts[number], BITMAP_AT, bitmap.ljust(256, b"\0") + bits)


def without_kernel(nodes: Sequence[str], argv: Sequence[str]) -> tuple[str, ...]:
    """Return an LVM command for these drives that only reads and writes LVM's metadata."""
    name, option, settings, *rest = alone_on(nodes, argv)
    return (name, option, settings.replace("global{", "global{activation=0 "), *rest)


def _data(fd: int) -> Iterator[tuple[int, int]]:
    at, size = 0, os.fstat(fd).st_size
    while at < size:
        try:
            start = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:
            return
        at = os.lseek(fd, start, os.SEEK_HOLE)
        yield start, at


def _size_bytes(node: str) -> int:
    return int(tool("blockdev", "--getsize64", node))


def _write_to(node: str, at: int, data: bytes) -> None:
    with Path(node).open("r+b", buffering=0) as device:
        device.seek(at)
        device.write(data)


@contextmanager
def layered(work: Work) -> Iterator[None]:
    """Rehearse without the kernel features missing here."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rehearse, "keep_headers", lambda *_: None)
        patched.setattr(rehearse, "execute", Layers(work).execute)
        for name in ("show_beneath", "leave_uncopied"):
            patched.setattr(arrays, name, lambda *_: None)
        yield
