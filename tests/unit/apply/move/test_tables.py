"""A table before, during and after the move of one partition, and after a cut at any write."""

import dataclasses
import json
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.apply.move.movetables import LAYOUTS, MBR, SECTOR, Disk, Layout, made, torn, util_linux
from wizard.apply.move.table_images import TableImages, TablePiece, table_images
from wizard.filesystems import partition_types
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent, Partition
from wizard.probe.content.tables import read_copy
from wizard.process.program import run

pytestmark = util_linux
WAYS = (("old", "moving"), ("moving", "new"), ("new", "moving"), ("moving", "old"))
Tables = dict[str, tuple[frozenset[Partition], frozenset[str]]]


@pytest.fixture(params=LAYOUTS)
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Disk:
    return Disk(tmp_path / "x", LAYOUTS[request.param])


def pieces(images: TableImages, state: str) -> tuple[TablePiece, ...]:
    return {"old": images.old, "moving": images.moving, "new": images.new}[state]


def tables(disk: Disk, images: TableImages) -> Tables:
    """Return each state as read by diskwright and libblkid. Leaves the drive in the old state."""
    found = {}
    for state in ("moving", "new", "old"):
        disk.put(pieces(images, state))
        found[state] = disk.entries(), disk.listed()
    return found


def test_only_the_wanted_entry_changes(disk: Disk) -> None:
    layout = disk.layout
    before = disk.entries()
    (entry,) = (one for one in before if one.number == layout.number)
    span, after = layout.extent(layout.span), layout.extent(layout.after)
    moving_type = partition_types.MOVING_GPT if layout.is_gpt else partition_types.MOVING_MBR
    wanted = {
        "moving": replace(entry, start_bytes=span.start_bytes, size_bytes=span.size_bytes, type=moving_type),
        "new": replace(entry, start_bytes=after.start_bytes, size_bytes=after.size_bytes),
        "old": entry,
    }
    images = disk.images()
    whole = disk.read(0, layout.size_bytes)
    for state, (entries, listed) in tables(disk, images).items():
        assert entries == before - {entry} | {wanted[state]}
        fields = {f'NR="{layout.number}"', f'START="{wanted[state].start_bytes // SECTOR}"'}
        (row,) = (row for row in listed if f'NR="{layout.number}" ' in row)
        assert fields <= set(row.split()) and len(listed) == len(before)
    assert disk.read(0, layout.size_bytes) == whole


def may_change(disk: Disk) -> Iterator[int]:
    """Yield the bytes of the partition's position and type, and of a GPT's checksums."""
    layout, number = disk.layout, disk.layout.number
    block = layout.block_bytes
    last = layout.size_bytes // block - 1
    for lba in (1, last) if layout.is_gpt else ():
        copy = read_copy(disk.read, lba, last, block)
        assert copy
        entry, header = copy.entries_lba * block + 128 * (number - 1), lba * block
        for at, length in ((entry, 16), (entry + 32, 16), (header + 16, 4), (header + 88, 4)):
            yield from range(at, at + length)
    if not layout.is_gpt:
        records = {5: 12000 if block == SECTOR else 2048, 6: 20062}
        line = records[number] * block + 446 if number > 4 else 446 + 16 * (number - 1)
        yield from range(line + 1, line + 16)


def test_all_other_bytes_are_unchanged_and_writes_are_whole_blocks(disk: Disk) -> None:
    layout = disk.layout
    images, whole, allowed = disk.images(), disk.read(0, layout.size_bytes), set(may_change(disk))
    for state in ("moving", "new"):
        for piece in pieces(images, state):
            end = piece.offset_bytes + len(piece.data)
            assert piece.offset_bytes % layout.physical_bytes == 0
            assert end % layout.physical_bytes == 0 or end == layout.size_bytes
            old = whole[piece.offset_bytes :][: len(piece.data)]
            changed = [at for at, (one, two) in enumerate(zip(old, piece.data, strict=True)) if one != two]
            assert {piece.offset_bytes + at for at in changed} <= allowed
    assert {(piece.offset_bytes, len(piece.data)) for piece in images.moving} == {
        (piece.offset_bytes, len(piece.data)) for piece in images.new
    }
    assert [piece.offset_bytes for piece in images.old] == [piece.offset_bytes for piece in images.new]


def test_writes_are_as_few_as_possible(tmp_path: Path) -> None:
    """A header and entry need one write if they are adjacent or share a physical block."""
    counts = {name: len(made(tmp_path, name).images().new) for name in LAYOUTS if name.startswith("gpt")}
    assert counts == {
        "gpt": 3,
        "gpt-512e": 3,
        "gpt-512e-entry-apart": 4,
        "gpt-512e-copy-together": 3,
        "gpt-512e-odd-end": 3,
        "gpt-4096": 3,
    }


@pytest.mark.parametrize("name", ["gpt", "gpt-512e-entry-apart", "mbr", "logical"])
def test_sfdisk_and_blkid_agree(tmp_path: Path, name: str) -> None:
    disk = made(tmp_path, name)
    layout = disk.layout
    old, identity = told(disk)
    images = disk.images()
    for state, (start, size) in (("moving", layout.span), ("new", layout.after)):
        disk.put(pieces(images, state))
        new, after = told(disk)
        assert after == identity
        for node, row in new.items():
            wanted = dict(old[node])
            if node.endswith(f"x{layout.number}"):
                wanted |= {"start": start, "size": size}
                wanted["type"] = row["type"] if state == "moving" else wanted["type"]
                assert (row["type"] != old[node]["type"]) is (state == "moving")
            assert row == wanted
        said = run(["sfdisk", "--verify", str(disk.path)], seconds=20)
        assert "No errors detected." in said.output, said


def told(disk: Disk) -> tuple[dict[str, dict[str, object]], tuple[object, ...]]:
    """Return sfdisk's partitions, and the table's identity according to sfdisk and libblkid."""
    table = json.loads(run(["sfdisk", "--json", str(disk.path)], seconds=20).output)["partitiontable"]
    found = run(["blkid", "--probe", str(disk.path)], seconds=20).output
    return {row["node"]: row for row in table.pop("partitions")}, (json.dumps(table), found)


@pytest.mark.parametrize(
    ("name", "old", "new", "records"),
    [
        ("mbr", "start=63, size=2000", "start=2048, size=2000", (0,)),
        ("logical-512e", "start=12063, size=2000", "start=12288, size=2000", (0, 12000)),
    ],
)
def test_mbr_equals_the_one_of_sfdisk(
    tmp_path: Path, name: str, old: str, new: str, records: tuple[int, ...]
) -> None:
    """This includes cylinders, heads and sectors."""
    disk = made(tmp_path, name)
    assert isinstance(disk.layout.made, str)
    theirs = Disk(
        tmp_path / "theirs", dataclasses.replace(disk.layout, made=disk.layout.made.replace(old, new))
    )
    disk.put(disk.images().new)
    for record in records:
        place = record * SECTOR + 440, 72
        assert disk.read(*place) == theirs.read(*place)


def test_far_starts_use_the_overflow_value(tmp_path: Path) -> None:
    """Cylinder 1024 starts at block 16450560. The drive of 16 GiB is a hole."""
    disk = made(tmp_path, Layout(f"{MBR}start=63, size=2000, type=7\n", 1, (63, 9937), (2048, 2000)))
    far = Extent(16450560 * SECTOR, 2000 * SECTOR)
    span = Extent(63 * SECTOR, far.end_bytes - 63 * SECTOR)
    images = table_images(disk.read, 1 << 34, Geometry(SECTOR, SECTOR, 0, 0, 0), 1, span, far)
    (moving,), (new,) = images.moving, images.new
    assert moving.data[446:462] == bytes.fromhex("00 010100 da feffff") + struct.pack(
        "<II", 63, span.size_bytes // SECTOR
    )
    assert new.data[446:462] == bytes.fromhex("00 feffff 07 feffff") + struct.pack("<II", 16450560, 2000)


def test_every_power_cut_leaves_the_old_or_new_table(disk: Disk) -> None:
    images = disk.images()
    found = tables(disk, images)
    states = 0
    for start, end in WAYS:
        disk.put(pieces(images, start))
        for piece in pieces(images, end):
            for data, lost in torn(disk, piece):
                disk.write(piece.offset_bytes, data)
                check(disk, found, (start, end), lost)
                states += 1
            disk.write(piece.offset_bytes, piece.data)
        assert (disk.entries(), disk.listed()) == found[end]
    assert states >= 8


def check(disk: Disk, found: Tables, way: tuple[str, str], lost: bool) -> None:
    """Check that both readers see one of the two tables. With a lost physical block, libblkid may see
    none, and an MBR may lack the entries of that block."""
    for reader, seen in enumerate((disk.entries(), disk.listed())):
        one, other = (found[state][reader] for state in way)
        if not lost:
            assert seen in (one, other)
        elif not disk.layout.is_gpt:
            assert seen <= one or seen <= other
        else:
            assert seen in (one, other) or (reader == 1 and not seen)
    if disk.layout.is_gpt and not first_copy_is_sound(disk):
        assert disk.entries() == found["moving"][0], "the journal would not be found"


def first_copy_is_sound(disk: Disk) -> bool:
    block = disk.layout.block_bytes
    copy = read_copy(disk.read, 1, disk.layout.size_bytes // block - 1, block)
    return copy is not None and copy.sound


def left(disk: Disk, images: TableImages, end: str, careful: bool) -> Iterator[TablePiece]:
    """Yield the writes after a cut: the damaged copy first, and only differing bytes. Without `careful`,
    all of them in normal order."""
    border = disk.layout.extent(disk.layout.span).start_bytes
    sides = (True, False) if not careful or not first_copy_is_sound(disk) else (False, True)
    ordered = pieces(images, end)
    if careful:
        ordered = tuple(piece for side in sides for piece in ordered if (piece.offset_bytes < border) is side)
    for piece in ordered:
        if not careful or disk.read(piece.offset_bytes, len(piece.data)) != piece.data:
            yield piece


def cut_twice(disk: Disk, careful: bool) -> Iterator[bool]:
    """Yield, for each pair of cuts, True if the table is complete. The second cut is during the repair."""
    images = disk.images()
    found = tables(disk, images)
    for start, end in WAYS:
        disk.put(pieces(images, start))
        for piece in pieces(images, end):
            for data, _ in torn(disk, piece):
                disk.write(piece.offset_bytes, data)
                first = [(one.offset_bytes, disk.read(one.offset_bytes, len(one.data))) for one in images.old]
                for again in [*left(disk, images, end, careful)]:
                    for more, _ in torn(disk, again):
                        disk.write(again.offset_bytes, more)
                        yield disk.entries() in (found[start][0], found[end][0])
                    disk.write(again.offset_bytes, again.data)
                if careful:
                    assert disk.entries() == found[end][0]
                for place, was in first:
                    disk.write(place, was)
            disk.write(piece.offset_bytes, piece.data)


@pytest.mark.parametrize("name", ["gpt-512e", "gpt-512e-entry-apart", "gpt-4096"])
def test_second_power_cut_is_safe_after_repairing_the_copy(tmp_path: Path, name: str) -> None:
    assert all(cut_twice(made(tmp_path, name), careful=True))
    assert not all(cut_twice(made(tmp_path, name), careful=False))
