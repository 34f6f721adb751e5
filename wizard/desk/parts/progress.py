"""How far a run is, as it was seen last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.apply.run.progress import StepProgress
    from wizard.services.contract import Services

PERIOD = 1.0
"""Seconds between two looks."""
MOST_RATES = 60


@dataclass(frozen=True, slots=True)
class Standing:
    """`rates` are bytes a second of the last looks, `moved` what the drives had moved at the latest, which
    was at `at` of a steady clock. `power` is what the run itself tells of a power cut."""

    followed: bool = False
    progress: StepProgress | None = None
    power: str = ""
    rates: tuple[float, ...] = ()
    moved: int = 0
    at: float = 0.0

    def looked(self, services: Services, run: Path, paths: Sequence[str]) -> Standing | None:
        """As it is now; None where it was looked at just before."""
        now = monotonic()
        if now - self.at < PERIOD:
            return None
        moved = services.traffic(paths)
        rates = self.rates
        if self.at and moved >= self.moved:
            rates = (*rates, (moved - self.moved) / (now - self.at))[-MOST_RATES:]
        return replace(
            self,
            progress=services.progress(run),
            power=services.power(run),
            rates=rates,
            moved=moved,
            at=now,
        )


def percent_of(seconds: Sequence[float], done: int, progress: StepProgress | None) -> tuple[int, float]:
    """How much is done by the steps' own estimates, and how many seconds are left; `progress` of the step
    behind the `done` ones is used where it is known."""
    weights = [max(1.0, one) for one in seconds]
    if done >= len(weights):
        return 100, 0.0
    known = progress if progress is not None and progress.step == done + 1 else None
    share = known.share if known else 0.0
    percent = int(100 * (sum(weights[:done]) + weights[done] * share) / sum(weights))
    this = seconds[done] * (1 - share) if known is None or known.seconds_left is None else known.seconds_left
    return percent, this + sum(seconds[done + 1 :])
