"""A verdict of the quick test on a simulated shingled drive."""

from functools import cache

from tests.simulator.populations.census import probed
from tests.simulator.populations.shingled import OneLog
from tests.unit.machines import SIZE_BYTES
from wizard.benchmark.smr_probe import caveats_for, outcome_of, sentence_for
from wizard.model.verdict import Basis, DisplacedVerdict, Timings

NO_TIMINGS = Timings()


@cache
def likely_verdict() -> DisplacedVerdict:
    """Return the verdict on /dev/sda with all times."""
    probe, result = probed(OneLog(1), 1)
    assert result.is_claimed
    return verdict_of(result.basis, probe.timings, result.written_bytes, result.seconds)


def verdict_of(
    basis: Basis,
    timings: Timings = NO_TIMINGS,
    written: int = 0,
    seconds: float = 30.0,
) -> DisplacedVerdict:
    """Return the verdict on the example drive."""
    return DisplacedVerdict(
        drive="/dev/sda",
        model="Example HDD 500",
        size_bytes=SIZE_BYTES,
        rotation_rate=7200,
        bus="sata",
        outcome=outcome_of(basis),
        basis=basis,
        sentence=sentence_for("/dev/sda", basis, timings, 58),
        caveats=caveats_for("/dev/sda", basis),
        block_bytes=4096,
        written_bytes=written,
        read_bytes=800_000_000,
        seconds=seconds,
        statistics=None,
        statistics_after_idle=None,
        timings=timings,
    )


NOTHING = verdict_of(Basis.ALIKE)
UNTOLD = verdict_of(Basis.FROM_MEMORY)
