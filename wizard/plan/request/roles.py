"""Roles of volumes on a bootable drive, with their partition types. Also key files.

GPT types are from the UAPI group's Discoverable Partitions Specification. Firmware, boot loaders and systemd
find partitions by them. An MBR has types for only two roles (UEFI 2.10, 5.2.2, and the Boot Loader
Specification).
"""

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from wizard.filesystems import partition_types
from wizard.filesystems.registry import MADE
from wizard.model.layout import Volume
from wizard.model.said import GIB, Message, Sentence, rounded_up, t

TableKind = Literal["gpt", "mbr"]

SYSTEM_WORKLOAD = "desktop-root"
"""Workload of system volumes, and of all roles by default."""

WITH_OWNERS = tuple(name for name, kind in MADE.items() if kind.mounts and kind.holds.owners)
"""Filesystems with owners and permissions, as a Linux system requires."""

UNKNOWN_MEMORY_BYTES = 4 * GIB
"""Swap size if the memory size is unknown: the table's value for most machines."""


class Role(Struct, frozen=True):
    """Role of a volume in a system. `filesystems`: filesystems that support the role. `usual`: the proposed
    one, explained by `why`.

    `usual_bytes`: default size, or None. `options`: option ids
    used with the role if the filesystem has them. `read_at_start`: read by firmware or boot loader, so at
    most one per drive. `gpt_type` and `mbr_type`: empty for the filesystem's own type.
    """

    name: str
    title: Message
    summary: Message
    label: str
    filesystems: tuple[str, ...]
    usual: str = ""
    why: Message | str = ""
    usual_bytes: int | None = None
    options: tuple[str, ...] = ()
    read_at_start: bool = False
    gpt_type: str = ""
    mbr_type: str = ""

    @property
    def types(self) -> tuple[str, str]:
        """Both types."""
        return self.gpt_type, self.mbr_type


ROLES = {
    role.name: role
    for role in (
        Role(
            "esp",
            t("EFI system partition"),
            t(
                "The firmware loads the boot loader from here. 1 GiB is enough for the "
                "loaders and several kernels. 260 MiB is the FAT32 minimum on a drive with "
                "4096-byte blocks."
            ),
            "EFI",
            ("vfat",),
            "vfat",
            t("The firmware reads no other filesystem: the UEFI specification requires FAT."),
            GIB,
            read_at_start=True,
            gpt_type=partition_types.ESP_GPT,
            mbr_type=partition_types.ESP_MBR,
        ),
        Role(
            "boot",
            t("Boot partition"),
            t(
                "Kernels and their boot files. Required if the boot loader cannot read the "
                "system volume, for example when encrypted. 1 GiB is enough for several "
                "kernels."
            ),
            "boot",
            (*WITH_OWNERS, "vfat"),
            "ext4",
            t("Every boot loader with support for a Linux filesystem reads ext4."),
            GIB,
            read_at_start=True,
            gpt_type=partition_types.BOOT_GPT,
            mbr_type=partition_types.BOOT_MBR,
        ),
        Role(
            "root",
            t("System (root)"),
            t("System programs and settings."),
            "root",
            WITH_OWNERS,
        ),
        Role(
            "home",
            t("Home directories"),
            t("Personal files, separate from the system to outlive it."),
            "home",
            WITH_OWNERS,
            # No system on this volume, so no reserve for root.
            options=("ext4-no-reserve",),
            gpt_type=partition_types.HOME_GPT,
        ),
        Role(
            "swap",
            t("Swap"),
            t("Space for memory contents not in use. The usual size depends on the memory."),
            "swap",
            ("swap",),
            "swap",
            t("Swap is not a filesystem. The kernel uses swap directly."),
        ),
    )
}


OTHER_TYPES = {
    "crypto_LUKS": (partition_types.LUKS_GPT, partition_types.LUKS_MBR),
    "LVM2_member": (partition_types.LVM_GPT, partition_types.LVM_MBR),
    "linux_raid_member": (partition_types.RAID_GPT, "0xfd"),
}
"""GPT and MBR types of contents other than filesystems that diskwright creates."""


def content_types(content: str) -> tuple[str, str]:
    """Return the GPT and MBR type for contents without a role."""
    if made := MADE.get(content):
        return made.gpt_type, made.mbr_type
    return OTHER_TYPES.get(content, (partition_types.LINUX_GPT, partition_types.LINUX_MBR))


def usual_bytes(role: str, memory_bytes: int | None) -> int | None:
    """Return the default size of a role. None for the remaining space, or without a role. Swap has whole GiB.
    The kernel reports slightly less memory than installed, so memory is rounded up first.

    From the table "Recommended system swap space" of Red Hat Enterprise Linux 9 (Managing storage devices,
    Getting started with swap), column without hibernation: twice the memory up to 2 GiB, the same up to 8
    GiB, at least 4 GiB above. Hibernation would need at least as much as the memory.
    """
    if role != "swap":
        return ROLES[role].usual_bytes if role in ROLES else None
    if memory_bytes is None:
        return UNKNOWN_MEMORY_BYTES
    memory = max(GIB, rounded_up(memory_bytes, GIB))
    if memory <= 2 * GIB:
        return 2 * memory
    return memory if memory <= 8 * GIB else 4 * GIB


PLANNED_ROLES = ROLES | {
    f"root-{architecture}": replace(ROLES["root"], gpt_type=kind)
    for architecture, kind in partition_types.ROOTS_GPT.items()
}
"""Roles in plans. A root includes the architecture (uname -m) if the specification has one."""


def volume_role(role: str, architecture: str) -> str:
    """Return the role for a plan."""
    return known if (known := f"{role}-{architecture}") in PLANNED_ROLES else role


def role_of(volume: Volume) -> Role | None:
    """Return the role of a planned volume, or None."""
    return PLANNED_ROLES.get(volume.role)


def role_by_type(kind: str | None, filesystem: str) -> str:
    """Return the role for a partition type and filesystem, or an empty string."""
    if filesystem == "swap":
        return "swap"
    return next((one.name for one in PLANNED_ROLES.values() if kind and kind in one.types), "")


def partition_type(volume: Volume, table: TableKind) -> str:
    """Return the partition type of a volume. A role's type also applies if encrypted (by the
    specification)."""
    role, kind = role_of(volume), "crypto_LUKS" if volume.encryption else volume.filesystem
    return (role.types[table == "mbr"] if role else "") or content_types(kind)[table == "mbr"]


def volume_role_fault(volume: Volume, *, encrypted: bool, alone: bool) -> Message | None:
    """Return why a planned volume cannot have its role, as the end of a sentence, or None. `alone`: the
    volume has its own partition."""
    if not volume.role:
        return None
    if not alone:
        return t("has a role but no partition of its own")
    role = role_of(volume)
    if role is None:
        return t(
            "has the unknown role '{role}'; the roles are {roles:list}",
            role=volume.role,
            roles=tuple(ROLES),
        )
    if encrypted and role.read_at_start:
        return t(
            "has the role {role}, which cannot be encrypted because it is read before decryption",
            role=role.name,
        )
    if volume.filesystem in role.filesystems:
        return None
    return t(
        "has the role {role}, which does not support {filesystem}; use {possible}",
        role=role.name,
        filesystem=volume.filesystem,
        possible=" or ".join(role.filesystems),
    )


KEY = Sentence("The key {fault}.")
MOST_CHARACTERS = 200
LEAST_BYTES, MOST_BYTES = 16, 4096
"""Shorter keys can be brute-forced. Longer ones may not fit in a pipe at once."""

GONE_AT_START = ("/dev", "/proc", "/run", "/sys", "/tmp")
"""Cleared or recreated at boot."""

PLAIN = re.compile(r"(/[A-Za-z0-9._-]+)+", re.ASCII)
"""Paths that need no escaping in crypttab, where blanks, colons and the like have a meaning (crypttab(5))."""


def key_fault(path: str, *, encrypts: bool = True) -> Message | None:
    """Return why this path is not valid for a key file, as the end of a sentence, or None."""
    if not encrypts:
        return t("requires an encrypted volume; add encrypt")
    if not PLAIN.fullmatch(path) or {".", ".."} & {*path.split("/")} or len(path) > MOST_CHARACTERS:
        return t("is not a plain path such as /etc/keys/media.key, usable in crypttab unchanged")
    if f"/{path.split('/')[1]}" in GONE_AT_START:
        return t("is in a directory cleared at boot")
    return None


def keys_fault(keys: Sequence[str], mount_points: Sequence[str]) -> Message | None:
    """Return why a drive's encrypted volumes with these mount points cannot have these keys (empty for none),
    as the end of a sentence, or None."""
    if len({*keys}) > 1:
        return t("must be the same for all volumes of a drive")
    for key in filter(None, keys):
        if fault := key_fault(key):
            return fault
        if any(key.startswith(f"{place.rstrip('/')}/") for place in mount_points if place != "/"):
            return t("is on a volume of the same drive")
    return None


def content_fault(content: bytes) -> Message | None:
    """Return why these bytes are not a valid key, as the end of a sentence, or None. The whole file counts,
    including newlines."""
    if not LEAST_BYTES <= len(content) <= MOST_BYTES:
        return t(
            "has {count} bytes; a key needs {least} to {most}, ideally all random",
            count=len(content),
            least=LEAST_BYTES,
            most=MOST_BYTES,
        )
    return None
