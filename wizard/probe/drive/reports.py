"""Parse what a drive reports: ATA and SCSI identification, and the output of smartctl. Pure.

Model, serial number, WWN and bus come from sysfs, else from udev's database.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from wizard.model import drive_facts
from wizard.model.machine import Obstacle
from wizard.model.said import Message, t
from wizard.probe.facts import RawDrive, RawMachine, obstacle_in
from wizard.probe.host.sysfs import OPTICAL

PAGE_HEADER_BYTES = 4


def vital_page(raw: RawDrive, number: str) -> bytes:
    """Return a vital product data page, empty if missing or damaged."""
    page = raw.vpd.get(number, b"")
    return page if len(page) > PAGE_HEADER_BYTES else b""


RATE_BYTES = slice(4, 6)
STILL_BY_DEFAULT = ("nbd", "rbd", "xvd")
"""Devices that the kernel calls non-rotational whatever the backing storage."""


def _valid_rate(rate: int) -> int | None:
    """Return a valid rotation rate (word 217, page B1h), else None."""
    is_valid = rate == drive_facts.SOLID_STATE or drive_facts.LEAST_RATE <= rate <= drive_facts.MOST_RATE
    return rate if is_valid else None


def own_rate(raw: RawDrive, ata: drive_facts.Ata | None, smart: drive_facts.Smart) -> int | None:
    """Return the rotation rate from ATA, else page B1h, else smartctl."""
    page = vital_page(raw, "b1")
    by_page = _valid_rate(int.from_bytes(page[RATE_BYTES], "big")) if len(page) >= RATE_BYTES.stop else None
    rates = (ata.rotation_rate if ata else None, by_page, smart.rotation_rate)
    return next((rate for rate in rates if rate is not None), None)


def turns(raw: RawDrive, rate: int | None, kernels: bool | None) -> bool | None:
    """Return True if the drive has platters, None if unknown. The kernel's default is "rotational"."""
    if rate is not None:
        return rate != drive_facts.SOLID_STATE
    return False if kernels is False and not raw.name.startswith(STILL_BY_DEFAULT) else None


COMMAND_BYTE, DATA_AT, DATA_BYTES = 56, 60, 512
IDENTIFY_DEVICE = 0xEC
"""The command that fills the page. Optical drives use another, with different words."""

IDENTIFY_SIGNATURE = 0xA5
"""In the lower byte of word 255. The upper byte is a checksum that makes the sum of all bytes zero."""
NOT_REPORTED = 0xFFFF
WORD_BYTES = 2
USUAL_BLOCK_BYTES = 512
INVALID = t("The drive's IDENTIFY data is invalid.")


def ata_of(raw: RawDrive) -> tuple[drive_facts.Ata | None, Message | None]:
    """Parse the IDENTIFY data. Returns it or None, and the reason if the data is invalid."""
    page = vital_page(raw, "89")
    if len(page) < DATA_AT + DATA_BYTES or page[COMMAND_BYTE] != IDENTIFY_DEVICE:
        return None, None
    data = page[DATA_AT : DATA_AT + DATA_BYTES]
    if data[-WORD_BYTES] == IDENTIFY_SIGNATURE and sum(data) % 256:
        return None, INVALID
    words = [int.from_bytes(data[at : at + WORD_BYTES], "little") for at in range(0, DATA_BYTES, WORD_BYTES)]
    if not any(words) or words[0] & 1 << 15:
        return None, INVALID
    # Words 27 to 46: 40 characters, high byte of each word first.
    model = _clean(bytes(data[at ^ 1] for at in range(54, 94)).decode("ascii", errors="replace"))
    known = _is_valid(words[106])
    # Words 118:117 count 16-bit units.
    larger = (words[118] << 16 | words[117]) * WORD_BYTES if known and words[106] & 1 << 12 else 0
    logical = larger or USUAL_BLOCK_BYTES
    blocks = 1 << (words[106] & 0xF) if known and words[106] & 1 << 13 else 1
    # The position of the first logical block in its physical block.
    within = words[209] & 0x3FFF
    return (
        drive_facts.Ata(
            model=model if model and model.isprintable() and model.isascii() else None,
            zoned=words[69] & 3 if words[69] not in (0, NOT_REPORTED) and words[69] & 3 != 3 else None,
            trims=bool(words[169] & 1) if words[169] != NOT_REPORTED else None,
            rotation_rate=_valid_rate(words[217]),
            physical_block_bytes=logical * blocks if known else None,
            alignment_offset_bytes=(blocks - within) % blocks * logical
            if _is_valid(words[209]) and within < blocks
            else None,
            security=words[128] & 0xF or None if words[128] != NOT_REPORTED else None,
        ),
        None,
    )


def _is_valid(word: int) -> bool:
    return word >> 14 == 1


INQUIRY_CHARACTERS = 16
BUSES = (
    ("/virtual/block/loop", "loop"),
    ("/usb", "usb"),
    ("/nvme", "nvme"),
    ("/ata", "sata"),
    ("/virtio", "virtio"),
    ("/mmc", "mmc"),
    ("/session", "iscsi"),
    ("/end_device-", "sas"),
    ("/vbd-", "xen"),
    ("/host", "scsi"),
)
"""Parts of a device's sysfs path, the most specific first: a USB bridge is a SCSI host too."""


def numbers_of(raw: RawDrive) -> tuple[str | None, str | None]:
    """Return serial number and WWN. libata fills SCSI VPD page 80h for ATA drives (SPC-4, 7.8.16)."""
    sysfs, udev = raw.sysfs, raw.udev
    serial = (
        vital_page(raw, "80")[PAGE_HEADER_BYTES:].decode("ascii", errors="replace")
        or sysfs.get("device/serial")
        or sysfs.get("serial")
        or udev.get("ID_SCSI_SERIAL")
        or udev.get("ID_SERIAL_SHORT")
    )
    # As udev and lsblk write it: `naa.5000c500a1b2c3d4` becomes `0x5000c500a1b2c3d4`. NVMe identifiers are
    # unchanged. Vendor-specific text is ignored.
    wwid = (sysfs.get("wwid") or sysfs.get("device/wwid") or "").strip()
    scheme, _, rest = wwid.partition(".")
    wwn = None
    if rest and scheme in ("naa", "eui", "uuid", "nvme"):
        wwn = f"0x{rest}" if scheme == "naa" else wwid
    return _clean(serial), wwn or udev.get("ID_WWN_WITH_EXTENSION") or udev.get("ID_WWN")


def sharing(raw: RawDrive, machine: RawMachine) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the nodes of other drives with the same serial number, and of those with the same WWN."""
    others = {one.name: one for one in (*machine.attached, *machine.drives) if one.name != raw.name}
    numbers = {one.path: numbers_of(one) for one in others.values() if not OPTICAL.match(one.name)}
    serial, wwn = numbers_of(raw)
    return (
        tuple(path for path, (other, _) in numbers.items() if serial and other == serial),
        tuple(path for path, (_, other) in numbers.items() if wwn and other == wwn),
    )


def names_of(raw: RawDrive, ata: drive_facts.Ata | None, smart: drive_facts.Smart) -> dict[str, Any]:
    """Return the fields of Drive that name it. Drops PCI vendor numbers, which virtio and NVMe report. SCSI
    has only 16 characters for the model (SPC-4, 6.6.2), to which the kernel cuts ATA's 40."""
    sysfs, udev = raw.sysfs, raw.udev
    serial, wwn = numbers_of(raw)
    vendor = sysfs.get("device/vendor") or ""
    revision = sysfs.get("device/firmware_rev") or sysfs.get("device/rev") or udev.get("ID_REVISION")
    card = sysfs.get("device/name") if raw.name.startswith("mmcblk") else None
    short = _clean(sysfs.get("device/model") or card)
    by_udev = _clean((udev.get("ID_MODEL") or "").replace("_", " "))
    whole = (ata.model if ata else None, _clean(smart.model_name), by_udev)
    return {
        "model": next((name for name in whole if name and is_same_model(short, name)), short)
        if short
        else by_udev,
        "vendor": None if vendor.startswith("0x") else _clean(vendor),
        "revision": _clean(revision),
        "serial": serial,
        "wwn": wwn,
        "bus": next((bus for mark, bus in BUSES if mark in raw.sysfs_path), None) or udev.get("ID_BUS"),
        "link_megabits": _link_megabits(sysfs),
    }


def _link_megabits(sysfs: dict[str, str]) -> int | None:
    """Return the link's speed in Mb/s, None if unknown."""

    def number(name: str) -> float:
        found = re.match(r"\d{1,6}(\.\d)?(?!\d)", sysfs.get(name, ""))
        return float(found[0]) if found else 0.0

    lane = number("current_link_speed")
    # Below 8 GT/s, PCIe sends 10 bits for 8, and from there 130 for 128.
    lane *= 800 if lane < 8 else 1000 * 128 / 130
    speeds = (number("speed"), 1000 * number("sata_spd"), lane * number("current_link_width"))
    return round(max(speeds)) or None


def is_same_model(one: str | None, other: str | None) -> bool:
    """Return True if two model names can belong to one drive: SCSI cuts the name."""
    short, long = sorted((one or "", other or ""), key=len)
    return short == long or (bool(short) and long[:INQUIRY_CHARACTERS].rstrip() == short)


def _clean(text: str | None) -> str | None:
    return " ".join((text or "").replace("\0", " ").split()) or None


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
        rotation_rate=_valid_rate(rate or 0),
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
