"""From advice to a plan on zoned drives recorded in the lab."""

from itertools import cycle
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.lab.visits.drives.portraits import MACHINES, file_of
from tests.unit.plan.layouts import UUIDS
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.findings.diagnose import diagnose
from wizard.model.errors import Refused
from wizard.model.machine import Machine
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.table import ResetZones
from wizard.plan.dangers import FORGOTTEN
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.plan.text import needs_word, shows_nothing
from wizard.probe.machine import load_machine

MANAGED = ("host-managed", "nvme-zoned")
WORKLOADS = ("small-files", "large-media", "desktop-root")


def planned(on: Machine, workload: str, mode: Mode | None = None) -> Plan:
    (of,) = on.drives
    advice = advise(on, of, diagnose(on, of, ()).recording, find_workload(workload))
    choice = advice.chosen or advice.choices[0]
    source = cycle(UUIDS)
    return make_plan(
        on,
        (of,),
        NewVolumes((VolumeSpec(choice, advice.workload, None, None, "/srv/zones"),), mode),
        lambda: next(source),
    )


def holding(name: str, written: int) -> Machine:
    """Return a recorded machine with `written` zones in use."""
    on = load_machine(file_of(name))
    (of,) = on.drives
    assert of.zones is not None
    return replace(on, drives=(replace(of, zones=replace(of.zones, written=written)),))


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("name", MANAGED)
def test_recommendation_is_planned_on_the_whole_drive(name: str, workload: str) -> None:
    on = load_machine(file_of(name))
    plan = planned(on, workload)
    PLANS.check(plan)
    reset, made, *_ = (step.operation for step in plan.steps)
    assert reset == ResetZones(on.drives[0].path)
    assert isinstance(made, MakeFilesystem)
    assert (made.device, made.filesystem, made.options) == (
        on.drives[0].path,
        "btrfs",
        ("-O", "zoned", "-d", "single", "-m", "single"),
    )
    assert not plan.after.partitions
    # They were recorded where the root lies in memory.
    assert plan.doubts == (FORGOTTEN,)


@pytest.mark.parametrize("name", MANAGED)
def test_zones_with_unknown_content_are_reset_only_on_request(name: str) -> None:
    for mode, says in ((None, "3 written zones"), (Mode.USE_FREE, "cannot be partitioned")):
        with pytest.raises(Refused, match=says):
            planned(holding(name, 3), "large-media", mode)
    plan = planned(holding(name, 3), "large-media", Mode.REPLACE)
    PLANS.check(plan)
    assert [dict(one.values)["count"] for one in plan.before.unmarked] == [3]


def test_host_aware_drive_without_partitions_is_refused() -> None:
    with pytest.raises(Refused, match="accepts no partitions"):
        planned(load_machine(file_of("host-aware")), "large-media")


@pytest.mark.parametrize("file", sorted(MACHINES.glob("*.json")), ids=lambda path: path.stem)
def test_no_partition_is_planned_on_a_drive_without_partitions(file: Path) -> None:
    """On all recorded machines: plans with partitions require a drive that supports them."""
    on = load_machine(file)
    (of,) = on.drives
    try:
        plan = planned(on, "large-media", Mode.REPLACE)
    except Refused:
        return
    assert not plan.after.partitions or of.zones is None or of.zones.takes_partitions is not False


@pytest.mark.parametrize("name", MANAGED)
def test_unknown_zone_content_is_not_called_empty(name: str) -> None:
    plan = planned(holding(name, 3), "large-media", Mode.REPLACE)
    assert not shows_nothing(plan) and needs_word(plan)
    empty = planned(holding(name, 0), "large-media", Mode.REPLACE)
    assert shows_nothing(empty) and not needs_word(empty)
