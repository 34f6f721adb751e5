"""Superblock fields of a filesystem as its own tools print them, to compare two filesystems of a kind."""

import re
from collections.abc import Callable, Sequence

READERS: dict[str, tuple[Sequence[str], ...]] = {
    "ext4": (("dumpe2fs",),),
    "xfs": (("xfs_db", "-r", "-c", "sb 0", "-c", "p"), ("xfs_db", "-r", "-c", "agf 1", "-c", "p")),
    "btrfs": (("btrfs", "inspect-internal", "dump-super", "--full"),),
    "vfat": (("fsck.fat", "-n", "-v"), ("od", "-A", "d", "-t", "x1", "-N", "90")),
    "exfat": (("dump.exfat",), ("od", "-A", "d", "-t", "x1", "-N", "112")),
    "ntfs": (("ntfsinfo", "-m"), ("od", "-A", "d", "-t", "x1", "-N", "84")),
    "f2fs": (("dump.f2fs", "-d", "1"),),
    "nilfs2": (("nilfs-tune", "-l"),),
    "jfs": (("jfs_tune", "-l"),),
    "swap": (("od", "-A", "d", "-t", "x1", "-j", "1024", "-N", "96"),),
}
"""What tells the fields of a filesystem's superblock."""

DRAWN = re.compile(
    r"""
    (?:created|time|date|checked|mounted|written)\b.*      # times
    | Directory\ Hash\ Seed:.* | Checksum(?:\ seed)?:.*    # drawn, and what is computed of it
    | csum\s.* | .*checksum\ 0x.* | dev_item\.uuid.* | .*stripe_dev_uuid.* | .*dev_uuid.* | chunk_tree_uuid.*
    | .*crc.*
    | .*CKPT\ version.* | .*checkpoint_ver.* | .*checksum.*
    | .*External\ log\ UUID.* | .*creation.* | .*bad-block.* | .*generation.*
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Fields that differ from one making to the next, also on one and the same drive."""


def fields(kind: str, part: str, tool: Callable[..., str]) -> list[str]:
    """Return the lines printed by every reader, without random values and the node's name. `tool` runs a
    reader."""
    lines = []
    for argv in READERS[kind]:
        text = tool(*argv, part).replace(part, "PART")
        lines += [line for line in text.splitlines() if not DRAWN.search(line)]
    return lines
