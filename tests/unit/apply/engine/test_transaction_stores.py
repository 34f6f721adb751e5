"""A snapshot's store, read without the device mapper, and the transaction's devices in its run folder."""

import struct
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from wizard.apply.block.snapshot import read_cow_store

from tests.exchanging import write_cow_store
from wizard.apply.conversion.commit import (
    EARLIER,
    FILE,
    SnapshotState,
    load_snapshotted,
    phase_of,
    save_snapshotted,
)
from wizard.apply.engine import record
from wizard.apply.engine.record import GOING_BACK, Phase, power_sentence
from wizard.model.errors import BadInput, Failed
from wizard.model.machine import Extent

CHUNK = 4096
SIZE = 1000 * CHUNK


@pytest.mark.parametrize(
    ("count", "chunk_bytes"), [(1, 4096), (255, 4096), (256, 4096), (257, 4096), (700, 4096), (40, 16384)]
)
def test_every_chunk_is_found_in_all_areas(tmp_path: Path, count: int, chunk_bytes: int) -> None:
    dice = Random(count)
    wanted = {number: dice.randbytes(chunk_bytes) for number in dice.sample(range(900), count)}
    write_cow_store(tmp_path / "store", wanted, chunk_bytes)
    found = read_cow_store(tmp_path / "store", 900 * chunk_bytes)
    assert list(found.written()) == [Extent(number * chunk_bytes, chunk_bytes) for number in sorted(wanted)]
    below = dice.randbytes(900 * chunk_bytes)
    image = bytearray(below)
    for number, data in wanted.items():
        image[number * chunk_bytes : (number + 1) * chunk_bytes] = data
    with ExitStack() as files:
        read = found.over(lambda offset, length: below[offset : offset + length], files)
        assert read(0, len(image)) == image
        for _ in range(100):
            begin, end = sorted(dice.sample(range(len(image)), 2))
            assert read(begin, end - begin) == image[begin:end]


def test_empty_store_has_no_chunk(tmp_path: Path) -> None:
    write_cow_store(tmp_path / "store", {})
    assert list(read_cow_store(tmp_path / "store", SIZE).written()) == []


def test_truncated_last_chunk_ends_with_the_device(tmp_path: Path) -> None:
    write_cow_store(tmp_path / "store", {3: b"last"})
    assert list(read_cow_store(tmp_path / "store", 3 * CHUNK + 512).written()) == [Extent(3 * CHUNK, 512)]


def test_lost_content_is_not_invented(tmp_path: Path) -> None:
    write_cow_store(tmp_path / "store", {5: b"five"})
    found = read_cow_store(tmp_path / "store", SIZE)
    with (tmp_path / "store").open("r+b") as store:
        store.truncate(2 * CHUNK)
    with ExitStack() as files, pytest.raises(Failed, match="is truncated"):
        found.over(lambda offset, length: bytes(length), files)(5 * CHUNK, CHUNK)


@pytest.mark.parametrize(
    ("at", "data", "said"),
    [
        (0, b"\0\0\0\0", "not a snapshot store"),
        (4, struct.pack("<I", 0), "marked as invalid"),
        (8, struct.pack("<I", 2), "not a snapshot store"),
        (12, struct.pack("<I", 0), "not a snapshot store"),
        (12, struct.pack("<I", 9), "not a snapshot store"),
        # The second entry is for the same chunk as the first.
        (CHUNK + 16, struct.pack("<QQ", 5, 3), "damaged at chunk 5"),
        # The device has no such chunk.
        (CHUNK + 16, struct.pack("<QQ", 1000, 3), "damaged at chunk 1000"),
    ],
)
def test_damaged_store_is_refused(tmp_path: Path, at: int, data: bytes, said: str) -> None:
    write_cow_store(tmp_path / "store", {5: b"five", 6: b"six"})
    with (tmp_path / "store").open("r+b") as store:
        store.seek(at)
        store.write(data)
    with pytest.raises(Failed, match=said):
        read_cow_store(tmp_path / "store", SIZE)


@pytest.mark.parametrize("length", [0, 10, CHUNK + 8, CHUNK + 32])
def test_truncated_store_is_refused(tmp_path: Path, length: int) -> None:
    write_cow_store(tmp_path / "store", {5: b"five", 6: b"six"})
    with (tmp_path / "store").open("r+b") as store:
        store.truncate(length)
    with pytest.raises(Failed, match=r"Cannot read|is truncated"):
        read_cow_store(tmp_path / "store", SIZE)


def test_snapshot_record_is_written_atomically(tmp_path: Path) -> None:
    assert load_snapshotted(tmp_path) is None and phase_of(tmp_path) is None
    snapshotted = SnapshotState("uuid", SIZE, "/srv/store", "00", "01", closed=True)
    save_snapshotted(tmp_path, snapshotted)
    (tmp_path / f"{FILE}.new").write_text("{")
    assert load_snapshotted(tmp_path) == snapshotted and phase_of(tmp_path) is Phase.REHEARSING
    (tmp_path / FILE).write_text("{")
    with pytest.raises(BadInput, match="damaged"):
        load_snapshotted(tmp_path)


def test_run_of_an_earlier_version_is_refused_in_a_sentence(tmp_path: Path) -> None:
    """A run of an unknown earlier version must not be called unchanged."""
    (tmp_path / EARLIER).write_text('{"schema": "diskwright.transaction/1", "phase": "replacing"}')
    with pytest.raises(BadInput, match=f"An earlier version of diskwright started the run {tmp_path.name}"):
        phase_of(tmp_path)


def test_run_that_never_waits_is_not_called_waiting() -> None:
    for phase in set(Phase) - {Phase.REHEARSING, Phase.SAVED, Phase.RELEASED, Phase.UNKNOWN}:
        said = power_sentence(phase, "/dev/sdx1", waits=False)
        command = "undo" if phase in GOING_BACK else "resume"
        over = phase in (Phase.UNDONE, Phase.LEFT, Phase.KEPT)
        assert said == ("" if over else str(record.HALF(drives="/dev/sdx1", command=command)))
