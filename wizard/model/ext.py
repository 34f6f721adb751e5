"""Facts of an ext2, ext3 or ext4 superblock, without conclusions."""

from wizard.model.errors import FrozenStruct, WhereUsed
from wizard.model.said import Message


class ExtFacts(FrozenStruct):
    """An ext superblock as stored (Linux fs/ext4/ext4.h). `features`: names from mke2fs(8); unnamed bits are
    `FEATURE_C31`. `clean`: first bit of s_state. `recorded_errors`: s_error_count. `needs_recovery`: the
    journal must be replayed. `journal_device`: external journal. `half_done`: unfinished operation of another
    program, or empty. `made` (s_mkfs_time), `mounted` (s_mtime), `written` (s_wtime) and `checked`
    (s_lastcheck): seconds since 1970. `desc_bytes`: size of a group descriptor. `revision`: s_rev_level; 0
    supports no features and only 128-byte inodes. `unconverted`: extents are enabled but the root directory
    has a block map."""

    uuid: str
    label: str
    block_bytes: int
    blocks: int
    free_blocks: int
    reserved_blocks: int
    inodes: int
    free_inodes: int
    inode_bytes: int
    blocks_per_group: int
    inodes_per_group: int
    desc_bytes: int
    features: frozenset[str]
    clean: bool
    has_errors: bool
    recorded_errors: int
    needs_recovery: bool
    journal_device: bool
    half_done: Message | str
    last_mounted_at: str
    mounts: int
    made: int
    mounted: int
    written: int
    checked: int
    revision: int = 1
    reserved_gdt_blocks: int = 0
    unconverted: WhereUsed[bool] = False

    @property
    def size_bytes(self) -> int:
        """Size of the filesystem in bytes."""
        return self.blocks * self.block_bytes

    @property
    def groups(self) -> int:
        """Number of block groups."""
        return -(-self.blocks // self.blocks_per_group)

    @property
    def kind(self) -> str:
        """ext2, ext3 or ext4 as libblkid reports it, by the features that drivers support."""
        if self.features & BEYOND_EXT3:
            return "ext4"
        return "ext3" if "has_journal" in self.features else "ext2"


BEYOND_EXT3 = frozenset(
    {
        "extent",
        "64bit",
        "flex_bg",
        "huge_file",
        "uninit_bg",
        "dir_nlink",
        "extra_isize",
        "metadata_csum",
        "metadata_csum_seed",
        "mmp",
        "ea_inode",
        "large_dir",
        "inline_data",
        "encrypt",
        "casefold",
        "verity",
        "bigalloc",
        "quota",
        "project",
        "orphan_file",
        "fast_commit",
        "stable_inodes",
        "sparse_super2",
    }
)
"""Features that the ext2 and ext3 drivers never supported (ext4(5))."""
