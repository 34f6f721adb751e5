"""`python -m tests.lab`: boot guests with emulated drives, run the jobs of the visits, and count checks.

Visits that measure time run alone, others in parallel (`--at-once`). `--shell` opens a prompt in a guest
instead. `--record` runs the whole job once on other drives and stores output and files for the published
pictures; `--photograph-console` takes those of the text console. `--record-machines` stores every drive of
the fleet as a recorded machine.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from compileall import compile_dir
from dataclasses import dataclass

from tests.daily import FULL_VARIABLE, todays_share
from tests.lab.drives.fleet import Fleet
from tests.lab.errands.errand import CANNOT_RUN, counted, task
from tests.lab.errands.groups import Planned, batches, grouped, wanted_of
from tests.lab.errands.together import Outcome, run_together
from tests.lab.errands.visit import EVERY_DAY, MODULES, PORTRAITS, visits
from tests.lab.guest.machine import (
    CHECKOUT,
    at_once_here,
    ended_by_signals,
    laboratory,
    make_sure_it_can_run,
    sweep,
)
from tests.lab.trouble import CannotRun


@dataclass(slots=True)
class Sum:
    """Sum of all groups so far."""

    passed: int = 0
    failed: int = 0

    def add(self, outcome: Outcome) -> None:
        """Count a finished group. Raises CannotRun if it could not start."""
        if outcome.status == CANNOT_RUN:
            raise CannotRun(outcome.result.decode().splitlines()[-1])
        passed, failed, trouble = counted(outcome)
        self.passed += passed
        self.failed += failed
        if trouble:
            print(f"  FAIL  {outcome.task.name}: it comes to its end\n        seen: {trouble}", flush=True)


def main() -> int:
    """Return 0 if all checks passed, or if the lab cannot run outside CI."""
    arguments = _parser().parse_args()
    if arguments.list:
        print("\n".join(_described(one) for one in planned(arguments)))
        return 0
    if arguments.full:
        # For the guests, in which visits look at a sample of what is alike.
        os.environ[FULL_VARIABLE] = "1"
    ended_by_signals()
    found = Sum()
    try:
        make_sure_it_can_run()
        if arguments.shell is not None:
            with laboratory(fleet_named(arguments.shell)) as lab:
                lab.shell(udev=arguments.udev)
            return 0
        pay_all(planned(arguments), arguments.at_once or at_once_here(), found)
    except CannotRun as obstacle:
        print(f"The lab cannot run here. {obstacle}")
        in_ci = os.environ.get("CI") == "true"
        print("0 passed, 1 failed" if in_ci else "0 passed, 0 failed, 1 skipped")
        return int(in_ci)
    except KeyboardInterrupt:
        return 130
    print(f"{found.passed} passed, {found.failed} failed")
    return 1 if found.failed else 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m tests.lab", description=__doc__)
    parser.add_argument(
        "--only",
        metavar="WORD",
        action="append",
        default=[],
        help="the visits with this (or, behind a comma, that) in their title, fleet or module",
    )
    parser.add_argument(
        "--at-once",
        type=int,
        metavar="N",
        help="so many guests at a time; without it as many as this machine can bear",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="also the visits that take too long for every day, and in all of them every case",
    )
    parser.add_argument("--list", action="store_true", help="name the visits and do none")
    parser.add_argument(
        "--record",
        action="store_true",
        help="make tests/looks/recorded anew, from which the pictures are taken",
    )
    parser.add_argument(
        "--photograph-console",
        action="store_true",
        help="take the text console's pictures in screenshots/ anew",
    )
    parser.add_argument(
        "--record-machines",
        action="store_true",
        help="make tests/machines anew, the fleet as recorded machines",
    )
    parser.add_argument(
        "--shell",
        metavar="FLEET",
        nargs="?",
        const="first",
        help="a prompt in a guest with a fleet's drives, here",
    )
    parser.add_argument("--udev", action="store_true", help="with --shell: with udev running")
    return parser


def planned(arguments: Namespace) -> list[Planned]:
    """Return the requested visits in order."""
    modules = _modules(arguments)
    if modules is MODULES and not (arguments.full or arguments.list or arguments.only):
        modules = tuple(dict.fromkeys((*todays_share(modules), *EVERY_DAY)))
    return wanted_of(modules, arguments.only, full=arguments.full or arguments.list)


def _modules(arguments: Namespace) -> tuple[str, ...]:
    if arguments.record:
        return ("performed",)
    if arguments.photograph_console:
        return ("photographed",)
    return PORTRAITS if arguments.record_machines else MODULES


def _described(one: Planned) -> str:
    return (
        f"{one.module}, fleet {one.visit.fleet.name}: "
        f"{one.visit.title}{' (--full)' if one.visit.full_only else ''}"
    )


def fleet_named(name: str) -> Fleet:
    """Return a fleet of any visit. Raises CannotRun with the names of all fleets."""
    fleets = {
        visit.fleet.name: visit.fleet
        for module in (*MODULES, "performed", "photographed", *PORTRAITS)
        for visit in visits(module)
    }
    if name not in fleets:
        raise CannotRun(f"There is no fleet {name}; there are: {', '.join(fleets)}.")
    return fleets[name]


def pay_all(wanted: Sequence[Planned], at_once: int, found: Sum) -> None:
    """Run each group of visits in its own process."""
    # Every guest would compile what it imports, which emulated takes half a minute.
    for folder in ("wizard", "tests/lab"):
        compile_dir(CHECKOUT / folder, quiet=2, workers=0)
    try:
        for batch in batches(grouped(wanted)):
            beside_others = min(at_once, len(batch)) > 1
            run_together([task(group, beside_others=beside_others) for group in batch], at_once, found.add)
    finally:
        # What an errand left that had to be killed.
        sweep()


if __name__ == "__main__":
    sys.exit(main())
