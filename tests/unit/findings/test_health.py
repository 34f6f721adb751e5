"""Drive health from smartctl. The JSON has the shape of public examples by AnalogJ/scrutiny
(webapp/backend/pkg/models/testdata) and prometheus-community/smartctl_exporter (testdata), with real or
synthetic numbers."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine, unread
from tests.unit.pages import page_lines
from wizard.cli.inspect import drive_document, portrait
from wizard.findings.diagnose import (
    MOST_SENTENCES,
    DriveVerdict,
    diagnose,
    find_health,
    has_health,
    judge_health,
)
from wizard.model.drive_facts import Health, Smart
from wizard.model.finding import Severity
from wizard.model.machine import Drive
from wizard.probe.drive.reports import smart_of
from wizard.probe.machine import load_machine

MACHINES = Path(__file__).parents[2] / "machines"


def attribute(
    number: int, name: str, value: int, *, failed: str = "", prefailure: bool = False
) -> dict[str, Any]:
    return {
        "id": number,
        "name": name,
        "value": 100,
        "thresh": 36,
        "when_failed": failed,
        "flags": {"prefailure": prefailure},
        "raw": {"value": value, "string": str(value)},
    }


def ata(
    *attributes: dict[str, Any], passed: bool = True, hours: int = 30000, **more: object
) -> dict[str, Any]:
    return {
        "smart_status": {"passed": passed},
        "ata_smart_attributes": {"revision": 16, "table": list(attributes)},
        "power_on_time": {"hours": hours},
        "temperature": {"current": 31},
        **more,
    }


def self_tests(*entries: tuple[int, bool | None], kind: str = "standard") -> dict[str, Any]:
    """Return self-tests, latest first: power-on hours, and True if passed or None if aborted."""
    table = [
        {"status": {"value": 0, **({} if passed is None else {"passed": passed})}, "lifetime_hours": hours}
        for hours, passed in entries
    ]
    return {"ata_smart_self_test_log": {kind: {"revision": 1, "table": table}}}


def nvme(passed: bool = True, **log: int) -> dict[str, Any]:
    usual = {
        "critical_warning": 0,
        "available_spare": 100,
        "available_spare_threshold": 10,
        "percentage_used": 3,
        "media_errors": 0,
    }
    return {
        "smart_status": {"passed": passed, "nvme": {"value": 0}},
        "nvme_smart_health_information_log": usual | log,
        "power_on_time": {"hours": 100},
        "temperature": {"current": 40},
    }


def with_smart(said: dict[str, Any]) -> Drive:
    return replace(drive(), smart=smart_of(json.dumps(said)))


REALLOCATED, PENDING, LOST = (
    (5, "Reallocated_Sector_Ct"),
    (197, "Current_Pending_Sector"),
    (198, "Offline_Uncorrectable"),
)
SAID = {
    "a sound disk": (
        ata(attribute(*REALLOCATED, 0), attribute(*PENDING, 0), **self_tests((29976, True))),
        "good",
        ("The last self-test passed 24 power-on hours ago.",),
    ),
    "pending sectors": (
        ata(attribute(*PENDING, 8), attribute(*LOST, 2)),
        "failing",
        ("8 sectors are unreadable; their data may be lost.",),
    ),
    "one pending sector": (
        ata(attribute(*PENDING, 1), hours=1),
        "failing",
        ("One sector is unreadable; its data may be lost.",),
    ),
    "replaced sectors": (
        ata(attribute(*REALLOCATED, 387)),
        "worn",
        ("387 bad sectors were replaced with spares.",),
    ),
    "a failed check, of all that can be said": (
        ata(
            attribute(*REALLOCATED, 1975, failed="now", prefailure=True),
            attribute(*PENDING, 8),
            passed=False,
            **self_tests((42, False)),
        ),
        "failing",
        (
            "The drive's SMART health check failed.",
            "Reallocated_Sector_Ct has fallen to the manufacturer's limit.",
            "8 sectors are unreadable; their data may be lost.",
            "The last self-test found errors.",
        ),
    ),
    "a self-test that found errors": (
        ata(**self_tests((30000, None), (29000, False), (28000, True), kind="extended")),
        "failing",
        ("The last self-test found errors.",),
    ),
    "an older self-test that did": (
        ata(**self_tests((29000, True), (28000, False))),
        "good",
        ("The last self-test passed 1000 power-on hours ago.",),
    ),
    "a disk whose log of self-tests has counted past 16 bits": (
        ata(hours=65592, **self_tests((42, True))),
        "good",
        ("The last self-test passed 14 power-on hours ago.",),
    ),
    "other things under the same numbers": (
        ata(
            attribute(197, "Not_In_Use", 77),
            attribute(198, "Host_Reads_GiB", 77),
            attribute(5, "Retry_Count", 9),
        ),
        "good",
        (),
    ),
    "a sound SSD": (
        nvme(),
        "good",
        (),
    ),
    "an SSD that counts no spares, as QEMU's": (
        nvme(available_spare=0, available_spare_threshold=0),
        "good",
        (),
    ),
    "an SSD at its end": (
        nvme(percentage_used=104, available_spare=8, media_errors=7, critical_warning=1),
        "worn",
        (
            "The drive failed to return stored data 7 times.",
            "104 % of the rated write endurance is used.",
            "Only 8 % of the spare blocks remain.",
        ),
    ),
    "an SSD that warns": (
        nvme(passed=False, critical_warning=4),
        "failing",
        ("The drive's SMART health check failed.",),
    ),
    "a SAS disk": (
        {
            "smart_status": {"passed": True},
            "scsi_grown_defect_list": 56,
            "power_on_time": {"hours": 43549, "minutes": 33},
            "temperature": {"current": 34, "drive_trip": 85},
            "scsi_self_test_0": {"result": {"value": 1}, "power_on_time": {"hours": 43500}},
            "scsi_self_test_1": {"result": {"value": 0}, "power_on_time": {"hours": 43449}},
        },
        "worn",
        (
            "56 bad sectors were replaced with spares.",
            "The last self-test passed 100 power-on hours ago.",
        ),
    ),
    "a SAS disk that could not read": (
        {
            "smart_status": {"passed": True},
            "scsi_error_counter_log": {"read": {"total_uncorrected_errors": 3}},
        },
        "worn",
        ("The drive failed to return stored data 3 times.",),
    ),
    "errors of reading": (
        ata(attribute(187, "Reported_Uncorrect", 12)),
        "worn",
        ("The drive failed to return stored data 12 times.",),
    ),
    "a bad cable": (
        ata(attribute(199, "UDMA_CRC_Error_Count", 41), attribute(187, "Reported_Uncorrect", 0)),
        "good",
        ("41 transfers were corrupted on the cable; replace the cable if this continues.",),
    ),
    "counts without a verdict": (
        {"temperature": {"current": 29}, "ata_smart_attributes": {"table": [attribute(*PENDING, 0)]}},
        "unknown",
        (),
    ),
    "nonsense": (
        {
            "smart_status": [],
            "ata_smart_attributes": {"table": [3, None]},
            "power_on_time": {"hours": "many"},
        },
        "unknown",
        (),
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_health_is_a_verdict_and_at_most_five_short_sentences(name: str) -> None:
    said, verdict, wanted = SAID[name]
    judged = judge_health(with_smart(said))
    assert judged.verdict == verdict
    first, *others = map(str, judged.said)
    assert first.partition(" ")[0].strip(":").lower() == verdict
    assert ("copy all data off the drive" in first) is (verdict == "failing")
    assert tuple(one for one in others if not one.startswith(("Powered on", "Temperature"))) == wanted
    assert len(judged.said) <= MOST_SENTENCES and all(len(str(one).split()) <= 20 for one in judged.said)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("a sound disk", ["Powered on for 3.4 years (30000 hours).", "Temperature: 31 °C."]),
        ("one pending sector", ["Powered on for one hour.", "Temperature: 31 °C."]),
        ("a sound SSD", ["Powered on for 100 hours.", "Temperature: 40 °C."]),
        ("a SAS disk", ["Powered on for 5.0 years (43549 hours).", "Temperature: 34 °C."]),
        ("counts without a verdict", ["Temperature: 29 °C."]),
        ("an SSD at its end", ["Powered on for 100 hours."]),
        ("a failed check, of all that can be said", []),
        ("nonsense", []),
    ],
)
def test_age_and_temperature_are_shown_if_known_and_nothing_worse_needs_the_space(
    name: str, wanted: list[str]
) -> None:
    shown = map(str, judge_health(with_smart(SAID[name][0])).said)
    assert [one for one in shown if one.startswith(("Powered on", "Temperature"))] == wanted


def test_self_test_log_of_an_nvme_drive() -> None:
    log = {"nvme_self_test_log": {"table": [{"self_test_result": {"value": 7}, "power_on_hours": 90}]}}
    assert "self-test found errors" in str(judge_health(with_smart(nvme() | log)).said[1])
    log["nvme_self_test_log"]["table"].insert(0, {"self_test_result": {"value": 0}, "power_on_hours": 95})
    assert (
        str(judge_health(with_smart(nvme() | log)).said[-1])
        == "The last self-test passed 5 power-on hours ago."
    )


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("pending sectors", {"health-unreadable": Severity.DANGER}),
        ("a self-test that found errors", {"health-unreadable": Severity.DANGER}),
        ("replaced sectors", {"health-worn": Severity.WARNING}),
        ("an SSD at its end", {"health-worn": Severity.WARNING}),
        ("errors of reading", {"health-worn": Severity.WARNING}),
        ("a bad cable", {}),
        ("a sound disk", {}),
        ("nonsense", {}),
    ],
)
def test_bad_health_is_a_finding(name: str, codes: dict[str, Severity]) -> None:
    on = with_smart(SAID[name][0])
    assert {finding.code: finding.severity for finding in find_health(on)} == codes
    assert set(codes) <= {finding.code for finding in diagnose(machine(on), on, ()).findings}


@pytest.mark.parametrize("name", ["stick", "enclosure", "bridge-4096"])
def test_bridge_without_smart_is_unknown(name: str) -> None:
    """On these recorded machines smartctl only reports `Unknown USB bridge`."""
    here = load_machine(MACHINES / f"{name}.json")
    on = next(one for one in here.drives if any(unread.what == "smart" for unread in one.unread))
    judged = judge_health(on)
    assert judged.verdict is DriveVerdict.UNKNOWN and "Unknown USB bridge" in str(judged.said[0])
    assert not list(find_health(on))


def test_old_recordings_have_the_verdict_and_no_counts() -> None:
    on = load_machine(MACHINES / "red.json").drives[0]
    assert on.smart.health == Health() and judge_health(on).verdict is DriveVerdict.GOOD
    failing = next(
        one for one in load_machine(MACHINES / "nvme-failing.json").drives if one.smart.passed is False
    )
    assert judge_health(failing).verdict is DriveVerdict.FAILING


def test_inspect_shows_health_in_one_block_and_as_data() -> None:
    on = with_smart(SAID["replaced sectors"][0])
    diagnosis = diagnose(machine(on), on, ())
    lines = page_lines(portrait(on, diagnosis))
    (first,) = [index for index, line in enumerate(lines) if line.startswith("  Health: ")]
    assert " ".join(lines[first : first + 3]).split()[1:6] == ["Worn", "but", "working:", "plan", "to"]
    health = drive_document(on, diagnosis)["health"]
    assert (health["verdict"], health["reallocated"], health["hours"], health["pending"]) == (
        "worn",
        387,
        30000,
        None,
    )


def test_drive_without_health_data_is_not_mentioned() -> None:
    loop = replace(drive(), smart=Smart())
    assert not has_health(loop) and judge_health(loop).verdict is DriveVerdict.UNKNOWN
    assert not any(
        "Health:" in line for line in page_lines(portrait(loop, diagnose(machine(loop), loop, ())))
    )
    asked = replace(loop, unread=(unread("smart", "Needs root."),))
    assert has_health(asked) and str(judge_health(asked).said[0]) == "Unknown: Needs root."
