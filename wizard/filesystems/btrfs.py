"""Btrfs: mkfs.btrfs(8), btrfs-check(8), btrfs-inspect-internal(8), btrfs(5)."""

from wizard.filesystems.kind import Argv, MadeKind, Relabelling
from wizard.model.make_filesystem import MakeFilesystem
from wizard.model.units import MIB, TIB


def _commands(made: MakeFilesystem) -> tuple[Argv, ...]:
    # -f writes over old marks, and still refuses a device that is mounted.
    return (
        (
            "mkfs.btrfs",
            "-q",
            "-f",
            "-U",
            made.uuid,
            "-L",
            made.label,
            *made.options,
            made.device,
            *made.others,
        ),
    )


KIND = MadeKind(
    name="btrfs",
    title="Btrfs",
    kernel_names=("btrfs",),
    order=2,
    tool="mkfs.btrfs",
    commands=_commands,
    discards=True,
    in_general=(
        "It has checksums, snapshots and compression, though nothing was recorded of it for this work."
    ),
    # mkfs.btrfs 6.2 wants 109 MiB for two copies of the metadata, and then has next to nothing left for data.
    minimum_bytes=128 * MIB,
    minimum_why="with two copies of the metadata a smaller one has no room for data",
    maximum_bytes=8 * 1024 * 1024 * TIB - 1,
    zones="",
    label_bytes=255,
    # It is not checked at boot (fsck.btrfs(8)).
    fsck_pass=0,
    seconds=(1.0, 0.5, 1.0),
    clean_check=("btrfs", "check", "--readonly"),
    mounted_check=("btrfs", "device", "stats", "--check"),
    flags=frozenset(
        {
            "-d",
            "-m",
            "-n",
            "-s",
            "-O",
            "-R",
            "--csum",
            "--checksum",
            "--data",
            "--metadata",
            "--nodesize",
            "--sectorsize",
        }
    ),
    bare_flags=frozenset({"-K"}),
    subvolumes=True,
    superblock_reader=("btrfs", "inspect-internal", "dump-tree", "--tree", "chunk"),
    silent_options=frozenset(
        {
            "nodiscard",
            "barrier",
            "datacow",
            "datasum",
            "commit=30",
            "nossd_spread",
            "async",
            "noautodefrag",
            "compress=no",
        }
    ),
    relabelling=Relabelling(
        command=lambda device, place, label: ("btrfs", "filesystem", "label", "--", place or device, label),
        mounted=True,
    ),
)
