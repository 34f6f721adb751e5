"""Rotation of a drive: the drive's report, the kernel's assumption, and no claim without a report."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine
from tests.unit.pages import page_lines
from tests.unit.probe import rawfacts
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.cli.inspect import portrait
from wizard.cli.plan import advice_text
from wizard.findings.diagnose import diagnose
from wizard.findings.drive_faults import size_words
from wizard.findings.geometry import load_patterns
from wizard.findings.smr_evidence import may_be_shingled
from wizard.model.advice import Advice
from wizard.model.finding import NOT_JUDGED, Recorded, Recording
from wizard.model.machine import Drive, Machine
from wizard.probe.interpret import machine_of
from wizard.probe.machine import load_machine
from wizard.ui.components.drive_rows import kind_of

MACHINES = Path(__file__).parents[3] / "machines"
SCSI = "/sys/devices/pci0000:00/0000:00:17.0/host2/target2:0:0/2:0:0:0/block/sda"
YES = Recording("shingled", "drive", Recorded.YES, "high")


def smartctl(rate: int, protocol: str) -> str:
    return json.dumps({"device": {"protocol": protocol}, "smart_status": {}, "rotation_rate": rate})


def scsi(rate: int | None, kernels: str = "1", *, smart: str | None = None) -> Drive:
    """Return a SCSI drive with this rate in page B1h, or without that page."""
    pages = {} if rate is None else {"b1": rawfacts.page(rate.to_bytes(2, "big") + bytes(2))}
    sysfs = rawfacts.SYSFS | {"queue/rotational": kernels}
    raw = rawfacts.drive(sysfs_path=SCSI, sysfs=sysfs, vpd=pages, smart=smart)
    return machine_of(rawfacts.machine(raw)).drives[0]


@pytest.mark.parametrize(
    ("rate", "turns"),
    [
        (None, None),
        (0x0000, None),
        (0x0001, False),
        (0x0002, None),
        (0x0400, None),
        (0x0401, True),
        (7200, True),
        (0xFFFE, True),
        (0xFFFF, None),
    ],
)
def test_page_b1h_is_read_by_the_standard(rate: int | None, turns: bool | None) -> None:
    assert scsi(rate).rotational is turns


@pytest.mark.parametrize("rate", [0, 0xFFFF, 2])
def test_unreported_rotation_is_neither_solid_nor_corrected(rate: int) -> None:
    """QEMU's scsi-hd, with 0 from smartctl meaning "not reported"."""
    silent = scsi(rate, smart=smartctl(rate, "SCSI"))
    found = diagnose(machine(silent), silent, ())
    assert found.recording.verdict is Recorded.UNKNOWN
    assert "recording-contradiction" not in {finding.code for finding in found.findings}
    assert not any("echo" in str(finding.advice) for finding in found.findings)


def test_zero_from_smartctl_means_solid_state_only_for_ata() -> None:
    assert scsi(None, smart=smartctl(0, "ATA")).rotational is False
    assert scsi(None, smart=smartctl(0, "SCSI")).rotational is None
    assert scsi(None, smart=smartctl(7200, "SCSI")).rotational is True
    assert scsi(1, smart=smartctl(0, "SCSI")).rotational is False


def test_kernel_rotational_flag_counts_only_if_false() -> None:
    assert (scsi(None, "1").rotational, scsi(None, "1").kernel_rotational) == (None, True)
    assert scsi(None, "0").rotational is False
    nbd = rawfacts.drive(name="nbd0", path="/dev/nbd0", sysfs={"size": "8", "queue/rotational": "0"}, vpd={})
    assert machine_of(rawfacts.machine(nbd)).drives[0].rotational is None


@pytest.mark.parametrize("name", ["stick", "enclosure", "virtio-512e", "bridge-4096", "bogus-optimal"])
def test_recorded_drives_without_a_rate_have_unknown_rotation(name: str) -> None:
    recorded = load_machine(MACHINES / f"{name}.json")
    (silent,) = recorded.drives
    assert (silent.rotational, silent.kernel_rotational) == (None, True)
    assert str(kind_of(silent)) not in ("HDD", "SSD")
    assert "rotation not reported" in size_words(silent)
    text = "\n".join(page_lines(portrait(silent, diagnose(recorded, silent, ()))))
    assert "rotation not reported" in text and "rotating;" not in text
    for workload in ("portable", "large-media", "ssd-general", "database"):
        advice = _advice(recorded, silent, workload)
        schedulers = {choice.scheduler.text for choice in advice.choices if choice.scheduler}
        assert "mq-deadline" not in schedulers
        text = " ".join(" ".join(page_lines(advice_text(advice, silent))).split())
        assert "rotation not reported" in text and "head movements" not in text
        assert "Unknown whether the drive rotates" in " ".join(advice.doubts)


def _advice(recorded: Machine, of: Drive, workload: str) -> Advice:
    recording = diagnose(recorded, of, load_patterns()).recording
    return advise(recorded, of, recording, find_workload(workload))


@pytest.mark.parametrize("name", ["red", "p300", "huge", "old"])
def test_recorded_disks_with_a_rate_rotate(name: str) -> None:
    assert all(known.rotational for known in load_machine(MACHINES / f"{name}.json").drives)


@pytest.mark.parametrize(
    ("subject", "recording", "doubted"),
    [
        (drive(), NOT_JUDGED, True),
        (drive(), YES, False),
        (drive(), replace(YES, verdict=Recorded.LIKELY), False),
        (drive(rotational=None, bus="usb"), NOT_JUDGED, True),
        (drive(rotational=None, bus="usb", removable=True), NOT_JUDGED, False),
        (drive(rotational=None, bus="virtio"), NOT_JUDGED, False),
        (drive(rotational=False), NOT_JUDGED, False),
    ],
)
def test_shingles_are_in_doubt_if_the_drive_can_have_tracks(
    subject: Drive, recording: Recording, doubted: bool
) -> None:
    assert may_be_shingled(subject, recording) is doubted
