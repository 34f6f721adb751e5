"""The table readers on synthetic tables with all relevant damage, and on garbage."""

import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.probe.gptimage import DISK, Image, header
from wizard.model.machine import Extent
from wizard.probe.content.tables import MOST_ENTRIES, TableReading, free_extents, read_table
from wizard.probe.facts import OTHER_BLOCKS, TABLE_LOST

MIB = 1024 * 1024


def reading(image: Image, kind: str | None = None, *, has_signature: bool = False) -> TableReading:
    return read_table(image.read, image.size_bytes, image.block_bytes, kind, has_signature=has_signature)


def sound(block_bytes: int = 512) -> Image:
    image = Image(8 * MIB, block_bytes)
    image.protective()
    unit = MIB // block_bytes
    image.gpt((unit, 2 * unit - 1, "första"), (3 * unit, 4 * unit - 1, ""))
    return image


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_sound_gpt_is_read_in_bytes_for_any_block_size(block_bytes: int) -> None:
    found = reading(sound(block_bytes))
    assert (found.table.kind, found.table.primary, found.table.backup) == ("gpt", "ok", "ok")
    assert found.table.uuid == str(DISK)
    assert found.table.first_usable_bytes == 2 * block_bytes + 16384
    assert found.table.end_usable_bytes == 8 * MIB - block_bytes - 16384
    assert [(e.number, e.start_bytes, e.size_bytes, e.name) for e in found.entries] == [
        (1, MIB, MIB, "första"),
        (2, 3 * MIB, MIB, None),
    ]
    assert found.entries[0].type == "0fc63daf-8483-4772-8e79-3d69d8477de4"
    assert found.entries[0].part_uuid == "00000000-0000-0000-0000-000000000001"


def test_damaged_first_header_leaves_the_partitions_of_the_backup() -> None:
    image = sound()
    image.put(512 + 40, b"\xff")
    found = reading(image)
    assert (found.table.primary, found.table.backup) == ("damaged", "ok")
    assert len(found.entries) == 2 and not found.problems


def test_damaged_entries_of_the_first_copy_are_noticed() -> None:
    image = sound()
    image.put(2 * 512 + 40, b"\x5a")
    found = reading(image)
    assert (found.table.primary, found.table.backup) == ("damaged", "ok")
    assert found.entries[0].size_bytes == MIB, "the entries come from the sound copy"


def test_wiped_backup_is_missing_and_a_scratched_one_damaged() -> None:
    image = sound()
    image.put(image.last_lba * 512, bytes(512))
    assert reading(image).table.backup == "missing"
    image = sound()
    image.put(image.last_lba * 512 + 60, b"\x99")
    assert reading(image).table.backup == "damaged"


def test_backup_of_another_table_is_damaged() -> None:
    image = sound()
    other = sound()
    other.gpt((2048, 2049, "other"))
    image.put(image.size_bytes - 33 * 512, other.read(other.size_bytes - 33 * 512, 33 * 512))
    assert reading(image).table.backup == "damaged"


def test_grown_drive_has_its_backup_in_the_wrong_place() -> None:
    image = sound()
    grown = Image(16 * MIB)
    grown.put(0, bytes(image.data))
    found = reading(grown)
    assert (found.table.primary, found.table.backup) == ("ok", "misplaced")
    assert len(found.entries) == 2


def test_both_copies_damaged_still_show_the_old_partitions() -> None:
    image = sound()
    for lba in (1, image.last_lba):
        image.put(lba * 512 + 16, b"\x12\x34")
    found = reading(image)
    assert (found.table.kind, found.table.primary, found.table.backup) == ("gpt", "damaged", "damaged")
    assert len(found.entries) == 2
    assert found.table.first_usable_bytes is None, "bounds from a damaged header are not believed"
    assert found.problems == (TABLE_LOST,), "or what it may hold would pass for read"


def test_protective_mbr_alone_is_a_broken_gpt_not_an_empty_drive() -> None:
    image = Image(8 * MIB)
    image.protective()
    found = reading(image, "PMBR")
    assert (found.table.kind, found.table.primary, found.table.backup) == ("gpt", "damaged", "missing")
    assert found.problems == (TABLE_LOST,)


@pytest.mark.parametrize(("made_for", "shown"), [(512, 4096), (4096, 512)])
def test_table_for_other_blocks_is_reported_and_ignored(made_for: int, shown: int) -> None:
    image = sound(made_for)
    image.block_bytes = shown
    found = reading(image)
    assert (found.table.kind, found.table.primary, found.table.backup, found.entries) == (
        "gpt",
        "damaged",
        "missing",
        (),
    )
    assert found.problems == (OTHER_BLOCKS(other=made_for, size=shown),)


def test_other_partitions_in_the_protective_mbr_make_a_hybrid() -> None:
    image = sound()
    image.protective((0x83, 2048, 2048))
    assert reading(image, "gpt").table.kind == "hybrid"


def test_overlapping_entries_and_entries_past_the_end_are_listed() -> None:
    image = Image(8 * MIB)
    image.protective()
    image.gpt(
        (2048, 6143, "a"),
        (4096, 8191, "b"),
        (16000, 99999, "far"),
        (2**63, 2**64 - 1, "absurd"),
        (50, 40, "backwards"),
    )
    found = reading(image, "")
    assert [e.name for e in found.entries] == ["a", "b", "far", "absurd", "backwards"]
    assert found.entries[3].start_bytes == 2**63 * 512
    assert found.entries[4].size_bytes == 0


def test_stale_gpt_at_the_end_of_a_drive_with_an_mbr_does_not_count() -> None:
    image = sound()
    image.put(0, bytes(34 * 512))
    image.mbr((0x83, 2048, 4096))
    found = reading(image, "dos")
    assert found.table.kind == "mbr"
    assert [(e.number, e.start_bytes, e.size_bytes, e.type) for e in found.entries] == [
        (1, MIB, 2 * MIB, "0x83")
    ]


def test_logical_partitions_count_from_their_own_records() -> None:
    image = Image(64 * MIB)
    image.mbr((0x83, 2048, 2048), (0x05, 10000, 60000))
    image.mbr((0x83, 63, 5000), (0x05, 6000, 6000), at=10000 * 512)
    image.mbr((0x82, 63, 5000), at=16000 * 512)
    found = reading(image, "dos")
    places = [(e.number, e.start_bytes // 512, e.size_bytes // 512, e.type) for e in found.entries]
    assert places == [
        (1, 2048, 2048, "0x83"),
        (2, 10000, 60000, "0x05"),
        (5, 10063, 5000, "0x83"),
        (6, 16063, 5000, "0x82"),
    ]
    assert not found.problems
    assert (16000 * 512, 512) in found.spans


def test_broken_chain_is_reported_and_preceding_partitions_listed() -> None:
    image = Image(64 * MIB)
    image.mbr((0x05, 10000, 60000))
    image.mbr((0x83, 63, 5000), (0x05, 6000, 6000), at=10000 * 512)
    found = reading(image, "dos")
    assert [e.number for e in found.entries] == [1, 5]
    assert "breaks at byte 8192000" in str(found.problems[0])


def test_cyclic_chain_ends() -> None:
    image = Image(64 * MIB)
    image.mbr((0x05, 10000, 60000))
    image.mbr((0x83, 63, 5000), (0x05, 0, 6000), at=10000 * 512)
    assert "breaks at byte" in str(reading(image, "dos").problems[0])


def test_boot_sector_of_a_filesystem_is_no_table() -> None:
    image = Image(8 * MIB)
    image.mbr()
    assert reading(image, "dos", has_signature=True).table.kind == "none"
    assert reading(image, "", has_signature=True).table.kind == "none"
    assert reading(image, "dos").table.kind == "mbr"


def test_kind_known_only_to_the_library_is_other() -> None:
    assert reading(Image(8 * MIB), "mac").table.kind == "other"
    assert reading(Image(8 * MIB), "").table.kind == "none"


def test_values_of_a_damaged_table_are_limited() -> None:
    image = Image(8 * MIB)
    image.protective()
    table = (b"\x01" * 128) * 4096
    image.put(2 * 512, table)
    image.put(512, header(1, image.last_lba, 34, 1000, 2, table, count=4096))
    found = reading(image)
    assert len(found.entries) == MOST_ENTRIES
    assert "lists 4096 partitions" in str(found.problems[0])


def test_free_space_is_between_partitions_and_within_the_table() -> None:
    found = reading(sound())
    free = free_extents(found.table, found.entries, 8 * MIB, has_signature=False)
    assert free == (
        Extent(34 * 512, MIB - 34 * 512),
        Extent(2 * MIB, MIB),
        Extent(4 * MIB, 4 * MIB - 33 * 512),
    )


def test_free_space_of_drives_without_a_table() -> None:
    none = reading(Image(8 * MIB)).table
    assert free_extents(none, [], 8 * MIB, has_signature=False) == (Extent(0, 8 * MIB),)
    assert free_extents(none, [], 8 * MIB, has_signature=True) == ()
    assert free_extents(none, [Extent(MIB, MIB)], 8 * MIB, has_signature=False) == (), (
        "a partition that only the kernel still has"
    )


def test_mbr_reaches_two_tebibytes() -> None:
    image = Image(8 * MIB)
    image.mbr((0x83, 2048, 2048))
    found = read_table(image.read, 2**42, 512, "dos", has_signature=False)
    assert found.table.end_usable_bytes == 2**41
    free = free_extents(found.table, [Extent(MIB, MIB)], 2**42, has_signature=False)
    assert free[-1].end_bytes == 2**41


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from([512, 4096]),
    st.sampled_from([None, "", "gpt", "dos", "PMBR"]),
    st.booleans(),
)
def test_garbage_never_raises(seed: int, block_bytes: int, kind: str | None, has_signature: bool) -> None:
    chance = random.Random(seed)
    image = sound(block_bytes) if chance.random() < 0.7 else Image(2 * MIB, block_bytes)
    if chance.random() < 0.5:
        image.mbr(
            *(
                (chance.choice([0x05, 0x83, 0xEE, 0x0F]), chance.getrandbits(13), chance.getrandbits(14))
                for _ in range(4)
            )
        )
    for _ in range(chance.randrange(12)):
        where = chance.choice(
            [chance.randrange(0, 34 * block_bytes), image.size_bytes - chance.randrange(1, 34 * block_bytes)]
        )
        image.put(where, struct.pack("<Q", chance.getrandbits(64))[: image.size_bytes - where])
    found = reading(image, kind, has_signature=has_signature)
    free = free_extents(found.table, found.entries, image.size_bytes, has_signature=False)
    assert all(extent.size_bytes > 0 for extent in free)
    assert len({entry.number for entry in found.entries}) == len(found.entries)
