"""Export a planned table for systemd-repart (repart.d(5)) or sfdisk, for use on an empty drive."""

import re
from collections.abc import Iterator, Sequence

from wizard.filesystems.partition_types import ACTIVE
from wizard.model.errors import BadInput, partition_path
from wizard.model.layout import NO_PLACE, Layout, Member, Slot, Volume
from wizard.model.said import KIB, MIB, Message, t
from wizard.operations.fstab import fstab_escaped
from wizard.plan.free_space import fresh_bounds
from wizard.plan.plan import Plan


def member_of(plan: Plan, device: str | None) -> Member:
    """Return the plan's only drive, or the one at `device`. Raises BadInput."""
    found = [member for member in plan.members if device in (None, member.drive.path)]
    if len(found) != 1:
        raise BadInput(t("The plan is for {drives:and}. Select one with --device.", drives=plan.devices))
    return found[0]


def table_of(member: Member) -> Layout:
    """Return the planned layout. Raises BadInput if it has no table."""
    if member.after.whole is not None or member.after.table not in ("gpt", "mbr"):
        raise BadInput(t("The plan creates no partition table on {drive}.", drive=member.drive))
    return member.after


def lacking(plan: Plan, *, repart: bool = False) -> Iterator[Message]:
    """Describe what is not written besides the table. `repart`: for systemd-repart, which creates more than
    sfdisk."""
    if plan.stripe is not None:
        yield t("Not written: the {kind} array across several drives.", kind=plan.stripe.kind)
    if plan.group is not None:
        yield t("Not written: the LVM volume group {name}.", name=plan.group.name)
    for volume in plan.volumes:
        if repart and _is_created(plan, volume):
            yield from _repart_omissions(volume)
        else:
            in_container = " in LUKS2" if volume.encryption else ""
            yield t(
                "Not written: the {filesystem} '{label}' on {device}, with its options, subvolumes, mount "
                "and write permissions.",
                filesystem=f"{volume.filesystem}{in_container}",
                label=volume.label,
                device=volume.device,
            )


def _repart_omissions(volume: Volume) -> Iterator[Message]:
    if held := volume.encryption:
        yield t(
            "Not written: the key of {device}. Name a file with the key: systemd-repart --key-file=FILE.",
            device=held.device,
        )
        yield _other_uuid("crypto_LUKS", held.device, held.uuid)
    yield _other_uuid(volume.filesystem, volume.path, volume.uuid)
    if volume.mkfs_options:
        yield t(
            "Not written: the options {options:row} of the {filesystem} on {device}.",
            options=volume.mkfs_options,
            filesystem=volume.filesystem,
            device=volume,
        )
    if volume.subvolumes:
        yield t(
            "The subvolumes on {device} need systemd-repart 255; an older one creates plain folders.",
            device=volume,
        )
    if volume.mount_point == NO_PLACE:
        yield t("Not written: the fstab line for swap on {device}.", device=volume)
    elif volume.mount_point is not None:
        yield t(
            "The mount of {device} at {place} needs systemd-repart 256 and its option --generate-fstab=FILE.",
            device=volume,
            place=volume.mount_point,
        )
    if volume.writer.kind != "root":
        yield t(
            "Not written: write permission for {who} on {device}.",
            who=volume.writer.shown,
            device=volume,
        )


def _other_uuid(filesystem: str, device: str, uuid: str) -> Message:
    return t(
        "Not written: UUID {uuid} of the {filesystem} on {device}.",
        uuid=uuid,
        filesystem=filesystem,
        device=device,
    )


def fstab_text(plan: Plan) -> str:
    """Return the lines that the plan adds to fstab."""
    return "".join(f"{one.line}\n" for one in plan.fstab_lines)


MAKES = frozenset({"ext4", "btrfs", "xfs", "vfat", "swap"})
"""Filesystems supported by `Format=` since version 252."""


def _is_created(plan: Plan, volume: Volume) -> bool:
    return volume.filesystem in MAKES and plan.stripe is None and plan.group is None


FIRST_BYTES = MIB
"""Start of the first partition on an empty drive."""

STEP_BYTES = 4 * KIB
"""Unit of sizes."""

OWN_BITS = 0xFFFF << 48
"""Attributes defined by partition types. If any lower bit is given, version 252 sets no attributes at all."""

GROWS = 1 << 59
"""Grow the filesystem to fill its partition. Version 252 always sets this for types that support it."""


def repart_files(plan: Plan, member: Member) -> dict[str, str]:
    """Return the definition files by name. Raises BadInput if the drive gets no GPT."""
    layout = table_of(member)
    if layout.table != "gpt":
        raise BadInput(
            t("systemd-repart creates only GPT, but {drive} has another table.", drive=member.drive)
        )
    slots = layout.partitions
    volumes = {
        volume.device: tuple(_content(plan, volume)) for volume in plan.volumes if _is_created(plan, volume)
    }
    found = {}
    for at, slot in enumerate(slots):
        padding = slots[at + 1].start_bytes - slot.end_bytes if at + 1 < len(slots) else 0
        content = volumes.get(member.node(slot.number), ())
        plain = re.sub(r"[^A-Za-z0-9]+", "-", slot.name or "").strip("-").lower()
        found[f"{slot.number:03}-{plain or 'partition'}.conf"] = _definition(slot, padding, content)
    return found


def _content(plan: Plan, volume: Volume) -> Iterator[str]:
    yield f"Format={volume.filesystem}"
    if held := volume.encryption:
        yield "Encrypt=key-file"
        yield f"EncryptedVolume={held.name}:{_escaped(held.key)}:luks,nofail"
    if volume.subvolumes:
        # Subvolumes= does not create the folders.
        paths = " ".join(f"/{one.name}" for one in volume.subvolumes)
        yield from (f"MakeDirectories={paths}", f"Subvolumes={paths}")
    for line in plan.fstab_lines:
        if line.uuid == volume.uuid and line.mount_point != NO_PLACE:
            # systemd-repart copies the path to fstab without escapes.
            yield f"MountPoint={_escaped(fstab_escaped(line.mount_point))}:{','.join(line.options)}"


def _escaped(path: str) -> str:
    """Escape a path in a field between colons."""
    plain = (char if char.isalnum() or char in "/._-@+" else char.encode() for char in path)
    return "".join(
        one if isinstance(one, str) else "".join(f"\\x{byte:02x}" for byte in one) for one in plain
    )


def repart_lacks(member: Member) -> Iterator[Message]:
    """Describe parts of the table that the definitions do not include."""
    slots, path = table_of(member).partitions, member.drive.path
    if slots and slots[0].start_bytes != FIRST_BYTES:
        first = partition_path(path, slots[0].number)
        yield t("Not written: the start of {device}, which becomes 1 MiB.", device=first)
    if [slot.number for slot in slots] != [*range(1, len(slots) + 1)]:
        yield t("Not written: the partition numbers of {drive}, which become consecutive from 1.", drive=path)
    for slot in slots:
        device = partition_path(path, slot.number)
        if slot.start_bytes % STEP_BYTES or slot.size_bytes % STEP_BYTES:
            yield t(
                "Not written: the exact position of {device}, which is rounded to {step:exact}.",
                device=device,
                step=STEP_BYTES,
            )
        if slot.name and not _is_plain_name(slot.name):
            yield t("Not written: the name '{name}' of {device}.", device=device, name=slot.name)
        if low := slot.attributes & ~OWN_BITS:
            yield t("Not written: the attributes {bits} of {device}.", device=device, bits=f"{low:#x}")
        if not slot.attributes & GROWS:
            yield t(
                "systemd-repart up to version 252 may mark the filesystem on {device} as growing (attribute "
                "59).",
                device=device,
            )


def _definition(slot: Slot, padding_bytes: int, content: Sequence[str]) -> str:
    lines = ["[Partition]", f"Type={slot.type}"]
    if slot.name and _is_plain_name(slot.name):
        lines.append(f"Label={slot.name.replace('%', '%%')}")
    if slot.part_uuid:
        lines.append(f"UUID={slot.part_uuid}")
    lines += [f"SizeMinBytes={slot.size_bytes}", f"SizeMaxBytes={slot.size_bytes}"]
    lines += [f"PaddingMinBytes={padding_bytes}", f"PaddingMaxBytes={padding_bytes}"] if padding_bytes else []
    if bits := slot.attributes & OWN_BITS:
        lines.append(f"Flags={bits:#x}")
    lines.append(f"GrowFileSystem={'yes' if slot.attributes & GROWS else 'no'}")
    return "\n".join((*lines, *content, ""))


def _is_plain_name(name: str) -> bool:
    """Return True if a unit file can contain the name without escaping (systemd.syntax(7))."""
    return name.isprintable() and name == name.strip() and not name.endswith("\\")


NAMED_BITS = ("RequiredPartition", "NoBlockIOProtocol", "LegacyBIOSBootable")
"""Attributes with names, from bit 0. Bits 48 to 63 belong to the partition type."""


def sfdisk_dump(member: Member) -> str:
    """Return the dump. Raises BadInput if the drive gets no table. Positions are in logical blocks."""
    layout, geometry = table_of(member), member.drive.geometry
    block = geometry.logical_block_bytes
    lines = [f"label: {'gpt' if layout.table == 'gpt' else 'dos'}"]
    # A partition identifier starts with the disk identifier: `1a2b3c4d-01`.
    known = {slot.part_uuid.partition("-")[0] for slot in layout.partitions if slot.part_uuid}
    if layout.table == "mbr" and len(known) == 1:
        lines.append(f"label-id: 0x{known.pop()}")
    lines += [f"device: {member.drive.path}", "unit: sectors"]
    if layout.table == "gpt":
        bounds = fresh_bounds(layout.table, member.drive.size_bytes, geometry)
        lines += [f"first-lba: {bounds.start_bytes // block}", f"last-lba: {bounds.end_bytes // block - 1}"]
    lines += [f"sector-size: {block}", ""]
    lines += [_line(member.drive.path, slot, layout.table, block) for slot in layout.partitions]
    return "\n".join((*lines, ""))


def sfdisk_lacks(member: Member) -> Iterator[Message]:
    """Describe parts of the table that the dump does not include."""
    if (
        table_of(member).table == "gpt"
        and member.before.table == "gpt"
        and any(slot.kept for slot in member.after.partitions)
    ):
        yield t("Not written: the table UUID of {drive}; a new UUID is generated.", drive=member.drive)


def _line(drive: str, slot: Slot, table: str, block: int) -> str:
    fields = [f"start={slot.start_bytes // block}", f"size={slot.size_bytes // block}"]
    if table == "mbr":
        fields.append(f"type={(slot.type or '0x83').removeprefix('0x')}")
        if slot.attributes & ACTIVE:
            fields.append("bootable")
    else:
        fields.append(f"type={(slot.type or '').upper()}")
        if slot.part_uuid:
            fields.append(f"uuid={slot.part_uuid.upper()}")
        if slot.name:
            # Like sfdisk, write special characters as bytes.
            name = "".join(
                chr(byte) if 0x20 <= byte < 0x7F and chr(byte) not in '"\\' else f"\\x{byte:02x}"
                for byte in slot.name.encode()
            )
            fields.append(f'name="{name}"')
        if slot.attributes:
            bits = slot.attributes
            named = [name for bit, name in enumerate(NAMED_BITS) if bits >> bit & 1]
            own = ",".join(str(bit) for bit in range(48, 64) if bits >> bit & 1)
            fields.append(f'attrs="{" ".join((*named, *([f"GUID:{own}"] if own else [])))}"')
    return f"{partition_path(drive, slot.number)} : {', '.join(fields)}"
