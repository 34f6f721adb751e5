"""A drive that is there, and that the kernel gives no size: it cannot use the blocks that the drive is
formatted with, or the drive does not tell how many it has.

Sources: Linux drivers/nvme/host/core.c (capacity 0 for metadata that it has no use for), drivers/scsi/sd.c
(sd_read_capacity: unsupported sector size).
"""

from collections.abc import Iterator

from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive
from wizard.model.said import Said, Sentence, t

NVME_REMEDY = Sentence("`nvme id-ns -H {drive}` shows its formats; `dmesg` tells what the kernel met.")


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
        t("The kernel gives {drive} no size, so nothing on it can be read or written.", drive=drive.path),
        why,
        t("the attribute size of the block device in sysfs; the kernel's source"),
        remedy,
    )


def _nvme(drive: Drive) -> tuple[Said, Said]:
    used = next((one for one in drive.nvme_formats if one.in_use), None)
    if used is None or not used.metadata_bytes:
        return t("Its blocks may have a format that the kernel cannot use, or it is damaged."), NVME_REMEDY(
            drive=drive.path
        )
    why = t(
        "It is formatted with blocks of {data} bytes and {metadata} bytes of "
        "metadata each, which the kernel cannot use.",
        data=used.data_bytes,
        metadata=used.metadata_bytes,
    )
    plain = [one for one in drive.nvme_formats if not one.metadata_bytes]
    if not plain or drive.nvme_format_scope == "none":
        return why, NVME_REMEDY(drive=drive.path)
    best = min(plain, key=lambda one: (one.performance, -one.data_bytes))
    return why, t(
        "`nvme format --lbaf={number} {drive}` gives it blocks without metadata. It "
        "erases everything, perhaps on the whole controller.",
        number=best.number,
        drive=drive.path,
    )


def _other(drive: Drive) -> tuple[Said, Said]:
    return t(
        "Drives out of storage arrays are often formatted with blocks of 520 or 528 "
        "bytes, which Linux cannot use."
    ), t(
        "See `dmesg` and `sg_readcap --long {drive}`. If that tells such blocks, "
        "`sg_format --format --size=512 {drive}` gives it others. It erases "
        "everything, and takes hours.",
        drive=drive.path,
    )
