"""`python -m tests.lab.retry [WORKLOAD...]`: try filesystems for these purposes once more (trials.py), and
keep the verdicts. `python -m tests.regret` makes their table."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tests.lab.groups import Planned
from tests.lab.machine import Laboratory, ended_by_signals, laboratory
from tests.lab.pay import Tally, pay
from tests.lab.record import traces
from tests.lab.timings import RESULTS
from tests.lab.trials import VISITS, WORKLOADS, kept_in
from wizard.model.journal import Check


def main() -> int:
    """0 where every guest came to its end. Each purpose has a new drive."""
    parser = ArgumentParser(prog="python -m tests.lab.retry", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="WORKLOAD", help=f"of {', '.join(WORKLOADS)}")
    names = parser.parse_args().names or list(WORKLOADS)
    if unknown := sorted({*names} - {*WORKLOADS}):
        parser.error(f"there is no {unknown[0]}")
    ended_by_signals()
    tally = Tally()
    for number, (name, visit) in enumerate(zip(WORKLOADS, VISITS, strict=True)):
        if name in names:
            with laboratory(visit.fleet) as lab:
                pay(Planned(replace(visit, afterwards=partial(keep, name)), "trials", number), lab, tally)
    return 1 if tally.failed else 0


def keep(name: str, lab: Laboratory) -> Iterator[Check]:
    """The guest's document as it is, where it says nothing of this machine."""
    text = kept_in(lab.shared, name).read_text(encoding="utf-8")
    words = traces(text)
    yield Check(
        f"{name}: the verdict says nothing of the machine it was made on", not words, ", ".join(words)
    )
    if not words:
        kept_in(RESULTS, name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
