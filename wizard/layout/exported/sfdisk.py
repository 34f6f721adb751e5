"""A drive's planned table as a dump that `sfdisk DEVICE < DUMP` takes (sfdisk(8), INPUT FORMATS)."""

from collections.abc import Iterator

from wizard.layout.exported.lacking import table_of
from wizard.model.names import partition_path
from wizard.model.plan import Layout, Member, Slot
from wizard.model.said import t

GPT_ENTRIES_BYTES = 128 * 128
"""What the entries of a usual GPT take (UEFI 2.10, 5.3.2)."""

NAMED_BITS = ("RequiredPartition", "NoBlockIOProtocol", "LegacyBIOSBootable")
"""The attributes that have names, from bit 0 on; those of a type are 48 to 63."""

ACTIVE = 0x80


def sfdisk_dump(member: Member) -> str:
    """The dump; raises BadInput for a drive that gets no table. Places are in logical blocks."""
    layout, geometry = table_of(member), member.drive.geometry
    block = geometry.logical_block_bytes
    lines = [f"label: {'gpt' if layout.table == 'gpt' else 'dos'}"]
    if layout.table == "mbr" and (known := _mbr_id(layout)):
        lines.append(f"label-id: 0x{known}")
    lines += [f"device: {member.drive.path}", "unit: sectors"]
    if layout.table == "gpt":
        reserved = -(-GPT_ENTRIES_BYTES // block)
        blocks = member.drive.size_bytes // block
        lines += [f"first-lba: {2 + reserved}", f"last-lba: {blocks - 2 - reserved}"]
    lines += [f"sector-size: {block}", ""]
    lines += [_line(member.drive.path, slot, layout.table, block) for slot in layout.partitions]
    return "\n".join((*lines, ""))


def sfdisk_lacks(member: Member) -> Iterator[str]:
    """What of the table itself the dump does not say."""
    if table_of(member).table == "gpt" and member.before.table == "gpt" and _keeps(member.after):
        yield str(
            t("Not in it: the UUID of the table on {drive}; another one is drawn.", drive=member.drive.path)
        )


def _keeps(layout: Layout) -> bool:
    return any(slot.kept for slot in layout.partitions)


def _mbr_id(layout: Layout) -> str:
    """The disk's identifier, by which its partitions are called: `1a2b3c4d` of `1a2b3c4d-01`."""
    known = {slot.part_uuid.partition("-")[0] for slot in layout.partitions if slot.part_uuid}
    return known.pop() if len(known) == 1 else ""


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
            fields.append(f'name="{_quoted(slot.name)}"')
        if slot.attributes:
            fields.append(f'attrs="{_attributes(slot.attributes)}"')
    return f"{partition_path(drive, slot.number)} : {', '.join(fields)}"


def _quoted(name: str) -> str:
    """As sfdisk itself writes it: what is no plain character as its bytes."""
    return "".join(
        chr(byte) if 0x20 <= byte < 0x7F and chr(byte) not in '"\\' else f"\\x{byte:02x}"
        for byte in name.encode()
    )


def _attributes(bits: int) -> str:
    named = [name for bit, name in enumerate(NAMED_BITS) if bits >> bit & 1]
    own = [str(bit) for bit in range(48, 64) if bits >> bit & 1]
    return " ".join((*named, *([f"GUID:{','.join(own)}"] if own else [])))
