"""The filesystems that diskwright makes: what their makers and fstab want to know."""

from dataclasses import dataclass

from wizard.advise.filesystems import FILESYSTEMS

LINUX_GPT_TYPE = "0fc63daf-8483-4772-8e79-3d69d8477de4"
"""GPT's type for Linux filesystem data (UAPI group, Discoverable Partitions Specification)."""

LINUX_RAID_TYPE = "a19d880f-05fc-4d3b-a006-743f0f84911e"
LINUX_LVM_TYPE = "e6d6d379-f507-44c2-a23c-238f2a3df928"
"""GPT's types for a part of an md array and for a physical volume of LVM's (UAPI group, as above)."""

LINUX_MBR_TYPE = "0x83"

CONTAINER_TYPES = frozenset({"0x05", "0x0f", "0x85"})
"""MBR entries that only hold logical partitions."""


@dataclass(frozen=True, slots=True)
class Maker:
    """How a filesystem is made. `label_bytes` and `minimum_bytes` are the limits of the program in its usual set-up.

    `fsck_pass` is fstab's last column: XFS and Btrfs are not checked at boot (xfs(5), fsck.btrfs(8)).
    """

    filesystem: str
    label_bytes: int
    fsck_pass: int

    @property
    def program(self) -> str:
        """The program that makes it."""
        return FILESYSTEMS[self.filesystem].tool

    @property
    def package(self) -> str:
        """The package that brings the program."""
        return FILESYSTEMS[self.filesystem].package

    @property
    def minimum_bytes(self) -> int:
        """The smallest volume that holds it."""
        return FILESYSTEMS[self.filesystem].minimum_bytes


MAKERS = {
    maker.filesystem: maker
    for maker in (
        Maker("ext4", label_bytes=16, fsck_pass=2),
        Maker("xfs", label_bytes=12, fsck_pass=0),
        Maker("btrfs", label_bytes=255, fsck_pass=0),
    )
}
