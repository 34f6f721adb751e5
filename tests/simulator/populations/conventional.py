"""Conventional drives: no host, bridge, cache or fault may make one look shingled."""

from collections import OrderedDict

from tests.simulator.populations.mechanics import BLOCK, Plain
from wizard.model.said import KIB, MIB

INSTANT = 0.00005


class Verifying(Plain):
    name = "verifies what it writes, a turn more"

    def write_media(self, start: int) -> None:
        super().write_media(start)
        self.now += self.turn


class LargeCache(Plain):
    name = "512 MB of cache that keeps writes"

    def set_up(self) -> None:
        self.cache_bytes, self.keeps_writes = 512 * MIB, True


class KeepsLast(Plain):
    """Streams do not evict the last writes from the cache."""

    name = "a cache that keeps the last writes"

    def set_up(self) -> None:
        self.kept: OrderedDict[int, None] = OrderedDict()
        self.most = self.random.randint(10, 400)

    def write_media(self, start: int) -> None:
        super().write_media(start)
        self.kept[start] = None
        if len(self.kept) > self.most:
            self.kept.popitem(last=False)

    def read_media(self, start: int) -> None:
        if start in self.kept and self.random.random() < 0.97:
            self.now += INSTANT
        else:
            super().read_media(start)


class IgnoresFlushes(Plain):
    """Flushes have no effect. Cached writes reach the platters in order while the host is busy elsewhere."""

    name = "behind a bridge that ignores flushes"

    def set_up(self) -> None:
        self.waiting: list[int] = []
        self.keeps_writes = True
        self.cache_bytes = max(self.cache_bytes, 64 * MIB)

    def write_media(self, start: int) -> None:
        self.waiting.append(start)
        self.now += 2 * INSTANT

    def bring_home(self) -> None:
        for start in sorted(self.waiting):
            self.move(start, BLOCK, writes=True)
        self.waiting = []

    def stream(self, start: int, size: int) -> None:
        self.bring_home()
        super().stream(start, size)

    def idle(self, seconds: float) -> None:
        self.bring_home()
        super().idle(seconds)


class RaidCache(Plain):
    """Written data stays in the controller's memory."""

    name = "behind a controller's cache"

    def set_up(self) -> None:
        self.part = 1.0
        self.held: set[int] = set()

    def write_media(self, start: int) -> None:
        if self.random.random() < self.part:
            self.held.add(start)
        self.now += INSTANT

    def read_media(self, start: int) -> None:
        if start in self.held and self.random.random() < 0.97:
            self.now += INSTANT
        else:
            super().read_media(start)


class PartOfRaidCache(RaidCache):
    name = "behind a controller that still holds a part"

    def set_up(self) -> None:
        super().set_up()
        self.part = self.random.uniform(0.03, 0.97)


class Hybrid(Plain):
    name = "a hybrid with flash (SSHD)"

    def set_up(self) -> None:
        self.flash: set[int] = set()

    def write_media(self, start: int) -> None:
        self.flash.add(start)
        self.now += self.random.uniform(0.0003, 0.002)

    def read_media(self, start: int) -> None:
        if start in self.flash:
            self.now += self.random.uniform(0.00015, 0.0008)
        else:
            super().read_media(start)


class SolidState(Plain):
    """A solid-state drive. To be tested at all, it would have to report rotation."""

    name = "solid state that claims to turn"

    def set_up(self) -> None:
        self.others = 0

    def read_media(self, _start: int) -> None:
        self.now += self.random.uniform(0.00005, 0.0003)

    def write_media(self, _start: int) -> None:
        self.now += self.random.uniform(0.00005, 0.003)


class Busy(Plain):
    name = "busy, and with hiccups"

    def set_up(self) -> None:
        self.others, self.hiccups = self.random.uniform(0.1, 0.4), self.random.uniform(0.003, 0.02)


class Ailing(Plain):
    name = "ailing: reads are tried again"

    def read_media(self, start: int) -> None:
        super().read_media(start)
        while self.random.random() < 0.08:
            self.now += self.turn * self.random.randint(1, 6)


class MediaCache(Plain):
    """A log on the platters for small writes. In idle time, blocks move to their place in order."""

    name = "a media cache, emptied when idle"
    lazy = False

    def set_up(self) -> None:
        self.log: dict[int, int] = {}
        self.log_end = int(self.size_bytes * self.random.choice([0.0, 0.33, 0.5, 0.66, 0.98]))
        self.entry_bytes = self.random.choice([4, 8, 16, 64]) * KIB

    def write_media(self, start: int) -> None:
        self.move(self.log_end, BLOCK, writes=True)
        self.log[start] = self.log_end
        self.log_end += self.entry_bytes

    def place_of(self, start: int) -> int:
        return self.log.get(start, start)

    def idle(self, seconds: float) -> None:
        until = self.now + seconds
        self.now += 0.5
        while not self.lazy and self.log and self.now < until:
            start = min(self.log)
            del self.log[start]
            self.move(start, BLOCK, writes=True)
        self.now = max(self.now, until)


class LateMediaCache(MediaCache):
    """The only class that the test takes for shingled. Its models are listed."""

    name = "a media cache, emptied late"
    lazy = True


# Those below are beside the prototype's.


class Remapped(Plain):
    """Some blocks are remapped to spare blocks at the end, some of them on write."""

    name = "many blocks lie in spares"

    def set_up(self) -> None:
        self.spares: dict[int, int] = {}
        self.bad = self.random.uniform(0.01, 0.05)

    def place_of(self, start: int) -> int:
        if start not in self.spares:
            spare = self.size_bytes - self.random.randrange(1, 512) * MIB
            self.spares[start] = spare if self.random.random() < self.bad else start
        return self.spares[start]

    def write_media(self, start: int) -> None:
        if self.random.random() < self.bad / 5:
            self.spares[start] = self.size_bytes - self.random.randrange(1, 512) * MIB
        self.move(self.place_of(start), BLOCK, writes=True)


class Parking(Plain):
    """In idle time, the drive unloads its heads and may turn slower, which delays the next reads."""

    name = "parks its heads when idle"

    def set_up(self) -> None:
        self.parks_after = self.random.uniform(2, 8)
        self.wakes = self.random.uniform(0.3, 3.0)

    def idle(self, seconds: float) -> None:
        super().idle(seconds)
        if seconds > self.parks_after:
            self.now += self.wakes
            self.head = 0


class Segments(Plain):
    """The cache has segments for single reads and writes, which streams do not evict."""

    name = "a cache whose segments outlast streams"

    def set_up(self) -> None:
        self.segments: OrderedDict[int, None] = OrderedDict()
        self.most = self.random.randint(16, 256)

    def _hold(self, start: int) -> None:
        self.segments[start // MIB] = None
        self.segments.move_to_end(start // MIB)
        if len(self.segments) > self.most:
            self.segments.popitem(last=False)

    def read_media(self, start: int) -> None:
        if start // MIB in self.segments:
            self.now += INSTANT
        else:
            super().read_media(start)
        self._hold(start)

    def write_media(self, start: int) -> None:
        super().write_media(start)
        self._hold(start)


class Shaken(Plain):
    """Vibration in bursts of seconds makes most accesses miss a revolution."""

    name = "shaken: bursts of missed turns"

    def set_up(self) -> None:
        self.shaken_until = self.calm_until = 0.0

    def _shake(self) -> None:
        if self.now > self.calm_until:
            self.shaken_until = self.now + self.random.uniform(0.2, 3)
            self.calm_until = self.shaken_until + self.random.uniform(0.5, 6)
        while self.now < self.shaken_until and self.random.random() < 0.6:
            self.now += self.turn

    def read_media(self, start: int) -> None:
        super().read_media(start)
        self._shake()

    def write_media(self, start: int) -> None:
        super().write_media(start)
        self._shake()


class WholeMilliseconds(Plain):
    """A bridge polled once per millisecond, so many times are equal."""

    name = "behind a bridge that answers in whole milliseconds"

    def read(self, start: int) -> float:
        return max(0.001, round(super().read(start), 3))


KINDS: tuple[type[Plain], ...] = (
    Plain,
    Verifying,
    LargeCache,
    KeepsLast,
    IgnoresFlushes,
    RaidCache,
    PartOfRaidCache,
    Hybrid,
    SolidState,
    Busy,
    Ailing,
    MediaCache,
    Remapped,
    Parking,
    Segments,
    Shaken,
    WholeMilliseconds,
)
"""All but the one class that is matched by its model."""
