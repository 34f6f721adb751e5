"""Drives to which the kernel gives no size."""

from wizard.model.said import Sentence

NO_SIZE = Sentence(
    "diagnose.nosize.no-size",
    "The kernel gives {drive} no size, so nothing on it can be read or written.",
)
SOURCE = Sentence(
    "diagnose.nosize.source", "the attribute size of the block device in sysfs; the kernel's source"
)
METADATA_WHY = Sentence(
    "diagnose.nosize.metadata-why",
    "It is formatted with blocks of {data} bytes and {metadata} bytes of metadata each, which the kernel "
    "cannot use.",
)
METADATA_REMEDY = Sentence(
    "diagnose.nosize.metadata-remedy",
    "`nvme format --lbaf={number} {drive}` gives it blocks without metadata. It erases everything, perhaps "
    "on the whole controller.",
)
NVME_WHY = Sentence(
    "diagnose.nosize.nvme-why", "Its blocks may have a format that the kernel cannot use, or it is damaged."
)
NVME_REMEDY = Sentence(
    "diagnose.nosize.nvme-remedy",
    "`nvme id-ns -H {drive}` shows its formats; `dmesg` tells what the kernel met.",
)
SCSI_WHY = Sentence(
    "diagnose.nosize.scsi-why",
    "Drives out of storage arrays are often formatted with blocks of 520 or 528 bytes, which Linux cannot "
    "use.",
)
SCSI_REMEDY = Sentence(
    "diagnose.nosize.scsi-remedy",
    "See `dmesg` and `sg_readcap --long {drive}`. If that tells such blocks, `sg_format --format --size=512 "
    "{drive}` gives it others. It erases everything, and takes hours.",
)
