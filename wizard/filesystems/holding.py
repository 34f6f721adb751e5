"""What a filesystem can hold of a file beside its content: what a copy to it can keep."""

from dataclasses import dataclass

SYNC, IMMUTABLE, APPEND, NODUMP, NOATIME, DIRSYNC = 0x8, 0x10, 0x20, 0x40, 0x80, 0x10000
"""Flags that chattr(1) sets (linux/fs.h)."""

USUAL_FLAGS = SYNC | IMMUTABLE | APPEND | NODUMP | NOATIME
EXT_FLAGS = USUAL_FLAGS | DIRSYNC | 0x4000 | 0x8000 | 0x20000
"""Also a file's data through the journal, no merged tails, the top of a hierarchy (ext4's
EXT4_FL_USER_MODIFIABLE, without what depends on its features)."""

BTRFS_FLAGS = USUAL_FLAGS | DIRSYNC | 0x4 | 0x400 | 0x800000
"""Also compressed, not compressed, not copied on write."""

LINUX_ATTRIBUTES = ("user.", "trusted.", "security.", "system.posix_acl_")
"""How the names of extended attributes begin that every Linux filesystem with such keeps."""

XFS_ACLS = "trusted.SGI_ACL_"
"""What XFS shows of an ACL once more (linux/fs/xfs/xfs_xattr.c)."""

SECOND = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """What it can hold.

    `owners` are those with their permissions; `links` also pipes, sockets and devices, and several names of
    one file. `attributes` is how the names of extended attributes begin, `flags` those of chattr(1). Times
    are multiples of `grain` nanoseconds, from `since` on, in seconds. A file has `largest_bytes` at most, 0
    where that does not matter. A name has none of the characters `forbidden`, and where `ends_plainly` no
    point and no space at its end. Where it `folds_case`, two names differ by more than small and capital
    letters.
    """

    owners: bool = True
    links: bool = True
    attributes: tuple[str, ...] = LINUX_ATTRIBUTES
    flags: int = USUAL_FLAGS
    grain: int = 1
    since: int | None = None
    largest_bytes: int = 0
    holes: bool = True
    forbidden: str = ""
    ends_plainly: bool = False
    folds_case: bool = False

    def time(self, nanoseconds: int) -> int:
        """A time as it is held."""
        held = nanoseconds // self.grain * self.grain
        return held if self.since is None else max(held, self.since * SECOND)

    def attribute(self, name: str) -> bool:
        """Whether it holds an extended attribute of this name."""
        return name.startswith(self.attributes) and not name.startswith(XFS_ACLS)


LINUX = Holds()
"""What every filesystem of Linux's own holds."""

EVERYTHING = Holds(attributes=("",), flags=~0)
"""For a copy to the same kind."""

FORBIDDEN = '"*:<>?\\|'
"""In names that Windows takes (and linux/fs/fat/namei_vfat.c, vfat_bad_char)."""
