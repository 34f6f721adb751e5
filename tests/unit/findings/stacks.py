"""Synthetic stacks on a drive: LUKS, LVM and md in partitions, aligned or misaligned, open or closed."""

# ruff: noqa: ANN401 - the builders hand keywords of every type on to dataclasses.replace

from typing import Any

from msgspec.structs import replace

from tests.unit.machines import E512, partition, partitioned
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Layer, Partition, Signature, Striping
from wizard.model.said import KIB, MIB

CHUNK = 512 * KIB
SECRET, VOLUME, ARRAY = "/dev/mapper/secret", "/dev/mapper/vg-data", "/dev/md0"


def luks(data_bytes: int | None) -> Signature:
    return Signature("crypto_LUKS", "crypto", version="2", data_offset_bytes=data_bytes)


def lvm(data_bytes: int | None) -> Signature:
    return Signature("LVM2_member", "raid", data_offset_bytes=data_bytes)


def member(data_bytes: int | None, spread: Striping | None = None) -> Signature:
    return Signature(
        "linux_raid_member", "raid", version="1.2", data_offset_bytes=data_bytes, striping=spread
    )


def ext4(spread: Striping | None = None, block_bytes: int | None = 4096) -> Signature:
    return Signature("ext4", "filesystem", striping=spread, block_bytes=block_bytes)


def xfs(spread: Striping | None = None) -> Signature:
    return Signature("xfs", "filesystem", striping=spread, block_bytes=4096)


def holding(
    *signatures: Signature, start_bytes: int = MIB, layers: tuple[Layer, ...] = (), **changes: Any
) -> Drive:
    """Return a drive with one partition that has these signatures and layers."""
    return partitioned(replace(partition(1, start_bytes), signatures=signatures), layers=layers, **changes)


def part(start_bytes: int, *signatures: Signature) -> Partition:
    return replace(partition(1, start_bytes), signatures=signatures)


def opened(
    offset_bytes: int | None, *signatures: Signature, below: str = "/dev/sda1", **changes: Any
) -> Layer:
    """Return an open LUKS layer."""
    return replace(
        Layer("LUKS", SECRET, below, offset_bytes=offset_bytes, geometry=E512, signatures=signatures),
        **changes,
    )


def volume(
    offset_bytes: int | None, *signatures: Signature, below: str = "/dev/sda1", **changes: Any
) -> Layer:
    """Return an active logical volume."""
    return replace(
        Layer("LVM", VOLUME, below, offset_bytes=offset_bytes, geometry=E512, signatures=signatures),
        **changes,
    )


def array(
    level: int,
    data_drives: int,
    offset_bytes: int,
    *signatures: Signature,
    chunk_bytes: int = CHUNK,
    **changes: Any,
) -> Layer:
    """Return a running md array."""
    spread = Striping(chunk_bytes, chunk_bytes * data_drives)
    sizes = Geometry(512, 4096, 0, spread.unit_bytes, spread.width_bytes)
    plain = Layer(
        f"md raid{level}",
        ARRAY,
        "/dev/sda1",
        offset_bytes=offset_bytes,
        geometry=sizes,
        striping=spread,
        signatures=signatures,
    )
    return replace(plain, **changes)
