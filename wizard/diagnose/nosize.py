"""A drive that is there, and that the kernel gives no size: it cannot use the blocks that the drive is
formatted with, or the drive does not tell how many it has.

Sources: Linux drivers/nvme/host/core.c (capacity 0 for metadata that it has no use for), drivers/scsi/sd.c
(sd_read_capacity: unsupported sector size).
"""

from collections.abc import Iterator

from wizard.diagnose.words import nosize as words
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive
from wizard.model.said import Said


def find_no_size(drive: Drive) -> Iterator[Finding]:
    """What is behind it where that is known, and what makes the drive usable. A reader without a medium is
    none."""
    if drive.size_bytes != 0 or drive.removable is not False:
        return
    why, remedy = _nvme(drive) if drive.bus == "nvme" else _other(drive)
    yield Finding(
        "drive-no-size",
        Severity.WARNING,
        drive.path,
        words.NO_SIZE(drive=drive.path),
        why,
        words.SOURCE(),
        remedy,
    )


def _nvme(drive: Drive) -> tuple[Said, Said]:
    used = next((one for one in drive.nvme_formats if one.in_use), None)
    if used is None or not used.metadata_bytes:
        return words.NVME_WHY(), words.NVME_REMEDY(drive=drive.path)
    why = words.METADATA_WHY(data=used.data_bytes, metadata=used.metadata_bytes)
    plain = [one for one in drive.nvme_formats if not one.metadata_bytes]
    if not plain or drive.nvme_format_scope == "none":
        return why, words.NVME_REMEDY(drive=drive.path)
    best = min(plain, key=lambda one: (one.performance, -one.data_bytes))
    return why, words.METADATA_REMEDY(number=best.number, drive=drive.path)


def _other(drive: Drive) -> tuple[Said, Said]:
    return words.SCSI_WHY(), words.SCSI_REMEDY(drive=drive.path)
