"""Drives that work off requests during pauses: the measured ratio is the requests' own, even on a slow
machine."""

from collections.abc import Sequence
from random import Random

import pytest

from wizard.benchmark.access import Clock
from wizard.benchmark.measure import Grid, PairedMeasurement, judge
from wizard.model.machine import Extent
from wizard.model.said import GIB
from wizard.model.verdict import Outcome

GRID = Grid(4096, 512, 0)


class VirtualTime:
    """Replaces the machine's clocks. Each reading advances the time a little, and simulated drives advance
    time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_ns = 0
        monkeypatch.setattr("wizard.benchmark.measure.perf_counter_ns", self.look)
        monkeypatch.setattr("wizard.benchmark.access.monotonic", lambda: self.look() / 1e9)

    def look(self) -> int:
        self.now_ns += 10_000
        return self.now_ns


class Quota:
    """A drive limited to 100 requests per second with bursts of five, like QEMU's throttle. A misaligned
    access takes `requests`.

    A slow machine takes about `thinking_ns` before each access, and sometimes much longer.
    """

    PERIOD_NS = 10_000_000

    def __init__(self, time: VirtualTime, requests: int, seed: int, thinking_ns: float) -> None:
        self.time, self.requests, self.thinking_ns = time, requests, thinking_ns
        self.random = Random(seed)
        self.owed_ns = 0.0
        self.owed_at_ns = 0

    def prepare(self, starts: Sequence[int]) -> None:
        for _ in starts[::2]:
            self.request()

    def access(self, start_bytes: int) -> int:
        self.time.now_ns += int(self.thinking_ns * self.random.lognormvariate(0, 0.4))
        if self.random.random() < 0.03:
            self.time.now_ns += self.random.randrange(100_000_000)
        begun = self.time.now_ns
        for _ in range(1 if start_bytes % 4096 == 0 else self.requests):
            self.request()
        return self.time.now_ns - begun

    def request(self) -> None:
        self.owed_ns = max(0.0, self.owed_ns - (self.time.now_ns - self.owed_at_ns))
        wait = max(0.0, self.owed_ns - 5 * self.PERIOD_NS)
        self.time.now_ns += int(wait)
        self.owed_ns += self.PERIOD_NS - wait
        self.owed_at_ns = self.time.now_ns
        self.time.now_ns += int(300_000 * self.random.lognormvariate(0, 0.3))


def measured(subject: Quota, seed: int) -> PairedMeasurement:
    found = PairedMeasurement(subject.prepare, subject.access, [Extent(0, GIB)], GRID, Random(seed))
    return found.run(Clock(30.0, lambda: False))


@pytest.mark.parametrize(("thinking_ns", "right"), [(2e4, 20), (5e5, 20), (3e6, 18)])
@pytest.mark.parametrize("requests", [1, 2, 4])
def test_drive_with_a_quota_shows_its_true_ratio_despite_pauses(
    requests: int, thinking_ns: float, right: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = 0
    for seed in range(20):
        drive_of_time = Quota(VirtualTime(monkeypatch), requests, seed, thinking_ns)
        found = measured(drive_of_time, seed)
        assert found.ratio is not None
        assert judge(found.ratio) is (Outcome.NO_DIFFERENCE if requests == 1 else Outcome.ALIGNED_FASTER), (
            found.ratio
        )
        near += found.counts_pauses and abs(found.ratio.estimate / requests - 1) < 0.05
        assert drive_of_time.time.now_ns < 30e9
    assert near >= right


def test_pauses_do_not_count_on_a_drive_idle_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    class Turning(Quota):
        def request(self) -> None:
            self.time.now_ns += int(8_000_000 * self.random.lognormvariate(0, 0.4))

    falsely = 0
    for seed in range(40):
        turning = Turning(VirtualTime(monkeypatch), 2, seed, 20_000.0)
        found = measured(turning, seed)
        assert found.ratio is not None and 1.7 < found.ratio.estimate < 2.5
        falsely += found.counts_pauses
    assert falsely <= 4
