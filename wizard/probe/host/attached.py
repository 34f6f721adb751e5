"""The numbers by which every attached drive is known, from sysfs and udev's database alone: no drive is
touched. One drive can be there under two names, and two drives can tell one serial number."""

from wizard.probe.facts import RawDrive
from wizard.probe.host.sysfs import OPTICAL, SYS, attributes, drive_names, node_of, text, vital_pages

UDEV = SYS.parent / "run/udev/data"
ATTRIBUTES = ("dev", "serial", "wwid", "device/serial", "device/wwid")
PROPERTIES = ("ID_SCSI_SERIAL", "ID_SERIAL_SHORT", "ID_WWN", "ID_WWN_WITH_EXTENSION")


def attached_drives() -> tuple[RawDrive, ...]:
    """Every whole drive that tells a number, with no more than its numbers. An optical drive is none: a disk
    can show one beside itself, with the same serial number."""
    found = (_numbers(name) for name in drive_names(all_devices=False) if not OPTICAL.match(name))
    return tuple(drive for drive in found if len(drive.sysfs) > 1 or drive.vpd or drive.udev)


def _numbers(name: str) -> RawDrive:
    folder = SYS / "block" / name
    sysfs = attributes(folder, ATTRIBUTES)
    return RawDrive(
        name,
        node_of(name),
        sysfs=sysfs,
        vpd=vital_pages(folder, ("80",)),
        udev=_properties(sysfs.get("dev", "")),
    )


def _properties(number: str) -> dict[str, str]:
    """Of udev's database, where a device has a file by its number (systemd-udevd)."""
    lines = (text(UDEV / f"b{number}") or "").split("\n") if number else ()
    pairs = (line.removeprefix("E:").partition("=") for line in lines if line.startswith("E:"))
    return {key: value for key, _, value in pairs if key in PROPERTIES}
