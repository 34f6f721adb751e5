"""Detection of shingled drives: evidence, unavailable sources, and contradictions."""

import pytest

from tests.unit.machines import drive, machine, unread
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import Confidence, Pattern, RecordingKind
from wizard.findings.smr_evidence import NOT_ASKED, judge_recording, rungs_of
from wizard.model.drive_facts import Ata, Discard, Smart
from wizard.model.finding import Finding, Recorded, Recording, Severity
from wizard.model.machine import Drive
from wizard.model.said import ProfileText

TRIM = Discard(512, 1 << 30)
RED_CMR = Smart(model_family="Western Digital Red (CMR)")


def recorded(subject: Drive, *patterns: Pattern) -> Recording:
    return judge_recording(subject, rungs_of(subject, patterns))


def judged(subject: Drive, *patterns: Pattern) -> tuple[Recorded, str | None, str]:
    found = recorded(subject, *patterns)
    return found.verdict, found.management, found.confidence


def found_of(subject: Drive, code: str, *patterns: Pattern) -> list[Finding]:
    return [
        finding for finding in diagnose(machine(subject), subject, patterns).findings if finding.code == code
    ]


YES, LIKELY, UNKNOWN, NOT_APPLICABLE = Recorded


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (drive(zoned="host-managed"), (YES, "host-managed", "high")),
        (drive(zoned="host-aware"), (YES, "host-aware", "high")),
        (drive(vpd_zoned=1), (YES, "host-aware", "high")),
        (drive(vpd_zoned=2), (YES, "drive", "high")),
        (drive(vpd_zoned=0), (UNKNOWN, None, "none")),
        (drive(vpd_zoned=3), (UNKNOWN, None, "none")),
        (drive(ata=Ata(zoned=1)), (YES, "host-aware", "high")),
        (drive(ata=Ata(zoned=2)), (YES, "drive", "high")),
        (drive(ata=Ata(zoned=2), bus="usb", zoned=None), (YES, "drive", "high")),
        (drive(ata=Ata(zoned=0)), (UNKNOWN, None, "none")),
        (drive(ata=Ata()), (UNKNOWN, None, "none")),
        (drive(ata=Ata(trims=True)), (LIKELY, "drive", "medium")),
        (drive(ata=Ata(trims=True), bus="usb"), (LIKELY, "drive", "medium")),
        (drive(ata=Ata(trims=True), rotational=False, rotation_rate=1), (NOT_APPLICABLE, None, "high")),
        (drive(ata=Ata(trims=True), kernel_rotational=False), (LIKELY, "drive", "medium")),
        (drive(ata=Ata(trims=False)), (UNKNOWN, None, "none")),
        (drive(rotational=False, discard=TRIM), (NOT_APPLICABLE, None, "high")),
        (drive(kernel_rotational=False, bus="usb"), (UNKNOWN, None, "none")),
        (drive(rotational=None, discard=TRIM), (UNKNOWN, None, "none")),
        (
            drive(smart=Smart(model_family="Seagate BarraCuda 3.5 (CMR+HAMR)"), discard=TRIM),
            (UNKNOWN, None, "none"),
        ),
        (drive(zoned="host-managed", ata=Ata(zoned=2)), (YES, "host-managed", "high")),
        (drive(zoned="host-aware", smart=Smart(model_family="X (SMR)")), (YES, "host-aware", "high")),
        (drive(smart=Smart(zoned_capability="device_managed")), (YES, "drive", "high")),
        (drive(smart=Smart(zoned_capability="host_aware")), (YES, "host-aware", "high")),
        (drive(smart=Smart(model_family="Seagate Archive HDD (SMR)")), (YES, "drive", "high")),
        (drive(smart=Smart(model_family="Western Digital Red (CMR)")), (UNKNOWN, None, "none")),
        (drive(discard=TRIM), (LIKELY, "drive", "medium")),
        (drive(discard=None, smart=Smart(trim_supported=True)), (LIKELY, "drive", "medium")),
        (drive(discard=TRIM, bus="scsi", vendor="ATA     "), (LIKELY, "drive", "medium")),
        (drive(), (UNKNOWN, None, "none")),
        (drive(zoned=None, discard=None), (UNKNOWN, None, "none")),
        (drive(rotational=None), (UNKNOWN, None, "none")),
        (drive(rotational=False, discard=TRIM), (NOT_APPLICABLE, None, "high")),
        (drive(rotational=False, zoned="host-managed", bus="nvme"), (NOT_APPLICABLE, "host-managed", "high")),
        (drive(rotational=False, zoned="host-managed", bus="scsi"), (YES, "host-managed", "high")),
        (drive(rotational=False, vpd_zoned=2, bus="usb"), (YES, "drive", "high")),
    ],
)
def test_levels_of_evidence(subject: Drive, expected: tuple[Recorded, str | None, str]) -> None:
    assert judged(subject) == expected


@pytest.mark.parametrize(
    "subject",
    [
        drive(path="/dev/loop0", bus="loop", discard=TRIM),
        drive(path="/dev/vda", bus="virtio", discard=TRIM),
        drive(bus="usb", discard=TRIM),
        drive(bus="scsi", vendor="LIO-ORG", discard=TRIM),
        drive(model="QEMU HARDDISK", discard=TRIM),
        drive(model="Bridge", ata=Ata(model="QEMU HARDDISK", trims=True)),
    ],
    ids=["loop", "virtio", "usb", "thin volume", "emulated", "emulated behind a bridge"],
)
def test_discard_of_another_device_is_no_evidence(subject: Drive) -> None:
    assert judged(subject)[0] is UNKNOWN


def test_silence_is_never_no_and_shows_its_clues() -> None:
    assert {verdict.value for verdict in Recorded} == {"yes", "likely", "unknown", "not-applicable"}
    found = recorded(drive(vpd_zoned=0, ata=Ata()))
    assert found.kind == "unknown"
    assert [str(clue.says) for clue in found.evidence] == [
        "none, as drive-managed drives also report",
        "not reported",
        "not reported",
    ]


@pytest.mark.parametrize(
    ("subject", "source", "why"),
    [
        (drive(), "IDENTIFY word 69, bits 1:0", "the drive, kernel or a USB bridge does not pass this on"),
        (
            drive(bus="usb"),
            "IDENTIFY word 69, bits 1:0",
            "the drive, kernel or a USB bridge does not pass this on",
        ),
        (
            drive(unread=(unread("ata", "Its data do not fit their own checksum."),)),
            "IDENTIFY word 69, bits 1:0",
            "Its data do not fit",
        ),
        (
            drive(),
            "SCSI VPD page B1h, byte 8, bits 5:4",
            "the drive, kernel or a USB bridge does not pass this on",
        ),
        (
            drive(bus="usb"),
            "SCSI VPD page B1h, byte 8, bits 5:4",
            "the drive, kernel or a USB bridge does not pass this on",
        ),
        (
            drive(zoned=None),
            "the kernel's queue/zoned",
            "the drive, kernel or a USB bridge does not pass this on",
        ),
        (drive(unread=(unread("smart", "Needs root."),)), "smartmontools' drive database", "Needs root."),
        (
            drive(unread=(unread("smart", "smartctl is not installed."),)),
            "smartmontools' drive database",
            "smartctl is not installed",
        ),
    ],
)
def test_evidence_that_could_not_be_read_gives_the_reason(subject: Drive, source: str, why: str) -> None:
    said = {str(clue.source): str(clue.says) for clue in recorded(subject).evidence}
    assert said[source].startswith(f"not available: {why}")
    (finding,) = found_of(subject, "recording-unknown")
    assert f"{source} (not available: {why}" in str(finding.why)
    assert str(finding.sentence).startswith("Unknown if /dev/sda is shingled (SMR): no source")


@pytest.mark.parametrize(
    "subject",
    [
        drive(bus="virtio", path="/dev/vda"),
        drive(bus="nvme", rotational=False),
        drive(bus="sas", vendor="SEAGATE", vpd_zoned=0),
    ],
    ids=["virtio", "nvme", "sas"],
)
def test_evidence_impossible_for_the_drive_is_not_missed(subject: Drive) -> None:
    assert not [clue for clue in recorded(subject).evidence if clue.says.english == NOT_ASKED.english]


def test_silent_drive_listed_as_conventional_is_reported_as_such() -> None:
    subject = drive(vpd_zoned=0, ata=Ata(), smart=RED_CMR)
    (finding,) = found_of(subject, "recording-unknown")
    assert "listed as conventional" in str(finding.sentence)
    assert "does not prove a conventional drive" in str(finding.why)
    assert not found_of(subject, "recording-contradiction")


@pytest.mark.parametrize(
    ("subject", "patterns", "verdict", "words"),
    [
        (
            drive(discard=TRIM, smart=RED_CMR),
            (),
            (UNKNOWN, None, "none"),
            ("TRIM", "Red (CMR)", "sources are equally strong"),
        ),
        (
            drive(vpd_zoned=2, smart=RED_CMR),
            (),
            (YES, "drive", "medium"),
            ("page B1h", "Red (CMR)", "B1h, byte 8, bits 5:4 is used"),
        ),
        (
            drive(smart=RED_CMR),
            (Pattern("Example", confidence=Confidence.HIGH, source=ProfileText("the maker")),),
            (YES, "drive", "medium"),
            ("the maker: drive-managed", "Red (CMR)"),
        ),
        (
            drive(smart=RED_CMR),
            (Pattern("Example", source=ProfileText("me")),),
            (UNKNOWN, None, "none"),
            ("me: reported as drive-managed", "Red (CMR)", "sources are equally strong"),
        ),
        (
            drive(discard=TRIM),
            (Pattern("Example", kind=RecordingKind.CONVENTIONAL),),
            (UNKNOWN, None, "none"),
            ("list from the user's own list: reported as conventional", "TRIM"),
        ),
        (
            drive(smart=Smart(model_family="Toshiba P300 (SMR)")),
            (Pattern("Example", kind=RecordingKind.CONVENTIONAL, confidence=Confidence.MEDIUM),),
            (YES, "drive", "medium"),
            ("P300 (SMR)", "conventional", "drive database is used"),
        ),
        (
            drive(
                smart=RED_CMR,
            ),
            (
                Pattern("Example", confidence=Confidence.MEDIUM),
                Pattern("Example", kind=RecordingKind.HOST_AWARE),
            ),
            (UNKNOWN, None, "none"),
            ("Red (CMR)", "drive-managed"),
        ),
        (
            drive(smart=Smart(model_family="Seagate BarraCuda 3.5 (SMR)")),
            (Pattern("Example", kind=RecordingKind.CONVENTIONAL, confidence=Confidence.HIGH),),
            (UNKNOWN, None, "none"),
            ("BarraCuda 3.5 (SMR)", "conventional", "sources are equally strong"),
        ),
        (
            drive(ata=Ata(zoned=2)),
            (Pattern("Example", kind=RecordingKind.CONVENTIONAL, confidence=Confidence.HIGH),),
            (YES, "drive", "medium"),
            ("device-managed", "conventional", "IDENTIFY word 69, bits 1:0 is used"),
        ),
        (
            drive(zoned="host-managed", vpd_zoned=2),
            (),
            (YES, "host-managed", "high"),
            (
                "the kernel's queue/zoned: host-managed",
                "2: drive-managed",
                "the kernel's queue/zoned is used",
            ),
        ),
        (
            drive(zoned="host-managed", ata=Ata(zoned=1)),
            (),
            (YES, "host-managed", "high"),
            ("IDENTIFY word 69", "1: host-aware"),
        ),
        (
            drive(vpd_zoned=1, ata=Ata(zoned=2)),
            (),
            (YES, "host-aware", "high"),
            ("1: host-aware", "2: device-managed"),
        ),
        (
            drive(ata=Ata(zoned=2), smart=Smart(zoned_capability="host_aware")),
            (),
            (YES, "drive", "high"),
            ("device-managed", "host_aware"),
        ),
    ],
)
def test_contradictions_are_findings(
    subject: Drive,
    patterns: tuple[Pattern, ...],
    verdict: tuple[Recorded, str | None, str],
    words: tuple[str, ...],
) -> None:
    assert judged(subject, *patterns) == verdict
    (finding,) = found_of(subject, "recording-contradiction", *patterns)
    assert finding.severity is Severity.WARNING
    for word in words:
        assert word in f"{finding.sentence} {finding.why}"
    # Whatever else is said of the drive, it is not that nothing tells.
    assert not found_of(subject, "recording-unknown", *patterns)


@pytest.mark.parametrize(
    ("subject", "patterns"),
    [
        (drive(zoned="none", vpd_zoned=2, ata=Ata(zoned=2, trims=True)), ()),
        (drive(zoned="none", vpd_zoned=1), ()),
        (
            drive(zoned="host-aware", discard=TRIM, smart=Smart(model_family="Seagate Archive HDD (SMR)")),
            (Pattern("Example"),),
        ),
        (
            drive(zoned="host-managed", vpd_zoned=0, ata=Ata()),
            (Pattern("Example", kind=RecordingKind.HOST_MANAGED),),
        ),
        (drive(smart=RED_CMR), (Pattern("Example", kind=RecordingKind.CONVENTIONAL),)),
        (drive(rotation_rate=5400), ()),
        (drive(rotational=None), ()),
        (drive(rotational=False, kernel_rotational=False, rotation_rate=1), ()),
        (drive(bus="nvme", rotational=False, zoned="host-managed"), (Pattern("Example"),)),
    ],
)
def test_less_specific_evidence_is_no_contradiction(subject: Drive, patterns: tuple[Pattern, ...]) -> None:
    """Host-aware drives report `none` since Linux 6.8, and lists rarely state the zone management."""
    assert not found_of(subject, "recording-contradiction", *patterns)


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (
            drive(rotational=False, rotation_rate=1),
            ("as rotating", "reports not rotating", "echo 0 > /sys/block/sda/queue/rotational"),
        ),
        (
            drive(kernel_rotational=False, rotation_rate=5400),
            ("as not rotating", "reports rotating", "echo 1 >"),
        ),
        (
            drive(kernel_rotational=False, bus="usb", rotation_rate=7200),
            ("reports rotating", "The drive's report is used"),
        ),
    ],
)
def test_rotation_may_be_in_doubt(subject: Drive, words: tuple[str, ...]) -> None:
    (finding,) = found_of(subject, "recording-contradiction")
    assert finding.severity is Severity.INFO
    for word in words:
        assert word in f"{finding.sentence} {finding.why} {finding.advice}"


@pytest.mark.parametrize(
    ("ata", "words"),
    [
        (
            Ata(physical_block_bytes=16384),
            ("reports 16384-byte blocks", "kernel uses 4096-byte blocks"),
        ),
        (
            Ata(physical_block_bytes=4096, alignment_offset_bytes=3584),
            ("alignment offset of 3584 bytes", "the kernel reports 0", "jumper"),
        ),
        (Ata(physical_block_bytes=4096, alignment_offset_bytes=0), ()),
        (Ata(physical_block_bytes=512), ()),
        (Ata(), ()),
    ],
)
def test_block_sizes_of_drive_and_kernel_are_compared(ata: Ata, words: tuple[str, ...]) -> None:
    found = found_of(drive(ata=ata), "geometry-contradiction")
    assert len(found) == bool(words)
    for word in words:
        assert word in f"{found[0].sentence} {found[0].why} {found[0].remedy}"
