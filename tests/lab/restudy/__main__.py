"""`python -m tests.lab.restudy [NAME...]`: repeat the study of alignment with plain tools (study.py) and
the trials with the program's command (trials.py), store the raw results and renew the study's table.
`python -m tests.regret` renews that of trials for a workload."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from tests.lab.errands.groups import Planned
from tests.lab.errands.pay import Tally, pay
from tests.lab.errands.record import traces
from tests.lab.guest.machine import Laboratory, ended_by_signals, laboratory
from tests.lab.restudy import study, table, trials
from tests.lab.restudy.study import INSTRUMENTS
from tests.lab.restudy.timings import RESULTS, instruments_file, series_file
from wizard.model.run import Check


def main() -> int:
    """Return 0 if every guest finished and the expected effects appeared. Each filesystem gets new drives."""
    jobs = {**study.JOBS, **trials.JOBS}
    parser = ArgumentParser(prog="python -m tests.lab.restudy", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(jobs)}; all where none is named"
    )
    names = parser.parse_args().names or list(jobs)
    if unknown := sorted({*names} - {*jobs}):
        parser.error(f"there is no {unknown[0]}")
    ended_by_signals()
    tally = Tally()
    for module, visits in (("study", study.VISITS), ("trials", trials.VISITS)):
        for number, visit in enumerate(visits):
            (name,) = visit.jobs
            if name in names:
                with laboratory(visit.fleet) as lab:
                    pay(Planned(replace(visit, afterwards=partial(keep, name)), module, number), lab, tally)
    return 1 if tally.failed else table.main([])


def keep(name: str, lab: Laboratory) -> Iterator[Check]:
    """Store the guest's file unchanged unless it reveals something about this machine."""
    place = _place(name)
    text = place(lab.shared).read_text(encoding="utf-8")
    words = traces(text)
    yield Check(
        f"{name}: the results say nothing of the machine that they were made on", not words, ", ".join(words)
    )
    if not words:
        RESULTS.mkdir(exist_ok=True)
        place(RESULTS).write_text(text, encoding="utf-8")


def _place(name: str) -> Callable[[Path], Path]:
    """Return the path of a job's results in a folder."""
    if name in trials.JOBS:
        return lambda folder: trials.kept_in(folder, name)
    return instruments_file if name == INSTRUMENTS else partial(series_file, name)


if __name__ == "__main__":
    sys.exit(main())
