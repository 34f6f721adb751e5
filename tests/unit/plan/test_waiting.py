"""A drive with a waiting run looks empty: every plan for it states the loss."""

import pytest

from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.plan.layouts import plan_for, plan_page, spec
from wizard.host.services import Services
from wizard.model.machine import Drive
from wizard.model.run import Waiting
from wizard.model.said import GIB, MIB
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import Mode
from wizard.plan.text import losses, needs_word, promise
from wizard.ui.jobs.job import PlanJob

LOST = "The waiting result, ext4 of 63 GB of run 0008-sda, and the undo of that run."


def waits(*, bare: bool = True) -> Waiting:
    return Waiting("0008-sda", "2026-01-01", "ext4 of 63 GB", MIB, 4096, bare)


EMPTY = drive(size_bytes=64 * GIB, waiting=waits())
BESIDE = partitioned(partition(1, MIB, GIB), size_bytes=64 * GIB, waiting=waits())


def over(on: Drive) -> Plan:
    return plan_for(on, spec("ext4"), mode=Mode.REPLACE)


@pytest.mark.parametrize("on", [EMPTY, BESIDE], ids=["looks empty", "beside a partition that stayed"])
def test_waiting_result_is_listed_as_lost_in_every_interface(on: Drive) -> None:
    plan = over(on)
    assert losses(plan)[-1] == LOST
    assert LOST in map(str, PlanJob(Services(machine(on), ""), plan).lost)
    assert LOST in " ".join(plan_page(plan, 400))


def test_drive_with_a_waiting_result_is_not_called_empty() -> None:
    plan = over(EMPTY)
    assert "only zeros" not in promise(plan)
    # Without a stand-in there is no way back from it either, and that wants more than the token.
    assert needs_word(plan, "loop devices are missing")
    assert not needs_word(over(drive(size_bytes=64 * GIB)), "loop devices are missing")


def test_plan_stores_it_in_its_document() -> None:
    plan = over(EMPTY)
    assert PLANS.read(PLANS.render(plan), "plan.json") == plan
    assert "waiting" not in PLANS.render(over(drive(size_bytes=64 * GIB)))


def test_result_written_to_since_remains_a_doubt() -> None:
    plan = over(drive(size_bytes=64 * GIB, waiting=waits(bare=False)))
    assert not losses(plan)
    assert any("Run 0008-sda was left on the drive" in doubt for doubt in map(str, plan.doubts))
