"""Who a drive is: model, serial, WWN and bus, from sysfs first and udev's database where sysfs is silent.
Pure."""

import json
from dataclasses import dataclass

from wizard.probe.drive.ata import ata_of
from wizard.probe.drive.pages import PAGE_HEADER_BYTES, vital_page
from wizard.probe.facts import RawDrive, RawMachine
from wizard.probe.host.sysfs import OPTICAL

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
