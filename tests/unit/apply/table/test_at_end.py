"""A GPT copied from a smaller drive: the backup moves to the end, and nothing else changes."""

import pytest

from tests.unit.apply.table.test_proof import LINUX, OLD, drive, places
from tests.unit.probe.gptimage import Image
from wizard.apply.table.one_entry import with_backup_at_end, with_changes
from wizard.apply.table.proof import Image as Places
from wizard.apply.table.proof import in_order
from wizard.model.errors import Failed
from wizard.model.layout import TableEntry
from wizard.model.said import MIB
from wizard.operations.table import WriteTable
from wizard.probe.content.tables import TableReading, read_table


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
