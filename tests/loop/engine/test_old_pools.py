"""Marks of former pools and of other systems: none is left for a newer util-linux to find."""

import struct
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, spec, story
from tests.loop.program import KIB, MIB, Mode, RunState, partition_path
from tests.unit.probe.superblocks import bcache

LABEL_BYTES = 256 * KIB
SET = "0d7f3b1c-93a5-4e0b-8f53-6a1f0c7c2d4e"


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def pool_list(name: str) -> bytes:
    """A list in XDR with a version and the pool's name, as in vdev_label_t."""
    version = text("version") + struct.pack(">IIQ", 8, 1, 5000)
    named = text("name") + struct.pack(">II", 9, 1) + text(name)
    pairs = b"".join(struct.pack(">II", len(body) + 8, 64) + body for body in (version, named))
    return bytes([1, 1, 0, 0]) + struct.pack(">II", 0, 1) + pairs + bytes(8)


def label(node: str, name: str, uberblocks: int) -> None:
    """Write the four labels of a pool, with so many uberblocks each."""
    with Path(node).open("r+b") as device:
        end = device.seek(0, 2) // LABEL_BYTES * LABEL_BYTES
        for base in (0, LABEL_BYTES, end - 2 * LABEL_BYTES, end - LABEL_BYTES):
            device.seek(base + 16 * KIB)
            device.write(pool_list(name))
            for number in range(uberblocks):
                device.seek(base + 128 * KIB + number * KIB)
                device.write(struct.pack("<5Q", 0x00BAB10C, 5000, 1000 + number, 5, 1_700_000_000))


@pytest.mark.parametrize("uberblocks", [0, 6])
@pytest.mark.parametrize("place", ["whole drive", "partition", "odd partition"])
def test_labels_of_an_old_pool_are_erased(
    work: Work, make_drive: MakeDrive, place: str, uberblocks: int
) -> None:
    path = make_drive(320 * MIB)
    Path(f"/sys/block/{Path(path).name}/queue/discard_max_bytes").write_text("0")
    if place == "whole drive":
        label(path, "oldtank", uberblocks)
    else:
        size = "size=101M" if place == "odd partition" else "size=200MiB"
        tool("sh", "-c", f"echo 'start=1MiB,{size}' | sfdisk --quiet --label gpt --no-reread {path}")
        tool("partx", "--add", path)
        label(partition_path(path, 1), "oldtank", uberblocks)
    tool("sync")
    image = work.bench.image_of(path)
    assert image.read_bytes().count(b"oldtank") == 4
    before = work.digest(path)
    run, now = work.apply(work.plan(path, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(run)
    assert diskwright(work, "keep", run.name).returncode == 0
    assert image.read_bytes().count(b"oldtank") == 0
    assert work.digest(path) != before


def bcachefs(magic: str) -> bytes:
    """The start of a superblock at byte 4096, of version 1.7."""
    uuids = UUID(magic).bytes + bytes(range(1, 33))
    return (
        bytes(16)
        + struct.pack("<HHI", 1 << 10 | 7, 1 << 10 | 7, 0)
        + uuids
        + b"old".ljust(32, b"\0")
        + struct.pack("<Q", 8)
    )


DRBD = struct.pack(">9QII", 1 << 17, *range(1, 6), 0, 0, 0, 0, 0)[:56] + struct.pack(">II", 0, 0x8374026B)
FORMATS: dict[str, dict[int, tuple[bytes, bytes]]] = {
    "bcachefs": {4 * KIB: (bcachefs("c68573f6-66ce-90a9-d96a-60cf803df7ef"), b"\x66\xce\x90\xa9\xd9\x6a")},
    "bcachefs before 2023": {
        4 * KIB: (bcachefs("c68573f6-4e1a-45ca-8265-f57f48ba6d81"), b"\x4e\x1a\x45\xca\x82\x65")
    },
    "bcache": {4 * KIB: (bcache(1, SET, SET, 1), b"\x4e\x1a\x45\xca\x82\x65")},
    "drbd": {-4 * KIB: (DRBD.ljust(4 * KIB, b"\0"), b"\x83\x74\x02\x6b")},
    "ceph_bluestore": {0: (b"bluestore block device\n" + SET.encode() + b"\n", b"bluestore block device")},
    "VMFS": {
        MIB: (b"\x0d\xd0\x01\xc0" + bytes(1020), b"\x0d\xd0\x01\xc0"),
        2 * MIB: (b"\x5e\xf1\xab\x2f" + bytes(1020), b"\x5e\xf1\xab\x2f"),
    },
}
"""By place, negative from the end: the superblock, and the bytes by which libblkid knows it."""


def piece(file: BinaryIO, at: int) -> bytes:
    file.seek(at)
    return file.read(4 * KIB)


@pytest.mark.parametrize("parted", [False, True], ids=["whole drive", "partition"])
@pytest.mark.parametrize("kind", FORMATS)
def test_signatures_of_other_formats_are_erased(
    work: Work, make_drive: MakeDrive, kind: str, parted: bool
) -> None:
    """FAT writes least over the old marks."""
    path = make_drive(320 * MIB)
    work.bench.own(path)
    Path(f"/sys/block/{Path(path).name}/queue/discard_max_bytes").write_text("0")
    start, size = 0, 320 * MIB
    if parted:
        tool("sh", "-c", f"echo 'start=1MiB,size=318MiB' | sfdisk --quiet --label gpt --no-reread {path}")
        tool("partx", "--add", path)
        start, size = MIB, 318 * MIB
    places = [start + at if at >= 0 else start + size + at for at in FORMATS[kind]]
    marks = list(FORMATS[kind].values())
    with Path(path).open("r+b") as device:
        for at, (data, _) in zip(places, marks, strict=True):
            device.seek(at)
            device.write(data)
    tool("sync")
    image = work.bench.image_of(path)
    before = work.digest(path)

    def left() -> list[int]:
        with image.open("rb") as file:
            return [at for at, (_, mark) in zip(places, marks, strict=True) if mark in piece(file, at)]

    assert left() == places
    run, now = work.apply(work.plan(path, spec("vfat"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(run)
    assert diskwright(work, "keep", run.name).returncode == 0
    assert left() == [] and work.digest(path) != before
