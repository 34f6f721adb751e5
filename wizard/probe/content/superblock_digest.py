"""A digest of the whole superblocks of what is recognised on a device, and of what else each kind writes when
it is used.

Mounting and writing leave traces there: write times, counts of mounts, generations, how much is free. Where
each kind has them is in its own documentation: Linux Documentation/filesystems/ext4/super.rst,
fs/xfs/libxfs/xfs_format.h, include/linux/f2fs_fs.h, Microsoft's exFAT specification 3.1, and for NTFS the
layout of the boot sector and of the master file table. Whatever is not named here has its traces in the 4 KiB
around its mark. Runs in a worker process; nothing is ever written.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from typing import Any

Read = Callable[[int, int], bytes]
"""Bytes at an offset of a device; short where there are none."""
Place = tuple[int, int]
"""An offset and a size, in bytes."""
KIB = 1024
PAGE_BYTES = 4 * KIB
MOST_SHIFT = 25
"""Of a cluster's size: 32 MiB, the largest that exFAT knows. What states more is damaged, and nothing is
looked for by it."""


def digest_of(path: str, content: dict[str, Any], offset_bytes: int = 0) -> str | None:
    """SHA-256 in hexadecimal digits over the superblocks that the RawContent `content` names, whose device
    begins at `offset_bytes` of `path`; None where it names none. Raises OSError.
    """
    marks = [(str(mark["kind"]), mark["offset_bytes"]) for mark in content["signatures"]]
    if not marks:
        return None
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:

        def read(start: int, size: int) -> bytes:
            return os.pread(descriptor, size, offset_bytes + start)

        said = hashlib.sha256()
        for kind, at in marks:
            for start, size in sorted({place for place in _places(kind, at, read) if place[0] >= 0}):
                said.update(f"{kind} {start} {size}\n".encode())
                said.update(read(start, size))
        return said.hexdigest()
    finally:
        os.close(descriptor)


def _places(kind: str, mark_bytes: int | None, read: Read) -> Iterator[Place]:
    """Where a kind has what it writes when it is used."""
    if mark_bytes is not None:
        yield mark_bytes // PAGE_BYTES * PAGE_BYTES, PAGE_BYTES
    match kind:
        case "xfs" | "crypto_LUKS":
            # Of XFS the superblock and the heads of the first allocation group, in sectors of up to 4 KiB.
            yield 0, 16 * KIB
        case "vfat":
            # The boot sector, FSInfo, and the head of the first FAT, or for small ones all of it and the
            # root.
            yield 0, 64 * KIB
        case "LVM2_member":
            yield 0, 8 * KIB
        case "ntfs":
            yield from _ntfs(read(0, 512))
        case "exfat":
            yield from _exfat(read(0, 512))
        case "f2fs":
            yield from _f2fs(read(KIB, KIB))
        case _:
            pass


def _ntfs(boot: bytes) -> Iterator[Place]:
    """The boot sector and the first records of the master file table: the table's own, the log's, the
    volume's and the root's."""
    yield 0, 512
    if len(boot) < 512:
        return
    cluster = boot[13] if boot[13] <= 128 else 1 << min(256 - boot[13], MOST_SHIFT)
    start = _number(boot, 48, 8) * cluster * _number(boot, 11, 2)
    if start < 1 << 62:
        yield start, 64 * KIB


def _exfat(boot: bytes) -> Iterator[Place]:
    """The boot sectors with what is in use, the head of the FAT, of the bitmap that comes first among the
    clusters, and of the root."""
    yield 0, 24 * 512
    if len(boot) < 512 or not 9 <= boot[108] <= 12 or boot[108] + boot[109] > MOST_SHIFT:
        return
    sector, heap = 1 << boot[108], _number(boot, 88, 4)
    root = heap + (max(_number(boot, 96, 4), 2) - 2 << boot[109])
    for start, size in ((_number(boot, 80, 4), PAGE_BYTES), (heap, 64 * KIB), (root, PAGE_BYTES)):
        yield start * sector, size


def _f2fs(head: bytes) -> Iterator[Place]:
    """Both superblocks and both packs of checkpoints, whose versions count up."""
    yield 0, 2 * PAGE_BYTES
    if len(head) < KIB or _number(head, 20, 4) > MOST_SHIFT:
        return
    first, segment = _number(head, 76, 4), 1 << _number(head, 20, 4)
    for block in (first, first + segment):
        yield block * PAGE_BYTES, PAGE_BYTES


def _number(data: bytes, at: int, length: int) -> int:
    return int.from_bytes(data[at : at + length], "little")
