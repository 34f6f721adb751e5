"""What a partition table calls the things that partitions hold."""

from wizard.model.machine import Partition
from wizard.model.said import t

EFI_SYSTEM = t("EFI system")
LINUX_BOOT = t("Linux extended boot")
LINUX_SWAP = t("Linux swap")
LINUX_LVM = t("Linux LVM")
LINUX_RAID = t("Linux RAID")
LINUX_LUKS = t("Linux LUKS")

LINUX_GPT_TYPE = "0fc63daf-8483-4772-8e79-3d69d8477de4"
"""GPT's type for Linux filesystem data (UAPI group, Discoverable Partitions Specification)."""

LINUX_SWAP_TYPE = "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f"
LINUX_RAID_TYPE = "a19d880f-05fc-4d3b-a006-743f0f84911e"
LINUX_LVM_TYPE = "e6d6d379-f507-44c2-a23c-238f2a3df928"
"""GPT's types for swap, a part of an md array and a physical volume of LVM's (UAPI group, as above)."""

LINUX_LUKS_TYPE = "ca7d7ccb-63ed-4c53-861c-1742536059cc"
"""GPT's type for an encrypted container of Linux's (UAPI group, as above)."""

BASIC_DATA_TYPE = "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7"
"""GPT's type for what Windows and macOS are to open by themselves (Microsoft, PARTITION_BASIC_DATA_GUID)."""

ESP_GPT_TYPE = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
BOOT_GPT_TYPE = "bc13c2ff-59e6-4262-a352-b275fd6f7172"
BIOS_BOOT_GPT_TYPE = "21686148-6449-6e6f-744e-656564454649"
"""Where GRUB goes on from the first sector of a drive with a GPT that a BIOS starts (GRUB manual, 3.4)."""

HOME_GPT_TYPE = "933ac7e1-2eb4-4f13-b844-0e14e2aef915"
ROOT_GPT_TYPES = {
    "x86_64": "4f68bce3-e8cd-4db1-96e7-fbcaf984b709",
    "i386": "44479540-f297-41b2-9af7-d131d5f0458a",
    "i686": "44479540-f297-41b2-9af7-d131d5f0458a",
    "aarch64": "b921b045-1df0-41c3-af44-4c6f280d3fae",
    "armv7l": "69dad710-2ce4-4e3c-b16c-21a1d49abed3",
    "riscv64": "72ec70a6-cf74-40e6-bd49-4bda08e8f224",
    "ppc64le": "c31c45e6-3f39-412e-80fb-4809c4980599",
    "loongarch64": "77055800-792c-4f94-b39a-98c91b762bb6",
    "s390x": "5eead9a9-fe09-4a1e-a1d7-520d00531306",
}
"""GPT's types for what a system is started from and lives on (UAPI group, as above); the root's by the
architecture, as uname -m has it."""

MOVING_GPT_TYPE = "7b2d2d4b-23b2-4b62-82bf-1a7dd76e0226"
"""Our own type, drawn at random: a partition that is just being moved, whose entry covers its old place, its
new one and the journal. No program looks for content in it."""

LINUX_MBR_TYPE = "0x83"
SWAP_MBR_TYPE = "0x82"
LUKS_MBR_TYPE = "0xe8"
NTFS_MBR_TYPE = "0x07"
FAT32_MBR_TYPE = "0x0c"
ESP_MBR_TYPE = "0xef"
BOOT_MBR_TYPE = "0xea"
LVM_MBR_TYPE = "0x8e"
MOVING_MBR_TYPE = "0xda"
MOVING_TYPES = frozenset({MOVING_GPT_TYPE, MOVING_MBR_TYPE})
"""What an MBR has for content that is no filesystem ("Non-FS data"): as MOVING_GPT_TYPE."""


def is_half_moved(part: Partition) -> bool:
    """Whether it is in the middle of a move. GPT's type says it surely; an MBR's has other uses, and only
    root can read the journal that tells."""
    return part.type == MOVING_GPT_TYPE or part.moving


CONTAINER_TYPES = frozenset({"0x05", "0x0f", "0x85"})
"""MBR entries that only hold logical partitions."""

TYPE_NAMES = {
    LINUX_GPT_TYPE: t("Linux filesystem"),
    LINUX_MBR_TYPE: t("Linux"),
    ESP_GPT_TYPE: EFI_SYSTEM,
    BOOT_GPT_TYPE: LINUX_BOOT,
    HOME_GPT_TYPE: t("Linux home"),
    **{
        found: t("Linux root for {architecture}", architecture=name) for name, found in ROOT_GPT_TYPES.items()
    },
    BIOS_BOOT_GPT_TYPE: t("BIOS boot"),
    LINUX_SWAP_TYPE: LINUX_SWAP,
    LINUX_LVM_TYPE: LINUX_LVM,
    LINUX_RAID_TYPE: LINUX_RAID,
    LINUX_LUKS_TYPE: LINUX_LUKS,
    BASIC_DATA_TYPE: t("Microsoft basic data"),
    **dict.fromkeys(CONTAINER_TYPES, t("extended")),
    NTFS_MBR_TYPE: t("NTFS or exFAT"),
    FAT32_MBR_TYPE: t("FAT32"),
    SWAP_MBR_TYPE: LINUX_SWAP,
    LUKS_MBR_TYPE: LINUX_LUKS,
    LVM_MBR_TYPE: LINUX_LVM,
    ESP_MBR_TYPE: EFI_SYSTEM,
    BOOT_MBR_TYPE: LINUX_BOOT,
    "0xfd": LINUX_RAID,
    MOVING_GPT_TYPE: t("being moved by diskwright"),
}
"""What a person calls a type, by its number."""
