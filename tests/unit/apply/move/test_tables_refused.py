"""Unsupported tables, and places that a partition cannot move to."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.apply.move.movetables import (
    GPT,
    LAYOUTS,
    MBR,
    PRIMARY,
    SECTOR,
    SIZE,
    Disk,
    Layout,
    made,
    odd_record,
    sfdisk,
    util_linux,
)
from wizard.apply.move.table_images import table_images
from wizard.model.errors import Refused
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent

pytestmark = util_linux


def _header_of_copy(disk: Disk) -> None:
    disk.write(SIZE - SECTOR + 16, b"1234")


def _first_header(disk: Disk) -> None:
    disk.write(SECTOR + 16, b"1234")


def _other_entries(disk: Disk) -> None:
    """Give both copies valid but different entries."""
    last = disk.read(SIZE - 33 * SECTOR, 33 * SECTOR)
    sfdisk(disk.path, GPT + "x1 : start=2048, size=2048\nx2 : start=5001, size=2000\n")
    disk.write(SIZE - 33 * SECTOR, last)


def _no_protective(disk: Disk) -> None:
    disk.write(446, bytes(64))


def _hybrid(disk: Disk) -> None:
    disk.write(462, struct.pack("<B3sB3sII", 0, bytes(3), 0x83, bytes(3), 5001, 2000))


def _dynamic(disk: Disk) -> None:
    sfdisk(disk.path, GPT + "x2 : start=5001, size=2000, type=AF9B60A0-1431-4F62-BC68-3311714A69AD\n")


def _chain_returns(disk: Disk) -> None:
    disk.write(20062 * SECTOR + 462, struct.pack("<B3sB3sII", 0, bytes(3), 5, bytes(3), 0, 2000))


def _no_table(disk: Disk) -> None:
    disk.write(0, bytes(SECTOR))


@pytest.mark.parametrize(
    ("name", "harm", "says"),
    [
        ("gpt", _header_of_copy, "two equal copies"),
        ("gpt", _first_header, "two equal copies"),
        ("gpt", _other_entries, "two equal copies"),
        ("gpt", _no_protective, "a protective MBR"),
        ("gpt", _hybrid, "moves: hybrid"),
        ("gpt", _dynamic, "LDM"),
        ("logical", _chain_returns, "not read completely"),
        ("mbr", _no_table, "does not support moves: none"),
    ],
)
def test_unsound_table_is_refused(tmp_path: Path, name: str, harm: Callable[[Disk], None], says: str) -> None:
    disk = made(tmp_path, name)
    assert disk.images()
    harm(disk)
    with pytest.raises(Refused, match=says):
        disk.images()


def blocks(start: int, end: int) -> Extent:
    return Extent(start * SECTOR, (end - start) * SECTOR)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("gpt", blocks(4096, 20480), blocks(4096, 20481)),
        ("gpt", blocks(4096, 20480), blocks(4095, 20480)),
        ("mbr", blocks(1, 10000), blocks(0, 10000)),
        ("logical-512e", blocks(12008, 20062), blocks(12000, 20062)),
        ("logical-512e", blocks(12008, 20062), blocks(12008, 20063)),
        ("logical-512e", blocks(12008, 20062), blocks(12008, 20064)),
        ("logical", blocks(20063, 32000), blocks(20063, 32001)),
    ],
)
def test_room_for_a_move_is_free(tmp_path: Path, name: str, good: Extent, bad: Extent) -> None:
    disk = made(tmp_path, name)
    assert disk.images(span=good)
    with pytest.raises(Refused, match="is not free"):
        disk.images(span=bad)


def test_room_ends_before_the_backup_gpt(tmp_path: Path) -> None:
    disk = made(tmp_path, Layout(GPT + "start=5001, size=2000\n", 1, (4096, 8192), (6144, 2000)))
    last = SIZE // SECTOR - 34
    assert disk.images(span=blocks(2048, last + 1))
    with pytest.raises(Refused, match="is not free"):
        disk.images(span=blocks(2048, last + 2))


@pytest.mark.parametrize(
    ("name", "number", "says"),
    [
        ("gpt", 3, "no movable partition 3"),
        ("logical", 7, "no movable partition 7"),
        ("logical", 2, "no movable partition 2"),
    ],
)
def test_only_a_partition_moves(tmp_path: Path, name: str, number: int, says: str) -> None:
    with pytest.raises(Refused, match=says):
        made(tmp_path, name).images(number=number)


def test_line_doubted_by_the_kernel_is_refused(tmp_path: Path) -> None:
    """The kernel accepts slots three and four only within the range of their link."""
    move = (2111, 9000), (4096, 2000)
    disk = made(tmp_path, Layout(odd_record(), 5, *move, is_gpt=False))
    assert len(disk.entries()) == 2
    with pytest.raises(Refused, match="unusual slot"):
        disk.images()


def test_mbr_is_limited_to_32_bits(tmp_path: Path) -> None:
    disk = made(tmp_path, Layout(f"{MBR}start=63, size=2000, type=7\n", 1, (63, 9937), (2048, 2000)))
    end = (1 << 32) * SECTOR
    span, after = blocks(63, 1 << 32), Extent(end - 2000 * SECTOR, 2000 * SECTOR)
    images = table_images(disk.read, 2 * end, Geometry(SECTOR, SECTOR, 0, 0, 0), 1, span, after)
    assert struct.unpack_from("<II", images.new[0].data, 454) == ((1 << 32) - 2000, 2000)
    with pytest.raises(Refused, match="32-bit block numbers"):
        table_images(
            disk.read, 2 * end, Geometry(SECTOR, SECTOR, 0, 0, 0), 1, blocks(63, (1 << 32) + 1), after
        )


@pytest.mark.parametrize(
    ("layout", "number"),
    [
        # The last partition ends in the physical block in which the copy's first entries begin.
        (
            Layout(
                GPT + "x1 : start=5001, size=2000\nx2 : start=20480, size=12255\n",
                1,
                (4096, 8192),
                (6144, 2000),
            ),
            2,
        ),
        # sfdisk has put the record right before the partition that it states.
        (LAYOUTS["logical"], 6),
        (Layout(PRIMARY.replace("start=63", "start=7"), 1, (7, 9000), (2048, 2000), is_gpt=False), 1),
    ],
)
def test_physical_block_with_content_is_refused_and_named(
    tmp_path: Path, layout: Layout, number: int
) -> None:
    disk = made(tmp_path, layout)
    assert disk.images(physical=SECTOR)
    with pytest.raises(Refused, match=f"data of partition {number}\\. A power cut"):
        disk.images(physical=4096)


def test_span_must_contain_both_places(tmp_path: Path) -> None:
    disk = made(tmp_path, "gpt")
    for span in (blocks(5002, 20480), blocks(4096, 8143), Extent(5001 * SECTOR - 1, 3150 * SECTOR)):
        with pytest.raises(ValueError, match=r"span|whole"):
            disk.images(span=span)
