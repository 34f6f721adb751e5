"""Time costs of requests to a hard disk, conventional or drive-managed shingled, in seconds. Pure.

One actuator serves requests in order. A request that continues the last one costs only its transfer. Others
cost a seek and half a revolution. A partial write of a physical block costs one more revolution, because the
block is read first.

A shingled drive stores out-of-order writes in a media cache at its end, each physical block once, in the
order of writing. Reads find them there until they move to their band. Sequential writes go directly to the
band. When the cache is full, further writes rewrite their band, which also removes the band's blocks from the
cache. An idle drive rewrites bands by itself.
"""

from collections import OrderedDict
from dataclasses import dataclass, field

KIB = 1024
MIB = 1024 * KIB

TURN_SECONDS = 60 / 7200
SETTLE_SECONDS = 0.001
LONGEST_SEEK_SECONDS = 0.008
BYTES_PER_SECOND = 80e6
LONG_WRITE_BYTES = 128 * KIB
"""Of this length a write begins a stream by itself, as does one that goes on where the last one ended. The
guest's kernel cuts longer writes into several."""
NEAR_BYTES = 4 * MIB
"""Requests that were sent together may come in another order."""
STREAMS = 8
CACHE_WRITE_SECONDS = 0.004
IDLE_SECONDS = 2.0
"""Left alone for so long, a shingled drive begins to clean."""


@dataclass
class Platters:
    """Mechanics of a drive and their state. `now`: seconds of any monotonic clock."""

    size_bytes: int
    physical_block_bytes: int = 4096
    shingled: bool = False
    cache_bytes: int = 64 * MIB
    band_bytes: int = 16 * MIB
    cached_blocks: "OrderedDict[int, dict[int, int]]" = field(default_factory=OrderedDict)
    """By band, the one that has waited longest first; where in the cache each block lies."""
    _cache_end: int = 0
    _position: int = 0
    _last_end: int = -1
    """Of the last write, wherever it went."""
    _streams: "list[int]" = field(default_factory=list)
    _free_at: float = 0.0

    @property
    def used_bytes(self) -> int:
        """Used part of the media cache."""
        return sum(map(len, self.cached_blocks.values())) * self.physical_block_bytes

    def serve(self, now: float, cost: float) -> float:
        """Return the time at which a request that arrives at `now` with this cost is done."""
        self._free_at = max(now, self._free_at) + cost
        return self._free_at

    def read(self, now: float, start: int, size: int) -> float:
        """Return the cost of a read in seconds."""
        self._clean_when_idle(now)
        place = self.place_of(start)
        cost = self._move_to(place) + size / BYTES_PER_SECOND
        self._position = place + size
        return cost

    def place_of(self, start: int) -> int:
        """Return where the head finds the data: in the media cache or in its band."""
        block = start // self.physical_block_bytes
        return self.cached_blocks.get(self._band(block), {}).get(block, start)

    def write(self, now: float, start: int, size: int) -> float:
        """Return the cost of a write in seconds."""
        self._clean_when_idle(now)
        block = self.physical_block_bytes
        cost = size / BYTES_PER_SECOND + (TURN_SECONDS if start % block or size % block else 0.0)
        if not self.shingled:
            cost += self._move_to(start)
            self._position = start + size
            return cost
        blocks = range(start // block, -(-(start + size) // block))
        stream = next((end for end in self._streams if abs(start - end) <= NEAR_BYTES), None)
        goes_on, self._last_end = start == self._last_end, start + size
        if stream is None and size < LONG_WRITE_BYTES and not goes_on:
            return cost + self._write_out_of_order(blocks)
        if stream is not None:
            self._streams.remove(stream)
        self._streams = [max(start + size, stream or 0), *self._streams[: STREAMS - 1]]
        cost += 0.0 if abs(start - self._position) <= NEAR_BYTES else self._move_to(start)
        self._position = start + size
        self._forget(blocks)
        return cost

    def trim(self, start: int, size: int) -> None:
        """Remove blocks that are entirely inside from the cache."""
        block = self.physical_block_bytes
        self._forget(range(-(-start // block), (start + size) // block))

    def _move_to(self, start: int) -> float:
        distance = abs(start - self._position)
        if distance == 0:
            return 0.0
        seek = SETTLE_SECONDS + (LONGEST_SEEK_SECONDS - SETTLE_SECONDS) * min(
            1.0, 0.3 + (distance / self.size_bytes) ** 0.5
        )
        return (SETTLE_SECONDS if distance <= NEAR_BYTES else seek) + TURN_SECONDS / 2

    def _write_out_of_order(self, blocks: range) -> float:
        cost = CACHE_WRITE_SECONDS
        room = (self.cache_bytes - self.used_bytes) // self.physical_block_bytes
        for band in dict.fromkeys(self._band(block) for block in blocks):
            mine = {block for block in blocks if self._band(block) == band}
            new = mine - self.cached_blocks.get(band, {}).keys()
            if len(new) > room:
                room += len(self.cached_blocks.pop(band, ()))
                cost += self._rewriting_seconds()
            else:
                room -= len(new)
                self._take_into_cache(band, sorted(mine))
        return cost

    def _take_into_cache(self, band: int, blocks: "list[int]") -> None:
        """Add to the cache, and leave the head there."""
        for block in blocks:
            place = self.size_bytes + self._cache_end
            self.cached_blocks.setdefault(band, {})[block] = place
            self._cache_end = (self._cache_end + self.physical_block_bytes) % max(self.cache_bytes, 1)
            self._position = place + self.physical_block_bytes

    def _forget(self, blocks: range) -> None:
        for band in range(self._band(blocks.start), self._band(blocks.stop) + 1) if blocks else ():
            cached = self.cached_blocks.get(band)
            if cached is not None:
                for block in blocks:
                    cached.pop(block, None)
                if not cached:
                    del self.cached_blocks[band]

    def _clean_when_idle(self, now: float) -> None:
        spare = now - self._free_at - IDLE_SECONDS
        while self.cached_blocks and spare > self._rewriting_seconds():
            self.cached_blocks.popitem(last=False)
            spare -= self._rewriting_seconds()

    def _rewriting_seconds(self) -> float:
        """Return the cost of reading and writing a band."""
        return 2 * (self.band_bytes / BYTES_PER_SECOND + SETTLE_SECONDS + TURN_SECONDS / 2)

    def _band(self, block: int) -> int:
        return block * self.physical_block_bytes // self.band_bytes
