"""A drive's planned table as definitions that systemd-repart makes it by on an empty drive (repart.d(5))."""

import re
from collections.abc import Iterator

from wizard.layout.exported.lacking import is_plain, table_of
from wizard.model.errors import BadInput
from wizard.model.names import partition_path, printable
from wizard.model.plan import Member, Plan, Slot, Volume
from wizard.model.said import t
from wizard.model.units import KIB, MIB

MAKES = frozenset({"ext4", "btrfs", "xfs", "vfat", "swap"})
"""The filesystems that `Format=` takes since version 252."""

FIRST_BYTES = MIB
"""Where it begins on an empty drive."""

STEP_BYTES = 4 * KIB
"""What it counts sizes in."""

OWN_BITS = 0xFFFF << 48
"""The attributes of a type. Version 252 sets none at all where a lower bit is among them."""

GROWS = 1 << 59
"""That a filesystem is to fill its partition: version 252 sets it for types that know it anyway."""


def repart_files(plan: Plan, member: Member) -> dict[str, str]:
    """The files of a folder of definitions, by name; raises BadInput for a drive that gets no GPT."""
    layout = table_of(member)
    if layout.table != "gpt":
        raise BadInput(
            t("systemd-repart makes a GPT only, and {drive} has another table.", drive=member.drive.path)
        )
    slots = layout.partitions
    volumes = {volume.path: volume for volume in plan.volumes if is_plain(plan, volume)}
    found = {}
    for at, slot in enumerate(slots):
        behind = slots[at + 1].start_bytes - slot.end_bytes if at + 1 < len(slots) else 0
        volume = volumes.get(partition_path(member.drive.path, slot.number))
        found[_file_name(slot)] = _definition(slot, behind, volume)
    return found


def repart_lacks(member: Member) -> Iterator[str]:
    """What of the table itself the definitions do not say."""
    slots = table_of(member).partitions
    if slots and slots[0].start_bytes != FIRST_BYTES:
        yield str(
            t(
                "Not in it: where {device} starts; it comes to start at 1 MiB.",
                device=partition_path(member.drive.path, slots[0].number),
            )
        )
    if [slot.number for slot in slots] != [*range(1, len(slots) + 1)]:
        yield str(
            t(
                "Not in it: the numbers of the partitions of {drive}; they run from 1.",
                drive=member.drive.path,
            )
        )
    for slot in slots:
        device = partition_path(member.drive.path, slot.number)
        if slot.start_bytes % STEP_BYTES or slot.size_bytes % STEP_BYTES:
            yield str(
                t(
                    "Not in it: the exact place of {device}, which is rounded to {step:exact}.",
                    device=device,
                    step=STEP_BYTES,
                )
            )
        if slot.name and not _is_plain_name(slot.name):
            yield str(
                t("Not in it: the name '{name}' of {device}.", device=device, name=printable(slot.name, 80))
            )
        if low := slot.attributes & ~OWN_BITS:
            yield str(t("Not in it: the attributes {bits} of {device}.", device=device, bits=f"{low:#x}"))
        if not slot.attributes & GROWS:
            yield str(
                t(
                    "systemd-repart up to version 252 may mark {device} as one whose filesystem "
                    "grows (attribute 59).",
                    device=device,
                )
            )


def _file_name(slot: Slot) -> str:
    plain = re.sub(r"[^A-Za-z0-9]+", "-", slot.name or "").strip("-").lower()
    return f"{slot.number:03}-{plain or 'partition'}.conf"


def _definition(slot: Slot, behind_bytes: int, volume: Volume | None) -> str:
    lines = ["[Partition]", f"Type={slot.type}"]
    if slot.name and _is_plain_name(slot.name):
        lines.append(f"Label={slot.name.replace('%', '%%')}")
    if slot.part_uuid:
        lines.append(f"UUID={slot.part_uuid}")
    lines += [f"SizeMinBytes={slot.size_bytes}", f"SizeMaxBytes={slot.size_bytes}"]
    lines += [f"PaddingMinBytes={behind_bytes}", f"PaddingMaxBytes={behind_bytes}"] if behind_bytes else []
    if bits := slot.attributes & OWN_BITS:
        lines.append(f"Flags={bits:#x}")
    lines.append(f"GrowFileSystem={'yes' if slot.attributes & GROWS else 'no'}")
    if volume is not None and volume.filesystem in MAKES:
        lines.append(f"Format={volume.filesystem}")
    return "\n".join((*lines, ""))


def _is_plain_name(name: str) -> bool:
    """Whether a line of a unit file can hold it as it is (systemd.syntax(7))."""
    return name.isprintable() and name == name.strip() and not name.endswith("\\")
