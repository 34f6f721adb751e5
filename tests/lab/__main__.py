"""`python -m tests.lab`: boot guests with emulated drives in turn, do the visits' jobs, count what holds.

`--shell` gives a prompt in a guest instead. `--record` performs the whole job once on other drives, and keeps what was said and
written for the published pictures. `--record-machines` keeps every drive of the fleet as a recorded machine.
"""

import itertools
import json
import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from time import monotonic

from tests.lab.fleet import Fleet
from tests.lab.machine import GuestResult, Laboratory, ended_by_signals, laboratory
from tests.lab.trouble import CannotRun, GuestTrouble
from tests.lab.visit import MODULES, PORTRAITS, Visit, visits
from wizard.documents.codec import from_json
from wizard.model.errors import BadInput
from wizard.model.journal import Check


@dataclass(frozen=True, slots=True)
class Planned:
    """A visit, and where the guest finds it again."""

    visit: Visit
    module: str
    number: int


class Tally:
    """Counts checks and prints each as it comes."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def count(self, check: Check) -> None:
        if check.holds:
            self.passed += 1
            print(f"  ok    {check.what}", flush=True)
        else:
            self.failed += 1
            print(f"  FAIL  {check.what}\n        seen: {check.seen}", flush=True)


def main() -> int:
    """0 where everything holds, or where the lab cannot run outside of CI."""
    arguments = _parser().parse_args()
    if arguments.list:
        print("\n".join(_described(one) for one in planned(arguments)))
        return 0
    ended_by_signals()
    tally = Tally()
    try:
        if arguments.shell is not None:
            with laboratory(fleet_named(arguments.shell)) as lab:
                lab.shell(udev=arguments.udev)
            return 0
        go_through(planned(arguments), tally)
    except CannotRun as obstacle:
        print(f"The lab cannot run here. {obstacle}")
        in_ci = os.environ.get("CI") == "true"
        print("0 passed, 1 failed" if in_ci else "0 passed, 0 failed, 1 skipped")
        return int(in_ci)
    except KeyboardInterrupt:
        return 130
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m tests.lab", description=__doc__)
    parser.add_argument(
        "--only",
        metavar="WORD",
        action="append",
        default=[],
        help="the visits with this (or, behind a comma, that) in their title, fleet or module",
    )
    parser.add_argument("--full", action="store_true", help="also the visits that take too long for every day")
    parser.add_argument("--list", action="store_true", help="name the visits and do none")
    parser.add_argument("--record", action="store_true", help="make tests/looks/recorded anew, from which the pictures are taken")
    parser.add_argument("--record-machines", action="store_true", help="make tests/machines anew, the fleet as recorded machines")
    parser.add_argument("--shell", metavar="FLEET", nargs="?", const="first", help="a prompt in a guest with a fleet's drives, here")
    parser.add_argument("--udev", action="store_true", help="with --shell: with udev running")
    return parser


def planned(arguments: Namespace) -> list[Planned]:
    """The visits that are wanted, in their order."""
    modules = ("performed",) if arguments.record else PORTRAITS if arguments.record_machines else MODULES
    found = [Planned(visit, module, number) for module in modules for number, visit in enumerate(visits(module))]
    return [one for one in found if is_wanted(one, arguments.only, full=arguments.full or arguments.list)]


def _described(one: Planned) -> str:
    return f"{one.module}, fleet {one.visit.fleet.name}: {one.visit.title}{' (--full)' if one.visit.full_only else ''}"


def is_wanted(one: Planned, words: Sequence[str], *, full: bool) -> bool:
    """Whether each word, or one of those that it lists with commas, is in a visit's title, fleet or module.

    What takes long needs `full`, or to be meant by a word.
    """
    said = f"{one.module} {one.visit.fleet.name} {one.visit.title}".lower()
    fits = all(any(choice in said for choice in word.lower().split(",")) for word in words)
    return fits and (full or bool(words) or not one.visit.full_only)


def fleet_named(name: str) -> Fleet:
    """A fleet of any visit; raises CannotRun naming those there are."""
    fleets = {visit.fleet.name: visit.fleet for module in (*MODULES, "performed", *PORTRAITS) for visit in visits(module)}
    if name not in fleets:
        raise CannotRun(f"There is no fleet {name}; there are: {', '.join(fleets)}.")
    return fleets[name]


def go_through(wanted: Sequence[Planned], tally: Tally) -> None:
    """Visits in their order; those of a module that follow each other with one fleet have one laboratory. Where one breaks off, the
    rest of these is left out, since it stands on it."""
    for (_, fleet), group in itertools.groupby(wanted, key=lambda one: (one.module, one.visit.fleet)):
        with laboratory(fleet) as lab:
            for one in group:
                if not pay(one, lab, tally):
                    break


def pay(one: Planned, lab: Laboratory, tally: Tally) -> bool:
    """Boot for one visit and count its checks; false where it broke off."""
    visit = one.visit
    print(f"{visit.title}", flush=True)
    begun = monotonic()
    failed = tally.failed
    if visit.prepare is not None:
        visit.prepare(lab)
    before = lab.digests() if visit.keeps_every_byte else {}
    try:
        with other_work() if visit.busy else nullcontext():
            result = lab.boot(
                [sys.executable, "-m", "tests.lab.guest", one.module, str(one.number)], seconds=visit.seconds, udev=visit.udev
            )
    except GuestTrouble as trouble:
        tally.count(Check("the guest comes to its end", False, str(trouble)))
        return False
    for check in checks_of(result):
        tally.count(check)
    for name, digest in lab.digests().items() if before else ():
        tally.count(Check(f"{name}: every byte is as it was", digest == before[name], digest))
    if visit.afterwards is not None and tally.failed == failed:
        for check in visit.afterwards(lab):
            tally.count(check)
    spent = "".join(f"; {line}" for line in result.errors.splitlines()) if not result.status else ""
    if tally.failed > failed:
        print(f"        the console's end: {result.console[-1500:].strip() or 'silence'}")
    print(f"  {monotonic() - begun:.0f} s{spent}", flush=True)
    return result.status == 0


@contextmanager
def other_work() -> Iterator[None]:
    """A process that computes without end, as long as this lasts and no longer than this process."""
    endless = [sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "--", *endless], stdin=subprocess.DEVNULL) as worker:
        try:
            yield
        finally:
            worker.kill()


def checks_of(result: GuestResult) -> list[Check]:
    """The checks a guest printed, and one more for a job that did not come to its end."""
    checks: list[Check] = []
    for line in result.output.splitlines():
        try:
            checks.append(from_json(json.loads(line), Check, "the guest's answer"))
        except (ValueError, BadInput):
            checks.append(Check("the guest's answers can be read", False, line))
    if result.status or not checks:
        checks.append(
            Check("the jobs come to their end", False, f"status {result.status}\n{result.errors[-3000:]}\n{result.console[-1000:]}")
        )
    return checks


if __name__ == "__main__":
    sys.exit(main())
