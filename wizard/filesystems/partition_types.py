"""Types of partitions in GPT and MBR tables, and their names."""

from wizard.model.layout import Slot
from wizard.model.machine import Partition
from wizard.model.said import t

EFI_SYSTEM = t("EFI system")
LINUX_BOOT = t("Linux extended boot")
LINUX_SWAP = t("Linux swap")
LINUX_LVM = t("Linux LVM")
LINUX_RAID = t("Linux RAID")
LINUX_LUKS = t("Linux LUKS")

LINUX_GPT = "0fc63daf-8483-4772-8e79-3d69d8477de4"
"""GPT type of Linux filesystem data (UAPI group, Discoverable Partitions Specification)."""

SWAP_GPT = "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f"
RAID_GPT = "a19d880f-05fc-4d3b-a006-743f0f84911e"
LVM_GPT = "e6d6d379-f507-44c2-a23c-238f2a3df928"
"""GPT types of swap, md array members and LVM physical volumes (UAPI group, as above)."""

LUKS_GPT = "ca7d7ccb-63ed-4c53-861c-1742536059cc"
"""GPT type of Linux encrypted containers (UAPI group, as above)."""

BASIC_DATA_GPT = "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7"
"""GPT type that Windows and macOS mount automatically (Microsoft, PARTITION_BASIC_DATA_GUID)."""

ESP_GPT = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
BOOT_GPT = "bc13c2ff-59e6-4262-a352-b275fd6f7172"
BIOS_BOOT_GPT = "21686148-6449-6e6f-744e-656564454649"
"""Contains the second stage of GRUB on GPT drives that boot by BIOS (GRUB manual, 3.4)."""

HOME_GPT = "933ac7e1-2eb4-4f13-b844-0e14e2aef915"
ROOTS_GPT = {
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
"""GPT types for boot and root (UAPI group, as above). Root types depend on the architecture, as in uname
-m."""

MOVING_GPT = "7b2d2d4b-23b2-4b62-82bf-1a7dd76e0226"
"""Our own randomly generated type for a partition in the middle of a move. The entry covers the old place,
the new place and the journal. No program looks for content in this type."""

LINUX_MBR = "0x83"
SWAP_MBR = "0x82"
LUKS_MBR = "0xe8"
NTFS_MBR = "0x07"
FAT32_MBR = "0x0c"
ESP_MBR = "0xef"
BOOT_MBR = "0xea"
LVM_MBR = "0x8e"
MOVING_MBR = "0xda"
MOVING = frozenset({MOVING_GPT, MOVING_MBR})
"""MBR counterpart of MOVING_GPT: "Non-FS data", no filesystem."""


def is_half_moved(part: Partition) -> bool:
    """Return True if the partition is in the middle of a move. The GPT type is proof. The MBR type has other
    uses, and only root can read the journal to be sure."""
    return part.type == MOVING_GPT or part.moving


CONTAINERS = frozenset({"0x05", "0x0f", "0x85"})
"""MBR entries that only contain logical partitions."""


def is_extended(part: Partition | Slot) -> bool:
    """Return True for an extended MBR partition, which has no data of its own."""
    return part.type in CONTAINERS


NAMES = {
    LINUX_GPT: t("Linux filesystem"),
    LINUX_MBR: t("Linux filesystem"),
    ESP_GPT: EFI_SYSTEM,
    BOOT_GPT: LINUX_BOOT,
    HOME_GPT: t("Linux home"),
    **{found: t("Linux root for {architecture}", architecture=name) for name, found in ROOTS_GPT.items()},
    BIOS_BOOT_GPT: t("BIOS boot"),
    SWAP_GPT: LINUX_SWAP,
    LVM_GPT: LINUX_LVM,
    RAID_GPT: LINUX_RAID,
    LUKS_GPT: LINUX_LUKS,
    BASIC_DATA_GPT: t("Microsoft basic data"),
    **dict.fromkeys(CONTAINERS, t("extended")),
    NTFS_MBR: t("NTFS or exFAT"),
    FAT32_MBR: t("FAT32"),
    SWAP_MBR: LINUX_SWAP,
    LUKS_MBR: LINUX_LUKS,
    LVM_MBR: LINUX_LVM,
    ESP_MBR: EFI_SYSTEM,
    BOOT_MBR: LINUX_BOOT,
    "0xfd": LINUX_RAID,
    MOVING_GPT: t("being moved by diskwright"),
}
"""Names of partition types for display."""

ACTIVE = 0x80
"""First byte of an MBR entry: the partition that an old boot record boots (UEFI 2.10, table 5.1,
BootIndicator). In GPT, bit 2 of the attributes serves old BIOSes."""
