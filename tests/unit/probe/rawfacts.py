"""Synthetic raw facts: drives as in sysfs and udev, without a drive."""

from typing import Any

from msgspec.structs import replace

from tests.unit.probe.gptimage import Image
from wizard.probe.facts import (
    RawBlock,
    RawChunk,
    RawContent,
    RawDrive,
    RawGraph,
    RawMachine,
    RawMounts,
    RawPartition,
    RawSignature,
)

# ruff: noqa: ANN401 - the builders hand keywords of every type on to dataclasses.replace

ATA = "/sys/devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sda"
SECTORS = 16 * 1024 * 1024 // 512

SYSFS = {
    "dev": "8:0",
    "size": str(SECTORS),
    "ro": "0",
    "removable": "0",
    "diskseq": "7",
    "alignment_offset": "0",
    "queue/logical_block_size": "512",
    "queue/physical_block_size": "4096",
    "queue/minimum_io_size": "4096",
    "queue/optimal_io_size": "0",
    "queue/rotational": "1",
    "queue/zoned": "none",
    "queue/discard_granularity": "0",
    "queue/discard_max_hw_bytes": "0",
    "queue/scheduler": "none [mq-deadline] bfq",
    "device/vendor": "ATA     ",
    "device/model": "ST8000AS0002-1NA17Z",
    "device/rev": "AR15",
    "device/wwid": "naa.5000c500a1b2c3d4",
}


def page(payload: bytes) -> bytes:
    """Return a vital product data page with its header of four bytes."""
    return b"\0\x80\0" + bytes([len(payload)]) + payload


def drive(**changes: Any) -> RawDrive:
    """Return a SATA disk `sda` with an empty first sector, as read by root."""
    plain = RawDrive(
        name="sda",
        path="/dev/sda",
        sysfs_path=ATA,
        sysfs=SYSFS,
        vpd={"80": page(b"        Z8400ABC"), "b1": page((5980).to_bytes(2, "big") + bytes(2))},
        table_kind="",
        chunks=(chunk(0, bytes(512)),),
        contents={"sda": RawContent()},
    )
    return replace(plain, **changes)


def unreadable(**changes: Any) -> RawDrive:
    """Return the same disk without read permission."""
    return replace(drive(), table_kind=None, chunks=(), contents=None, **changes)


def chunk(offset_bytes: int, data: bytes) -> RawChunk:
    return RawChunk(offset_bytes, data)


def chunks_of(image: Image) -> tuple[RawChunk, ...]:
    """Return both ends of an image."""
    near = 34 * image.block_bytes
    return chunk(0, image.read(0, near)), chunk(
        image.size_bytes - near, image.read(image.size_bytes - near, near)
    )


def partition(number: int, start: int, size: int, **udev: str) -> RawPartition:
    """Return a partition as in the kernel, in units of 512 bytes."""
    return RawPartition(
        {"dev": f"8:{number}", "partition": str(number), "start": str(start), "size": str(size)}, udev
    )


def graph(
    mounts: str = "",
    *,
    more: tuple[RawMounts, ...] = (),
    swaps: str = "",
    numbers: Any = None,
    **blocks: RawBlock,
) -> RawGraph:
    """Return a graph with the mounts of our own namespace, as lines of a mountinfo."""
    own = RawMounts(own=True, first=False, text=mounts)
    return RawGraph(blocks=blocks, mounts=(own, *more), swaps="Filename\n" + swaps, numbers=numbers or {})


def machine(*drives: RawDrive, **changes: Any) -> RawMachine:
    """Return an idle machine with these drives."""
    plain = RawMachine(
        release="6.12.9",
        filesystems="nodev\tsysfs\n\text4\n",
        modules=("xfs",),
        memory="MemTotal:        8000000 kB",
        root=True,
        tools={"mkfs.ext4": "/usr/sbin/mkfs.ext4"},
        links={"sda": ("/dev/disk/by-id/ata-ST8000AS0002_Z8400ABC",)},
        graph=graph(sda=RawBlock("8:0")),
        drives=drives,
    )
    return replace(plain, **changes)


def mark(kind: str, offset_bytes: int = 1080, **more: Any) -> RawContent:
    """Return content with one signature."""
    return RawContent((RawSignature(kind, "filesystem", offset_bytes=offset_bytes, **more),))
