"""Parse ATA and SCSI identification of a drive. Pure.

Model, serial number, WWN and bus come from sysfs, else from udev's database.
"""

import base64
import binascii
import json
from dataclasses import dataclass

from wizard.model.drive_facts import LEAST_RATE, MOST_RATE, SOLID_STATE, Ata, Smart
from wizard.model.said import Message
from wizard.probe.facts import RawDrive, RawMachine
from wizard.probe.host.sysfs import OPTICAL
from wizard.probe.unread import BAD_SUM, NO_DISK

PAGE_HEADER_BYTES = 4


def vital_page(raw: RawDrive, number: str) -> bytes | None:
    """A vital product data page; None where it is missing or damaged."""
    try:
        page = base64.b64decode(raw.vpd.get(number, ""), validate=True)
    except (binascii.Error, ValueError):
        return None
    return page if len(page) > PAGE_HEADER_BYTES else None


ROTATION_PAGE = "b1"
RATE_BYTES = slice(4, 6)
STILL_BY_DEFAULT = ("nbd", "rbd", "xvd")
"""Devices that the kernel calls not rotational, whatever is at the other end."""


def rate_in_page(raw: RawDrive) -> int | None:
    """What page B1h says: 1 for solid state, else turns a minute. None where it says nothing: 0 is "not
    reported", and the rest is reserved."""
    page = vital_page(raw, ROTATION_PAGE)
    return (
        None if page is None or len(page) < RATE_BYTES.stop else told(int.from_bytes(page[RATE_BYTES], "big"))
    )


def told(rate: int) -> int | None:
    """A rate that means something, by word 217 and page B1h alike."""
    return rate if rate == SOLID_STATE or LEAST_RATE <= rate <= MOST_RATE else None


def own_rate(ata: Ata | None, page: int | None, smart: Smart) -> int | None:
    """What the drive itself says, by the nearest of those that heard it."""
    said = (ata.rotation_rate if ata else None, page, smart.rotation_rate)
    return next((rate for rate in said if rate is not None), None)


def turns(raw: RawDrive, rate: int | None, kernels: bool | None) -> bool | None:
    """Whether it has platters; None where nobody said. The drive is believed before the kernel, whose "yes"
    is its default."""
    if rate is not None:
        return rate != SOLID_STATE
    return False if kernels is False and not raw.name.startswith(STILL_BY_DEFAULT) else None


ATA_PAGE = "89"
COMMAND_BYTE, DATA_AT, DATA_BYTES = 56, 60, 512
IDENTIFY_DEVICE = 0xEC
"""The command whose answer the page holds; optical drives have another, with words of other meanings."""

SIGNATURE = 0xA5
"""In the lower byte of word 255: the upper one makes the sum of all bytes zero."""
NOT_REPORTED = 0xFFFF
WORD_BYTES = 2
USUAL_BLOCK_BYTES = 512


def ata_of(raw: RawDrive) -> tuple[Ata | None, Message | None]:
    """What the words say, and why they cannot be used where there are some that cannot."""
    page = vital_page(raw, ATA_PAGE)
    if page is None or len(page) < DATA_AT + DATA_BYTES or page[COMMAND_BYTE] != IDENTIFY_DEVICE:
        return None, None
    data = page[DATA_AT : DATA_AT + DATA_BYTES]
    if data[-WORD_BYTES] == SIGNATURE and sum(data) % 256:
        return None, BAD_SUM
    words = [int.from_bytes(data[at : at + WORD_BYTES], "little") for at in range(0, DATA_BYTES, WORD_BYTES)]
    if not any(words) or words[0] & 1 << 15:
        return None, NO_DISK
    logical = _logical_block_bytes(words)
    return (
        Ata(
            model=model_in(data),
            zoned=words[69] & 3 if words[69] not in (0, NOT_REPORTED) and words[69] & 3 != 3 else None,
            trims=bool(words[169] & 1) if words[169] != NOT_REPORTED else None,
            rotation_rate=told(words[217]),
            physical_block_bytes=logical * _blocks_in_physical(words) if _is_valid(words[106]) else None,
            alignment_offset_bytes=_alignment_offset(words, logical),
        ),
        None,
    )


def _is_valid(word: int) -> bool:
    """Bit 15 clear and bit 14 set, which neither a zero nor a word of ones has."""
    return word >> 14 == 1


def _logical_block_bytes(words: list[int]) -> int:
    """Words 118:117 count 16-bit units, where bit 12 of word 106 says that they do."""
    if _is_valid(words[106]) and words[106] & 1 << 12:
        return (words[118] << 16 | words[117]) * WORD_BYTES or USUAL_BLOCK_BYTES
    return USUAL_BLOCK_BYTES


def _blocks_in_physical(words: list[int]) -> int:
    return 1 << (words[106] & 0xF) if _is_valid(words[106]) and words[106] & 1 << 13 else 1


def _alignment_offset(words: list[int], logical: int) -> int | None:
    """Word 209 tells where in its physical block the first logical one lies; the next physical block begins
    that much earlier."""
    blocks = _blocks_in_physical(words)
    within = words[209] & 0x3FFF
    if not _is_valid(words[209]) or within >= blocks:
        return None
    return (blocks - within) % blocks * logical


def model_in(data: bytes) -> str | None:
    """Words 27 to 46: 40 characters, in each word the first one in the upper byte. None where they are no
    text."""
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
"""What stands in the device's path in sysfs, the more telling before the more general: a USB bridge is a SCSI
host too."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a drive calls itself."""

    model: str | None
    vendor: str | None
    revision: str | None
    serial: str | None
    wwn: str | None
    bus: str | None


def numbers_of(raw: RawDrive) -> tuple[str | None, str | None]:
    """Serial number and WWN."""
    sysfs, udev = raw.sysfs, raw.udev
    serial = _serial_page(raw) or sysfs.get("device/serial") or sysfs.get("serial") or _udev_serial(raw)
    wwn = _wwn(sysfs.get("wwid") or sysfs.get("device/wwid"))
    return _clean(serial), wwn or udev.get("ID_WWN_WITH_EXTENSION") or udev.get("ID_WWN")


def sharing(raw: RawDrive, machine: RawMachine) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The nodes of other drives that tell its serial number, and of those that tell its WWN."""
    others = {one.name: one for one in (*machine.attached, *machine.drives) if one.name != raw.name}
    told = {one.path: numbers_of(one) for one in others.values() if not OPTICAL.match(one.name)}
    serial, wwn = numbers_of(raw)
    return (
        tuple(path for path, (other, _) in told.items() if serial and other == serial),
        tuple(path for path, (_, other) in told.items() if wwn and other == wwn),
    )


def names_of(raw: RawDrive) -> Names:
    """The drive's names; None where it has none. A vendor that only names the bus (`ATA`) stays: it is what
    the drive says."""
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
    """Whole where somebody knows it whole: SCSI has room for 16 characters (SPC-4, 6.6.2), to which the
    kernel cuts the 40 of ATA."""
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
    """Whether two readings of a model can be of one drive: where only SCSI tells it, it is cut, and a blank
    at the cut is gone."""
    short, long = sorted((one or "", other or ""), key=len)
    return short == long or (bool(short) and long[:INQUIRY_CHARACTERS].rstrip() == short)


def _smart_model(said: str | None) -> str | None:
    try:
        name = json.loads(said or "{}").get("model_name")
    except (ValueError, RecursionError, AttributeError):
        return None
    return _clean(name) if isinstance(name, str) else None


def _clean(text: str | None) -> str | None:
    """Without the blanks that fixed-width fields are filled up with, and without their NULs."""
    return " ".join((text or "").replace("\0", " ").split()) or None


def _is_number(text: str | None) -> bool:
    """virtio and NVMe give the PCI vendor's number here."""
    return (text or "").startswith("0x")


def _serial_page(raw: RawDrive) -> str | None:
    """The serial of SCSI VPD page 80h, which libata fills for ATA drives (SPC-4, 7.8.16)."""
    page = vital_page(raw, "80")
    return page[PAGE_HEADER_BYTES:].decode("ascii", errors="replace") if page else None


def _udev_serial(raw: RawDrive) -> str | None:
    return raw.udev.get("ID_SCSI_SERIAL") or raw.udev.get("ID_SERIAL_SHORT")


def _wwn(wwid: str | None) -> str | None:
    """`naa.5000c500a1b2c3d4` as `0x5000c500a1b2c3d4`, which is how udev and lsblk write it; NVMe's as it is;
    no vendor-made text."""
    scheme, _, rest = (wwid or "").strip().partition(".")
    if scheme == "naa" and rest:
        return f"0x{rest}"
    return f"{scheme}.{rest}" if scheme in ("eui", "uuid", "nvme") and rest else None


def _bus(raw: RawDrive) -> str | None:
    found = next((bus for mark, bus in BUSES if mark in raw.sysfs_path), None)
    return found or raw.udev.get("ID_BUS")
