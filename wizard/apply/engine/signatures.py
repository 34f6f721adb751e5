"""Find the signatures of drives and partitions and their backup copies, and hide them on a scratch copy.

Tested with each tool (`tests/loop/engine/test_signatures.py`). A LUKS2 header is restored from its backup,
and a GPT is read from the backup table. F2FS mounts by the second superblock, NILFS2 by the one at the end.
Sources: the kernel's fs/*/super.c; util-linux, libblkid/src/superblocks; cryptsetup,
docs/on-disk-format-luks2. For repair programs: Linux fs/ext4/ext4.h and e2fsprogs lib/ext2fs/closefs.c
(backup superblocks); Linux include/uapi/linux/raid/md_p.h.
"""

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from wizard.apply.block import devices
from wizard.apply.block.extents import GRAIN_BYTES, Read
from wizard.apply.engine.record import SavedSignature
from wizard.apply.steps import wipe
from wizard.apply.steps.step_context import alone_on
from wizard.filesystems.registry import KINDS
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import GIB, KIB, MIB, rounded_up, t
from wizard.operations.filesystem import PRIVATE_PLACES
from wizard.plan.raid.striping import MEMBER_KINDS
from wizard.probe.content import superblocks
from wizard.process.program import find, run

LUKS_COPIES = tuple(16 * KIB << power for power in range(9))
"""Possible offsets of the second LUKS2 header, depending on the size of the first."""

BTRFS_COPIES = (64 * MIB, 256 * GIB)
BTRFS_MAGIC_AT = 0x40

XFS_MAGIC = b"XFSB"
XFS_SUPERBLOCK = struct.Struct(">4sI76xII")
"""sb_magicnum, sb_blocksize, sb_agblocks, sb_agcount."""

EXT_AT = 1024
EXT_SUPERBLOCK = struct.Struct("<20x2I4xI56xI4xI484x2I")
"""Blocks: first, size, per group. Features: compatible, read-only. Groups of the two backups."""

EXT_FEW, EXT_TWO = 0x1, 0x200
"""Features: backup superblocks in few groups only (sparse_super), or in two (sparse_super2)."""
EXT_MOST_SHIFT, EXT_LEAST_PER_GROUP, EXT_MOST_GROUPS = 6, 256, 1 << 13

MD_MAGICS = (bytes.fromhex("fc4e2ba9"), bytes.fromhex("a92b4efc"))
"""md's magic number in both byte orders."""

TABLE_HEADERS = 2
"""The first blocks identify a table: the MBR, and the primary GPT header."""


def copies(read: Read, size_bytes: int) -> Iterator[Extent]:
    """Yield the places of primary and backup signatures in a volume of this size, according to the first
    bytes. `read` may return fewer bytes than requested."""
    first = read(0, GRAIN_BYTES)
    if first.startswith((b"LUKS\xba\xbe", b"SKUL\xba\xbe")) or any(_is_luks(read, at) for at in LUKS_COPIES):
        yield Extent(0, GRAIN_BYTES)
        yield from (Extent(at, GRAIN_BYTES) for at in LUKS_COPIES if _is_luks(read, at))
    if first[:4] == XFS_MAGIC:
        _, block, length, count = XFS_SUPERBLOCK.unpack_from(first)
        step = block * length
        if 512 <= block <= 64 * KIB and step >= MIB:
            # The superblock of each allocation group.
            starts = range(0, min(count * step, size_bytes), step)
            yield from (Extent(start, GRAIN_BYTES) for start in starts)
    if first[3:11] in (b"NTFS    ", b"EXFAT   "):
        yield Extent(size_bytes - GRAIN_BYTES, GRAIN_BYTES)
        yield Extent(0, 16 * KIB)
    if first[82:90] == b"FAT32   ":
        yield Extent(0, 8 * KIB)
    if int.from_bytes(first[1024:1028], "little") == 0xF2F52010:
        yield Extent(0, 2 * GRAIN_BYTES)
    if int.from_bytes(first[1024 + 6 : 1024 + 8], "little") == 0x3434:
        yield Extent(size_bytes // GRAIN_BYTES * GRAIN_BYTES - GRAIN_BYTES, GRAIN_BYTES)
    yield from wipe.zfs_lists(read, size_bytes)
    for at in BTRFS_COPIES:
        if at + GRAIN_BYTES <= size_bytes and read(at, GRAIN_BYTES)[BTRFS_MAGIC_AT:][:8] == b"_BHRfS_M":
            yield Extent(at, GRAIN_BYTES)


def copies_on(drive: str, volume: Extent) -> tuple[Extent, ...]:
    """Return the places of `copies` of a volume on a drive. Raises Failed."""

    def read(start: int, length: int) -> bytes:
        if start + length > volume.size_bytes:
            return b""
        return devices.read_range(drive, volume.start_bytes + start, length)

    found = copies(read, volume.size_bytes)
    return tuple(Extent(volume.start_bytes + place.start_bytes, place.size_bytes) for place in found)


def copies_for_repair(read: Read, size_bytes: int) -> Iterator[Extent]:
    """Yield the places of `copies` and of the signatures that repair programs search for: ext backup
    superblocks (`tests/loop/move/test_repair.py`), and the md superblock at the end."""
    yield from copies(read, size_bytes)
    superblock = read(EXT_AT, superblocks.COPY_BYTES)
    if len(superblock) == superblocks.COPY_BYTES and _is_ext(superblock):
        # Include a former filesystem with other groups: e2fsck tries the usual places.
        for at in sorted({*superblocks.COPIES, *_ext_groups(superblock, size_bytes)}):
            if at + superblocks.COPY_BYTES <= size_bytes and _is_ext(read(at, superblocks.COPY_BYTES)):
                yield Extent(at, superblocks.COPY_BYTES)
    for at in ((size_bytes // 512 - 16) // 8 * 4 * KIB, size_bytes // (64 * KIB) * 64 * KIB - 64 * KIB):
        if at > 0 and read(at, GRAIN_BYTES).startswith(MD_MAGICS):
            yield Extent(at, GRAIN_BYTES)


def xfs_found(data: bytes, at_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield offset and allocation group size of each possible XFS superblock in these bytes, which begin at
    `at_bytes` of a volume.

    xfs_repair tries every 512 bytes (xfsprogs, repair/sb.c).
    """
    at = data.find(XFS_MAGIC)
    while 0 <= at <= len(data) - XFS_SUPERBLOCK.size:
        _, block, length, _ = XFS_SUPERBLOCK.unpack_from(data, at)
        if (at_bytes + at) % 512 == 0 and 512 <= block <= 64 * KIB and length:
            yield at_bytes + at, block * length
        at = data.find(XFS_MAGIC, at + 1)


def _is_ext(superblock: bytes) -> bool:
    return superblock[superblocks.MAGIC_AT : superblocks.MAGIC_AT + 2] == superblocks.MAGIC.to_bytes(
        2, "little"
    )


def _ext_groups(superblock: bytes, size_bytes: int) -> Iterator[int]:
    """Yield the offsets of the groups with a backup superblock."""
    first, shift, length, compatible, read_only, *two = EXT_SUPERBLOCK.unpack_from(superblock)
    if shift > EXT_MOST_SHIFT or length < EXT_LEAST_PER_GROUP:
        return
    block = 1024 << shift
    count = min(size_bytes // (block * length) + 1, EXT_MOST_GROUPS)
    if compatible & EXT_TWO:
        groups = two
    elif read_only & EXT_FEW:
        groups = [base**power for base in (3, 5, 7) for power in range(count.bit_length())]
    else:
        groups = [*range(1, count)]
    yield from ((first + group * length) * block for group in groups if 0 < group < count)


def _is_luks(read: Read, at: int) -> bool:
    return read(at, GRAIN_BYTES).startswith(b"SKUL\xba\xbe")


def in_release_order(
    found: Iterable[Extent], table: Iterable[Extent], block_bytes: int
) -> tuple[SavedSignature, ...]:
    """Return signatures in the order of writing: backup and primary signatures of volumes, backups of the
    table, the table's first blocks.

    `found` are the volumes' signatures in the order of recognition, primary before backup. The MBR is written
    before the primary GPT header.
    """
    volumes = [SavedSignature(place.start_bytes, place.size_bytes) for place in reversed(tuple(found))]
    front = TABLE_HEADERS * block_bytes
    tables = sorted(table, key=lambda place: (place.start_bytes < front, place.start_bytes))
    return tuple([*volumes, *(SavedSignature(place.start_bytes, place.size_bytes) for place in tables)])


MOST_ROUNDS = 50
"""Hiding one signature can reveal another. ZFS has the most."""

ASKED = ((("cryptsetup", "isLuks"), (0, 1)), (("mdadm", "--examine"), range(256)))
"""Commands that exit with 0 only if they recognise a device, and their valid statuses: other statuses of
cryptsetup(8) are errors, mdadm(8) documents none."""

PROBE = ("blkid", "--probe", "--output", "value", "--match-tag", "TYPE", "--match-tag", "PTTYPE")
"""Prints the recognised types. The exit status also depends on the partition's entry in the table."""

PROBED = (0, 2)
"""Valid exit statuses of blkid(8). With 8 it recognises several types, and prints none."""


class SignatureHider:
    """Hide signatures on the scratch copy `node`, whose blocks have `block_bytes`, and restore them."""

    def __init__(self, node: str, block_bytes: int, seconds: float) -> None:
        self._node, self._block, self._seconds = node, block_bytes, seconds
        self._saved: dict[Extent, bytes] = {}

    def hide(self, node: str, volume: Extent) -> tuple[tuple[Extent, ...], tuple[Extent, ...]]:
        """Hide all signatures of a partition, or of the drive itself. Return their places on the drive in the
        order of recognition, and those that identify the drive's own table."""
        known = copies_on(self._node, volume)
        found: dict[Extent, None] = {}
        tables: dict[Extent, None] = {}
        for _ in range(MOST_ROUNDS):
            devices.forget_caches(node)
            rows = wipe.list_signatures(node, self._seconds)
            if not rows:
                break
            for mark, offset in rows:
                if node == self._node and mark.kind in wipe.TABLE_MARKS:
                    place = Extent(offset // self._block * self._block, self._block)
                    tables[place] = None
                else:
                    place = self._widened(Extent(volume.start_bytes + offset, 1), volume)
                found[place] = None
                self._hide(place)
        else:
            raise Failed(wipe.STILL_SEEN(program="wipefs", part=node, seen=rows[0][0].kind))
        for place in [self._widened(place, volume) for place in known]:
            found[place] = None
            self._hide(place)
        return tuple(place for place in found if place not in tables), tuple(tables)

    def _widened(self, place: Extent, volume: Extent) -> Extent:
        """Align a place on the drive to whole pages and blocks within the volume."""
        grain = max(GRAIN_BYTES, self._block)
        start = max(volume.start_bytes, place.start_bytes // grain * grain)
        end = min(volume.end_bytes, rounded_up(place.end_bytes, grain))
        return Extent(start, end - start)

    def _hide(self, place: Extent) -> None:
        data = devices.read_bytes(self._node, place.start_bytes, place.size_bytes)
        self._saved.setdefault(place, data)
        devices.write_bytes(self._node, place.start_bytes, bytes(place.size_bytes))

    def restore(self) -> None:
        """Restore all hidden bytes."""
        for place, data in reversed(self._saved.items()):
            devices.write_bytes(self._node, place.start_bytes, data)
        devices.forget_caches(self._node)

    def refuse_recognised(self, part: str, filesystem: str | None) -> None:
        """Raises Failed if a tool still recognises a partition, the kernel mounts it, or a tool fails."""
        devices.forget_caches(part)
        if seen := run((*PROBE, part), seconds=self._seconds, accept=PROBED).output.split():
            raise Failed(wipe.STILL_SEEN(program="blkid", part=part, seen=" ".join(seen)))
        for argv, answers in ASKED:
            if find(argv[0]) is not None and _succeeds((*argv, part), self._seconds, answers):
                raise Failed(wipe.STILL_SEEN(program=argv[0], part=part, seen=t("content")))
        if filesystem == MEMBER_KINDS["lvm"] and _succeeds(
            alone_on([self._node], ("pvs", part)), self._seconds
        ):
            raise Failed(wipe.STILL_SEEN(program="LVM", part=part, seen=MEMBER_KINDS["lvm"]))
        place = Path(PRIVATE_PLACES) / f"hidden-{os.getpid()}"
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        kind = KINDS.get(filesystem or "")
        for name in kind.kernel_names if kind else ():
            if _succeeds(("mount", "-t", name, "-o", "ro", part, str(place)), self._seconds):
                run(("umount", str(place)), seconds=self._seconds)
                raise Failed(wipe.STILL_SEEN(program="mount", part=part, seen=name))
        with suppress(OSError):
            place.rmdir()


def _succeeds(argv: tuple[str, ...], seconds: float, answers: Sequence[int] = range(256)) -> bool:
    """Return True for status 0. Raises Failed for an invalid status or a signal."""
    return run(argv, seconds=seconds, accept=answers).status == 0
