"""What was made, read back by other tools than those that made it: the checks that filesystems bring, and what their superblocks say."""

import json
import re
from collections.abc import Sequence

from wizard.apply.site import look_at
from wizard.model.errors import Failed
from wizard.model.machine import Drive, Signature, Striping
from wizard.model.names import printable
from wizard.model.plan import MakeArray, MakeFilesystem, MakeVolumeGroup, Operation, Plan
from wizard.model.units import format_exact
from wizard.tools.run import run

CLEAN_CHECKS = {
    "ext2": ("e2fsck", "-f", "-n"),
    "ext3": ("e2fsck", "-f", "-n"),
    "ext4": ("e2fsck", "-f", "-n"),
    "xfs": ("xfs_repair", "-n"),
    "btrfs": ("btrfs", "check", "--readonly"),
}
"""Checks that change nothing and end with 0 for a clean filesystem. They need it unmounted."""

SUPERBLOCK_READERS = {
    "ext4": ("dumpe2fs", "-h"),
    "xfs": ("xfs_db", "-r", "-c", "sb 0", "-c", "p blocksize unit width"),
    "btrfs": ("btrfs", "inspect-internal", "dump-tree", "--tree", "chunk"),
}
"""What tells how a filesystem is spread; all of them read only (dumpe2fs(8), xfs_db(8), btrfs-inspect-internal(8))."""

LVM_PROGRAMS = frozenset({"lvs", "pvs", "lvchange", "vgchange", "vgremove"})


def checking_programs(operation: Operation) -> frozenset[str]:
    """The programs that checking or taking back an operation needs besides those that its commands name."""
    match operation:
        case MakeFilesystem(filesystem=kind, striping=striping, others=others):
            return frozenset({CLEAN_CHECKS[kind][0], *([SUPERBLOCK_READERS[kind][0]] if striping or others else [])})
        case MakeArray():
            return frozenset({"mdadm"})
        case MakeVolumeGroup():
            return LVM_PROGRAMS
        case _:
            return frozenset()


def signatures_on(device: str, plan: Plan, seconds: float, drives: Sequence[Drive] = ()) -> tuple[Signature, ...] | None:
    """What is recognised on a device of the plan; None where it is not there. Raises Failed where its drive does not tell.

    A drive that is not among `drives` is read afresh.
    """
    member = plan.member(device)
    if member is None:
        return tuple(_listed(device, seconds))
    drive = next((drive for drive in drives if drive.path == member.drive.path), None) or look_at(member.drive.path)
    if device == drive.path:
        return drive.signatures
    part = drive.partition(device)
    return part.signatures if part else None


def _listed(device: str, seconds: float) -> list[Signature]:
    """What wipefs sees on an array, which is no drive of its own."""
    text = run(["wipefs", "--no-act", "--json", device], seconds=seconds).output
    try:
        rows = json.loads(text)["signatures"] if text.strip() else []
        return [Signature(row["type"], "other", row.get("label"), row.get("uuid")) for row in rows]
    except (ValueError, KeyError, TypeError):
        raise Failed(f"wipefs said of {device} what diskwright cannot read: {printable(text, 80)}") from None


def recognised_differences(signatures: Sequence[Signature] | None, filesystem: str, uuid: str, label: str) -> tuple[str, ...]:
    """How what libblkid recognises differs from what was to be made, in pieces of sentences. Pure."""
    if signatures is None:
        return ("the partition is not there",)
    if len(signatures) != 1 or signatures[0].ambivalent:
        kinds = ", ".join(printable(signature.kind) for signature in signatures) or "nothing"
        return (f"it shows {kinds} instead of exactly one filesystem",)
    seen = signatures[0]
    pairs = (("type", seen.kind, filesystem), ("UUID", seen.uuid, uuid), ("label", seen.label, label))
    return tuple(f"its {what} is {printable(str(found))!r}, not {wanted!r}" for what, found, wanted in pairs if found != wanted)


def spread_differences(operation: MakeFilesystem, seconds: float) -> tuple[str, ...]:
    """How the filesystem is spread otherwise than planned, by its own superblock; nothing for one that is not striped. Raises Failed."""
    if not operation.striping and not operation.others:
        return ()
    text = run([*SUPERBLOCK_READERS[operation.filesystem], operation.device], seconds=seconds).output
    if operation.others:
        profile = "RAID0"
        return () if f"DATA|{profile}" in text else (f"its data are not {profile}",)
    seen = ext4_striping(text) if operation.filesystem == "ext4" else xfs_striping(text)
    if seen == operation.striping:
        return ()
    return (f"its superblock says {_said(seen)}, not {_said(operation.striping)}",)


def ext4_striping(text: str) -> Striping | None:
    """Stride and stripe width of dumpe2fs's words, in bytes; None where it names none. Pure."""
    found = {key: int(value) for key, value in re.findall(r"(?m)^(Block size|RAID stride|RAID stripe width):\s+(\d+)$", text)}
    if len(found) != 3:
        return None
    return Striping(found["RAID stride"] * found["Block size"], found["RAID stripe width"] * found["Block size"])


def xfs_striping(text: str) -> Striping | None:
    """Stripe unit and width of xfs_db's words, in bytes; None where the superblock holds none. Pure."""
    found = {key: int(value) for key, value in re.findall(r"(?m)^(blocksize|unit|width) = (\d+)$", text)}
    if len(found) != 3 or not found["unit"]:
        return None
    return Striping(found["unit"] * found["blocksize"], found["width"] * found["blocksize"])


def _said(striping: Striping | None) -> str:
    if striping is None:
        return "nothing of a stripe"
    return f"{format_exact(striping.unit_bytes)} to a drive and {format_exact(striping.width_bytes)} to all"
