"""The sample of a drive that must be empty."""

from itertools import pairwise

import pytest

from tests.unit.plan.raid.stripes import Kind, numbered, striped
from wizard.apply.engine.changes import SAMPLES, sample_of, zeros_wanted
from wizard.apply.engine.survey import first_data
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import GIB, MIB, TIB


@pytest.mark.parametrize("block", [512, 4096])
@pytest.mark.parametrize("size", [GIB, 256 * GIB + 512 * 7 * 4096, 22 * TIB])
def test_sample_covers_every_256th_of_the_drive(size: int, block: int) -> None:
    sample = sample_of(size, block)
    assert sample[0].start_bytes == 0 and sample[-1].end_bytes == size
    assert all(one.start_bytes % block == one.size_bytes % block == 0 for one in sample)
    assert max(after.start_bytes - one.end_bytes for one, after in pairwise(sample)) < size / SAMPLES
    assert sum(one.size_bytes for one in sample) <= 67 * MIB


def test_small_drive_is_read_completely() -> None:
    assert sample_of(64 * MIB, 512) == (Extent(0, 64 * MIB),)
    assert sample_of(300 * 1024, 512) == (Extent(0, 300 * 1024),)


class Drive:
    """A drive of zeros except for one block, which may be unreadable."""

    size_bytes, logical_block_bytes = GIB, 512

    def __init__(self, at: int, block: bytes) -> None:
        self.at, self.block = at, block

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        data = bytearray(length_bytes)
        if offset_bytes <= self.at < offset_bytes + length_bytes:
            if not self.block:
                raise Failed("Input/output error.")
            data[self.at - offset_bytes : self.at - offset_bytes + 512] = self.block
        return bytes(data)

    def write(self, offset_bytes: int, data: bytes) -> None:
        raise AssertionError("it only reads")

    def flush(self) -> None:
        raise AssertionError("it only reads")


@pytest.mark.parametrize("place", [0, 100, -1])
def test_one_byte_in_the_sample_is_found(place: int) -> None:
    sample = sample_of(GIB, 512)
    at = sample[place].end_bytes - 512
    assert first_data(Drive(at, bytes(512)).read, sample) is None
    assert first_data(Drive(at, bytes(511) + b"x").read, sample) == at + 511


def test_unreadable_drive_is_not_empty() -> None:
    sample = sample_of(GIB, 512)
    assert first_data(Drive(sample[100].start_bytes, b"").read, sample) is not None


@pytest.mark.parametrize(
    ("kind", "size", "wanted"),
    [
        ("btrfs", TIB, "a sample"),
        ("md", TIB, "nothing is enough"),
        ("md", GIB, "all"),
    ],
)
def test_drive_that_md_copies_over_is_read_completely(kind: Kind, size: int, wanted: str) -> None:
    """md's initial copy would destroy data outside the sample."""
    plan = striped(numbered(2, size_bytes=size), kind, level="raid1")
    sample = sample_of(size, 512)
    first, second = (zeros_wanted(plan, member) for member in plan.members)
    assert first == sample
    assert second == {"a sample": sample, "nothing is enough": (), "all": (Extent(0, size),)}[wanted]
