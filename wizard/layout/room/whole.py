"""A filesystem that fills a drive without a partition table: the only way to use a drive whose zones the host
must manage.

Such a drive is written from the start of each zone onwards and cannot be changed in place, so it takes
neither a partition table that would be edited nor a filesystem that writes anywhere it likes. Btrfs has a
mode for that (btrfs(5), ZONED MODE).
"""

from itertools import pairwise

from wizard.layout.steps.operations import make, mounted
from wizard.model.identity import Identity
from wizard.model.plan import Layout, Operation, ResetZones, Slot, Volume

ZONED_FILESYSTEM = "btrfs"
ZONED_FEATURE = "zoned"


def is_zoned_mode(filesystem: str, words: tuple[str, ...]) -> bool:
    """Whether these options make a filesystem that can live on a host-managed drive."""
    features = [value for flag, value in pairwise(words) if flag == "-O"]
    return filesystem == ZONED_FILESYSTEM and any(ZONED_FEATURE in value.split(",") for value in features)


def whole_after(drive: Identity, volume: Volume) -> Layout:
    """The drive with nothing but the volume on it."""
    only = Slot(
        number=0,
        start_bytes=0,
        size_bytes=drive.size_bytes,
        filesystem=volume.filesystem,
        label=volume.label,
        uuid=volume.uuid,
        mount_point=volume.mount_point,
    )
    return Layout("none", (), (), only)


def whole_operations(volume: Volume) -> tuple[Operation, ...]:
    """Every zone emptied, since what lies in one cannot be written over; then the filesystem, its line in
    fstab and its mount."""
    return (ResetZones(volume.path), make(volume, volume.mkfs_options), *mounted(volume))
