"""XFS: mkfs.xfs(8), xfs_repair(8), xfs_db(8), xfs(5)."""

import re

from wizard.filesystems import kind
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent, Striping
from wizard.model.said import GIB, KERNEL_SECTOR_BYTES, MIB, TIB, Message, t


def _for_place(geometry: Geometry, place: Extent, options: kind.Argv) -> kind.Argv:
    """Set the sector size to the drive's physical block and, except on small volumes, the stripe to the
    drive's hints (xfsprogs, libxfs/topology.c, mkfs/xfs_mkfs.c)."""
    physical = geometry.whole_block_bytes
    sectors = ("-s", f"size={physical}") if physical > KERNEL_SECTOR_BYTES and "-s" not in options else ()
    striping = geometry.advised_striping
    if striping is None or place.size_bytes < GIB or "-d" in options:
        return (*options, *sectors)
    unit, width = striping
    stripe = ("-d", f"su={unit},sw={width // unit}")
    return (*options, *sectors, *stripe)


def striping_in(text: str) -> Striping | None:
    """Parse stripe unit and width, in bytes, from xfs_db output. Return None if the superblock has no
    stripe."""
    fields = {key: int(value) for key, value in re.findall(r"(?m)^(blocksize|unit|width) = (\d+)$", text)}
    if len(fields) != 3 or not fields["unit"]:
        return None
    return Striping(fields["unit"] * fields["blocksize"], fields["width"] * fields["blocksize"])


def _label_command(device: str, place: str, label: str) -> kind.Argv:
    """Both programs split their command argument at blanks."""
    if place:
        return ("xfs_io", "-c", f"label -s {label}" if label else "label -c", place)
    return ("xfs_db", "-x", "-c", f"label {label or '--'}", device)


def _label_fault(label: str) -> Message | None:
    return (
        t("contains a blank or quotation mark, or begins with --, which xfs_io does not accept")
        if re.search(r"[\s\"'\\]|^--", label)
        else None
    )


CHECK = ("xfs_repair", "-n")

KIND = kind.MadeKind(
    name="xfs",
    title="XFS",
    order=1,
    # -f overwrites old signatures, but still refuses a mounted device.
    commands=lambda new: (
        ("mkfs.xfs", "-q", "-f", "-m", f"uuid={new.uuid}", "-L", new.label, *new.options, new.device),
    ),
    discards=True,
    for_place=_for_place,
    in_general=t(
        "It is a sound choice for large Linux volumes, but cannot shrink. No results "
        "are recorded for this workload."
    ),
    minimum_bytes=300 * MIB,
    minimum_why=t("mkfs refuses smaller volumes"),
    maximum_bytes=8 * 1024 * 1024 * TIB - 1,
    # With a stripe, mkfs.xfs needs a 64 MiB log, which does not fit in 512 MiB (tested with 6.1; 600 MiB is
    # enough).
    striped_minimum_bytes=640 * MIB,
    no_zones=kind.MANUAL_ZONES,
    label_bytes=12,
    # Not checked at boot: XFS replays its journal when mounted (fsck.xfs(8)).
    fsck_pass=0,
    seconds=(1.0, 1.0, 4.0),
    clean_check=CHECK,
    flags=frozenset({"-b", "-d", "-i", "-l", "-m", "-n", "-s"}),
    bare_flags=frozenset({"-K"}),
    superblock_reader=("xfs_db", "-r", "-c", "sb 0", "-c", "p blocksize unit width"),
    striping_in=striping_in,
    for_trial=kind.without_discard,
    silent_options=frozenset({"nodiscard", "noquota", "async", "logbufs=8"}),
    set_uuid=lambda device, uuid: ("xfs_db", "-x", "-c", f"uuid {uuid}", device),
    relabelling=kind.Relabelling(command=_label_command, mounted=True, fault=_label_fault),
    # XFS only grows while mounted (xfs_growfs(8)). A copy may be mounted elsewhere.
    growing=kind.Growing(
        commands=lambda place: (("xfs_growfs", "-d", place),),
        check=CHECK,
        programs=("xfs_db",),
        mounted=True,
        mount_options=("nouuid",),
        in_use=lambda _device, place, _member: ("xfs_growfs", "-d", place),
    ),
)
