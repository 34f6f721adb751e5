"""Tests of transactions: the result of a rehearsal without one, and drives that lose power at a chosen
moment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from random import Random
from typing import Generic, Protocol, TypeVar

from wizard.apply.block.extents import Medium
from wizard.apply.conversion.commit import save_change
from wizard.apply.engine.stores import FOLDER, Store, new_file
from wizard.apply.engine.writable_copy import WrittenPages
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.run import Event
from wizard.model.said import Message


def unheard(event: Event, sentence: Message | str, *, output: str = "") -> None:
    """Discard journal entries."""


class PowerCut(Exception):
    """The power was cut: nothing happens after this moment."""


@dataclass
class Power:
    """Power that fails at the moment number `goes_at`, from 0, or never. `moments` counts moments so far.
    Functions in `lost_with_it` are called at the power cut."""

    goes_at: int | None = None
    moments: int = 0
    lost_with_it: list[Callable[[], None]] = field(default_factory=list)

    def moment(self) -> None:
        """Count a moment. Raises PowerCut at the last one."""
        self.moments += 1
        if self.moments - 1 == self.goes_at:
            self.go()

    def go(self) -> None:
        """Cut the power."""
        for lose in self.lost_with_it:
            lose()
        raise PowerCut


class Content(Protocol):
    """Content of a drive, accessed by slices of bytes."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: slice, /) -> bytes | bytearray: ...
    def __setitem__(self, place: slice, data: bytes, /) -> None: ...


Held = TypeVar("Held", bound=Content)


@dataclass
class VolatileDrive(Generic[Held]):
    """A drive with a volatile cache. After a power cut, any subset of unflushed blocks may have reached
    the medium."""

    content: Held
    power: Power
    dice: Random
    logical_block_bytes: int = 512
    cached: list[tuple[int, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.power.lost_with_it.append(self._lose)

    @property
    def size_bytes(self) -> int:
        """Size of the drive."""
        return len(self.content)

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        """Read the latest data, from cache or medium."""
        seen = bytearray(self.content[offset_bytes : offset_bytes + length_bytes])
        for offset, data in self.cached:
            start, end = max(offset, offset_bytes), min(offset + len(data), offset_bytes + length_bytes)
            if start < end:
                seen[start - offset_bytes : end - offset_bytes] = data[start - offset : end - offset]
        return bytes(seen)

    def write(self, offset_bytes: int, data: bytes) -> None:
        """Write to the cache."""
        assert offset_bytes % self.logical_block_bytes == 0 and len(data) % self.logical_block_bytes == 0
        self.cached.append((offset_bytes, data))
        self.power.moment()

    def zero(self, place: Extent) -> None:
        """Write zeros to the cache."""
        self.write(place.start_bytes, bytes(place.size_bytes))

    def flush(self) -> None:
        """Write the whole cache to the medium."""
        self.power.moment()
        for offset, data in self.cached:
            self.content[offset : offset + len(data)] = data
        self.cached.clear()

    def _lose(self) -> None:
        """Cut the power: for each block written since the last flush, choose one of its writes, or none,
        to reach the medium."""
        block = self.logical_block_bytes
        for offset, data in self.cached:
            for at in range(0, len(data), block):
                if self.dice.random() < 0.5:
                    self.content[offset + at : offset + at + block] = data[at : at + block]
        self.cached.clear()


def save_chunks(run: Path, device: str, medium: Medium, chunks: Mapping[int, bytes]) -> None:
    """Save these chunks of 4096 bytes as the result of a rehearsal, in mapping order."""
    (run / FOLDER).mkdir(exist_ok=True)
    with Store(new_file(run, 0), make_bytes=medium.size_bytes) as new:
        pages = WrittenPages(medium, new)
        for number, data in chunks.items():
            pages.write(number * 4096, data)
    save_change(run, device, medium, pages.written(), unheard, lambda share: None)


def differing(old: bytes, new: bytes, chunk_bytes: int = 4096) -> dict[int, bytes]:
    """Return the numbers of chunks that differ between `old` and `new`."""
    return {
        at // chunk_bytes: new[at : at + chunk_bytes]
        for at in range(0, len(new), chunk_bytes)
        if old[at : at + chunk_bytes] != new[at : at + chunk_bytes]
    }


class Fault(Enum):
    """Errors of a drive. LOST, TORN: a write fails after no or some blocks. KEPT, DROPPED: a flush fails,
    and the cache keeps or loses the data. WRONG: a write silently changes its last byte."""

    LOST = "lost"
    TORN = "torn"
    KEPT = "kept"
    DROPPED = "dropped"
    WRONG = "wrong"

    @property
    def of_flush(self) -> bool:
        """True if a flush fails."""
        return self in (Fault.KEPT, Fault.DROPPED)


@dataclass
class ErringDrive(VolatileDrive[bytearray]):
    """A drive with one error, at the write or flush number `errs_at`, from 0."""

    fault: Fault = Fault.LOST
    errs_at: int | None = None
    asked: int = 0

    def write(self, offset_bytes: int, data: bytes) -> None:
        """See `VolatileDrive`."""
        match self._fault(of_flush=False):
            case Fault.WRONG:
                super().write(offset_bytes, data[:-1] + bytes([data[-1] ^ 1]))
            case Fault.LOST:
                raise Failed("It could not be written: Input/output error.")
            case Fault.TORN:
                block = self.logical_block_bytes
                for at in range(0, len(data), block):
                    if self.dice.random() < 0.5:
                        super().write(offset_bytes + at, data[at : at + block])
                raise Failed("It could not be written: Input/output error.")
            case _:
                super().write(offset_bytes, data)

    def flush(self) -> None:
        """See `VolatileDrive`."""
        match self._fault(of_flush=True):
            case Fault.KEPT:
                raise Failed("It did not take what was written: Input/output error.")
            case Fault.DROPPED:
                self.cached = [one for one in self.cached if self.dice.random() < 0.5]
                raise Failed("It did not take what was written: Input/output error.")
            case _:
                super().flush()

    def _fault(self, *, of_flush: bool) -> Fault | None:
        self.asked += 1
        errs = self.asked - 1 == self.errs_at and self.fault.of_flush is of_flush
        return self.fault if errs else None
