"""Devices with a copy of a filesystem, according to blkid and sysfs."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from wizard.apply.block import devices
from wizard.apply.settings import guard
from wizard.apply.settings.guard import clones_of
from wizard.model.errors import Failed

LISTED = "/dev/sda1 /dev/sdb1 /dev/dm-0 /dev/dm-1 /dev/dm-2 /dev/loop0"


@pytest.fixture
def sysfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulated sysfs with dm-0 on sda1, dm-1 and dm-2 on one volume group, and loop0 on sdb1."""
    for name in LISTED.replace("/dev/", "").split():
        (tmp_path / "class/block" / name / "slaves").mkdir(parents=True)
    for upper, lower in (("dm-0", "sda1"), ("dm-1", "sdc"), ("dm-2", "sdc")):
        (tmp_path / "class/block" / upper / "slaves" / lower).touch()
    (tmp_path / "class/block/loop0/loop").mkdir()
    (tmp_path / "class/block/loop0/loop/backing_file").write_text("/dev/sdb1\n")
    monkeypatch.setattr("wizard.probe.host.sysfs.SYS", tmp_path)
    return tmp_path


def says(monkeypatch: pytest.MonkeyPatch, listed: str, members: dict[str, str]) -> None:
    def blkid(words: Sequence[str], **_: object) -> SimpleNamespace:
        return SimpleNamespace(output=listed if "-t" in words else members.get(words[-1], ""))

    for module in (devices, guard):
        monkeypatch.setattr(module, "run", blkid)


@pytest.mark.parametrize(
    ("device", "found"),
    [
        ("/dev/sda1", ("/dev/dm-1", "/dev/dm-2", "/dev/loop0", "/dev/sdb1")),
        ("/dev/sdb1", ("/dev/dm-0", "/dev/dm-1", "/dev/dm-2", "/dev/sda1")),
        ("/dev/dm-1", ("/dev/dm-0", "/dev/loop0", "/dev/sda1", "/dev/sdb1")),
    ],
)
@pytest.mark.usefixtures("sysfs")
def test_stacked_devices_are_no_clones(
    monkeypatch: pytest.MonkeyPatch, device: str, found: tuple[str, ...]
) -> None:
    says(monkeypatch, LISTED, {})
    assert clones_of(device, "0d2c") == found


@pytest.mark.usefixtures("sysfs")
def test_members_of_one_btrfs_are_no_clones(monkeypatch: pytest.MonkeyPatch) -> None:
    both = "/dev/sda1 /dev/sdb1"
    says(monkeypatch, both, {"/dev/sda1": "first", "/dev/sdb1": "second"})
    assert clones_of("/dev/sda1", "0d2c") == ()
    says(monkeypatch, both, {"/dev/sda1": "first", "/dev/sdb1": "first"})
    assert clones_of("/dev/sda1", "0d2c") == ("/dev/sdb1",)


@pytest.mark.usefixtures("sysfs")
def test_no_clones_without_a_uuid_or_blkid(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, LISTED, {})
    assert clones_of("/dev/sda1", "") == ()

    def failing(*_: object, **__: object) -> None:
        raise Failed("no blkid")

    monkeypatch.setattr(devices, "run", failing)
    assert clones_of("/dev/sda1", "0d2c") == ()
