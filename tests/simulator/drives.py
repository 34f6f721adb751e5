"""Drives in memory: only the blocks that a job may change, with a guard area around them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from tests.exchanging import Power, VolatileDrive
from tests.simulator.jobs import Blocks, Part


@dataclass
class Sparse:
    """Bytes at the places of a change. Writes elsewhere fail."""

    size_bytes: int
    block_bytes: int
    before: Mapping[int, bytes]
    written: Blocks = field(default_factory=dict)

    def __len__(self) -> int:
        return self.size_bytes

    def block(self, number: int) -> bytes:
        return self.written.get(number) or self.before.get(number) or bytes(self.block_bytes)

    def __getitem__(self, place: slice) -> bytes:
        size = self.block_bytes
        return b"".join(self.block(number) for number in range(place.start // size, -(-place.stop // size)))

    def __setitem__(self, place: slice, data: bytes) -> None:
        size = self.block_bytes
        for at in range(0, len(data), size):
            number = place.start // size + at // size
            assert number in self.before, f"byte {number * size} is no part of the change, and was written"
            self.written[number] = bytes(data[at : at + size])


@dataclass
class SimulatedDrive(VolatileDrive[Sparse]):
    """A drive of a job. Stores only written blocks."""

    @classmethod
    def of(cls, part: Part, power: Power, dice: Random, written: Blocks | None = None) -> "SimulatedDrive":
        content = Sparse(part.change.size_bytes, part.block_bytes, part.old, dict(written or {}))
        return cls(content, power, dice, part.block_bytes)
