"""Run the visits of one laboratory in order: boot, count and print checks."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from time import monotonic

from tests.costs import Cost, note
from tests.lab.errands.groups import Group, Planned
from tests.lab.guest.machine import GuestResult, Laboratory, laboratory
from tests.lab.trouble import GuestTrouble
from wizard.documents.codec import from_json
from wizard.model.errors import BadInput
from wizard.model.run import Check


class Tally:
    """Counts checks, and prints each immediately."""

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


def go_through(
    group: Group, tally: Tally, told: Callable[[Tally], None] = lambda _: None, patience: float = 1.0
) -> None:
    """Run all visits of a group in its laboratory, and call `told` after each. If one fails to finish, the
    rest, which depends on it, is skipped."""
    try:
        with laboratory(group.visits[0].visit.fleet) as lab:
            for one in group.visits:
                whole = pay(one, lab, tally, patience)
                told(tally)
                if not whole:
                    break
    except GuestTrouble as trouble:
        tally.count(Check("the drives can be made", False, str(trouble)))
        told(tally)


def pay(one: Planned, lab: Laboratory, tally: Tally, patience: float = 1.0) -> bool:
    """Boot for one visit and count its checks. Returns False if it did not finish. The time limit is
    `patience` times the visit's."""
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
                [sys.executable, "-m", "tests.lab.guest", one.module, str(one.number)],
                seconds=visit.seconds * patience,
                udev=visit.udev,
                screen=visit.screen,
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
    seconds = monotonic() - begun
    note(Cost("lab", f"lab/{visit.title}", 1, round(seconds, 1)))
    print(f"  {seconds:.0f} s{spent}", flush=True)
    return result.status == 0


@contextmanager
def other_work() -> Iterator[None]:
    """Run a process that computes endlessly during this context, at most as long as this process."""
    endless = [sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", "--", *endless], stdin=subprocess.DEVNULL
    ) as worker:
        try:
            yield
        finally:
            worker.kill()


def checks_of(result: GuestResult) -> list[Check]:
    """Return the checks printed by a guest, and one more for a job that did not finish."""
    checks: list[Check] = []
    for line in result.output.splitlines():
        try:
            checks.append(from_json(json.loads(line), Check, "the guest's answer"))
        except (ValueError, BadInput):
            checks.append(Check("the guest's answers can be read", False, line))
    if result.status or not checks:
        checks.append(
            Check(
                "the jobs come to their end",
                False,
                f"status {result.status}\n{result.errors[-3000:]}\n{result.console[-1000:]}",
            )
        )
    return checks
