"""Parse the output of smartctl."""

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from wizard.model import drive_facts
from wizard.model.machine import Obstacle
from wizard.model.said import Message, t
from wizard.probe.drive.ata import valid_rate
from wizard.probe.unread import obstacle_in

T = TypeVar("T")
Source = str | tuple[int, str]
NVME = "nvme_smart_health_information_log"
COUNTERS: dict[str, tuple[Source, ...]] = {
    "hours": ("power_on_time hours",),
    "celsius": ("temperature current",),
    "reallocated": ((5, r"Reallocat|Retired"), "scsi_grown_defect_list"),
    "pending": ((197, "Pending"),),
    "lost": ((198, "Uncorrect"),),
    "media_errors": (
        f"{NVME} media_errors",
        (187, "Uncorrect"),
        "scsi_error_counter_log read total_uncorrected_errors",
    ),
    "cable_errors": ((199, "CRC"),),
    "used_percent": (
        f"{NVME} percentage_used",
        "endurance_used current_percent",
        "scsi_percentage_used_endurance_indicator",
    ),
    "spare_percent": (f"{NVME} available_spare",),
    "least_spare_percent": (f"{NVME} available_spare_threshold",),
    "alarms": (f"{NVME} critical_warning",),
}
"""Sources of the numbers in Health, the best first: keys in smartctl's output, or an ATA attribute by number
and smartctl's name, since vendors reuse the numbers."""

COUNTED_BITS = 0xFFFFFFFF
"""Mask for raw values. Some vendors store something else in the upper bytes."""


NVME_FAILED = frozenset({5, 6, 7})


SCSI_FAILED = frozenset({3, 4, 5, 6, 7})
"""Results of failed self-tests. Others were aborted, or passed (0)."""


def smart_of(text: str | None) -> drive_facts.Smart:
    """Parse smartctl's JSON output."""
    output = _parsed(text)
    zones = _at(output, "zoned_device capabilities", str)
    if output.get("scsi_device_managed_zoned_block_capable") is True:
        zones = "device_managed"
    rate = _number(output, "rotation_rate")
    if rate == 0 and _at(output, "device protocol", str) == "ATA":
        # smartctl's 0 for solid state. For SCSI it can mean "not reported".
        rate = drive_facts.SOLID_STATE
    return drive_facts.Smart(
        passed=_at(output, "smart_status passed", bool),
        model_family=_at(output, "model_family", str),
        zoned_capability=zones,
        trim_supported=_at(output, "trim supported", bool),
        rotation_rate=valid_rate(rate or 0),
        model_name=" ".join((_at(output, "model_name", str) or "").split()) or None,
        health=_health_of(output),
    )


def smart_trouble(text: str | None) -> tuple[Message, Obstacle] | None:
    """Return a message and an obstacle if smartctl returned no data, else None."""
    output = _parsed(text)
    if text is None or "smart_status" in output or "model_name" in output or "rotation_rate" in output:
        return None
    texts = [str(line.get("string")) for line in _rows(output, "smartctl messages")]
    if texts:
        return t("smartctl: {said}.", said=texts[0].rstrip(".")), obstacle_in(texts[0])
    power = _at(output, "power_mode name", object)
    asleep = t("The drive is asleep ({mode}).", mode=str(power))
    return asleep if power else t("smartctl output is unreadable."), Obstacle.FAILED


def _parsed(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _health_of(said: dict[str, Any]) -> drive_facts.Health:
    attributes = _rows(said, "ata_smart_attributes table")

    def number(source: Source) -> int | None:
        if isinstance(source, str):
            return _number(said, source)
        found = (
            _number(entry, "raw value")
            for entry in attributes
            if entry.get("id") == source[0] and re.search(source[1], str(entry.get("name")))
        )
        value = next(found, None)
        return None if value is None else value & COUNTED_BITS

    counted = {
        name: next((found for found in map(number, sources) if found is not None), None)
        for name, sources in COUNTERS.items()
    }
    # Drives without a sensor report 0.
    counted["celsius"] = counted["celsius"] or None
    passed, hours = next(_tests(said), (None, None))
    return drive_facts.Health(
        **counted,
        failing=tuple(
            str(entry.get("name"))
            for entry in attributes
            if entry.get("when_failed") == "now" and _at(entry, "flags prefailure", bool)
        ),
        test_passed=passed,
        test_hours=hours,
    )


def _tests(output: dict[str, Any]) -> Iterator[tuple[bool, int | None]]:
    """Yield completed self-tests, the latest first, with the power-on hours."""
    for kind in ("extended", "standard"):
        for entry in _rows(output, f"ata_smart_self_test_log {kind} table"):
            passed = _at(entry, "status passed", bool)
            if passed is not None:
                yield passed, _number(entry, "lifetime_hours")
    for entry in _rows(output, "nvme_self_test_log table"):
        result = _number(entry, "self_test_result value")
        if result == 0 or result in NVME_FAILED:
            yield result == 0, _number(entry, "power_on_hours")
    for number in range(20):
        test = f"scsi_self_test_{number}"
        result = _number(output, f"{test} result value")
        if result == 0 or result in SCSI_FAILED:
            yield result == 0, _number(output, f"{test} power_on_time hours")


def _number(said: dict[str, Any], keys: str) -> int | None:
    value = _at(said, keys, int)
    return None if value is None or isinstance(value, bool) or value < 0 else value


def _at(value: dict[str, Any], keys: str, kind: type[T]) -> T | None:
    """Return the value at these keys, or None if it is missing or has another type."""
    found: object = value
    for key in keys.split():
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, kind) else None


def _rows(value: dict[str, Any], keys: str) -> list[dict[str, Any]]:
    return [row for row in _at(value, keys, list) or () if isinstance(row, dict)]
