"""Facts of an ext2, ext3 or ext4 superblock, without conclusions. Also journal entries and checks."""

from dataclasses import dataclass, field
from enum import StrEnum

from wizard.model.errors import WHERE_USED
from wizard.model.said import Message


@dataclass(frozen=True, slots=True)
class ExtFacts:
    """A superblock (Linux fs/ext4/ext4.h, struct ext4_super_block), as it lies on its device.

    `features` are the names that mke2fs(8) and tune2fs(8) know; a bit without a name is `FEATURE_C31` as
    e2fsprogs writes it. `clean` is the first bit of s_state; `recorded_errors` s_error_count;
    `needs_recovery` means that the journal holds what is not yet in its place. `journal_device` is true where
    the journal lies on another device. `half_done` says what a program began and did not finish, empty for
    nothing; documents of before have it as text. `made` is s_mkfs_time, `mounted` s_mtime, `written` s_wtime,
    `checked` s_lastcheck, all in seconds since 1970: they tell whether it was written to since. `desc_bytes`
    is the size of a group's descriptor, `revision` s_rev_level: 0 knows neither features nor other inodes
    than of 128 bytes. `reserved_gdt_blocks` are kept behind the descriptors for growing. `unconverted` is no
    word of the superblock: extents are switched on, and the root folder is mapped block by block all the
    same.
    """

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
    unconverted: bool = field(default=False, metadata=WHERE_USED)

    @property
    def size_bytes(self) -> int:
        """What the filesystem spans."""
        return self.blocks * self.block_bytes

    @property
    def groups(self) -> int:
        """How many groups of blocks it has."""
        return -(-self.blocks // self.blocks_per_group)

    @property
    def counts_fit(self) -> bool:
        """Whether no more is free than there is."""
        return self.free_blocks <= self.blocks and self.free_inodes <= self.inodes

    @property
    def kind(self) -> str:
        """ext2, ext3 or ext4, as libblkid would call it: by what its drivers can mount."""
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
"""Features that the drivers of ext2 and ext3 never knew (ext4(5))."""


class Event(StrEnum):
    """What a journal entry says. A run ends with DONE, FAILED, STOPPED, REFUSED or WAITING, when everything
    is written and a person is to decide; UNDONE may follow, or KEPT, after which there is no way back.
    MAKING: from now on the device may hold a filesystem of the step's kind with a UUID that its maker drew.
    BAD_SECTOR: where something cannot be read, or is zeros since.
    """

    STARTED = "started"
    SAVED = "saved"
    STEP_STARTED = "step-started"
    MAKING = "making"
    COMMAND = "command"
    STEP_DONE = "step-done"
    STEP_FAILED = "step-failed"
    BAD_SECTOR = "bad-sector"
    VERIFIED = "verified"
    NOT_VERIFIED = "not-verified"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    REFUSED = "refused"
    WAITING = "waiting"
    UNDONE = "undone"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One fsynced line. `step` counts from 1, 0 for the run itself; `output` is what a command printed, cut
    to a sane length. `sentence` is in the language of whoever reads the journal: it is made of what was
    `said`, which entries of older versions, and text of other programs, do not have.
    """

    at: str
    event: Event
    step: int
    sentence: str
    command: tuple[str, ...] = ()
    output: str = ""
    said: Message | None = field(default=None, metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing verified after applying: what was to hold, whether it does, and what was seen."""

    what: str
    holds: bool
    seen: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A run that wrote to a drive and withheld by what that is recognised. `run` is what a command is told
    that means it, as it is typed: its name, or its folder where that lies elsewhere; `begun` when, `told`
    what it made. The notice of it lies from `start_bytes` on, in `size_bytes`.

    `bare`: what is withheld is not there, and so it waits. Else the drive was written to since, and nobody
    can tell what of it is whole.
    """

    run: str
    begun: str
    told: str
    start_bytes: int
    size_bytes: int
    bare: bool
