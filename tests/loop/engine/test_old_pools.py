"""Lists in the labels of a former ZFS pool: none is left for a newer util-linux to find."""

import struct
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, story, wish
from tests.loop.program import KIB, MIB, Mode, RunState, partition_path

LABEL_BYTES = 256 * KIB


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
def test_no_list_of_an_old_pool_stays(work: Work, make_drive: MakeDrive, place: str, uberblocks: int) -> None:
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
    run, now = work.apply(work.plan(path, wish("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(run)
    assert diskwright(work, "keep", run.name).returncode == 0
    assert image.read_bytes().count(b"oldtank") == 0
    assert work.digest(path) != before
