"""Entries added to a table, a backup GPT moved to the end, and the drive after a cut at any write."""

import struct
from collections.abc import Callable, Iterator
from itertools import combinations

import pytest
from msgspec.structs import replace

from tests.unit.probe.gptimage import Image, header
from wizard.apply.table.one_entry import with_backup_at_end, with_changes
from wizard.apply.table.proof import Image as Places
from wizard.apply.table.proof import in_order
from wizard.model.errors import Failed
from wizard.model.layout import TableEntry
from wizard.model.said import MIB
from wizard.operations.table import WriteTable
from wizard.probe.content.tables import TableReading, read_gpt, read_table

LINUX = "0fc63daf-8483-4772-8e79-3d69d8477de4"
OLD = ((2048, 4095, "first"), (4096, 6143, "second"))
NEW = (*OLD, (6144, 8191, "third"))


def drive(block_bytes: int, *entries: tuple[int, int, str]) -> Image:
    """Return a drive with boot code in its first sector, and a GPT."""
    made = Image(8192 * block_bytes + MIB, block_bytes)
    made.put(0, b"boot code")
    made.protective()
    made.gpt(*entries)
    return made


def places(made: Image) -> Places:
    """Return both ends of the image."""
    far = made.size_bytes - MIB
    return Places(made.size_bytes, made.block_bytes, ((0, made.read(0, MIB)), (far, made.read(far, MIB))))


def gpt_table(block_bytes: int) -> WriteTable:
    entries = [
        TableEntry(
            number, first * block_bytes, (last - first + 1) * block_bytes, LINUX, name, kept=number < 3
        )
        for number, (first, last, name) in enumerate(NEW, 1)
    ]
    return WriteTable("/dev/sdz", "gpt", False, tuple(entries))


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_only_the_new_entry_of_a_gpt_is_written(block_bytes: int) -> None:
    """Its GUID is random; everything else is as another program writes it."""
    before, written = drive(block_bytes, *OLD), drive(block_bytes, *NEW)
    for entries in (2, before.last_lba - 128 * 128 // block_bytes):
        # Remains of a deleted partition.
        before.put(entries * block_bytes + 2 * 128 + 16, b"\1" * 112)
    wanted = with_changes(gpt_table(block_bytes), places(before))
    own = wanted.read(2 * block_bytes + 2 * 128 + 16, 16)
    assert own not in (bytes(16), b"\1" * 16)
    for entries in (2, before.last_lba - 128 * 128 // block_bytes):
        written.put(entries * block_bytes + 2 * 128 + 16, own)
    table = written.read(2 * block_bytes, 128 * 128)
    blocks, last = len(table) // block_bytes, before.last_lba
    for here, there, at in ((1, last, 2), (last, 1, last - blocks)):
        written.put(here * block_bytes, header(here, there, 2 + blocks, last - blocks - 1, at, table))
    assert wanted == places(written)
    assert 0 not in [offset for offset, _ in in_order("gpt", places(before), wanted)]


def _moved(table: WriteTable) -> WriteTable:
    first, *others = table.entries
    return replace(table, entries=(replace(first, start_bytes=2049 * 512), *others))


def _repeated(table: WriteTable) -> WriteTable:
    return replace(table, entries=(*table.entries, replace(table.entries[2], number=2)))


def _unknown(table: WriteTable) -> WriteTable:
    return replace(table, entries=(*table.entries, replace(table.entries[0], number=4)))


def _removed(table: WriteTable) -> WriteTable:
    return replace(table, entries=table.entries[1:])


def _beyond(table: WriteTable) -> WriteTable:
    return replace(table, entries=(*table.entries[:2], replace(table.entries[2], number=129)))


def _overlapping(table: WriteTable) -> WriteTable:
    return replace(table, entries=(*table.entries[:2], replace(table.entries[2], start_bytes=6143 * 512)))


def _over_the_backup(table: WriteTable) -> WriteTable:
    third = replace(table.entries[2], size_bytes=drive(512, *OLD).size_bytes - table.entries[2].start_bytes)
    return replace(table, entries=(*table.entries[:2], third))


HARMS = [_moved, _repeated, _unknown, _removed, _beyond, _overlapping, _over_the_backup]


@pytest.mark.parametrize("harm", HARMS)
def test_plan_that_does_not_fit_a_gpt_is_refused(harm: Callable[[WriteTable], WriteTable]) -> None:
    with pytest.raises(Failed, match="differs from the plan"):
        with_changes(harm(gpt_table(512)), places(drive(512, *OLD)))


def test_lost_copy_of_a_gpt_is_refused() -> None:
    before = drive(512, *OLD)
    before.put(before.last_lba * 512, bytes(512))
    with pytest.raises(Failed, match="differs from the plan"):
        with_changes(gpt_table(512), places(before))


def cuts(before: Image, wanted: Places) -> Iterator[Image]:
    """Yield each possible state after a power cut. The blocks of one write arrive in any order, before the
    next write."""
    held = Image(before.size_bytes, before.block_bytes)
    held.put(0, bytes(before.data))
    for offset, data in in_order("gpt", places(before), wanted):
        blocks = [
            (offset + at, data[at : at + held.block_bytes]) for at in range(0, len(data), held.block_bytes)
        ]
        for many in range(len(blocks)):
            for some in combinations(blocks, many):
                torn = Image(held.size_bytes, held.block_bytes)
                torn.put(0, bytes(held.data))
                for at, block in some:
                    torn.put(at, block)
                yield torn
        held.put(offset, data)
    yield held


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_power_cut_leaves_the_old_new_or_no_table(block_bytes: int) -> None:
    """With four more partitions, two blocks of entries change."""
    entries = (*NEW, *((8192 + 8 * at, 8199 + 8 * at, f"more {at}") for at in range(4)))
    before, written = drive(block_bytes, *OLD), drive(block_bytes, *entries)
    wanted = places(written).having({0: before.read(0, block_bytes)})
    seen = []
    for made in cuts(before, wanted):
        gpt = read_gpt(made.read, made.size_bytes, block_bytes)
        assert gpt is not None and not gpt.problems, "one copy is whole"
        many = len(gpt.entries)
        assert many in (2, 7)
        if gpt.table.primary == "ok":
            seen.append(many)
        else:
            # Linux takes nothing from the copy, and firmware that does gets the new table.
            assert (gpt.table.backup, many) == ("ok", 7)
            seen.append(0)
    assert seen == sorted(seen, key=[2, 0, 7].index), "the old one, then none, then the new one"
    assert set(seen) == {2, 0, 7}


def mbr() -> Image:
    """Return a drive with an extended partition in slot 2, which contains a logical one."""
    made = Image(MIB)
    made.mbr((0x83, 64, 64), (0x05, 256, 1024))
    made.put(0, b"boot code")
    made.put(440, b"\1\2\3\4")
    made.mbr((0x83, 63, 64), at=256 * 512)
    return made


def mbr_table() -> WriteTable:
    entries = [
        TableEntry(1, 64 * 512, 64 * 512, "0x83", "", kept=True),
        TableEntry(2, 256 * 512, 1024 * 512, "0x05", "", kept=True),
        TableEntry(3, 1280 * 512, 64 * 512, "0x83", ""),
        TableEntry(5, 319 * 512, 64 * 512, "0x83", "", kept=True),
    ]
    return WriteTable("/dev/sdz", "mbr", False, tuple(entries))


def whole(made: Image) -> Places:
    return Places(made.size_bytes, 512, ((0, made.read(0, made.size_bytes)),))


def test_new_logical_partition_is_refused() -> None:
    table = mbr_table()
    wanted = replace(
        table, entries=(*table.entries[:2], replace(table.entries[2], number=6), table.entries[3])
    )
    with pytest.raises(Failed, match="differs from the plan"):
        with_changes(wanted, whole(mbr()))


def test_only_the_new_line_of_an_mbr_is_written() -> None:
    before = mbr()
    # Remains of a deleted partition.
    before.put(446 + 32, b"\x80\1\1\1\0\1\1\1\1\0\0\0\0\0\0\0")
    wanted = with_changes(mbr_table(), whole(before))
    assert [(offset, len(data)) for offset, data in in_order("mbr", whole(before), wanted)] == [(0, 512)]
    new = wanted.read(0, MIB)
    assert new[: 446 + 32] == before.read(0, 446 + 32) and new[446 + 48 :] == before.read(446 + 48, MIB)
    place = struct.pack("<II", 1280, 64)
    assert new[446 + 32 : 446 + 48] == b"\0" + bytes([20, 21, 0]) + b"\x83" + bytes([21, 21, 0]) + place
    assert {
        entry.number for entry in read_table(wanted.read, MIB, 512, None, has_signature=False).entries
    } == {1, 2, 3, 5}


@pytest.mark.parametrize(("number", "at", "harm"), [(1, 446 + 4, b"\7"), (5, 256 * 512 + 446 + 8, b"\x40")])
def test_mbr_other_than_planned_is_refused(number: int, at: int, harm: bytes) -> None:
    before = mbr()
    before.put(at, harm)
    with pytest.raises(Failed, match=f"partition {number}"):
        with_changes(mbr_table(), whole(before))


def test_only_the_table_is_written() -> None:
    before = drive(512, *OLD)
    after = drive(512, *NEW)
    after.put(614400, b"\1")
    with pytest.raises(Failed, match="differs from the plan: byte"):
        in_order("gpt", places(before), places(after))


def cloned(block_bytes: int) -> Image:
    """Return the drive's content on a drive three times as large."""
    small = drive(block_bytes, *OLD)
    large = Image(3 * small.size_bytes, block_bytes)
    large.put(0, bytes(small.data))
    return large


def reading(image: Places) -> TableReading:
    return read_table(image.read, image.size_bytes, image.block_bytes, None, has_signature=False)


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_backup_table_moves_to_the_end_and_all_space_is_usable(block_bytes: int) -> None:
    image = places(cloned(block_bytes))
    before, found = reading(image), reading(with_backup_at_end(image))
    wanted = with_backup_at_end(image)
    assert before.table.backup != "ok"
    assert (found.table.primary, found.table.backup) == ("ok", "ok")
    assert found.table.ordinary and found.entries == before.entries and found.table.uuid == before.table.uuid
    far = image.size_bytes - block_bytes - -(-128 * 128 // block_bytes) * block_bytes
    assert found.table.end_usable_bytes == far
    assert with_backup_at_end(wanted) == wanted
    assert wanted.read(0, block_bytes) == image.read(0, block_bytes)


def test_sound_or_unrepairable_table_is_unchanged() -> None:
    sound = places(drive(512, *OLD))
    assert with_backup_at_end(sound) == sound
    made = cloned(512)
    made.put(512 + 60, b"\x99")
    assert with_backup_at_end(places(made)) == places(made)


def test_partition_at_the_new_place_is_not_overwritten() -> None:
    made = cloned(512)
    made.gpt((2048, made.last_lba - 5, "all"), backup_lba=8000, last_usable=made.last_lba - 5)
    with pytest.raises(Failed, match="space of the backup GPT"):
        with_backup_at_end(places(made))


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_partition_grows_in_the_same_write_after_the_new_copy(block_bytes: int) -> None:
    image = places(cloned(block_bytes))
    size = image.size_bytes - 2 * MIB - 4096 * block_bytes
    entries = (
        TableEntry(1, 2048 * block_bytes, 2048 * block_bytes, LINUX, "first", kept=True),
        TableEntry(2, 4096 * block_bytes, size // MIB * MIB, LINUX, "second", kept=False),
    )
    wanted = with_changes(WriteTable("/dev/sdz", "gpt", False, entries), image)
    found = reading(wanted)
    assert (found.table.primary, found.table.backup) == ("ok", "ok")
    assert [entry.size_bytes for entry in found.entries] == [entry.size_bytes for entry in entries]
    assert found.entries[0] == reading(image).entries[0]
    order = [offset for offset, _ in in_order("gpt", image, wanted) if offset]
    assert order[0] > image.size_bytes // 2 and order[-1] == block_bytes


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_partition_is_added_behind_the_old_backup(block_bytes: int) -> None:
    image = places(cloned(block_bytes))
    kept = tuple(
        TableEntry(number, first * block_bytes, 2048 * block_bytes, LINUX, name, kept=True)
        for number, (first, _, name) in enumerate(OLD, 1)
    )
    new = TableEntry(3, image.size_bytes // 2 // MIB * MIB, 2 * MIB, LINUX, "third")
    wanted = with_changes(WriteTable("/dev/sdz", "gpt", False, (*kept, new)), image)
    found = reading(wanted)
    assert (found.table.primary, found.table.backup) == ("ok", "ok")
    assert found.entries[:2] == reading(image).entries and len(found.entries) == 3
    order = [offset for offset, _ in in_order("gpt", image, wanted) if offset]
    assert order[0] > image.size_bytes // 2 and order[-1] == block_bytes


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_every_power_cut_leads_to_the_same_table(block_bytes: int) -> None:
    image = places(cloned(block_bytes))
    wanted, half = with_backup_at_end(image), image
    for offset, data in in_order("gpt", image, wanted):
        assert with_backup_at_end(half) == wanted
        half = half.having({offset: data})
    assert half == wanted
