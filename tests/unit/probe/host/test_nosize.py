"""Drives without a size in the kernel, devices that disappear during the probe, and the time limit for
each of many drives."""

from pathlib import Path

import pytest

from tests.unit.machines import drive, machine
from tests.unit.probe import rawfacts
from wizard.findings.diagnose import diagnose
from wizard.model.drive_facts import NvmeFormat
from wizard.model.errors import Refused
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive
from wizard.plan.refusals import refuse_drive
from wizard.probe import collect
from wizard.probe.content import layers
from wizard.probe.facts import RawDrive, RawError
from wizard.probe.host import sysfs
from wizard.probe.interpret import machine_of
from wizard.probe.pool import allowed_seconds


def found(of: Drive) -> list[Finding]:
    return [one for one in diagnose(machine(of), of, ()).findings if one.code == "drive-no-size"]


def block(root: Path, name: str, size: str, removable: str, *, hardware: bool = True) -> Path:
    """Create a device in a simulated sysfs."""
    folder = root / "block" / name
    folder.mkdir(parents=True)
    (folder / "size").write_text(f"{size}\n")
    (folder / "removable").write_text(f"{removable}\n")
    if hardware:
        (folder / "device").mkdir()
    return folder


def test_fixed_drive_without_size_is_listed_and_empty_reader_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysfs, "SYS", tmp_path)
    block(tmp_path, "nvme0n1", "0", "0")
    block(tmp_path, "sda", "0", "0")
    block(tmp_path, "sdb", "0", "1")
    block(tmp_path, "nbd0", "0", "0", hardware=False)
    block(tmp_path, "sdc", "2048", "0")
    assert sysfs.drive_names() == ["nvme0n1", "sda", "sdc"]


@pytest.mark.parametrize(("removable", "medium"), [("0", True), ("1", False)])
def test_device_with_hardware_is_no_empty_reader(tmp_path: Path, removable: str, medium: bool) -> None:
    node = tmp_path / "node"
    node.touch()
    known = RawDrive("node", str(node), sysfs={"size": "0", "removable": removable})
    errors: list[RawError] = []
    assert collect.from_device(known, errors) == {"medium": medium}
    assert bool(errors) is not medium


def test_drive_of_520_byte_blocks_is_refused_with_a_remedy() -> None:
    raw = rawfacts.drive(sysfs=rawfacts.SYSFS | {"size": "0"}, chunks=(), contents=None, table_kind=None)
    seen = machine_of(rawfacts.machine(raw)).drives[0]
    (finding,) = found(seen)
    assert finding.severity is Severity.WARNING and "sg_format" in str(finding.advice)
    with pytest.raises(Refused, match="reports no size for /dev/sda"):
        refuse_drive(seen)


def test_nvme_drive_with_metadata_names_the_format_without() -> None:
    formats = (NvmeFormat(0, 512, 0, 2), NvmeFormat(1, 4096, 64, 0, in_use=True), NvmeFormat(2, 4096, 0, 0))
    of = drive(path="/dev/nvme0n1", bus="nvme", size_bytes=0, nvme_formats=formats, table=None)
    (finding,) = found(of)
    assert "4096-byte blocks and 64 bytes of metadata" in str(finding.why)
    assert "nvme format --lbaf=2 /dev/nvme0n1" in str(finding.advice)


@pytest.mark.parametrize("of", [drive(), drive(size_bytes=0, removable=True, table=None)])
def test_no_other_drive_is_called_sizeless(of: Drive) -> None:
    assert not found(of)


def vanishing(self: Path, strict: bool = False) -> Path:
    raise FileNotFoundError(2, "No such file or directory", str(self))


def test_concurrently_vanishing_device_does_not_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Path.resolve() reads a sysfs link twice, and rarely the device disappears in between."""
    folder = tmp_path / "class/block/loop2p1"
    folder.mkdir(parents=True)
    (folder / "partition").write_text("1\n")
    monkeypatch.setattr(sysfs, "SYS", tmp_path)
    monkeypatch.setattr(Path, "resolve", vanishing)
    assert layers._layer("loop2p1").sysfs["partition"] == "1"
    assert collect.from_kernel("loop2").errors[0].what == "drive"


@pytest.mark.parametrize(
    ("drives", "cpus", "allowed"), [(1, 1, 10.0), (4, 4, 10.0), (2, 4, 10.0), (47, 1, 56.0), (48, 4, 21.0)]
)
def test_time_limit_grows_with_the_drives_for_each_cpu(drives: int, cpus: int, allowed: float) -> None:
    assert allowed_seconds(drives, 10.0, cpus) == pytest.approx(allowed)
