"""What smartctl said of a drive."""

import json
from typing import Any

from wizard.model.drive_facts import SOLID_STATE, Smart
from wizard.model.machine import Obstacle
from wizard.model.said import Said
from wizard.probe.drive.health import health_of, object_at
from wizard.probe.drive.rotation import told
from wizard.probe.reasons import obstacle_in
from wizard.probe.words import unread as words


def smart_of(text: str | None) -> Smart:
    """What of it is known."""
    said = _object(text)
    zones = object_at(said, "zoned_device").get("capabilities")
    if said.get("scsi_device_managed_zoned_block_capable") is True:
        zones = "device_managed"
    family, model, passed = (
        said.get("model_family"),
        said.get("model_name"),
        object_at(said, "smart_status").get("passed"),
    )
    trim = object_at(said, "trim").get("supported")
    return Smart(
        passed=passed if isinstance(passed, bool) else None,
        model_family=family if isinstance(family, str) else None,
        zoned_capability=zones if isinstance(zones, str) else None,
        trim_supported=trim if isinstance(trim, bool) else None,
        rotation_rate=_rotation_rate(said),
        model_name=" ".join(model.split()) or None if isinstance(model, str) else None,
        health=health_of(said),
    )


def smart_trouble(text: str | None) -> tuple[Said, Obstacle] | None:
    """Why smartctl gave nothing, in its own words, and what stood against it."""
    said = _object(text)
    if text is None or "smart_status" in said or "model_name" in said or "rotation_rate" in said:
        return None
    messages = object_at(said, "smartctl").get("messages")
    told = (
        [str(line.get("string")) for line in messages if isinstance(line, dict)]
        if isinstance(messages, list)
        else []
    )
    if told:
        return words.SMARTCTL_SAYS(said=told[0].rstrip(".")), obstacle_in(told[0])
    power = object_at(said, "power_mode").get("name") if "power_mode" in said else None
    why = words.SLEEPS(mode=str(power)) if power else words.SMARTCTL_UNREADABLE()
    return why, Obstacle.FAILED


def _rotation_rate(said: dict[str, Any]) -> int | None:
    """smartctl writes 0 for an ATA drive that is solid state. For a SCSI drive the same 0 can mean that it
    reports nothing."""
    rate = said.get("rotation_rate")
    if not isinstance(rate, int) or isinstance(rate, bool):
        return None
    if rate == 0:
        return SOLID_STATE if object_at(said, "device").get("protocol") == "ATA" else None
    return told(rate)


def _object(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
