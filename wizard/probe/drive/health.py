"""What a drive counts of itself, from smartctl's JSON. Pure; whatever is of another shape counts as not told.

Sources: smartmontools' ataprint.cpp, nvmeprint.cpp and scsiprint.cpp (keys of its JSON); ATA attributes 5, 9,
187, 194 and 197 to 199 as its drivedb.h names them by default; NVM Express Base Specification 2.0, SMART /
Health Information (log page 02h) and Device Self-test (06h); SPC-5, self-test results log.
"""

import re
from collections.abc import Iterator
from typing import Any

from wizard.model.drive_facts import Health

REALLOCATED, PENDING, LOST = (5, r"Reallocat|Retired"), (197, "Pending"), (198, "Uncorrect")
UNCORRECTED, CABLE = (187, "Uncorrect"), (199, "CRC")
"""ATA attributes: the number, and what smartctl must call it, since makers give numbers other meanings."""

COUNTED_BITS = 0xFFFFFFFF
"""Of a raw value: some makers keep something else in its upper bytes."""

NVME_FAILED = frozenset({5, 6, 7})
SCSI_FAILED = frozenset({3, 4, 5, 6, 7})
"""Results of self-tests that found something; the others were aborted, or passed (0)."""


def health_of(said: dict[str, Any]) -> Health:
    """What of it is known."""
    attributes = _table(said, "ata_smart_attributes")
    nvme = object_at(said, "nvme_smart_health_information_log")
    passed, hours = next(_tests(said), (None, None))
    return Health(
        hours=_number(object_at(said, "power_on_time").get("hours")),
        celsius=_number(object_at(said, "temperature").get("current")) or None,
        reallocated=_first(_raw(attributes, *REALLOCATED), _number(said.get("scsi_grown_defect_list"))),
        pending=_raw(attributes, *PENDING),
        lost=_raw(attributes, *LOST),
        media_errors=_first(
            _number(nvme.get("media_errors")),
            _raw(attributes, *UNCORRECTED),
            _number(
                object_at(object_at(said, "scsi_error_counter_log"), "read").get("total_uncorrected_errors")
            ),
        ),
        cable_errors=_raw(attributes, *CABLE),
        used_percent=_first(
            _number(nvme.get("percentage_used")),
            _number(object_at(said, "endurance_used").get("current_percent")),
            _number(said.get("scsi_percentage_used_endurance_indicator")),
        ),
        spare_percent=_number(nvme.get("available_spare")),
        least_spare_percent=_number(nvme.get("available_spare_threshold")),
        alarms=_number(nvme.get("critical_warning")),
        failing=tuple(
            str(entry.get("name"))
            for entry in attributes
            if entry.get("when_failed") == "now" and object_at(entry, "flags").get("prefailure") is True
        ),
        test_passed=passed,
        test_hours=hours,
    )


def _tests(said: dict[str, Any]) -> Iterator[tuple[bool, int | None]]:
    """Self-tests that came to an end, the last one first: whether each passed, and when."""
    log = object_at(said, "ata_smart_self_test_log")
    for kind in ("extended", "standard"):
        for entry in _table(log, kind):
            passed = object_at(entry, "status").get("passed")
            if isinstance(passed, bool):
                yield passed, _number(entry.get("lifetime_hours"))
    for entry in _table(said, "nvme_self_test_log"):
        result = _number(object_at(entry, "self_test_result").get("value"))
        if result == 0 or result in NVME_FAILED:
            yield result == 0, _number(entry.get("power_on_hours"))
    for number in range(20):
        entry = object_at(said, f"scsi_self_test_{number}")
        result = _number(object_at(entry, "result").get("value"))
        if result == 0 or result in SCSI_FAILED:
            yield result == 0, _number(object_at(entry, "power_on_time").get("hours"))


def _raw(attributes: list[dict[str, Any]], number: int, named: str) -> int | None:
    found = (
        _number(object_at(entry, "raw").get("value"))
        for entry in attributes
        if entry.get("id") == number and re.search(named, str(entry.get("name")))
    )
    value = next(found, None)
    return None if value is None else value & COUNTED_BITS


def _first(*found: int | None) -> int | None:
    return next((number for number in found if number is not None), None)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def object_at(value: dict[str, Any], key: str) -> dict[str, Any]:
    """The object under a key; empty where there is none."""
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _table(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = object_at(value, key).get("table")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
