"""A snapshot's store, read without the device mapper; and where a transaction stands, in its run's folder."""

import struct
from pathlib import Path
from random import Random

import pytest

from tests.exchanging import write_cow_store
from wizard.apply.block.cow_store import read_cow_store
from wizard.apply.transaction.phases import (
    FILE,
    OVER,
    POWER,
    UNTOUCHED,
    Phase,
    Record,
    load_record,
    save_record,
)
from wizard.model.errors import BadInput, Failed
from wizard.model.units import MIB

CHUNK = 4096
SIZE = 1000 * CHUNK


@pytest.mark.parametrize(
    ("count", "chunk_bytes"), [(1, 4096), (255, 4096), (256, 4096), (257, 4096), (700, 4096), (40, 16384)]
)
def test_every_chunk_is_found_over_all_areas(tmp_path: Path, count: int, chunk_bytes: int) -> None:
    dice = Random(count)
    wanted = {number: dice.randbytes(chunk_bytes) for number in dice.sample(range(900), count)}
    write_cow_store(tmp_path / "store", wanted, chunk_bytes)
    found = read_cow_store(tmp_path / "store", 900 * chunk_bytes)
    assert list(found.numbers) == sorted(wanted)
    image = bytearray(900 * chunk_bytes)
    for offset, data in found.contents():
        assert len(data) <= MIB
        image[offset : offset + len(data)] = data
    for number, data in wanted.items():
        assert image[number * chunk_bytes : (number + 1) * chunk_bytes] == data


def test_an_empty_store_has_no_chunk(tmp_path: Path) -> None:
    write_cow_store(tmp_path / "store", {})
    assert list(read_cow_store(tmp_path / "store", SIZE).numbers) == []


@pytest.mark.parametrize(
    ("at", "data", "said"),
    [
        (0, b"\0\0\0\0", "is no store"),
        (4, struct.pack("<I", 0), "no longer valid"),
        (8, struct.pack("<I", 2), "is no store"),
        (12, struct.pack("<I", 0), "is no store"),
        (12, struct.pack("<I", 9), "is no store"),
        # The second entry is for the same chunk as the first.
        (CHUNK + 16, struct.pack("<QQ", 5, 3), "damaged: chunk 5"),
        # The device has no such chunk.
        (CHUNK + 16, struct.pack("<QQ", 1000, 3), "damaged: chunk 1000"),
    ],
)
def test_a_damaged_store_is_refused(tmp_path: Path, at: int, data: bytes, said: str) -> None:
    write_cow_store(tmp_path / "store", {5: b"five", 6: b"six"})
    with (tmp_path / "store").open("r+b") as store:
        store.seek(at)
        store.write(data)
    with pytest.raises(Failed, match=said):
        read_cow_store(tmp_path / "store", SIZE)


@pytest.mark.parametrize("length", [0, 10, CHUNK + 8, CHUNK + 32])
def test_a_store_that_is_cut_off_is_refused(tmp_path: Path, length: int) -> None:
    write_cow_store(tmp_path / "store", {5: b"five", 6: b"six"})
    with (tmp_path / "store").open("r+b") as store:
        store.truncate(length)
    with pytest.raises(Failed, match=r"cannot be read|cut off"):
        read_cow_store(tmp_path / "store", SIZE)


def test_where_it_stands_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    assert load_record(tmp_path) is None
    record = Record(Phase.REPLACING, "uuid", SIZE, "/srv/store", CHUNK, 3, "old", "new", "00", "01")
    save_record(tmp_path, record)
    (tmp_path / f"{FILE}.new").write_text("{")
    assert load_record(tmp_path) == record
    (tmp_path / FILE).write_text("{")
    with pytest.raises(BadInput, match="damaged"):
        load_record(tmp_path)


def test_each_phase_that_is_not_over_says_what_a_power_cut_would_mean() -> None:
    assert set(POWER) == set(Phase) - OVER
    for phase in set(Phase) - OVER - UNTOUCHED - {Phase.COMMITTED}:
        # What is being taken back does not go forward again.
        assert (
            f"`diskwright {'undo' if 'back' in phase else 'resume'}`" in POWER[phase]
            and "nothing would be lost" in POWER[phase]
        )
