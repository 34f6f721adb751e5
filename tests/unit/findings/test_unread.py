"""Texts about unreadable facts."""

import pytest
from msgspec.structs import replace

from tests.unit.findings.test_findings import of
from tests.unit.machines import SIZE_BYTES, drive, partition, partitioned, unread
from tests.unit.probe import rawfacts
from wizard.model.drive_facts import Smart
from wizard.model.machine import Drive, Obstacle, Signature, Table, Use
from wizard.probe.facts import RawError
from wizard.probe.interpret import machine_of


def test_unread_fields_are_reported_once_for_each_reason() -> None:
    reason = "Only root may read it."
    subject = drive(
        unread=(
            unread("smart", reason),
            unread("vpd_zoned", reason),
            unread("serial", "The drive gave none."),
            unread("signatures", "The drive gave none."),
            unread("contents", "The drive gave none."),
        )
    )
    found = [finding for finding in of(subject, root=False) if finding.code == "drive-unread"]
    assert len(found) == 2
    assert "from /dev/sda: health (SMART), vpd_zoned" in str(found[0].sentence)
    assert "Only root may read it." in str(found[0].sentence)
    assert str(found[1].sentence).count("drive contents") == 1
    assert all("root" in str(finding.advice) for finding in found)


def test_many_failures_to_read_the_same_are_one_finding() -> None:
    failing = tuple(
        unread("table", f"Byte {byte} could not be read: Input/output error.") for byte in (0, 512)
    )
    found = [
        finding
        for finding in of(
            drive(
                unread=(
                    *failing,
                    unread("smart", "smartctl is not installed.", obstacle=Obstacle.NOT_INSTALLED),
                )
            )
        )
        if finding.code == "drive-unread"
    ]
    assert len(found) == 2
    assert "Byte 0 could not be read: Input/output error. Byte 512 could" in str(
        found[0].sentence
    ) and "cable" in str(found[0].advice)


def test_drive_without_readable_facts_is_one_finding_and_no_crash() -> None:
    subject = Drive("/dev/sdz", None, None, unread=(unread("drive", "It did not answer within 10 s."),))
    assert [finding.code for finding in of(subject)] == ["drive-unread"]
    assert "10 s" in str(of(subject)[0].sentence)


def test_untrusted_text_is_escaped_in_every_sentence() -> None:
    evil = "\x1b[31mboo\n"
    subject = replace(
        partitioned(partition(), signatures=(Signature(evil, "filesystem"),)),
        uses=(Use("mounted", "/dev/sda1", "/mnt/" + evil),),
        unread=(unread("smart", evil),),
        smart=Smart(model_family=evil + "(SMR)"),
        table=Table("gpt", first_usable_bytes=0, end_usable_bytes=SIZE_BYTES),
    )
    for finding in of(subject):
        assert all(
            text.isprintable() for text in map(str, (finding.sentence, finding.why, finding.remedy))
        ), finding


def test_unmounting_the_running_system_is_never_recommended() -> None:
    subject = drive(uses=(Use("mounted", "/dev/sda1", "/"), Use("running-system", "/dev/sda1", "/")))
    found = of(subject)
    assert not any("umount" in str(finding.advice) for finding in found)
    (mounted,) = (finding for finding in found if finding.code == "use-mounted")
    assert "The running system may need it." in str(mounted.advice)


@pytest.mark.parametrize(
    ("obstacle", "root", "word"),
    [
        (Obstacle.FORBIDDEN, True, "container"),
        (Obstacle.DENIED, True, "container"),
        (Obstacle.DENIED, False, "as root"),
        (Obstacle.NOT_INSTALLED, True, "Install"),
        (Obstacle.UNKNOWN_BRIDGE, True, "Without the bridge"),
        (Obstacle.FAILED, True, "cable"),
        (Obstacle.CONTRADICTORY, True, "Save all readable data"),
        (Obstacle.OTHER_BLOCKS, True, "another USB bridge"),
    ],
)
def test_remedy_for_unread_facts_fits_the_obstacle(obstacle: Obstacle, root: bool, word: str) -> None:
    subject = drive(unread=(unread("table", "Whatever was said.", obstacle=obstacle),))
    (found,) = (finding for finding in of(subject, root=root) if finding.code == "drive-unread")
    assert word in str(found.advice)


@pytest.mark.parametrize(
    ("why", "obstacle"),
    [
        ("[Errno 1] Operation not permitted", Obstacle.FORBIDDEN),
        ("Permission denied", Obstacle.DENIED),
        ("smartctl is not installed", Obstacle.NOT_INSTALLED),
        ("smartctl says: /dev/sda: Unknown USB bridge [0x46f4:0x0003]", Obstacle.UNKNOWN_BRIDGE),
        ("Input/output error", Obstacle.FAILED),
    ],
)
def test_recorded_system_error_determines_the_obstacle(why: str, obstacle: Obstacle) -> None:
    raw = rawfacts.drive(errors=(RawError("contents", why),))
    (found,) = machine_of(rawfacts.machine(raw)).drives
    assert {one.obstacle for one in found.unread if why[1:] in str(one.why)} == {obstacle}
