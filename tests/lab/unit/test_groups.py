"""Which visits share a laboratory, which run in parallel, and the sum with groups that fail, hang or
cannot start."""

import sys

import pytest
from msgspec.structs import replace

from tests.lab.__main__ import Sum
from tests.lab.drives.members import BUS_FLEET, SATA_FLEET
from tests.lab.errands.errand import CANNOT_RUN, counted, task
from tests.lab.errands.groups import Group, Planned, batches, grouped, wanted_of
from tests.lab.errands.together import Outcome, Task
from tests.lab.errands.visit import MODULES, Visit
from tests.lab.trouble import CannotRun

SHORT = Visit("short", SATA_FLEET, ("look",), 100, udev=False)
TASK = Task("the drives", ("true",), 60.0)
TIMED = (
    "realigned",
    "measure",
    "compare",
    "judge-all",
    "judge-often",
    "cliff",
    "displaced",
    "perform",
    "terabyte",
)
"""Jobs that judge by the clock."""


def plan(*visits: Visit, module: str = "look") -> list[Planned]:
    return [Planned(visit, module, number) for number, visit in enumerate(visits)]


def test_consecutive_visits_with_the_same_fleet_share_a_lab() -> None:
    wanted = [*plan(SHORT, SHORT, replace(SHORT, fleet=BUS_FLEET)), *plan(SHORT, module="failing")]
    assert [[(one.module, one.number) for one in group.visits] for group in grouped(wanted)] == [
        [("look", 0), ("look", 1)],
        [("look", 2)],
        [("failing", 0)],
    ]


def test_timing_visits_are_not_grouped_with_others() -> None:
    (first, second) = grouped(plan(replace(SHORT, alone=True), SHORT))
    assert (first.alone, second.alone) == (True, False)


def test_timing_visits_run_alone_and_others_longest_first() -> None:
    alone, other = replace(SHORT, alone=True), replace(SHORT, alone=True, fleet=BUS_FLEET)
    long = replace(SHORT, seconds=900, fleet=BUS_FLEET)
    found = batches(grouped(plan(alone, SHORT, long, other)))
    assert [[group.visits[0].number for group in batch] for batch in found] == [[0], [3], [2, 1]]
    assert batches([]) == []


def test_every_visit_that_depends_on_the_clock_runs_alone() -> None:
    wanted = wanted_of((*MODULES, "performed"), [], full=True)
    timed = [one for one in wanted if {*one.visit.jobs} & {*TIMED} or one.module in ("study", "trials")]
    assert {one.visit.title for one in timed} == {one.visit.title for one in wanted if one.visit.alone}
    assert all(one.visit.alone for one in wanted if one.visit.busy)


def test_group_process_gets_the_budget_and_time_of_its_visits() -> None:
    group = Group(tuple(plan(SHORT, SHORT, module="hotplug")[1:]))
    alone, beside = task(group, beside_others=False), task(group, beside_others=True)
    assert alone.argv[:5] == (sys.executable, "-m", "tests.lab.errands.errand", "hotplug", "1")
    assert beside.argv[:5] == alone.argv[:5]
    assert float(beside.argv[5]) > float(alone.argv[5]) == 1
    assert beside.seconds > alone.seconds > group.seconds


@pytest.mark.parametrize(
    ("outcome", "counts"),
    [
        (Outcome(TASK, 0, b"3 0\n7 0\n", late=False), (7, 0)),
        (Outcome(TASK, 1, b"3 0\n7 2\n", late=False), (7, 2)),
        (Outcome(TASK, 0, b"", late=False), (0, 1)),
        (Outcome(TASK, 1, b"3 0\n", late=False), (3, 1)),
        (Outcome(TASK, 2, b"3 0\n", late=False), (3, 1)),
        (Outcome(TASK, -9, b"3 1\n", late=False), (3, 2)),
        (Outcome(TASK, 143, b"3 0\n", late=True), (3, 1)),
        (Outcome(TASK, 0, b"3 0\n", late=True), (3, 1)),
    ],
    ids=[
        "well",
        "checks fail",
        "nothing done",
        "failed and counted none",
        "broken",
        "killed",
        "hung",
        "too late",
    ],
)
def test_unfinished_group_is_a_failure_besides_its_counts(outcome: Outcome, counts: tuple[int, int]) -> None:
    assert counted(outcome)[:2] == counts


def test_summary_names_each_failure_and_its_group(capsys: pytest.CaptureFixture[str]) -> None:
    found = Sum()
    found.add(Outcome(TASK, 0, b"5 0\n", late=False))
    assert capsys.readouterr().out == ""
    found.add(Outcome(TASK, 143, b"2 1\n", late=True))
    assert (found.passed, found.failed) == (7, 2)
    assert (
        "the drives: it comes to its end\n        seen: It was not done after 60 s" in capsys.readouterr().out
    )


def test_reason_for_an_unusable_lab_is_kept() -> None:
    with pytest.raises(CannotRun, match=r"^nbdkit is not installed\.$"):
        Sum().add(Outcome(TASK, CANNOT_RUN, b"nbdkit is not installed.\n", late=False))
