"""Waiting runs across an upgrade: runs with an older version's texts can be kept and undone."""

from pathlib import Path

import pytest

from tests.devices import MakeDrive
from tests.earlier import first_body, sealed
from tests.loop.applying import Work, ended, fill, old_gpt, spec
from tests.loop.program import MIB, PLANS, BadInput, Mode, RunState, keep, load_plan, state, undo
from wizard.apply.run.runs import PLAN


def said_otherwise(run: Path) -> None:
    """Rewrite the run's plan as version 1 wrote it, with other texts."""
    plan = PLANS.read((run / PLAN).read_text(), "the plan")
    (run / PLAN).write_text(sealed(first_body(plan), "diskwright.plan/1"))


@pytest.mark.parametrize("keeps", [True, False])
def test_waiting_run_of_an_older_version_is_kept_or_undone(
    work: Work, make_drive: MakeDrive, keeps: bool
) -> None:
    drive = make_drive(96 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    before = work.digest(drive)
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    run = work.start(plan, keep=False)
    assert ended(run) is RunState.WAITING
    said_otherwise(run)
    with pytest.raises(BadInput, match="earlier version"):
        PLANS.read((run / PLAN).read_text(), "the plan")
    assert load_plan(run).steps == plan.steps, "it is told in today's words"
    if keeps:
        keep(run)
        assert state(run) is RunState.KEPT
    else:
        undo(run)
        assert state(run) is RunState.UNDONE and work.digest(drive) == before
