"""FAT32 and exFAT. FAT32: mkfs.fat(8) and fsck.fat(8) of dosfstools; tested with 4.2."""

from msgspec.structs import replace

from wizard.filesystems import kind, partition_types
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent
from wizard.model.said import MIB, TIB, Message, t

FORBIDDEN = frozenset('*?.,;:/\\|+=<>[]"')
NO_LABEL = "NO NAME"
"""Stored by an unlabelled FAT, so not valid as a label."""
HOLDS = replace(kind.WINDOWS, grain=2 * kind.SECOND, since=315532800, holes=False)
"""Dates start in 1980."""
NOT_ASCII = t("contains non-ASCII characters, which this filesystem's tools may garble")


def _for_place(geometry: Geometry, place: Extent, options: kind.Argv) -> kind.Argv:
    """Add the partition start, for firmware and Windows, in the drive's logical blocks. mkfs.fat always
    counts 512 bytes. Like other formatters, omit a start beyond 32 bits."""
    hidden = place.start_bytes // geometry.logical_block_bytes
    return (*options, "-g", "255/63", "-h", str(hidden)) if hidden < 1 << 32 else options


def _label_fault(label: str) -> Message | None:
    if not label.isascii():
        return NOT_ASCII
    if label != label.upper():
        return t("contains lowercase letters, which a FAT label does not allow")
    if FORBIDDEN.intersection(label):
        return t(
            "contains one of the characters {forbidden}, which a FAT label does not allow",
            forbidden="".join(sorted(FORBIDDEN)),
        )
    return t("is the label of an unlabelled FAT") if label == NO_LABEL else None


# fatresize 1.1.0 (Debian 12, with libparted-fs-resize) was tested on loop devices with an MBR and 30 files
# each, compared with the originals and checked by fsck.fat -n. If asked for less than the partition size, it
# grew FAT32 (592 MiB to 1190 and 59000) and FAT16 (52 MiB to 110) with all files intact. But each time it
# rewrote the table and set a partition size up to 33 MB off the request, with an unaligned end. If asked for
# exactly the partition size, it aborted at an assertion (fatresize.c:347) in three of three runs. FAT16 to
# 890 MiB and FAT32 from 92 to 290 MiB exited with 1. No table can be planned for that.
VFAT_KIND = kind.MadeKind(
    why_not_grow=t("fatresize, the only tool, writes the table itself and misses the requested size"),
    name="vfat",
    title="FAT32",
    commands=lambda new: (
        ("mkfs.vfat", "-F", "32", "-i", kind.serial_of(new.uuid), "-n", new.label, *new.options, new.device),
    ),
    for_place=_for_place,
    in_general=t(
        "It is for firmware and old devices. Files must be smaller than 4 GiB, "
        "without journal, owners or permissions."
    ),
    # FAT32 has at least 65525 clusters, of 4096 bytes each on drives with 4096-byte blocks: 257 MiB would be
    # enough.
    minimum_bytes=260 * MIB,
    minimum_why=t("a smaller volume would not be FAT32 on drives with 4096-byte blocks"),
    # The sector count has 32 bits; most drives have 512-byte sectors.
    maximum_bytes=2 * TIB - 512,
    label_bytes=11,
    fsck_pass=2,
    seconds=(1.0, 4.0, 20.0),
    clean_check=("fsck.fat", "-n"),
    flags=frozenset({"-f", "-R", "-s"}),
    fit_label=str.upper,
    label_fault=_label_fault,
    serial_digits=8,
    set_uuid=lambda device, uuid: ("fatlabel", "-i", device, kind.serial_of(uuid)),
    gpt_type=partition_types.BASIC_DATA_GPT,
    mbr_type=partition_types.FAT32_MBR,
    relabelling=kind.Relabelling(
        command=lambda device, _place, label: (
            ("fatlabel", "--", device, label) if label else ("fatlabel", "-r", device)
        )
    ),
    holds=replace(HOLDS, largest_bytes=(1 << 32) - 1),
)


def _set_exfat_serial(device: str, uuid: str) -> kind.Argv:
    return ("tune.exfat", "-I", f"0x{kind.serial_of(uuid)}", device)


EXFAT_KIND = kind.MadeKind(
    name="exfat",
    title="exFAT",
    commands=lambda new: (
        ("mkfs.exfat", "-L", new.label, *new.options, new.device),
        _set_exfat_serial(new.device, new.uuid),
    ),
    in_general=t(
        "It is for sharing with Windows, macOS and cameras, without journal, owners or permissions."
    ),
    minimum_bytes=8 * MIB,
    # 2^32 clusters of 128 KiB, the default of mkfs.exfat from 32 GiB.
    maximum_bytes=512 * TIB,
    label_bytes=11,
    fsck_pass=2,
    seconds=(1.0, 0.5, 1.0),
    clean_check=("fsck.exfat", "-n"),
    flags=frozenset({"-b", "-c", "--boundary-align", "--cluster-size"}),
    bare_flags=frozenset({"--pack-bitmap"}),
    # mkfs.exfat decodes the label by the locale, which is C here.
    label_fault=lambda label: None if label.isascii() else NOT_ASCII,
    serial_digits=8,
    set_uuid=_set_exfat_serial,
    gpt_type=partition_types.BASIC_DATA_GPT,
    mbr_type=partition_types.NTFS_MBR,
    also=("tune.exfat",),
    relabelling=kind.Relabelling(command=kind.label_with("tune.exfat", "-L")),
    holds=HOLDS,
)
