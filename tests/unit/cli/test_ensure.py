"""`diskwright ensure`: the changes made after inspection."""

from pathlib import Path

import pytest

from tests.unit.machines import machine
from tests.unit.plan.desired_state.test_ensured import HEAD, VOLUME
from tests.unit.plan.desired_state.test_several import ONE, OTHER
from tests.unit.plan.layouts import EVERYTHING
from wizard.apply.ensure.compare_mounts import Where
from wizard.apply.ensure.converge import DriveTarget
from wizard.apply.ensure.look import DriveAssessment
from wizard.apply.plan.job import JOB
from wizard.apply.run.backup_store import Environment
from wizard.cli import ensure
from wizard.model.errors import ExitCode
from wizard.plan.desired_state.document import read_wanted
from wizard.plan.plan import Plan


def test_replaced_drive_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = read_wanted(HEAD + VOLUME, "w.toml")
    (wanted,) = document.drive
    where = Where(Environment(fstab=tmp_path / "fstab"), tmp_path / "runs")
    plans = (
        DriveTarget(wanted, machine(one, tools=EVERYTHING), (one,), where).planned(None)
        for one in (ONE, OTHER)
    )
    looks = [
        DriveAssessment(wanted, drives=(one,), document=plan)
        for one, plan in zip((ONE, OTHER), plans, strict=True)
    ]
    begun: list[str] = []

    def start(plan: Plan, _: object) -> Path:
        begun.extend(plan.devices)
        return tmp_path / "0001-run"

    monkeypatch.setattr(ensure, "look_at", lambda wanted, where: looks[min(len(begun), 1)])
    monkeypatch.setattr(JOB, "start", start)
    monkeypatch.setattr(ensure, "narrate", lambda run: ExitCode.DONE)
    done, _ = ensure.ensured(document, where, check=False)
    (result,) = done.drives
    assert begun == [ONE.path] and result.state == "failed"
    assert "matched /dev/sda before and matches /dev/sdb now" in " ".join(
        str(one.said) for one in result.differences
    )
