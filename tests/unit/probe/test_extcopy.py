"""Backup superblocks on unrecognised drives: found at each block size, on filesystems by mke2fs."""

import os
import subprocess
from pathlib import Path

import pytest

from wizard.model.said import MIB
from wizard.probe.content.superblocks import find_copy
from wizard.probe.content.tables import Read


def reader(image: Path) -> Read:
    def read(offset_bytes: int, size_bytes: int) -> bytes:
        with image.open("rb") as file:
            return os.pread(file.fileno(), size_bytes, offset_bytes)

    return read


@pytest.mark.parametrize(
    ("block", "place"), [(1024, 8193 * 1024), (2048, 16384 * 2048), (4096, 32768 * 4096)]
)
def test_backup_is_found_if_the_superblock_is_lost(tmp_path: Path, block: int, place: int) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(200 * MIB)
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext3", "-b", str(block), str(image)], check=True)
    with image.open("r+b") as file:
        file.write(bytes(4096))
    assert find_copy(reader(image)) == place
    with image.open("r+b") as file:
        file.seek(place)
        file.write(bytes(1024))
    assert find_copy(reader(image)) is None


def test_superblock_of_another_group_is_no_backup() -> None:
    copy = bytearray(1024)
    copy[24], copy[56:58], copy[90] = 2, b"\x53\xef", 1
    assert (
        find_copy(lambda offset, size: bytes(copy)[:size] if offset == 32768 * 4096 else bytes(size))
        == 32768 * 4096
    )
    copy[90] = 3
    assert find_copy(lambda offset, size: bytes(copy)[:size]) is None
    assert find_copy(lambda offset, size: b"") is None
