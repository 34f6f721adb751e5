"""Changes by libparted that reach the drive, and the drive after a cut at any write."""

import struct
from collections.abc import Callable, Iterator
from itertools import combinations

import pytest

from tests.unit.probe.gptimage import DISK, Image, header
from wizard.apply.table.proof import Image as Places
from wizard.apply.table.proof import in_order, proven
from wizard.model.errors import Failed
from wizard.model.layout import TableEntry
from wizard.model.said import MIB
from wizard.operations.table import WriteTable
from wizard.probe.content.tables import read_gpt, read_table

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
def test_first_sector_of_a_gpt_is_never_written(block_bytes: int) -> None:
    """The first sector has boot code, but no partitions."""
    before, written = drive(block_bytes, *OLD), drive(block_bytes, *NEW)
    written.put(0, b"libparted's own")
    wanted = proven(gpt_table(block_bytes), places(before), places(written))
    assert wanted.read(0, block_bytes) == before.read(0, block_bytes)
    assert wanted.read(block_bytes, MIB) == written.read(block_bytes, MIB - block_bytes)
    assert 0 not in [offset for offset, _ in in_order("gpt", places(before), wanted)]


def _guid(made: Image) -> None:
    """Change the GUID in both copies, with valid checksums."""
    last = made.last_lba
    for entries in (2, last - 32):
        made.put(entries * 512 + 16, b"\1" * 16)
    table = made.read(1024, 128 * 128)
    made.put(512, header(1, last, 34, last - 33, 2, table))
    made.put(last * 512, header(last, 1, 34, last - 33, last - 32, table))


def _checksum(made: Image) -> None:
    """Store an invalid header checksum, as a permitted change; the other copy is valid."""
    made.put(512 + 16, b"\1\2\3\4")


def _name_behind_its_end(made: Image) -> None:
    """Change the name after its terminator, invisible to readers."""
    made.put(2 * 512 + 56 + 60, b"\1")


def _usable(made: Image) -> None:
    made.put(512, header(1, made.last_lba, 40, made.last_lba - 33, 2, made.read(1024, 128 * 128)))


def _disk_guid(made: Image) -> None:
    table = made.read(1024, 128 * 128)
    made.put(
        512,
        header(1, made.last_lba, 34, made.last_lba - 33, 2, table).replace(DISK.bytes_le, bytes(15) + b"\1"),
    )


def _boot_loader(made: Image) -> None:
    made.put(614400, b"\1")


@pytest.mark.parametrize(
    ("harm", "match"),
    [
        (_guid, "partition 1"),
        (_name_behind_its_end, "byte 1024"),
        (_usable, "differs from the plan: byte"),
        (_disk_guid, "differs from the plan: byte"),
        (_checksum, "gpt-copy"),
        (_boot_loader, "byte 614400"),
    ],
)
def test_other_changes_to_a_gpt_are_refused(harm: Callable[[Image], None], match: str) -> None:
    before, written = drive(512, *OLD), drive(512, *NEW)
    harm(written)
    with pytest.raises(Failed, match=match):
        proven(gpt_table(512), places(before), places(written))


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


def mbr(*lines: tuple[int, int, int], chain: tuple[int, int] = (63, 2048)) -> Image:
    """Return a drive with an extended partition in slot 2, which contains a logical one."""
    made = Image(MIB)
    made.mbr((0x83, 64, 64), (0x05, 256, 1024), *lines)
    made.put(0, b"boot code")
    made.put(440, b"\1\2\3\4")
    made.mbr((0x83, *chain), at=256 * 512)
    return made


def mbr_table() -> WriteTable:
    entries = [
        TableEntry(1, 64 * 512, 64 * 512, "0x83", "", kept=True),
        TableEntry(2, 256 * 512, 1024 * 512, "0x05", "", kept=True),
        TableEntry(3, 1280 * 512, 64 * 512, "0x83", ""),
        TableEntry(5, 319 * 512, 512, "0x83", "", kept=True),
    ]
    return WriteTable("/dev/sdz", "mbr", False, tuple(entries))


def whole(made: Image) -> Places:
    return Places(made.size_bytes, 512, ((0, made.read(0, made.size_bytes)),))


def test_only_the_new_line_of_an_mbr_is_used() -> None:
    """This excludes libparted's boot code, disk signature and recalculated cylinders."""
    before, written = mbr(), mbr((0x83, 1280, 64))
    written.put(0, b"other code")
    written.put(440, b"\5\6\7\10")
    written.put(446 + 1, b"\1\1\1")
    written.put(256 * 512 + 446 + 1, b"\1\1\1")
    wanted = proven(mbr_table(), whole(before), whole(written))
    assert [(offset, len(data)) for offset, data in in_order("mbr", whole(before), wanted)] == [(0, 512)]
    new = wanted.read(0, MIB)
    assert new[: 446 + 32] == before.read(0, 446 + 32) and new[446 + 48 :] == before.read(446 + 48, MIB)
    assert struct.unpack_from("<II", new, 446 + 32 + 8) == (1280, 64)
    assert {
        entry.number for entry in read_table(wanted.read, MIB, 512, None, has_signature=False).entries
    } == {1, 2, 3, 5}


@pytest.mark.parametrize(
    ("number", "at", "harm"), [(1, 446 + 4, b"\7"), (1, 446, b"\x80"), (5, 256 * 512 + 446 + 8, b"\x40")]
)
def test_changed_line_or_chain_of_an_mbr_is_refused(number: int, at: int, harm: bytes) -> None:
    before, written = mbr(), mbr((0x83, 1280, 64))
    written.put(at, harm)
    with pytest.raises(Failed, match=f"partition {number}"):
        proven(mbr_table(), whole(before), whole(written))


def test_only_the_table_is_written() -> None:
    before = drive(512, *OLD)
    after = drive(512, *NEW)
    after.put(614400, b"\1")
    with pytest.raises(Failed, match="differs from the plan: byte"):
        in_order("gpt", places(before), places(after))
