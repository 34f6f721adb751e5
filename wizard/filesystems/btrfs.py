"""Btrfs: mkfs.btrfs(8), btrfs-check(8), btrfs-inspect-internal(8), btrfs(5)."""

from wizard.filesystems import kind
from wizard.model.said import MIB, TIB, t


def _resize_command(what: str, place: str) -> kind.Argv:
    return ("btrfs", "filesystem", "resize", what, place)


CHECK = ("btrfs", "check", "--readonly")

KIND = kind.MadeKind(
    name="btrfs",
    title="Btrfs",
    order=2,
    # -f overwrites old signatures, but still refuses a mounted device.
    commands=lambda new: (
        ("mkfs.btrfs", "-q", "-f", "-U", new.uuid, "-L", new.label, *new.options, new.device, *new.others),
    ),
    discards=True,
    in_general=t(
        "It offers checksums, snapshots and compression. No results are recorded for this workload."
    ),
    # mkfs.btrfs 6.2 needs 109 MiB for two copies of the metadata, which leaves almost no room for data.
    minimum_bytes=128 * MIB,
    maximum_bytes=8 * 1024 * 1024 * TIB - 1,
    no_zones=None,
    label_bytes=255,
    # Not checked at boot (fsck.btrfs(8)).
    fsck_pass=0,
    seconds=(1.0, 0.5, 1.0),
    clean_check=CHECK,
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
    for_trial=kind.without_discard,
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
    # Only the superblock changes (metadata_uuid, Linux 5.0), not every block as with -U.
    set_uuid=lambda device, uuid: ("btrfstune", "-M", uuid, device),
    relabelling=kind.Relabelling(
        command=lambda device, place, label: ("btrfs", "filesystem", "label", "--", place or device, label),
        mounted=True,
    ),
    # Btrfs can only be resized while mounted (btrfs-filesystem(8)).
    growing=kind.Growing(
        commands=lambda place: (_resize_command("max", place),),
        check=CHECK,
        mounted=True,
        in_use=lambda _device, place, member: _resize_command(f"{member}:max", place),
        smaller=lambda place, size: (_resize_command(str(size), place),),
        shrinks_in_use=lambda _device, place, member, size: _resize_command(f"{member}:{size}", place),
    ),
    holds=kind.Holds(flags=kind.BTRFS_FLAGS),
)
