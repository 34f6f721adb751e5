"""A drive in memory that loses, tears and reorders unflushed writes, as in a power cut.

After a cut, each 512-byte sector of a write since the last flush is old or new, in any mixture. With
`garbage`, any touched physical block may contain nonsense.
"""

import mmap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from threading import Lock

SECTOR = 512
BLOCK = 4096
POLICIES = ("none", "all", "half", "few", "most", "last", "first")


class Cut(Exception):
    """A power cut."""


@dataclass
class LossyDrive:
    """A drive with its visible content, its durable content and unflushed writes. `cut_at` is the number
    of the write or flush with the power cut."""

    view: bytearray
    durable: bytearray = field(init=False)
    pending: list[tuple[int, bytes]] = field(default_factory=list)
    arrived: int = 0
    lock: Lock = field(default_factory=Lock)
    events: int = 0
    cut_at: int | None = None

    def __post_init__(self) -> None:
        self.durable = bytearray(self.view)

    def buffer(self, length_bytes: int) -> memoryview:
        return memoryview(mmap.mmap(-1, max(length_bytes, 1)))[:length_bytes]

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        assert offset_bytes % SECTOR == 0 and len(buffer) % SECTOR == 0, (offset_bytes, len(buffer))
        assert offset_bytes >= 0 and offset_bytes + len(buffer) <= len(self.view)
        buffer[:] = self.view[offset_bytes : offset_bytes + len(buffer)]

    def write(self, offset_bytes: int, data: memoryview) -> None:
        assert offset_bytes % SECTOR == 0 and len(data) % SECTOR == 0, (offset_bytes, len(data))
        assert offset_bytes >= 0 and offset_bytes + len(data) <= len(self.view)
        with self.lock:
            self.take(offset_bytes, bytes(data))
        self._tick()

    def take(self, offset_bytes: int, data: bytes) -> None:
        """Record a write, in order even if several threads write."""
        self.pending.append((offset_bytes, data))
        self.view[offset_bytes : offset_bytes + len(data)] = data

    def flush(self) -> None:
        self.flushing()()

    def flushing(self) -> Callable[[], None]:
        with self.lock:
            asked = self.arrived + len(self.pending)

        def wait() -> None:
            self._tick()
            with self.lock:
                self.arrive(asked)

        return wait

    def arrive(self, count: int) -> None:
        """Make the first `count` writes durable."""
        new = max(0, count - self.arrived)
        for offset, data in self.pending[:new]:
            self.durable[offset : offset + len(data)] = data
        del self.pending[:new]
        self.arrived += new

    def _tick(self) -> None:
        self.events += 1
        if self.cut_at is not None and self.events >= self.cut_at:
            raise Cut

    def after_cut(self, random: Random, policy: str, garbage: float) -> "LossyDrive":
        """Return the drive after power returns."""
        left, touched = bytearray(self.durable), set()
        for number, (offset, data) in enumerate(self.pending):
            kept = {
                "none": 0.0,
                "all": 1.0,
                "half": 0.5,
                "few": 0.1,
                "most": 0.9,
                "last": float(number == len(self.pending) - 1),
                "first": float(number == 0),
            }[policy]
            for at in range(0, len(data), SECTOR):
                touched.add((offset + at) // BLOCK)
                if random.random() < kept:
                    left[offset + at : offset + at + SECTOR] = data[at : at + SECTOR]
        for block in sorted(touched):
            if garbage and random.random() < garbage:
                left[block * BLOCK : (block + 1) * BLOCK] = random.randbytes(BLOCK)
        return LossyDrive(left)


@dataclass
class Recorded:
    """The writes and flushes of a drive from a base state, to derive the state of a cut at each."""

    base: bytes
    events: list[tuple[int, bytes] | int] = field(default_factory=list)
    """What was written where; or how many writes a flush brought to the medium."""

    def cuts(self) -> Iterator[LossyDrive]:
        """Yield the drive after every write and flush, before the next one."""
        drive = LossyDrive(bytearray(self.base))
        for event in self.events:
            if isinstance(event, int):
                # A cut at a flush: the drive was asked, and has not answered.
                yield _copy(drive)
                drive.arrive(event)
            else:
                drive.write(event[0], memoryview(event[1]))
                yield _copy(drive)


def _copy(drive: LossyDrive) -> LossyDrive:
    other = LossyDrive(drive.view)
    other.durable, other.pending = bytearray(drive.durable), [*drive.pending]
    other.arrived = drive.arrived
    return other


class RecordingDrive(LossyDrive):
    """A drive that records every write and flush."""

    def __init__(self, data: bytes) -> None:
        super().__init__(bytearray(data))
        self.recorded = Recorded(data)

    def take(self, offset_bytes: int, data: bytes) -> None:
        self.recorded.events.append((offset_bytes, data))
        super().take(offset_bytes, data)

    def arrive(self, count: int) -> None:
        self.recorded.events.append(count)
        super().arrive(count)
