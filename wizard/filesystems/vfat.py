"""FAT32: mkfs.fat(8) and fsck.fat(8) of dosfstools; tried with 4.2."""

from wizard.filesystems.kind import Argv, MadeKind, Relabelling, serial_of
from wizard.filesystems.partitions import BASIC_DATA_TYPE, FAT32_MBR_TYPE
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent
from wizard.model.make_filesystem import MakeFilesystem
from wizard.model.units import MIB, TIB

FORBIDDEN = frozenset('*?.,;:/\\|+=<>[]"')
NO_LABEL = "NO NAME"
"""What stands on a FAT without a label, so that it is none itself."""


def _commands(made: MakeFilesystem) -> tuple[Argv, ...]:
    return (
        ("mkfs.vfat", "-F", "32", "-i", serial_of(made.uuid), "-n", made.label, *made.options, made.device),
    )


def _for_place(geometry: Geometry, place: Extent, options: Argv) -> Argv:
    """Where the partition starts, which firmware and Windows read: in blocks of the drive (mkfs.fat itself
    counts 512 bytes on every drive). Further in than 32 bits can say it stays away, as with other makers.
    """
    hidden = place.start_bytes // geometry.logical_block_bytes
    return (*options, "-g", "255/63", "-h", str(hidden)) if hidden < 1 << 32 else options


def _label_fault(label: str) -> str | None:
    if not label.isascii():
        return "holds other characters than ASCII has, which a FAT writes in one of many code pages"
    if label != label.upper():
        return "has small letters, which a FAT's label has not"
    if FORBIDDEN.intersection(label):
        return f"holds one of the characters {''.join(sorted(FORBIDDEN))}, which a FAT's label cannot"
    return "is what a FAT without a label has" if label == NO_LABEL else None


KIND = MadeKind(
    name="vfat",
    title="FAT32",
    kernel_names=("vfat",),
    tool="mkfs.vfat",
    commands=_commands,
    for_place=_for_place,
    in_general=(
        "It is for firmware and old devices: no file reaches 4 GiB, and it has no journal, no owners and no "
        "permissions."
    ),
    # FAT32 has 65525 clusters at least, which are 4096 bytes each on a drive with such blocks: 257 MiB were
    # enough.
    minimum_bytes=260 * MIB,
    minimum_why="on a drive with blocks of 4096 bytes a smaller one would be no FAT32",
    # It counts its sectors, of 512 bytes on most drives, in 32 bits.
    maximum_bytes=2 * TIB - 512,
    zones="FAT32 has no code for zones",
    label_bytes=11,
    fsck_pass=2,
    seconds=(1.0, 4.0, 20.0),
    clean_check=("fsck.fat", "-n"),
    flags=frozenset({"-f", "-R", "-s"}),
    fit_label=str.upper,
    label_fault=_label_fault,
    serial_digits=8,
    gpt_type=BASIC_DATA_TYPE,
    mbr_type=FAT32_MBR_TYPE,
    relabelling=Relabelling(
        command=lambda device, _place, label: (
            ("fatlabel", "--", device, label) if label else ("fatlabel", "-r", device)
        )
    ),
    keeps_owners=False,
)
