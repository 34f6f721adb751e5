"""Change the UUIDs of a partition table or a LUKS header in place. Only UUIDs and the checksums over them
change, so undo restores every byte. A GPT and a LUKS2 header have two copies. Each block is old or new after
a power cut, and one copy is always valid."""

import hashlib
import struct
from uuid import UUID

from msgspec import Struct

from wizard.apply.block import devices
from wizard.apply.table import proof
from wizard.apply.table.write import image_of, record_places
from wizard.model.errors import Failed, partition_path
from wizard.model.geometry import Identity
from wizard.model.machine import Extent
from wizard.model.said import Sentence
from wizard.operations.settings import Relabel

DISK_ID_AT = 440
"""Of the disk signature in an MBR."""

DISK_GUID_AT, PART_GUID_AT = 56, 16
"""In a GPT header and entry (UEFI 2.10, 5.3)."""

LUKS_UUID_AT, LUKS_UUID_BYTES = 168, 40
"""In LUKS1 and LUKS2 headers."""

LUKS = struct.Struct(">6sHQ")
"""Magic, version and, for LUKS2, size of the header."""

LUKS_MAGIC, LUKS_SECOND = b"LUKS\xba\xbe", b"SKUL\xba\xbe"
LUKS_ALGORITHM_AT, LUKS_CHECKSUM_AT, LUKS_CHECKSUM_BYTES = 72, 448, 64
LUKS_ALGORITHMS = frozenset({"sha1", "sha256", "sha512"})
LUKS_HEAD_BYTES = 4096
LUKS_SIZES = frozenset(1 << bits for bits in range(14, 23))
"""Sizes of a LUKS2 header with the JSON area, 16 KiB to 4 MiB (LUKS2 On-Disk Format 1.1.3)."""


NO_LUKS = Sentence("{device} has no readable LUKS header.")


class Edit(Struct, frozen=True):
    """The bytes now, with the old value, and with the new one. `kind`: of table, or empty."""

    kind: str
    now: proof.Image
    old: proof.Image
    new: proof.Image

    @property
    def is_half(self) -> bool:
        """True if each changed block has the old or the new bytes."""
        unlike_old, unlike_new = (
            {offset for offset, *_ in self.now.changed_blocks(other)} for other in (self.old, self.new)
        )
        return unlike_old.isdisjoint(unlike_new)

    def write(self, node: str, drive: Identity, *, new: bool) -> None:
        """Write the new or the old value, complete a half-written one, and read it back. Raises Failed."""
        wanted = self.new if new else self.old
        writes = (
            proof.in_order(self.kind, self.now, wanted)
            if self.kind
            else [(offset, data) for offset, _, data in self.now.changed_blocks(wanted)]
        )
        for offset, data in writes:
            # Synced before the next write.
            devices.write_bytes(node, offset, data)
        devices.forget_caches(node)
        if image_of(node, wanted.places, drive) != wanted:
            raise Failed(devices.UNVERIFIED(what=node))


def read_identifier(operation: Relabel, drive: Identity) -> Edit:
    """Read the bytes around the operation's UUID. Raises Failed."""
    if operation.filesystem == "crypto_LUKS":
        head = image_of(operation.device, (Extent(0, LUKS_HEAD_BYTES),), drive)
        magic, version, size = LUKS.unpack_from(head.read(0, LUKS.size))
        places = {1: head.places, 2: (Extent(0, size), Extent(size, size))}.get(version)
        if magic != LUKS_MAGIC or places is None or (version == 2 and size not in LUKS_SIZES):
            raise Failed(NO_LUKS(device=operation.device))
        now = image_of(operation.device, places, drive)
        if (old := _with_luks(now, operation.old)) and (new := _with_luks(now, operation.new)):
            return Edit("", now, old, new)
        raise Failed(NO_LUKS(device=operation.device))
    now = image_of(drive.path, record_places(drive), drive)
    if operation.filesystem == "mbr":
        old, new = (
            now.having({DISK_ID_AT: int(uuid, 16).to_bytes(4, "little")})
            for uuid in (operation.old, operation.new)
        )
        return Edit("mbr", now, old, new)
    prefix = len(partition_path(drive.path, 0)) - 1
    old_parts, new_parts = ({int(part[0][prefix:]): part[at] for part in operation.parts} for at in (1, 2))
    old, new = (
        now.with_gpt(
            {number: {PART_GUID_AT: UUID(guid).bytes_le} for number, guid in parts.items()},
            {DISK_GUID_AT: UUID(disk).bytes_le},
        )
        for disk, parts in ((operation.old, old_parts), (operation.new, new_parts))
    )
    return Edit("gpt", now, old, new)


def write_identifier(operation: Relabel, drive: Identity, *, new: bool) -> None:
    """Write the new or the old UUID, verify it, and make the kernel reread the table. Raises Failed."""
    is_luks = operation.filesystem == "crypto_LUKS"
    node = operation.device if is_luks else drive.path
    devices.check_unclaimed(node)
    read_identifier(operation, drive).write(node, drive, new=new)
    if not is_luks and devices.partition_nodes(drive.path):
        devices.reread_table(drive.path, anew=False)


def _with_luks(image: proof.Image, uuid: str) -> proof.Image | None:
    """Return the header, or both copies, with another UUID. None if a copy is missing or the checksum is of
    an unknown kind."""
    patches = {}
    for start, data in image.pieces:
        header = bytearray(data)
        header[LUKS_UUID_AT : LUKS_UUID_AT + LUKS_UUID_BYTES] = uuid.encode().ljust(LUKS_UUID_BYTES, b"\0")
        if LUKS.unpack_from(data)[1] == 2:
            name = data[LUKS_ALGORITHM_AT:][:32].rstrip(b"\0").decode("ascii", "replace")
            magic = LUKS_SECOND if start else LUKS_MAGIC
            if not data.startswith(magic) or name not in LUKS_ALGORITHMS:
                return None
            place = slice(LUKS_CHECKSUM_AT, LUKS_CHECKSUM_AT + LUKS_CHECKSUM_BYTES)
            header[place] = bytes(LUKS_CHECKSUM_BYTES)
            header[place] = hashlib.new(name, header).digest().ljust(LUKS_CHECKSUM_BYTES, b"\0")
        patches[start] = bytes(header)
    return image.having(patches)
