"""The log of a drive's writes in QEMU's format, and the node that writes it."""

import io
import struct

import pytest
from msgspec.structs import replace

from tests.lab.drives.attach import file_node, logged_node
from tests.lab.drives.members import CONTROL
from tests.lab.power.blocklog import Write, read_log

FLUSHED, DISCARDED, MARKED = 1, 4, 8


def log_of(*entries: tuple[int, bytes, int]) -> io.BytesIO:
    """Return a log with sector, data and flags of each write."""
    out = struct.pack("<QQQI", 0x6A736677736872, 1, len(entries), 512).ljust(512, b"\0")
    for sector, data, flags in entries:
        out += struct.pack("<QQQQ", sector, len(data) // 512, flags, 0).ljust(512, b"\0") + data
    return io.BytesIO(out)


def test_writes_keep_their_order_and_preceding_flushes() -> None:
    first, second = b"1" * 1024, b"2" * 512
    log = log_of((8, first, 0), (0, b"", FLUSHED), (2, second, 0), (0, b"", MARKED))
    assert list(read_log(log)) == [Write(4096, first), Write(1024, second, 1)]


def test_discard_is_refused_because_later_content_is_unknown() -> None:
    with pytest.raises(ValueError, match="discarded"):
        list(read_log(log_of((8, b"", DISCARDED))))


def test_invalid_log_is_refused() -> None:
    with pytest.raises(ValueError, match="no log"):
        list(read_log(io.BytesIO(bytes(1024))))


def test_write_in_pieces_equals_one_write() -> None:
    pieces = list(Write(4096, bytes(range(256)) * 10).in_pieces(1024))
    assert [(piece.offset_bytes, len(piece.data)) for piece in pieces] == [
        (4096, 1024),
        (5120, 1024),
        (6144, 512),
    ]
    assert b"".join(piece.data for piece in pieces) == bytes(range(256)) * 10


def test_logged_drive_writes_to_its_image_and_its_log() -> None:
    node = logged_node(file_node(replace(CONTROL, logged=True), "/images/drive"), "/images/log")
    assert node["driver"] == "blklogwrites"
    files = [below["filename"] for below in (node["file"], node["log"]) if isinstance(below, dict)]
    assert files == ["/images/drive", "/images/log"]
