"""Reads for verification come from the medium, even if the drive is a file that another filesystem caches."""

import os
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work
from tests.loop.program import MIB
from wizard.apply.block.devices import forget_caches


def cached_bytes(file: Path) -> int:
    return int(tool("fincore", "--bytes", "--noheadings", "--output", "RES", str(file)))


def test_cache_of_a_loop_device_backing_file_is_dropped(work: Work, make_drive: MakeDrive) -> None:
    if tool("stat", "-f", "-c", "%T", str(work.folder)).strip() == "tmpfs":
        pytest.skip("a file in memory is on no medium")
    drive = make_drive(4 * MIB)
    image = work.bench.image_of(drive)
    with Path(drive).open("r+b", buffering=0) as device:
        device.write(os.urandom(MIB))
    tool("sync", drive)
    assert cached_bytes(image) >= MIB
    forget_caches(drive)
    assert cached_bytes(image) == 0
