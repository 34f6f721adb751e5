"""Costs of the tests: one line of JSON per group of a tier, in the file named by DISKWRIGHT_COSTS.

A group is a file of tests or a visit of the lab. `python -m tests.costs FILE` prints the most expensive
groups.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

VARIABLE = "DISKWRIGHT_COSTS"
SHOWN = 15
"""So many groups are printed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds that a group of tests took, summed over parallel tests."""

    tier: str
    group: str
    tests: int
    seconds: float


def note(cost: Cost) -> None:
    """Append a cost, if a file is named."""
    if name := os.environ.get(VARIABLE):
        with Path(name).open("a") as file:
            file.write(json.dumps(asdict(cost)) + "\n")


class Meter:
    """Sum the time of each test file, in the process that collects pytest's reports."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._tests: defaultdict[str, int] = defaultdict(int)

    def add(self, path: str, phase: str, seconds: float) -> None:
        """Count one phase of a test: setup, call or teardown."""
        group = path.removeprefix("tests/").removesuffix(".py")
        self._seconds[group] += seconds
        self._tests[group] += phase == "call"

    def write(self) -> None:
        """Append the sums."""
        for group, seconds in self._seconds.items():
            note(Cost(group.partition("/")[0], group, self._tests[group], round(seconds, 1)))


def read(file: Path) -> list[Cost]:
    """Return the costs in a file."""
    return [Cost(**json.loads(line)) for line in file.read_text().splitlines()]


def table(costs: list[Cost]) -> str:
    """Return the most expensive groups as lines of text."""
    dearest = sorted(costs, key=lambda cost: -cost.seconds)[:SHOWN]
    return "\n".join(f"{cost.seconds:8.0f} s  {cost.tests:5d} tests  {cost.group}" for cost in dearest)


if __name__ == "__main__":
    print(table(read(Path(sys.argv[1]))))
