"""A verdict of the quick test on a simulated shingled drive."""

from functools import cache

from tests.simulator.populations.census import probed
from tests.simulator.populations.shingled import OneLog
from tests.unit.machines import SIZE_BYTES
from wizard.benchmark.smr_judge import Judgement
from wizard.benchmark.smr_run import caveats_for, sentence_for
from wizard.model.verdict import Basis, Displaced, DisplacedVerdict, Timings

NO_TIMINGS = Timings()


@cache
def likely_verdict() -> DisplacedVerdict:
    """Return the verdict on /dev/sda with all times."""
    probe, result = probed(OneLog(1), 1)
    assert result.is_claimed
    return verdict_of(result.judgement, probe.timings, probe.written_bytes, result.seconds)


def verdict_of(
    judgement: Judgement,
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
        outcome=judgement.outcome,
        basis=judgement.basis,
        sentence=sentence_for("/dev/sda", judgement, timings, 58),
        caveats=caveats_for("/dev/sda", judgement),
        block_bytes=4096,
        written_bytes=written,
        read_bytes=800_000_000,
        seconds=seconds,
        statistics=None,
        statistics_after_idle=None,
        timings=timings,
    )


NOTHING = verdict_of(Judgement(Displaced.NOTHING_FOUND, Basis.ALIKE))
UNTOLD = verdict_of(Judgement(Displaced.CANNOT_TELL, Basis.FROM_MEMORY))
