"""The rule that udev gets for a moment: what it names, and that nothing of it stays behind."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.unit.layouts import plan_for, wish
from tests.unit.machines import partition, partitioned
from wizard.apply.plan import automounter
from wizard.apply.plan.automounter import forget_left_rules, let_go, unseen
from wizard.apply.steps.step_context import Site
from wizard.apply.system import mounts
from wizard.apply.system.mounts import Mounted
from wizard.layout.planner import Mode
from wizard.model.errors import Failed
from wizard.model.units import GIB, MIB


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for rules, and a sysfs, that are nobody's; udev is not told."""
    monkeypatch.setattr(automounter, "RULES", tmp_path / "rules.d")
    monkeypatch.setattr(automounter, "SYS_BLOCK", tmp_path / "block")
    monkeypatch.setattr(automounter, "_reload", lambda: None)
    for name in ("sda", "sda1", "sda2"):
        (tmp_path / "block" / name).mkdir(parents=True)
    yield tmp_path / "rules.d"


OLD = (partition(1, MIB, GIB), partition(2, MIB + GIB, GIB))


def test_the_partitions_are_hidden_for_a_moment_and_looked_at_again(rules: Path) -> None:
    plan = plan_for(partitioned(*OLD), wish("ext4"), mode=Mode.REPLACE)
    with pytest.raises(KeyError), unseen(plan):
        (rule,) = rules.iterdir()
        said = [line for line in rule.read_text().splitlines() if not line.startswith("#")]
        raise KeyError
    assert said == [f'SUBSYSTEM=="block", KERNEL=="{name}", ENV{{UDISKS_IGNORE}}="1"' for name in ("sda1", "sda2")]
    assert not list(rules.iterdir())
    assert [path.parent.name for path in sorted((rules.parent / "block").glob("*/uevent"))] == ["sda1", "sda2"]


def test_only_a_rule_whose_process_is_gone_is_taken_away(rules: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    rules.mkdir()
    for name in (f"99-diskwright-{ended.pid}.rules", f"99-diskwright-{os.getpid()}.rules", "99-another.rules"):
        (rules / name).touch()
    forget_left_rules()
    assert sorted(path.name for path in rules.iterdir()) == ["99-another.rules", f"99-diskwright-{os.getpid()}.rules"]


def test_only_what_the_run_makes_and_mounts_elsewhere_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_for(partitioned(*OLD), wish("ext4", mount_point="/srv/media"), mode=Mode.USE_FREE)
    new = plan.volumes[0].path
    there = (
        Mounted("/dev/sda1", "/home", "ext4", frozenset()),
        Mounted(new, "/srv/media", "ext4", frozenset()),
        Mounted(new, "/media/user/x", "ext4", frozenset()),
        Mounted("/dev/sdb1", "/mnt", "ext4", frozenset()),
    )
    monkeypatch.setattr(automounter, "read_mounts", lambda: there)
    assert [entry.mount_point for entry, _ in automounter.strangers(plan)] == ["/media/user/x"]


def test_what_another_hid_is_not_unmounted_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_for(partitioned(*OLD), wish("ext4", mount_point="/srv/media"), mode=Mode.USE_FREE)
    there = (
        Mounted(plan.volumes[0].path, "/media/user/x", "ext4", frozenset()),
        Mounted("/dev/sdb1", "/media/user/x", "ext4", frozenset()),
    )
    ran: list[Sequence[str]] = []
    for module in (automounter, mounts):
        monkeypatch.setattr(module, "read_mounts", lambda: there)
    monkeypatch.setattr(automounter, "_is_ours", lambda _make, _site: True)
    monkeypatch.setattr(Site, "command", lambda _site, argv: ran.append(argv))
    site = object.__new__(Site)
    object.__setattr__(site, "plan", plan)
    with pytest.raises(Failed, match="where /dev/sdb1 hides it: nothing was unmounted"):
        let_go(site)
    assert not ran
