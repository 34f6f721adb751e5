"""Mechanics of a hard disk with a simulated clock: seeks, rotation, zones, overhead, other programs, and a
volatile cache. All other drives derive from this plain conventional one.

Each drive draws its parameters from its seed, so all drives differ.
"""

from collections import OrderedDict
from math import sqrt
from random import Random

from wizard.model.said import KIB, MIB

BLOCK = 4096
LINE = 64 * KIB
"""The cache's grain."""

FEW_TRACKS = 64
TB = 10**12


class Plain:
    """A conventional drive that honours flushes. Times are seconds; `now` is its clock."""

    name = "plain"
    shingled = False

    def __init__(self, seed: int) -> None:
        random = self.random = Random(f"{type(self).__name__} {seed}")
        self.now = 0.0
        self.size_bytes = int(random.choice([0.5, 1, 2, 3, 4, 6, 8, 12, 16]) * TB) // MIB * MIB
        rpm = random.choice([5400, 5400, 5640, 5900, 7200, 7200])
        self.turn = 60 / rpm
        small = random.random() < 0.3
        self.settle = random.uniform(0.0006, 0.0016)
        self.full_seek = random.uniform(0.014, 0.020) * (1.3 if small else 1)
        self.write_settle = random.uniform(0.0002, 0.0010)
        self.track_bytes = int(random.uniform(0.9, 2.2) * MIB * sqrt(5400 / rpm))
        on_sata = random.random() < 0.7
        self.overhead = random.uniform(0.00008, 0.0003) if on_sata else random.uniform(0.0003, 0.0009)
        self.jitter = random.uniform(0.006, 0.03)
        self.others = random.choice([0, 0, 0, 0.01, 0.03, 0.08])
        self.hiccups = random.choice([0, 0.0005, 0.003])
        self.cache_bytes = random.choice([8, 16, 64, 128, 256, 256, 512]) * MIB
        self.ahead_bytes = random.choice([128, 256, 512, 1024]) * KIB
        self.keeps_writes = random.random() < 0.5
        self.head = 0
        self._lines: OrderedDict[int, None] = OrderedDict()
        self.set_up()

    def set_up(self) -> None:
        """Draw further parameters of a class."""

    # What a host sees.

    def read(self, start: int) -> float:
        """Read one block."""
        begun = self.now
        self.wait_for_others()
        if not self.is_cached(start):
            self.read_media(start)
        return (self.now - begun) * self.random.lognormvariate(0, self.jitter)

    def write(self, start: int) -> float:
        """Write one block and wait until the drive reports it durable."""
        begun = self.now
        self.wait_for_others()
        self.write_media(start)
        if self.keeps_writes:
            self.keep(start, BLOCK)
        return self.now - begun

    def stream(self, start: int, size: int) -> None:
        """Read a long range, of which only the end stays in the cache."""
        self.move(start, size)
        last = min(size, self.cache_bytes + MIB)
        self.keep(start + size - last, last)

    def idle(self, seconds: float) -> None:
        """Let the drive rest."""
        self.now += seconds

    # What kinds change.

    def read_media(self, start: int) -> None:
        """Read uncached blocks, often with the blocks after them."""
        self.move(self.place_of(start), BLOCK)
        self.keep(start, BLOCK + (self.ahead_bytes if self.random.random() < 0.7 else 0))

    def write_media(self, start: int) -> None:
        """Write to the final place."""
        self.move(start, BLOCK, writes=True)

    def place_of(self, start: int) -> int:
        """Return the place of a block on the platters."""
        return start

    # Mechanics.

    def move(self, place: int, size: int, *, writes: bool = False) -> None:
        """Seek, wait for the rotation, transfer."""
        length, track, angle = self._where(place)
        _, from_track, _ = self._where(self.head)
        if track != from_track:
            self.now += self._seek(abs(track - from_track), abs(place - self.head) / self.size_bytes)
        if writes:
            self.now += self.write_settle
        self.now += ((angle - self.now / self.turn) % 1.0) * self.turn
        self.now += size / length * self.turn
        self.head = min(place + size, self.size_bytes - 1)

    def _seek(self, tracks: int, part: float) -> float:
        if tracks < FEW_TRACKS:
            return self.settle
        return self.settle + (self.full_seek - self.settle) * (0.75 * sqrt(part) + 0.25 * part)

    def _where(self, place: int) -> tuple[float, int, float]:
        """Return the track's length, number and angle. Outer tracks have twice the length of inner ones."""
        length = self.track_bytes * (1 - 0.5 * place / self.size_bytes)
        track = int(place / length)
        return length, track, (place % length) / length + 0.17 * track

    def wait_for_others(self) -> None:
        """The host's overhead, other programs' requests, and stalls of the machine."""
        random = self.random
        self.now += self.overhead * random.lognormvariate(0, 0.3)
        if random.random() < self.others:
            self.move(random.randrange(self.size_bytes // BLOCK) * BLOCK, LINE)
        if random.random() < self.hiccups:
            self.now += random.uniform(0.03, 0.4)

    # The volatile cache: what was used last stays.

    def keep(self, start: int, size: int) -> None:
        """Add to the cache."""
        for line in range(start // LINE, (start + size - 1) // LINE + 1):
            self._lines[line] = None
            self._lines.move_to_end(line)
        while len(self._lines) * LINE > self.cache_bytes:
            self._lines.popitem(last=False)

    def is_cached(self, start: int) -> bool:
        """Return True if a block is cached. A block is within one cache line."""
        return start // LINE in self._lines
