"""A result copied from the scratch copy equals a result created on the drive with the same tools, except
for random values and times. The lab emulates 512e and striped drives (`tests/lab/visits/whole/equal.py`)."""

from uuid import uuid4

import pytest

from tests.devices import MakeDrive, tool
from tests.fields import READERS, fields
from tests.loop.applying import Work, ended, fill, spec, story, unknown_kernel
from tests.loop.program import MIB, Mode, Plan, RunState, make_plan, probe_machine
from wizard.plan.request.plan_request import NewVolumes


@pytest.mark.parametrize("block_bytes", [512, 4096])
@pytest.mark.parametrize("kind", sorted(READERS))
def test_every_field_is_equal(
    kind: str, block_bytes: int, work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = (make_drive(400 * MIB, block_bytes) for _ in range(2))
    for drive in (one, other):
        fill(drive, work.bench)
    # mkfs.btrfs refuses a UUID that any device has, also one of a test that runs beside this one.
    uuid = str(uuid4())
    plan = same_plan(work, one, kind, uuid)
    run, end = work.apply(plan)
    assert end is RunState.DONE, story(run)
    made = fields(kind, plan.volumes[0].path, tool)
    tool("wipefs", "--all", "--quiet", plan.volumes[0].path)
    direct = same_plan(work, other, kind, uuid)
    monkeypatch.setattr("wizard.plan.plan.Plan.direct_reason", "to compare with")
    monkeypatch.setattr("wizard.apply.plan.job.text.needs_word", lambda *_: False)
    monkeypatch.setattr("wizard.apply.plan.job.survey.first_data", lambda _read, _places: None)
    run = work.start(direct)
    assert ended(run) is RunState.DONE, story(run)
    assert fields(kind, direct.volumes[0].path, tool) == made
    assert len(made) > 3


def same_plan(work: Work, drive: str, kind: str, uuid: str) -> Plan:
    """Return a plan for a test drive with this UUID everywhere."""
    work.bench.own(drive)
    machine = unknown_kernel(probe_machine([drive]))
    return make_plan(
        machine, (machine.drives[0],), NewVolumes((spec(kind, options=()),), Mode.REPLACE), lambda: uuid
    )
