"""Corrupted superblocks: no impossible number is shown, and a filesystem that e2fsprogs cannot open is not
converted."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from tests.unit.ext4.extimages import EXT3, facts, made, superblock
from tests.unit.ext4.migrations import EXT3 as OLD
from tests.unit.ext4.migrations import situation
from tests.unit.pages import page_lines
from wizard.cli.changes import prospect_blocks
from wizard.cli.start import page_of
from wizard.ext4.document import MIGRATIONS, make_migration, prospect_of
from wizard.ext4.superblock import START_BYTES, read_ext
from wizard.ext4.ways import against
from wizard.model.errors import BadInput, Refused
from wizard.model.ext import ExtFacts
from wizard.model.said import GIB, MIB
from wizard.plan.changes import Way
from wizard.process.program import run

ROUNDS = 240
YEAR_SECONDS = 365 * 86_400
EDGES = (
    0,
    1,
    2,
    7,
    8,
    31,
    32,
    63,
    64,
    128,
    255,
    256,
    1000,
    1024,
    4096,
    8192,
    32_768,
    65_535,
    65_536,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
)

KINDS = {
    "ext3": EXT3,
    "ext2": ("-t", "ext2", "-b", "4096"),
    "ext4": ("-t", "ext4", "-b", "2048", "-O", "64bit,metadata_csum"),
}


def corrupted(whole: bytes, dice: Random) -> bytes:
    """Return the superblock with one or several fields set to edge values or random ones."""
    block = bytearray(whole)
    for _ in range(dice.choice((1, 1, 2, 5))):
        width = dice.choice((1, 2, 4, 4, 4))
        at = dice.randrange(0, dice.choice((0x70, 0x70, 0x180, 0x400)) - width, width)
        value = dice.choice(
            (
                dice.choice(EDGES),
                dice.getrandbits(32),
                int.from_bytes(block[at : at + width], "little") ^ 1 << dice.randrange(32),
            )
        )
        block[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")
    return bytes(block)


def numbers_of(found: ExtFacts, *, repairs: bool) -> Iterator[float]:
    """Yield all numbers reported about a filesystem. Checks that each conversion's document is read as
    written."""
    looked = situation(found)
    prospect = prospect_of(looked)
    assert not any(
        " -" in line.replace(" - ", " ")
        for line in page_lines(prospect_blocks(prospect), 10_000)
        if "Takes:" in line or "Gains" in line
    )
    for offer in prospect.offers:
        yield from (offer.seconds, offer.room_bytes)
    for way in Way:
        with suppress(Refused, BadInput):
            migration = make_migration(looked, way, repairs=repairs)
            assert page_lines(page_of(migration))
            assert MIGRATIONS.read(MIGRATIONS.render(migration), "the plan") == migration
            yield from (migration.room_bytes, *(step.seconds for step in migration.steps))


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_superblock_gives_no_impossible_number(tmp_path: Path, kind: str) -> None:
    dice, whole = Random(kind), superblock(made(tmp_path, *KINDS[kind]))
    read = [
        found for _ in range(ROUNDS // len(KINDS)) if (found := read_ext(corrupted(whole, dice))) is not None
    ]
    assert len(read) > ROUNDS // len(KINDS) // 4
    for found in read:
        wrong = [
            number
            for number in numbers_of(found, repairs=dice.random() < 0.5)
            if not 0 <= number <= max(YEAR_SECONDS, 4 * found.size_bytes + GIB)
        ]
        assert not wrong, f"{wrong}: {found}"


GEOMETRY = {
    "revision": (0x4C, 4, 2),
    "number of blocks": (0x04, 4, 1),
    "first block": (0x14, 4, 0),
    "size of a block": (0x18, 4, 7),
    "size of a cluster": (0x1C, 4, 1),
    "blocks of a group": (0x20, 4, 8190),
    "clusters of a group": (0x24, 4, 4096),
    "number of inodes": (0x00, 4, 4095),
    "inodes of a group": (0x28, 4, 0),
    "size of an inode": (0x58, 2, 130),
    "first inode": (0x54, 4, 3),
    "kept for root": (0x08, 4, 16_000),
    "kept for growing": (0xCE, 2, 4096),
    "descriptor": (0xFE, 2, 31),
    "groups together": (0x174, 1, 40),
}


@pytest.mark.parametrize("field", GEOMETRY)
def test_inconsistent_superblock_is_rejected_like_e2fsck(tmp_path: Path, field: str) -> None:
    image = made(tmp_path, "-t", "ext3", "-I", "128", "-b", "1024")
    at, width, value = GEOMETRY[field]
    assert facts(image).blocks == 16 * MIB // 1024
    with image.open("r+b") as file:
        file.seek(START_BYTES + at)
        file.write(value.to_bytes(width, "little"))
    assert read_ext(superblock(image)) is None
    told = run(("e2fsck", "-n", str(image)), seconds=60, accept=range(256))
    assert told.status == 8 or "trying backup blocks" in told.output + told.errors


@pytest.mark.parametrize(
    "wrong", [replace(OLD, free_blocks=OLD.blocks + 1), replace(OLD, free_inodes=OLD.inodes + 1)]
)
def test_impossible_free_count_blocks_every_way_that_changes_it(wrong: ExtFacts) -> None:
    looked = situation(wrong)
    for way in (Way.LIGHT, Way.FULL):
        for repairs in (False, True):
            found = against(looked, way, repairs=repairs)
            assert found is not None and found.code == "migrate-counts"
    assert against(looked, Way.MOUNT) is None
