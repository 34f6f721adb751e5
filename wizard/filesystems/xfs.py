"""XFS: mkfs.xfs(8), xfs_repair(8), xfs_db(8), xfs(5)."""

import re

from wizard.filesystems.kind import Argv, Growing, MadeKind, Relabelling
from wizard.model.geometry import Geometry, advised_striping
from wizard.model.machine import Extent, Striping
from wizard.model.operations import MakeFilesystem
from wizard.model.said import GIB, KERNEL_SECTOR_BYTES, MIB, TIB, Message, t


def _commands(made: MakeFilesystem) -> tuple[Argv, ...]:
    # -f writes over old marks, and still refuses a device that is mounted.
    return (
        ("mkfs.xfs", "-q", "-f", "-m", f"uuid={made.uuid}", "-L", made.label, *made.options, made.device),
    )


def _for_place(geometry: Geometry, place: Extent, options: Argv) -> Argv:
    """Its sectors are the drive's physical blocks, and its stripe what the drive advises, which small ones do
    without (xfsprogs, libxfs/topology.c, mkfs/xfs_mkfs.c)."""
    physical = geometry.whole_block_bytes
    sectors = ("-s", f"size={physical}") if physical > KERNEL_SECTOR_BYTES and "-s" not in options else ()
    striping = advised_striping(geometry)
    if striping is None or place.size_bytes < GIB or "-d" in options:
        return (*options, *sectors)
    unit, width = striping
    stripe = ("-d", f"su={unit},sw={width // unit}")
    return (*options, *sectors, *stripe)


def striping_in(text: str) -> Striping | None:
    """Stripe unit and width of xfs_db's words, in bytes; None where the superblock holds none. Pure."""
    found = {key: int(value) for key, value in re.findall(r"(?m)^(blocksize|unit|width) = (\d+)$", text)}
    if len(found) != 3 or not found["unit"]:
        return None
    return Striping(found["unit"] * found["blocksize"], found["width"] * found["blocksize"])


def _label(device: str, place: str, label: str) -> Argv:
    """Both programs take a line that they cut into words."""
    if place:
        return ("xfs_io", "-c", f"label -s {label}" if label else "label -c", place)
    return ("xfs_db", "-x", "-c", f"label {label or '--'}", device)


def _unwritable(label: str) -> Message | None:
    return (
        t("contains a blank or quotation mark, or begins with --, which xfs_io does not accept")
        if re.search(r"[\s\"'\\]|^--", label)
        else None
    )


CHECK = ("xfs_repair", "-n")

KIND = MadeKind(
    name="xfs",
    title="XFS",
    kernel_names=("xfs",),
    never_shrinks=True,
    order=1,
    tool="mkfs.xfs",
    commands=_commands,
    discards=True,
    for_place=_for_place,
    in_general=t(
        "It is a sound choice for large Linux volumes, but cannot shrink. No results "
        "are recorded for this workload."
    ),
    minimum_bytes=300 * MIB,
    minimum_why=t("mkfs.xfs refuses smaller volumes since version 5.19"),
    maximum_bytes=8 * 1024 * 1024 * TIB - 1,
    # With a stripe mkfs.xfs wants a log of 64 MiB, for which 512 MiB have no room (tried with 6.1; 600 MiB
    # are enough).
    striped_minimum_bytes=640 * MIB,
    zones=t("diskwright does not set up XFS on zones; the zone options show if manual setup is possible"),
    label_bytes=12,
    # It is not checked at boot: its journal sees to that (fsck.xfs(8)).
    fsck_pass=0,
    seconds=(1.0, 1.0, 4.0),
    clean_check=CHECK,
    flags=frozenset({"-b", "-d", "-i", "-l", "-m", "-n", "-s"}),
    bare_flags=frozenset({"-K"}),
    superblock_reader=("xfs_db", "-r", "-c", "sb 0", "-c", "p blocksize unit width"),
    striping_in=striping_in,
    for_trial=lambda options: options if "-K" in options else (*options, "-K"),
    silent_options=frozenset({"nodiscard", "noquota", "async", "logbufs=8"}),
    relabelling=Relabelling(command=_label, mounted=True, fault=_unwritable),
    # It grows only while it is mounted (xfs_growfs(8)). A copy of it may be mounted elsewhere.
    growing=Growing(
        commands=lambda place: (("xfs_growfs", "-d", place),),
        check=CHECK,
        programs=("xfs_metadump", "xfs_mdrestore", "xfs_db"),
        mounted=True,
        mount_options=("nouuid",),
        in_use=lambda _device, place, _member: ("xfs_growfs", "-d", place),
    ),
)
