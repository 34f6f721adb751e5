"""GPT and MBR made byte by byte for tests of the readers, independent of the tested code."""

import struct
import zlib
from uuid import UUID

DISK = UUID("11111111-2222-3333-4444-555555555555")
LINUX = UUID("0fc63daf-8483-4772-8e79-3d69d8477de4")


class Image:
    """A drive's bytes. Reads past the end are short."""

    def __init__(self, size_bytes: int, block_bytes: int = 512) -> None:
        self.data = bytearray(size_bytes)
        self.block_bytes = block_bytes

    @property
    def size_bytes(self) -> int:
        return len(self.data)

    @property
    def last_lba(self) -> int:
        return self.size_bytes // self.block_bytes - 1

    def read(self, offset_bytes: int, size_bytes: int) -> bytes:
        return bytes(self.data[offset_bytes : offset_bytes + size_bytes])

    def put(self, offset_bytes: int, data: bytes) -> None:
        self.data[offset_bytes : offset_bytes + len(data)] = data

    def protective(self, *more: tuple[int, int, int]) -> None:
        """Write a protective MBR, with further (type, first, blocks) slots."""
        self.mbr((0xEE, 1, min(self.last_lba, 0xFFFFFFFF)), *more)

    def mbr(self, *slots: tuple[int, int, int], at: int = 0) -> None:
        """Write a boot record at byte `at` with (type, first, blocks) slots."""
        body = b"".join(
            struct.pack("<B3sB3sII", 0, bytes(3), kind, bytes(3), first, blocks)
            for kind, first, blocks in slots
        )
        self.put(at + 446, body.ljust(64, b"\0") + b"\x55\xaa")

    def gpt(
        self,
        *entries: tuple[int, int, str],
        backup_lba: int | None = None,
        last_usable: int | None = None,
        kind: UUID = LINUX,
    ) -> None:
        """Write both copies with (first, last, name) entries in logical blocks."""
        table = b"".join(
            kind.bytes_le
            + UUID(int=index + 1).bytes_le
            + struct.pack("<QQQ", first, last, 0)
            + name.encode("utf-16-le").ljust(72, b"\0")
            for index, (first, last, name) in enumerate(entries)
        ).ljust(128 * 128, b"\0")
        blocks = len(table) // self.block_bytes
        far = self.last_lba if backup_lba is None else backup_lba
        end = far - blocks - 1 if last_usable is None else last_usable
        for here, there, at in ((1, far, 2), (far, 1, far - blocks)):
            self.put(here * self.block_bytes, header(here, there, 2 + blocks, end, at, table))
            self.put(at * self.block_bytes, table)


def header(
    here: int, there: int, first: int, last: int, at: int, table: bytes, *, count: int = 128, size: int = 128
) -> bytes:
    """Return a valid header."""

    def packed(checksum: int) -> bytes:
        fields = (
            b"EFI PART",
            0x10000,
            92,
            checksum,
            0,
            here,
            there,
            first,
            last,
            DISK.bytes_le,
            at,
            count,
            size,
            zlib.crc32(table),
        )
        return struct.pack("<8sIIIIQQQQ16sQIII", *fields)

    return packed(zlib.crc32(packed(0)))
