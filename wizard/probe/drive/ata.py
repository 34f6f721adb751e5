"""Parse ATA and SCSI identification of a drive. Pure.

Model, serial number, WWN and bus come from sysfs, else from udev's database.
"""

import base64
import binascii
import json

from msgspec import Struct

from wizard.model import drive_facts
from wizard.model.said import Message, t
from wizard.probe.facts import RawDrive, RawMachine
from wizard.probe.host.sysfs import OPTICAL
from wizard.probe.unread import BAD_SUM

PAGE_HEADER_BYTES = 4


def vital_page(raw: RawDrive, number: str) -> bytes | None:
    """Return a vital product data page, or None if missing or damaged."""
    try:
        page = base64.b64decode(raw.vpd.get(number, ""), validate=True)
    except (binascii.Error, ValueError):
        return None
    return page if len(page) > PAGE_HEADER_BYTES else None


ROTATION_PAGE = "b1"
RATE_BYTES = slice(4, 6)
STILL_BY_DEFAULT = ("nbd", "rbd", "xvd")
"""Devices that the kernel calls non-rotational whatever the backing storage."""


def rate_in_page(raw: RawDrive) -> int | None:
    """Return the rotation rate in page B1h: rpm, or 1 for solid state. None for 0 ("not reported") and
    reserved values."""
    page = vital_page(raw, ROTATION_PAGE)
    return (
        None
        if page is None or len(page) < RATE_BYTES.stop
        else valid_rate(int.from_bytes(page[RATE_BYTES], "big"))
    )


def valid_rate(rate: int) -> int | None:
    """Return a rotation rate if valid, as in word 217 and page B1h, else None."""
    return (
        rate
        if rate == drive_facts.SOLID_STATE or drive_facts.LEAST_RATE <= rate <= drive_facts.MOST_RATE
        else None
    )


def own_rate(ata: drive_facts.Ata | None, page: int | None, smart: drive_facts.Smart) -> int | None:
    """Return the drive's rotation rate from the best source: ATA, then page B1h, then smartctl."""
    rates = (ata.rotation_rate if ata else None, page, smart.rotation_rate)
    return next((rate for rate in rates if rate is not None), None)


def turns(raw: RawDrive, rate: int | None, kernels: bool | None) -> bool | None:
    """Return True if the drive has platters, None if unknown. The drive takes precedence over the kernel,
    whose default is "rotational"."""
    if rate is not None:
        return rate != drive_facts.SOLID_STATE
    return False if kernels is False and not raw.name.startswith(STILL_BY_DEFAULT) else None


ATA_PAGE = "89"
COMMAND_BYTE, DATA_AT, DATA_BYTES = 56, 60, 512
IDENTIFY_DEVICE = 0xEC
"""The command that fills the page. Optical drives use another, with different words."""

SIGNATURE = 0xA5
"""In the lower byte of word 255. The upper byte is a checksum that makes the sum of all bytes zero."""
NOT_REPORTED = 0xFFFF
WORD_BYTES = 2
USUAL_BLOCK_BYTES = 512


def ata_of(raw: RawDrive) -> tuple[drive_facts.Ata | None, Message | None]:
    """Parse the IDENTIFY data. Returns it or None, and the reason if the data is invalid."""
    page = vital_page(raw, ATA_PAGE)
    if page is None or len(page) < DATA_AT + DATA_BYTES or page[COMMAND_BYTE] != IDENTIFY_DEVICE:
        return None, None
    data = page[DATA_AT : DATA_AT + DATA_BYTES]
    if data[-WORD_BYTES] == SIGNATURE and sum(data) % 256:
        return None, BAD_SUM
    words = [int.from_bytes(data[at : at + WORD_BYTES], "little") for at in range(0, DATA_BYTES, WORD_BYTES)]
    if not any(words) or words[0] & 1 << 15:
        return None, t("The drive's IDENTIFY data does not describe a disk.")
    logical = _logical_block_bytes(words)
    return (
        drive_facts.Ata(
            model=_model_in(data),
            zoned=words[69] & 3 if words[69] not in (0, NOT_REPORTED) and words[69] & 3 != 3 else None,
            trims=bool(words[169] & 1) if words[169] != NOT_REPORTED else None,
            rotation_rate=valid_rate(words[217]),
            physical_block_bytes=logical * _blocks_in_physical(words) if _is_valid(words[106]) else None,
            alignment_offset_bytes=_alignment_offset(words, logical),
            security=words[128] & 0xF or None if words[128] != NOT_REPORTED else None,
        ),
        None,
    )


def _is_valid(word: int) -> bool:
    """Return True if bit 15 is clear and bit 14 set, unlike all zeros or ones."""
    return word >> 14 == 1


def _logical_block_bytes(words: list[int]) -> int:
    """Return the logical block size. Words 118:117 count 16-bit units if bit 12 of word 106 is set."""
    if _is_valid(words[106]) and words[106] & 1 << 12:
        return (words[118] << 16 | words[117]) * WORD_BYTES or USUAL_BLOCK_BYTES
    return USUAL_BLOCK_BYTES


def _blocks_in_physical(words: list[int]) -> int:
    return 1 << (words[106] & 0xF) if _is_valid(words[106]) and words[106] & 1 << 13 else 1


def _alignment_offset(words: list[int], logical: int) -> int | None:
    """Return the offset of the next physical block. Word 209 is the position of the first logical block in
    its physical block."""
    blocks = _blocks_in_physical(words)
    within = words[209] & 0x3FFF
    if not _is_valid(words[209]) or within >= blocks:
        return None
    return (blocks - within) % blocks * logical


def _model_in(data: bytes) -> str | None:
    """Return words 27 to 46: 40 characters, high byte of each word first. None if they are not text."""
    swapped = bytes(data[at ^ 1] for at in range(54, 94))
    text = " ".join(swapped.decode("ascii", errors="replace").replace("\0", " ").split())
    return text if text and text.isprintable() and text.isascii() else None


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


class Names(Struct, frozen=True):
    """The identification of a drive."""

    model: str | None
    vendor: str | None
    revision: str | None
    serial: str | None
    wwn: str | None
    bus: str | None


def numbers_of(raw: RawDrive) -> tuple[str | None, str | None]:
    """Return serial number and WWN."""
    sysfs, udev = raw.sysfs, raw.udev
    serial = (
        _serial_page(raw)
        or sysfs.get("device/serial")
        or sysfs.get("serial")
        or (raw.udev.get("ID_SCSI_SERIAL") or raw.udev.get("ID_SERIAL_SHORT"))
    )
    wwn = _wwn(sysfs.get("wwid") or sysfs.get("device/wwid"))
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


def names_of(raw: RawDrive) -> Names:
    """Return the drive's names, None if missing. Keeps a vendor that only names the bus (`ATA`), as the drive
    reports it."""
    sysfs, udev = raw.sysfs, raw.udev
    serial, wwn = numbers_of(raw)
    return Names(
        model=_model(raw),
        vendor=_clean(sysfs.get("device/vendor")) if not _is_number(sysfs.get("device/vendor")) else None,
        revision=_clean(
            sysfs.get("device/firmware_rev") or sysfs.get("device/rev") or udev.get("ID_REVISION")
        ),
        serial=serial,
        wwn=wwn,
        bus=_bus(raw),
    )


def _model(raw: RawDrive) -> str | None:
    """Return the full model name if any source has it. SCSI has only 16 characters (SPC-4, 6.6.2), to which
    the kernel cuts ATA's 40."""
    known = raw.sysfs.get("device/model") or (
        raw.sysfs.get("device/name") if raw.name.startswith("mmcblk") else None
    )
    short, by_udev = _clean(known), _clean((raw.udev.get("ID_MODEL") or "").replace("_", " "))
    if short is None:
        return by_udev
    ata, _ = ata_of(raw)
    whole = (ata.model if ata else None, _smart_model(raw.smart), by_udev)
    return next((name for name in whole if name and is_same_model(short, name)), short)


def is_same_model(one: str | None, other: str | None) -> bool:
    """Return True if two model names can belong to one drive. SCSI cuts the name, and strips a space at the
    cut."""
    short, long = sorted((one or "", other or ""), key=len)
    return short == long or (bool(short) and long[:INQUIRY_CHARACTERS].rstrip() == short)


def _smart_model(said: str | None) -> str | None:
    try:
        name = json.loads(said or "{}").get("model_name")
    except (ValueError, RecursionError, AttributeError):
        return None
    return _clean(name) if isinstance(name, str) else None


def _clean(text: str | None) -> str | None:
    """Strip the padding of fixed-width fields: spaces and NULs."""
    return " ".join((text or "").replace("\0", " ").split()) or None


def _is_number(text: str | None) -> bool:
    """Return True for a PCI vendor number, which virtio and NVMe report instead of a name."""
    return (text or "").startswith("0x")


def _serial_page(raw: RawDrive) -> str | None:
    """Return the serial number in SCSI VPD page 80h, which libata fills for ATA drives (SPC-4, 7.8.16)."""
    page = vital_page(raw, "80")
    return page[PAGE_HEADER_BYTES:].decode("ascii", errors="replace") if page else None


def _wwn(wwid: str | None) -> str | None:
    """Return a WWN as udev and lsblk write it: `naa.5000c500a1b2c3d4` becomes `0x5000c500a1b2c3d4`. NVMe
    identifiers are unchanged. Vendor-specific text gives None."""
    scheme, _, rest = (wwid or "").strip().partition(".")
    if scheme == "naa" and rest:
        return f"0x{rest}"
    return f"{scheme}.{rest}" if scheme in ("eui", "uuid", "nvme") and rest else None


def _bus(raw: RawDrive) -> str | None:
    found = next((bus for mark, bus in BUSES if mark in raw.sysfs_path), None)
    return found or raw.udev.get("ID_BUS")
