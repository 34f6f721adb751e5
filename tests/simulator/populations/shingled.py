"""Drive-managed shingled drives: where they put writes, and when they move them to their bands."""

from random import Random

from tests.simulator.populations.conventional import INSTANT, Hybrid
from tests.simulator.populations.mechanics import BLOCK, Plain
from wizard.model.said import GIB, KIB, MIB


class OneLog(Plain):
    """A log, a static map and bands. In idle time, the drive rewrites bands, oldest first."""

    name = "one log at the outer edge, cleans when idle"
    shingled = True
    cleans = True
    log_at = 0.0

    def set_up(self) -> None:
        random = self.random
        self.band_bytes = random.randint(15, 40) * MIB
        region = int(random.uniform(8, 60) * GIB)
        begins = int(self.log_at * self.size_bytes + random.random() * 0.9 * region)
        self.log_end = begins // BLOCK * BLOCK
        self.log: dict[int, int] = {}
        self.entry_bytes = random.choice([4, 8, 16, 32, 64, 128, 256]) * KIB
        self.map_seconds = random.choice([0, 0, 1, 1.5]) * self.turn
        self.every = random.choice([0, 240, 512])
        self.waits = random.uniform(0.3, 5)
        self.writes = 0

    def write_media(self, start: int) -> None:
        place = self.entry_for(start)
        self.move(place, BLOCK, writes=True)
        self.now += self.map_seconds
        self.log[start] = place
        self.writes += 1
        if self.every and self.writes % self.every == 0:
            self.now += self.random.uniform(0.05, 0.4)

    def entry_for(self, _start: int) -> int:
        """Return the next place in the log."""
        place, self.log_end = self.log_end, self.log_end + self.entry_bytes
        return place

    def place_of(self, start: int) -> int:
        return self.log.get(start, start)

    def rewriting_seconds(self) -> float:
        """Return the time to rewrite a band."""
        rate = self.track_bytes * 0.75 / self.turn
        return 2 * self.band_bytes / rate + 4 * self.settle + self.turn

    def idle(self, seconds: float) -> None:
        until = self.now + seconds
        self.now += self.waits
        while self.cleans and self.log and self.now < until:
            band = next(iter(self.log)) // self.band_bytes
            self.now += self.rewriting_seconds()
            self.head = band * self.band_bytes
            for start in [start for start in self.log if start // self.band_bytes == band]:
                del self.log[start]
        self.now = max(self.now, until)


class KeepsLog(OneLog):
    name = "one log at the outer edge, keeps it"
    cleans = False


class MiddleLog(OneLog):
    name = "one log in the middle"
    log_at = 0.5


class SeveralLogs(OneLog):
    """Writes go to the log nearest to their band."""

    name = "4-64 logs all over the drive"

    def set_up(self) -> None:
        super().set_up()
        count = self.random.choice([4, 8, 16, 32, 64])
        self.ends = [int((index + 0.5) / count * self.size_bytes) for index in range(count)]

    def entry_for(self, start: int) -> int:
        index = min(len(self.ends) - 1, start * len(self.ends) // self.size_bytes)
        self.ends[index] += self.entry_bytes
        return self.ends[index] - self.entry_bytes


class RoomInBands(OneLog):
    """Each band has its own reserve for changes at its end."""

    name = "room for changes in each band"

    def set_up(self) -> None:
        super().set_up()
        self.filled: dict[int, int] = {}

    def entry_for(self, start: int) -> int:
        band = start // self.band_bytes
        filled = self.filled.get(band, 0)
        self.filled[band] = filled + self.entry_bytes
        return min((band + 1) * self.band_bytes - MIB // 2 + filled, self.size_bytes - MIB)


class InPlace(OneLog):
    name = "rewrites the band at once"

    def write_media(self, _start: int) -> None:
        self.now += self.rewriting_seconds() * self.random.uniform(0.3, 1)


class New(KeepsLog):
    """Most of the drive was never written, so reads there return at once."""

    name = "new, TRIM, dynamic map"

    def set_up(self) -> None:
        super().set_up()
        self.used = self.random.uniform(0, 0.6)

    def read_media(self, start: int) -> None:
        share = Random(start // (256 * MIB) * 7919 + int(self.used * 1e6)).random()
        if start in self.log or share < self.used:
            super().read_media(start)
        else:
            self.now += INSTANT


class BehindBridge(OneLog):
    """A drive behind a USB bridge, the most common kind."""

    name = "behind a bridge that ignores flushes"

    def set_up(self) -> None:
        super().set_up()
        self.waiting: list[int] = []
        self.keeps_writes = True

    def write_media(self, start: int) -> None:
        self.waiting.append(start)
        self.now += 2 * INSTANT

    def put_into_log(self) -> None:
        for start in sorted(self.waiting):
            super().write_media(start)
        self.waiting = []

    def stream(self, start: int, size: int) -> None:
        self.put_into_log()
        super().stream(start, size)

    def idle(self, seconds: float) -> None:
        self.put_into_log()
        super().idle(seconds)


class BusyLog(OneLog):
    name = "one log, busy and with hiccups"

    def set_up(self) -> None:
        super().set_up()
        self.others, self.hiccups = self.random.uniform(0.1, 0.4), self.random.uniform(0.003, 0.02)


class FlashBefore(Hybrid):
    name = "flash before the platters"
    shingled = True


# Those below are beside the prototype's.


class QuickCleaner(OneLog):
    """Starts rewriting small bands at once in idle time."""

    name = "one log, small bands, cleans quickly"

    def set_up(self) -> None:
        super().set_up()
        self.waits, self.band_bytes = 0.1, self.random.randint(4, 12) * MIB


class Full(KeepsLog):
    """A dynamic map on a completely written drive: every write goes to the current write position."""

    name = "used, dynamic map"
    log_at = 0.3

    def set_up(self) -> None:
        super().set_up()
        self.entry_bytes = BLOCK
        self.scattered = self.random.uniform(0, 0.5)

    def place_of(self, start: int) -> int:
        if start in self.log:
            return self.log[start]
        # What was once written at random lies anywhere.
        moved = Random(start // MIB)
        return moved.randrange(self.size_bytes) if moved.random() < self.scattered else start


KINDS: tuple[type[Plain], ...] = (
    OneLog,
    KeepsLog,
    MiddleLog,
    SeveralLogs,
    RoomInBands,
    InPlace,
    New,
    BehindBridge,
    BusyLog,
    QuickCleaner,
    Full,
    FlashBefore,
)
