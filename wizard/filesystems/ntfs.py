"""NTFS: mkntfs(8), ntfslabel(8) and ntfsfix(8) of ntfs-3g; tested with ntfs-3g 2022.10.3.

Mounted by the kernel's ntfs3 (5.15) or by ntfs-3g.
"""

from msgspec.structs import replace

from wizard.filesystems import kind, partition_types
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent
from wizard.model.said import KIB, MIB, TIB, t

CHKDSK = t(
    "ntfsresize flags the volume for a check by Windows at startup, or by "
    "`chkdsk /f`. Until then, ntfs3 on Linux mounts the volume read-only. "
    "Without Windows, `ntfsfix --clear-dirty` clears the flag."
)


def _set_serial(device: str, uuid: str) -> kind.Argv:
    return ("ntfslabel", "-q", f"--new-serial={kind.serial_of(uuid)}", device)


def _for_place(geometry: Geometry, place: Extent, options: kind.Argv) -> kind.Argv:
    """Add the partition start in the drive's logical blocks, and the BIOS heads and sectors. Windows does not
    boot from a volume without them."""
    hidden = place.start_bytes // geometry.logical_block_bytes
    return (*options, "-p", str(hidden), "-H", "255", "-S", "63") if hidden < 1 << 32 else options


CHECK = ("ntfsresize", "--check")
"""Checks the whole volume. A volume marked for chkdsk passes."""

RESIZE = ("ntfsresize", "--no-progress-bar")
INFO = (*RESIZE, "--info")
WITHOUT_QUESTIONS = ("--force", "--force")


def _resize_commands(device: str, *size: str) -> tuple[kind.Argv, ...]:
    """Return the commands to simulate, then resize. A volume marked for chkdsk fails the simulation."""
    return (
        (*RESIZE, "--no-action", *size, device),
        (*RESIZE, *WITHOUT_QUESTIONS, *size, device),
    )


KIND = kind.MadeKind(
    name="ntfs",
    title="NTFS",
    drivers=("ntfs3",),
    mount_helper="ntfs-3g",
    # Without -F, mkfs.ntfs refuses a mounted device; -Q skips zeroing the volume.
    commands=lambda new: (
        ("mkfs.ntfs", "-Q", "-q", "-L", new.label, *new.options, new.device),
        _set_serial(new.device, new.uuid),
    ),
    for_place=_for_place,
    in_general=t(
        "It is for sharing with Windows. Linux writes NTFS since 5.15 (ntfs3), but "
        "repair requires chkdsk on Windows."
    ),
    minimum_bytes=16 * MIB,
    # 2^32 clusters of 64 KiB.
    maximum_bytes=256 * TIB - 64 * KIB,
    label_bytes=128,
    # ntfsfix, which runs at boot, does not check the filesystem.
    fsck_pass=0,
    seconds=(1.0, 1.0, 2.0),
    clean_check=("ntfsfix", "-n"),
    flags=frozenset({"-c", "-z"}),
    bare_flags=frozenset({"-C", "-I"}),
    serial_digits=16,
    set_uuid=_set_serial,
    gpt_type=partition_types.BASIC_DATA_GPT,
    mbr_type=partition_types.NTFS_MBR,
    also=("ntfslabel",),
    relabelling=kind.Relabelling(
        command=lambda device, _place, label: ("ntfslabel", device, label),
        fault=lambda label: (
            t("begins with a dash, which ntfslabel does not accept") if label[:1] == "-" else None
        ),
    ),
    # The ntfs-3g tools refuse mounted volumes, and mark resized ones for chkdsk (ntfsresize(8)).
    growing=kind.Growing(
        commands=_resize_commands,
        check=CHECK,
        programs=("ntfs-3g.probe",),
        smaller=lambda device, size: _resize_commands(device, "--size", str(size)),
        grown_remarks=(CHKDSK,),
        shrunk_remarks=(CHKDSK,),
    ),
    holds=replace(kind.WINDOWS, grain=100),
)
