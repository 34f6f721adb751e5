"""Temporary udev rules: their matches, and their complete removal."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.unit.machines import partition, partitioned
from tests.unit.plan.layouts import plan_for, spec
from wizard.apply.block import devices
from wizard.apply.block import scratch_device as rules_given
from wizard.apply.block.scratch_device import ignore_mapped, stop_ignoring
from wizard.apply.plan import run as execution
from wizard.apply.plan.run import automount_ignored, unmount_foreign
from wizard.apply.steps.step_context import StepContext
from wizard.model.errors import Failed
from wizard.model.said import GIB, MIB
from wizard.plan.request.plan_request import Mode
from wizard.probe.host.sysfs import Mounted


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Temporary rules folder and simulated sysfs, without reloading udev."""
    monkeypatch.setattr(rules_given, "RULES", tmp_path / "rules.d")
    monkeypatch.setattr(rules_given, "_reload", lambda: None)
    monkeypatch.setattr(devices, "SYS_BLOCK", tmp_path / "block")
    for name in ("sda", "sda1", "sda2"):
        (tmp_path / "block" / name).mkdir(parents=True)
    yield tmp_path / "rules.d"


OLD = (partition(1, MIB, GIB), partition(2, MIB + GIB, GIB))


def test_partitions_are_hidden_briefly_and_checked_again(rules: Path) -> None:
    plan = plan_for(partitioned(*OLD), spec("ext4"), mode=Mode.REPLACE)
    with pytest.raises(KeyError), automount_ignored(plan):
        (rule,) = rules.iterdir()
        said = [line for line in rule.read_text().splitlines() if not line.startswith("#")]
        raise KeyError
    assert said == [
        f'SUBSYSTEM=="block", KERNEL=="{name}", ENV{{UDISKS_IGNORE}}="1"' for name in ("sda1", "sda2")
    ]
    assert not list(rules.iterdir())
    assert [path.parent.name for path in sorted((rules.parent / "block").glob("*/uevent"))] == [
        "sda1",
        "sda2",
    ]


def ended_process() -> int:
    ended = subprocess.Popen(["true"])
    ended.wait()
    return ended.pid


def test_only_rules_of_ended_processes_are_removed(rules: Path) -> None:
    own, ended = os.getpid(), ended_process()
    rules.mkdir()
    for name in (
        f"00-diskwright-{ended}-partitions.rules",
        f"00-diskwright-{own}-partitions.rules",
        "00-another.rules",
    ):
        (rules / name).touch()
    stop_ignoring()
    assert sorted(path.name for path in rules.iterdir()) == [
        "00-another.rules",
        f"00-diskwright-{own}-partitions.rules",
    ]


def test_snapshot_and_store_stay_hidden_until_removed(rules: Path) -> None:
    ignore_mapped("diskwright-20261122-173254-vda")
    (rule,) = rules.iterdir()
    mapped, store = [line for line in rule.read_text().splitlines() if not line.startswith("#")]
    assert (
        'ATTR{dm/name}=="diskwright-20261122-173254-vda*"' in mapped
        and 'ENV{DM_UDEV_DISABLE_OTHER_RULES_FLAG}="1"' in mapped
    )
    assert 'ATTRS{loop/backing_file}=="*/diskwright-20261122-173254-vda/*"' in store
    assert all('ENV{UDISKS_IGNORE}="1"' in line and 'OPTIONS:="nowatch"' in line for line in (mapped, store))
    # The process is killed, and its snapshot is left.
    left = rule.rename(rules / f"00-diskwright-{ended_process()}-diskwright-20261122-173254-vda.rules")
    name = rules.parent / "block/dm-3/dm/name"
    name.parent.mkdir(parents=True)
    name.write_text("diskwright-20261122-173254-vda\n")
    stop_ignoring()
    assert left.exists()
    name.unlink()
    stop_ignoring("diskwright-20261122-173254-vda")
    assert not list(rules.iterdir())


def test_scratch_devices_below_a_mapping_are_hidden(rules: Path) -> None:
    """A killed run has lost its lock, but its mapping still uses the scratch device."""
    ignore_mapped("diskwright-11111111", "0007-vda")
    (rule,) = rules.iterdir()
    assert 'KERNEL=="loop*", ATTRS{loop/backing_file}=="*/0007-vda/*"' in rule.read_text()
    assert 'ATTR{dm/name}=="diskwright-11111111*"' in rule.read_text()
    stop_ignoring("diskwright-11111111")
    assert not list(rules.iterdir())


def test_only_content_made_and_mounted_elsewhere_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_for(partitioned(*OLD), spec("ext4", mount_point="/srv/media"), mode=Mode.USE_FREE)
    new = plan.volumes[0].path
    there = (
        Mounted("/dev/sda1", "/home", "ext4", frozenset()),
        Mounted(new, "/srv/media", "ext4", frozenset()),
        Mounted(new, "/media/user/x", "ext4", frozenset()),
        Mounted("/dev/sdb1", "/mnt", "ext4", frozenset()),
    )
    ran: list[Sequence[str]] = []
    monkeypatch.setattr("wizard.apply.system.mounts.read_mounts", lambda: there)
    monkeypatch.setattr("wizard.apply.system.mounts.mounted_at", lambda _place: None)
    monkeypatch.setattr(execution, "_is_ours", lambda _make, _site: True)
    work = SimpleNamespace(journal=SimpleNamespace(add=lambda *_words, **_more: None))
    site = cast(StepContext, SimpleNamespace(plan=plan, command=ran.append, work=work, step=1))
    assert unmount_foreign(site)
    assert ran == [["umount", "/media/user/x"]]


def test_mount_covered_by_another_is_not_unmounted(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_for(partitioned(*OLD), spec("ext4", mount_point="/srv/media"), mode=Mode.USE_FREE)
    there = (
        Mounted(plan.volumes[0].path, "/media/user/x", "ext4", frozenset()),
        Mounted("/dev/sdb1", "/media/user/x", "ext4", frozenset()),
    )
    ran: list[Sequence[str]] = []
    monkeypatch.setattr("wizard.apply.system.mounts.read_mounts", lambda: there)
    monkeypatch.setattr(execution, "_is_ours", lambda _make, _site: True)
    site = cast(StepContext, SimpleNamespace(plan=plan, command=ran.append))
    with pytest.raises(Failed, match=r"hidden by /dev/sdb1\. Nothing was unmounted"):
        unmount_foreign(site)
    assert not ran
