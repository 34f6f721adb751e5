"""Enabling and disabling fstrim.timer with a simulated systemctl, on the running system only."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import Journal, read_entries
from wizard.apply.settings import system as running
from wizard.apply.settings.guard import check_own
from wizard.apply.settings.states import do, undo
from wizard.apply.settings.system import RunningSystem, system_of
from wizard.model.errors import Failed, Refused
from wizard.model.requests import Tune
from wizard.operations.fstab import LineEdit, edit_of
from wizard.operations.operation import Context
from wizard.operations.settings import SwitchOnTimer
from wizard.plan.changes import Changes
from wizard.plan.dangers import known_identity
from wizard.plan.plan import steps_of

SYSTEMCTL = """#!/bin/sh
case "$1" in
is-enabled) cat {state} ;;
*) echo "$1 $2 $3" >>{state}.asked; [ -e {state}.stuck ] || echo "$1d" >{state} ;;
esac
"""
TIMER = SwitchOnTimer()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunningSystem:
    (tmp_path / "bin").mkdir()
    (tmp_path / "state").write_text("disabled\n")
    (tmp_path / "bin/systemctl").write_text(SYSTEMCTL.format(state=tmp_path / "state"))
    (tmp_path / "bin/systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(running, "SYSTEMD", tmp_path)
    return replace(system_of(changes()), step=1, run_name="run", journal=Journal(tmp_path))


def changes() -> Changes:
    held = drive()
    identity = known_identity(machine(held), held)
    return Changes(
        identity, "/dev/sda", "ext4", "0d2c3b7a", Tune("mail"), steps_of([TIMER], Context(identity))
    )


def test_failed_enable_is_reported_and_masked_timer_is_unchanged(site: RunningSystem, tmp_path: Path) -> None:
    (tmp_path / "state.stuck").touch()
    with pytest.raises(Failed, match="did not take effect: systemd reports"):
        do(TIMER, site)
    (tmp_path / "state").write_text("masked\n")
    with pytest.raises(Failed, match="an external change"):
        do(TIMER, site)
    assert "Left unchanged" in str(undo(TIMER, site))


def test_systemd_reloads_fstab_after_each_change(site: RunningSystem, tmp_path: Path) -> None:
    (tmp_path / "fstab").write_text("# mine\n")
    edit = edit_of(str(tmp_path / "fstab"), "# mine\n", LineEdit(0, None, "UUID=1 /a ext4 nofail 0 2"))
    do(edit, site)
    assert "UUID=1" in (tmp_path / "fstab").read_text()
    undo(edit, site)
    assert (tmp_path / "fstab").read_text() == "# mine\n"
    asked = [entry.command for entry in read_entries(tmp_path)]
    assert asked == [("systemctl", "daemon-reload")] * 2
    do(edit, replace(site, environment=Environment(fstab=tmp_path / "fstab")))
    assert len(read_entries(tmp_path)) == 2, "another system's fstab is not this systemd's"


def test_timer_of_another_system_is_unchanged(tmp_path: Path) -> None:
    check_own(changes(), Environment())
    with pytest.raises(Refused, match="only be enabled on the running system"):
        check_own(changes(), Environment(fstab=tmp_path / "fstab"))
