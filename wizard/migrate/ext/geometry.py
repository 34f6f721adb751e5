"""Whether the sizes and counts of an ext superblock fit each other, so that they can be reckoned with. Pure.

What does not fit is opened neither by e2fsprogs nor by the kernel. Source: Linux fs/ext4/super.c, e2fsprogs
lib/ext2fs/openfs.c and e2fsck/super.c.
"""

from dataclasses import dataclass

LARGEST_BLOCK_SHIFT = 6
LEAST_GROUP_BLOCKS = 8
LARGEST_DESCRIPTOR_BYTES = 1024
LEAST_INODE_BYTES = 128
FIRST_INODE = 11
MOST_GROUPS_SHIFT = 31
LATEST_REVISION = 1


@dataclass(frozen=True, slots=True)
class Geometry:
    """As the superblock says it: a block is 1024 bytes shifted left by `block_shift`, a cluster by
    `cluster_shift`; `first_block` is that of the first group, `first_inode` the first that is not reserved.
    `clustered`: more than a block is taken at once (bigalloc). `descriptor_bytes` is 0 where nothing is said;
    the tables of two to the power of `groups_shift` groups lie together (flex_bg).
    """

    revision: int
    block_shift: int
    cluster_shift: int
    first_block: int
    blocks: int
    reserved_blocks: int
    blocks_per_group: int
    clusters_per_group: int
    inodes: int
    inodes_per_group: int
    first_inode: int
    inode_bytes: int
    descriptor_bytes: int
    reserved_gdt_blocks: int
    groups_shift: int
    clustered: bool

    @property
    def fits(self) -> bool:
        """Whether it can be that of a filesystem."""
        return self._blocks_fit and self._groups_fit and self._inodes_fit

    @property
    def _block_bytes(self) -> int:
        return 1024 << self.block_shift

    @property
    def _blocks_fit(self) -> bool:
        return (
            self.revision <= LATEST_REVISION
            and self.block_shift <= LARGEST_BLOCK_SHIFT
            and (self.clustered or self.cluster_shift == self.block_shift)
            and self.cluster_shift in range(self.block_shift, 30)
            and self.first_block == (1 if self.block_shift == 0 and not self.clustered else 0)
            and self.blocks > self.first_block
            and self.reserved_blocks <= self.blocks // 2
        )

    @property
    def _groups_fit(self) -> bool:
        ratio = 1 << (self.cluster_shift - self.block_shift)
        return (
            self.clusters_per_group * ratio == self.blocks_per_group
            and self.clusters_per_group in range(LEAST_GROUP_BLOCKS, 8 * self._block_bytes + 1)
            and self.groups_shift <= MOST_GROUPS_SHIFT
            and self.reserved_gdt_blocks <= self._block_bytes // 4
            and (not self.descriptor_bytes or _is_power(self.descriptor_bytes))
            and self.descriptor_bytes <= LARGEST_DESCRIPTOR_BYTES
        )

    @property
    def _inodes_fit(self) -> bool:
        groups = -(-(self.blocks - self.first_block) // self.blocks_per_group)
        return (
            _is_power(self.inode_bytes)
            and self.inode_bytes in range(LEAST_INODE_BYTES, self._block_bytes + 1)
            and self.inodes_per_group in range(1, 8 * self._block_bytes + 1)
            and self.first_inode in range(FIRST_INODE, self.inodes + 1)
            and self.inodes == groups * self.inodes_per_group
        )


def _is_power(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0
