"""Whether what stands on a device is the filesystem that was left there, only used since: mounted, or written
to by a program. Pure."""

from wizard.migrate.ext.bar import BAR, INCOMPATIBLE_AT
from wizard.migrate.ext.superblock import START_BYTES, read_ext
from wizard.model.ext import ExtFacts

PASSING = frozenset({"needs_recovery", "orphan_present"})
"""Features that come with a mount and go with an unmount."""

BY_ITSELF = frozenset({"large_file", "ext_attr", "dir_nlink", "extra_isize", "huge_file"})
"""Features that the kernel switches on when something needs them (Linux fs/ext4, ext4_set_feature_...)."""


def is_used_one(found: bytes, left: bytes, other: bytes) -> bool:
    """Whether the first bytes `found` are of the filesystem that had `left`, and not of the one that had
    `other`, which it was made from or into. A filesystem made anew, a damaged or a barred superblock is
    neither.
    """
    now, was, not_it = (read_ext(first[START_BYTES:]) for first in (found, left, other))
    if (
        now is None
        or was is None
        or not_it is None
        or int.from_bytes(found[INCOMPATIBLE_AT : INCOMPATIBLE_AT + 4], "little") & BAR
    ):
        return False
    if (now.uuid, now.block_bytes, now.inode_bytes, now.made) != (
        was.uuid,
        was.block_bytes,
        was.inode_bytes,
        was.made,
    ):
        return False
    telling = not_it.features - was.features - PASSING - BY_ITSELF
    return was.features - PASSING <= now.features and not (telling and telling <= now.features)


def was_mounted_since(now: ExtFacts, left: ExtFacts, *possible: ExtFacts) -> bool:
    """Whether the filesystem that was left so was mounted for writing since. The time of a mount counts
    seconds: within one, the count of mounts tells. e2fsck begins it anew and putting back brings it back, so
    that each of the `possible` superblocks can be the one that was left.
    """
    return now.mounted != left.mounted or now.mounts > max(one.mounts for one in (*possible, left))
