"""`python -m tests.lab.restudy [NAME...]`: repeat the study of alignment (study.py), keep its raw results and
make their table anew."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tests.lab import table
from tests.lab.groups import Planned
from tests.lab.machine import Laboratory, ended_by_signals, laboratory
from tests.lab.pay import Tally, pay
from tests.lab.record import traces
from tests.lab.study import INSTRUMENTS, JOBS, VISITS
from tests.lab.timings import RESULTS, instruments_file, series_file
from wizard.model.journal import Check


def main() -> int:
    """0 where every guest came to its end and what it was to show holds. Each filesystem has new drives."""
    parser = ArgumentParser(prog="python -m tests.lab.restudy", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(JOBS)}; all where none is named"
    )
    names = parser.parse_args().names or list(JOBS)
    if unknown := sorted({*names} - {*JOBS}):
        parser.error(f"there is no {unknown[0]}")
    ended_by_signals()
    tally = Tally()
    for number, visit in enumerate(VISITS):
        (name,) = visit.jobs
        if name in names:
            with laboratory(visit.fleet) as lab:
                pay(Planned(replace(visit, afterwards=partial(keep, name)), "study", number), lab, tally)
    return 1 if tally.failed else table.main([])


def keep(name: str, lab: Laboratory) -> Iterator[Check]:
    """The guest's file as it is, where it says nothing of this machine."""
    place = instruments_file if name == INSTRUMENTS else partial(series_file, name)
    text = place(lab.shared).read_text(encoding="utf-8")
    words = traces(text)
    yield Check(
        f"{name}: the results say nothing of the machine that they were made on", not words, ", ".join(words)
    )
    if not words:
        RESULTS.mkdir(exist_ok=True)
        place(RESULTS).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
