"""Rules for labels, mount points and options. Each returns a fault as the end of a sentence, or None."""

import re
from collections.abc import Iterator, Sequence
from uuid import UUID

from wizard.filesystems.registry import KINDS, MADE
from wizard.model import layout
from wizard.model.geometry import Geometry, Identity
from wizard.model.said import Message, Sentence, t

EMPTY, TOO_LONG = t("is empty"), t("is too long")
NAME_PLACE = Sentence("The mount point '{place}' {fault}.")
NOT_PASSED = Sentence("diskwright does not pass option '{option}' to {tool}")
CONTROLS = t("contains control characters")

GPT_NAME_UNITS = 36
"""Maximum length of a GPT partition name in UTF-16 units (UEFI 2.10, 5.3.3)."""

MOST_ID = 2**32 - 2
"""Largest uid and gid; the next value means none (credentials(7))."""

FORBIDDEN_ROOTS = (
    *("/proc", "/sys", "/dev", "/run", "/etc", "/boot", "/bin", "/sbin", "/var/run", "/var/lock"),
    *("/lib", "/lib32", "/lib64", "/libx32", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/share"),
)
"""No mounts here or below, because the running system needs these files."""

FORBIDDEN_EXACTLY = ("/", "/usr", "/var", "/var/lib", "/var/log", "/root", "/tmp")

MKFS_KEYS_ELSEWHERE = frozenset(
    {"device", "logdev", "rtdev", "name", "file", "offset", "location", "uuid", "label"}
)
"""Keys in option values that would make a program write to another device or place."""

MOUNT_OPTIONS_ELSEWHERE = frozenset(
    {
        "bind",
        "rbind",
        "move",
        "remount",
        "loop",
        "offset",
        "sizelimit",
        "device",
        "source",
        "logdev",
        "rtdev",
        "journal_dev",
        "journal_path",
        "helper",
        "uhelper",
        "user",
        "users",
        "owner",
        "group",
        "private",
        "shared",
        "slave",
        "unbindable",
        "rprivate",
        "rshared",
        "rslave",
        "runbindable",
        "encryption",
        "noauto",
    }
)
"""Options that change the action of mount(8), its device or the mount point."""

UUID_FORM = re.compile(r"[0-9A-Fa-f-]{4,40}")
"""Any UUID or serial number that libblkid reports."""

_VALUE = re.compile(r"[\w^+:.%=,-]+", re.ASCII)
_MOUNT_OPTION = re.compile(r"[a-z][a-z0-9_-]*(=[\w:.+-]+)?", re.ASCII)
_WORKLOAD = re.compile(r"[a-z0-9][a-z0-9_.-]{0,62}")
_SERIALS = {8: re.compile(r"[0-9A-F]{4}-[0-9A-F]{4}", re.ASCII), 16: re.compile(r"[0-9A-F]{16}", re.ASCII)}
_DEVICE = re.compile(r"/dev(/[\w.!+:-]+)+", re.ASCII)


def is_plausible(geometry: Geometry) -> bool:
    """Return True if a drive can have these block sizes, and partitions."""
    logical, physical = geometry.logical_block_bytes, geometry.physical_block_bytes
    offset = geometry.alignment_offset_bytes
    return (
        512 <= logical <= 65536
        and not logical & (logical - 1)
        and logical <= physical <= 1 << 30
        and not physical % logical
        and -1 <= offset < 1 << 30
        and (offset <= 0 or not offset % logical)
        and all(0 <= size < 1 << 32 for size in (geometry.minimum_io_bytes, geometry.optimal_io_bytes))
    )


LARGEST_BYTES = 1 << 63
"""The kernel stores device sizes in a signed 64-bit number."""


def drive_faults(drive: Identity) -> Iterator[str]:
    """Yield the faulty fields of a drive named in a document."""
    if not is_device_path(drive.path):
        yield "drive.path"
    if not is_plausible(drive.geometry):
        yield "drive.geometry"
    if not 0 < drive.size_bytes < LARGEST_BYTES:
        yield "drive.size_bytes"


def label_fault(label: str, filesystem: str) -> Message | None:
    """Return why `label` is not valid for the filesystem, or None."""
    kind = MADE[filesystem]
    if not label:
        return EMPTY
    if not label.isprintable():
        return CONTROLS
    if label != label.strip():
        return t("begins or ends with a space")
    if "/" in label:
        return t("contains a slash")
    if len(label.encode()) > kind.label_bytes:
        return t(
            "is longer than the {most} bytes of a {filesystem} label",
            most=kind.label_bytes,
            filesystem=filesystem,
        )
    if len(label.encode("utf-16-le")) > 2 * GPT_NAME_UNITS:
        return t("is longer than the {most} characters of a partition name", most=GPT_NAME_UNITS)
    return kind.label_fault(label)


def partition_name(label: str) -> str:
    """Return the label as a GPT partition name. Libparted only writes non-ASCII names in a UTF-8 locale, so
    such characters become `_`."""
    return "".join(char if char.isascii() else "_" for char in label)[:GPT_NAME_UNITS]


def mount_point_fault(path: str) -> Message | None:
    """Return why `path` cannot be a mount point, or None. Spaces are allowed, since fstab can escape them."""
    if not path.isprintable():
        return CONTROLS
    if not path.startswith("/"):
        return t("is not an absolute path")
    parts = path.split("/")[1:]
    if path != "/" and any(part in ("", ".", "..") for part in parts):
        return t("is not in plain form (no //, no . or .., no trailing slash)")
    if len(path.encode()) > 1024 or any(len(part.encode()) > 255 for part in parts):
        return TOO_LONG
    if path in FORBIDDEN_EXACTLY or any(
        path == root or path.startswith(root + "/") for root in FORBIDDEN_ROOTS
    ):
        return t("would hide files required by the running system")
    return None


def place_fault(place: str, filesystem: str) -> Message | None:
    """Return why a volume of this filesystem cannot have the mount point `place`, or None. Swap has NO_PLACE
    and is activated instead."""
    if MADE[filesystem].mounts:
        return mount_point_fault(place)
    return (
        None
        if place == layout.NO_PLACE
        else t(
            "is not possible for {filesystem}, which is never mounted; use {none} to enable it",
            filesystem=filesystem,
            none=layout.NO_PLACE,
        )
    )


def may_write(writer: layout.Writer, filesystem: str, role: str) -> bool:
    """Return True if a volume with this filesystem and role (empty for none) can have this writer. Swap and
    system volumes belong to root."""
    if writer == layout.ROOT:
        return True
    if role or not MADE[filesystem].mounts:
        return False
    named = bool(writer.name) and writer.name.isprintable() and len(writer.name) <= 256
    person = writer.kind == "person" and 0 < writer.uid <= MOST_ID and 0 <= writer.gid <= MOST_ID
    group = writer.kind == "group" and writer.uid == 0 and 0 < writer.gid <= MOST_ID
    return writer == layout.EVERYONE or (named and (person or group))


def mkfs_options_fault(filesystem: str, options: tuple[str, ...]) -> Message | None:
    """Return why these arguments are not passed to mkfs, or None."""
    kind, rest = MADE[filesystem], list(options)
    while rest:
        flag, equals, value = rest.pop(0).partition("=")
        if flag in kind.bare_flags and not equals:
            continue
        if flag not in kind.flags or (equals and not flag.startswith("--")):
            return NOT_PASSED(option=flag, tool=kind.tool)
        if not equals:
            value = rest.pop(0) if rest else ""
        # Offsets are calculated from the block size.
        is_number = (filesystem, flag) != ("ext4", "-b") or (value.isdecimal() and int(value) > 0)
        if not _VALUE.fullmatch(value) or value.startswith("-") or not is_number:
            return NOT_PASSED(option=f"{flag} {value}", tool=kind.tool)
        if {part.partition("=")[0] for part in value.split(",")} & MKFS_KEYS_ELSEWHERE:
            return NOT_PASSED(option=f"{flag} {value}", tool=kind.tool)
    return None


def mount_options_fault(options: tuple[str, ...]) -> Message | None:
    """Return why these options are not passed to mount(8), or None."""
    for option in options:
        if not _MOUNT_OPTION.fullmatch(option) or option.startswith("x-"):
            return NOT_PASSED(option=option, tool="mount")
        if option.partition("=")[0] in MOUNT_OPTIONS_ELSEWHERE:
            return t("'{option}' would change the action of mount", option=option)
    return None


def is_volume_uuid(text: str, filesystem: str) -> bool:
    """Return True for a UUID or serial number in the format that libblkid reports for the filesystem."""
    digits = MADE[filesystem].serial_digits
    return bool(_SERIALS[digits].fullmatch(text) and text.strip("0-")) if digits else is_uuid(text)


def is_uuid(text: str) -> bool:
    """Return True for a UUID in canonical form, other than zero."""
    try:
        found = UUID(text)
    except ValueError:
        return False
    return str(found) == text and bool(found.int)


def is_device_path(path: str) -> bool:
    """Return True if `path` may be a device node: in /dev, in plain form, with safe characters only."""
    return (
        len(path) < 256
        and bool(_DEVICE.fullmatch(path))
        and not any(part in (".", "..") for part in path.split("/"))
    )


def is_workload_id(text: str) -> bool:
    """Return True if `text` may be a workload id."""
    return bool(_WORKLOAD.fullmatch(text))


def label_fault_of(label: str, filesystem: str) -> Message | None:
    """Return why an existing filesystem cannot get this label, as the end of a sentence, or None."""
    relabelling = KINDS[filesystem].relabelling
    if relabelling is None:
        return t("cannot be changed")
    return label_fault(label, relabelling.rules or filesystem) or relabelling.fault(label)


def old_label_fault(label: str, filesystem: str) -> Message | None:
    """Return why undo could not restore the old label, as the end of a sentence, or None."""
    relabelling = KINDS[filesystem].relabelling
    if relabelling is None or not label.isprintable() or "\N{REPLACEMENT CHARACTER}" in label:
        return t("cannot be read as text")
    return relabelling.fault(label)


DANGERS = {
    "ext4": frozenset({"^has_journal", "nobarrier", "barrier=0", "data=writeback", "noauto_da_alloc"}),
    # XFS accepted these before kernel 4.19.
    "xfs": frozenset({"nobarrier", "barrier=0"}),
    "btrfs": frozenset({"nobarrier", "nodatacow", "nodatasum", "degraded"}),
    "f2fs": frozenset({"nobarrier", "fsync_mode=nobarrier", "checkpoint=disable", "disable_roll_forward"}),
    "jfs": frozenset({"nointegrity"}),
    "nilfs2": frozenset({"nobarrier"}),
    "ntfs": frozenset({"force"}),
}
"""Dangerous features and options, in their canonical spelling. Includes all of the catalogue's, which is not
used to check plans because users can change it."""


OTHERWISE = (
    ("ext4", re.compile(r"none|clear|\^feature_c.*"), "^has_journal"),
    ("ext4", re.compile(r"auto_da_alloc=0"), "noauto_da_alloc"),
)
"""Equivalent spellings. mke2fs can clear all features at once, and also accepts feature numbers (e2fsprogs,
lib/e2p/feature.c)."""


def dangers_in(options: Sequence[str], filesystem: str) -> frozenset[str]:
    """Return the dangerous options among these, in canonical spelling."""
    words = {part for option in options for part in re.split(r"[,\s]+", option)}
    return frozenset(canonical_option(word, filesystem) for word in words) & DANGERS.get(
        filesystem, frozenset()
    )


def canonical_option(word: str, filesystem: str) -> str:
    """Return the canonical spelling of an option.

    mke2fs ignores the case of features and accepts `-` for `^` (lib/e2p/feature.c). The kernel parses numbers
    as C does, such as `0x0` or `00` for 0. An F2FS value after a colon is only an amount.
    """
    key, equals, value = word.lower().partition("=")
    key, value = re.sub(r"^-", "^", key), value.partition(":")[0]
    value = "0" if re.fullmatch(r"[+-]?(0x)?0+", value) else value
    plain = f"{key}{equals}{value}"
    return next(
        (same for kind, other, same in OTHERWISE if kind == filesystem and other.fullmatch(plain)), plain
    )
