"""Btrfs profiles from images of one to four devices by mkfs.btrfs, and from damaged images."""

import os
import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.daily import SEED, one_in
from wizard.model.said import MIB
from wizard.probe.content.btrfs import MOST_NODES, PROFILES, read_profiles
from wizard.process.program import find

pytestmark = pytest.mark.skipif(not find("mkfs.btrfs"), reason="mkfs.btrfs is not installed")


def images(folder: Path, count: int, *options: str) -> list[Path]:
    """Create a Btrfs on this many files."""
    made = [folder / f"image-{number}" for number in range(count)]
    for image in made:
        with image.open("wb") as file:
            file.truncate(300 * MIB)
    subprocess.run(["mkfs.btrfs", "-q", *options, *map(str, made)], check=True, capture_output=True)
    return made


def profiles(image: Path) -> tuple[str | None, str | None]:
    with image.open("rb") as file:
        return read_profiles(lambda at, size: os.pread(file.fileno(), size, at))


CASES = [
    (*case, node_bytes)
    for case in (
        ("single", "single", 1),
        ("single", "dup", 1),
        ("dup", "dup", 1),
        ("raid0", "raid0", 2),
        ("raid0", "raid1", 3),
        ("raid1", "raid1", 2),
        ("single", "raid1", 3),
        ("raid10", "raid10", 4),
        ("raid5", "raid5", 3),
        ("raid6", "raid6", 4),
        ("raid1c3", "raid1c4", 4),
    )
    for node_bytes in (4096, 16384, 65536)
]


@pytest.mark.parametrize(("data", "metadata", "count", "node_bytes"), one_in(3, CASES))
def test_profiles_are_read_from_a_device_with_the_chunk_tree(
    tmp_path: Path, data: str, metadata: str, count: int, node_bytes: int
) -> None:
    options = ("-s", "4096", "-n", str(node_bytes), "-d", data, "-m", metadata)
    found = list(map(profiles, images(tmp_path, count, *options)))
    assert (data, metadata) in found
    assert set(found) <= {(data, metadata), (None, metadata)}


def test_mixed_block_groups_have_one_profile(tmp_path: Path) -> None:
    made = images(tmp_path, 2, "-M", "-d", "raid1", "-m", "raid1")
    assert set(map(profiles, made)) == {("raid1", "raid1")}


@pytest.mark.parametrize("cut_bytes", [0, 64 * 1024, 64 * 1024 + 900, 2 * MIB])
def test_shortened_image_gives_less_information(tmp_path: Path, cut_bytes: int) -> None:
    (image,) = images(tmp_path, 1, "-d", "single", "-m", "dup")
    os.truncate(image, cut_bytes)
    assert profiles(image) == (None, "dup" if cut_bytes == 2 * MIB else None)


def test_damaged_images_give_known_profiles_and_bounded_reads(tmp_path: Path) -> None:
    made = images(tmp_path, 3, "-d", "raid0", "-m", "raid1")
    with next(image for image in made if profiles(image)[0]).open("rb") as file:
        whole = bytearray(file.read(64 * MIB))
    places: list[tuple[int, int]] = []

    def read(at: int, size: int) -> bytes:
        places.append((at, size))
        return bytes(whole[at : at + size])

    assert read_profiles(read) == ("raid0", "raid1")
    known, draw = list(places), Random(SEED)
    for _ in range(2000):
        at, size = draw.choice(known)
        at += draw.randrange(min(size, 1100))
        damage = draw.choice((bytes(8), b"\xff" * 8, draw.randbytes(4), draw.randbytes(1)))
        sound, whole[at : at + len(damage)] = whole[at : at + len(damage)], damage
        places.clear()
        assert set(read_profiles(read)) <= {None, *PROFILES.values()}
        assert len(places) <= 2 * MOST_NODES and all(size <= 65536 for _, size in places)
        whole[at : at + len(damage)] = sound


@pytest.mark.parametrize("level", [0, 1, 255])
def test_circular_chunk_tree_ends(tmp_path: Path, level: int) -> None:
    (image,) = images(tmp_path, 1, "-m", "single")
    data = bytearray(image.read_bytes()[: 40 * MIB])
    data[64 * 1024 + 199] = level
    address = data[64 * 1024 + 88 : 64 * 1024 + 96]
    node = data.index(address, MIB) - 48
    data[node + 96 : node + 101] = (400).to_bytes(4, "little") + bytes([level])
    for pointer in range(node + 101, node + 101 + 400 * 33, 33):
        data[pointer + 17 : pointer + 25] = address
    reads: list[int] = []

    def read(at: int, size: int) -> bytes:
        reads.append(at)
        return bytes(data[at : at + size])

    assert read_profiles(read)[0] is None and len(reads) <= 2 * MOST_NODES
