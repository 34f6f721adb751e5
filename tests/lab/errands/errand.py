"""`python -m tests.lab.errands.errand MODULE NUMBERS PATIENCE DESCRIPTOR`: run the visits with these
numbers (separated by commas) of a module in one laboratory. Started by tests.lab. After each visit, it
writes a line `PASSED FAILED` with the sum so far to the descriptor, or why it cannot run."""

import os
import sys

from tests.lab.errands.groups import Group, Planned
from tests.lab.errands.pay import Tally, go_through
from tests.lab.errands.together import Outcome, Task
from tests.lab.errands.visit import visits
from tests.lab.guest.machine import ended_by_signals
from tests.lab.trouble import CannotRun

CANNOT_RUN = 75
"""The exit status where the lab cannot run."""
PATIENCE_BESIDE_OTHERS = 2.0
"""A guest whose neighbours compute may take this many times the seconds that its visit says."""
OUTSIDE_SECONDS = 600.0
"""What a visit may take outside of its guest: a kernel to fetch, drives to fill, digests."""


def main(module: str, numbers: str, patience: str, descriptor: str) -> int:
    """Return 1 if a check failed."""
    ended_by_signals()
    tally = Tally()
    known = visits(module)
    group = Group(tuple(Planned(known[number], module, number) for number in map(int, numbers.split(","))))

    def tell(tally: Tally) -> None:
        os.write(int(descriptor), f"{tally.passed} {tally.failed}\n".encode())

    try:
        go_through(group, tally, tell, float(patience))
    except CannotRun as obstacle:
        os.write(int(descriptor), f"{obstacle}\n".encode())
        return CANNOT_RUN
    return 1 if tally.failed else 0


def task(group: Group, *, beside_others: bool) -> Task:
    """Return the command that runs a group."""
    patience = PATIENCE_BESIDE_OTHERS if beside_others else 1.0
    numbers = ",".join(str(one.number) for one in group.visits)
    argv = (sys.executable, "-m", "tests.lab.errands.errand", group.visits[0].module, numbers, str(patience))
    return Task(group.titles, argv, group.seconds * patience + OUTSIDE_SECONDS * len(group.visits))


def counted(outcome: Outcome) -> tuple[int, int, str]:
    """Return the numbers of passed and failed checks, and a message about a group that did not finish,
    which counts as a failure."""
    lines = outcome.result.decode().split("\n")[:-1]
    passed, failed = map(int, lines[-1].split()) if lines else (0, 0)
    if outcome.late:
        trouble = f"It was not done after {outcome.task.seconds:.0f} s and was ended."
    elif outcome.status not in (0, 1) or (outcome.status == 1) != bool(failed) or not lines:
        trouble = f"It ended with status {outcome.status}."
    else:
        return passed, failed, ""
    return passed, failed + 1, trouble


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
