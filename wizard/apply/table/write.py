"""Write a partition table, verify that drive and kernel match the plan, and change UUIDs in place."""

import hashlib
import json
import os
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.block import devices
from wizard.apply.block.extents import merged
from wizard.apply.plan.guard import check_unused
from wizard.apply.run.backup_store import table_places
from wizard.apply.steps import step_context
from wizard.apply.steps.wipe import reset_zones
from wizard.apply.table import one_entry, proof
from wizard.documents.codec import to_json
from wizard.documents.files import UNREADABLE
from wizard.filesystems.partition_types import is_extended
from wizard.model.errors import Failed, Refused, partition_path
from wizard.model.geometry import Identity
from wizard.model.layout import Member, Slot
from wizard.model.machine import Drive, Extent
from wizard.model.run import Check
from wizard.model.said import MIB, Message, Sentence, failing, join, t
from wizard.operations.data_loss import content_of
from wizard.operations.settings import Relabel
from wizard.operations.table import ResetZones, WriteTable
from wizard.plan.dangers import slot_of
from wizard.plan.plan import Plan
from wizard.probe.content.tables import read_table
from wizard.process.module import module_argv

LIBPARTED_ABORTED = -6
"""SIGABRT: a failed assertion."""


def _have_written(operation: WriteTable, context: step_context.StepContext) -> None:
    """Write with libparted, then set the types of the new partitions. Raises Failed, with the table possibly
    incomplete."""
    result = context.command(
        module_argv("wizard.apply.table.worker"),
        stdin=json.dumps(to_json(operation)).encode(),
        accept=(0, 1, LIBPARTED_ABORTED),
        shown=("libparted", operation.table, operation.device),
    )
    if result.status:
        aborted = t("libparted aborted; the table may be half written.")
        raise Failed(
            t(
                "libparted did not write the table of {device}: {why}",
                device=operation.device,
                why=aborted if result.status == LIBPARTED_ABORTED else result.last_words,
            )
        )
    # libparted cannot set all types.
    node, drive = operation.device, context.member.drive
    devices.forget_caches(node)
    before = image_of(node, record_places(drive, node), drive)
    if operation.table == "mbr":
        lines = {
            proof.MBR_LINES_AT + proof.MBR_LINE_BYTES * (entry.number - 1): entry
            for entry in operation.entries
        }
        types = {at + proof.MBR_TYPE_AT: bytes([int(entry.type, 16)]) for at, entry in lines.items()}
        after = before.having(types)
    else:
        after = before.with_gpt({entry.number: {0: UUID(entry.type).bytes_le} for entry in operation.entries})
    _write_blocks(node, before, after)


def image_of(node: str, places: Iterable[Extent], drive: Identity) -> proof.Image:
    """Read these places of a drive or the scratch copy, past caches."""
    pieces = ((one.start_bytes, devices.read_bytes(node, one.start_bytes, one.size_bytes)) for one in places)
    return proof.Image(drive.size_bytes, drive.geometry.logical_block_bytes, tuple(pieces))


def write_table(operation: WriteTable, context: step_context.StepContext) -> Message:
    """Write the table, read it back, and return a summary with random UUIDs. libparted writes new tables.
    Tables with preserved partitions are only changed on a scratch copy, by our own code. Raises Failed."""
    drive, plan, member = operation.device, context.plan, context.member
    if context.step > 1:
        try:
            # Erasing signatures took time, and libparted does not check.
            check_unused(context.look())
        except Refused as error:
            raise Failed(error.ending_in(str(t("The table was not changed.")))) from None
    if operation.fresh:
        _have_written(operation, context)
        return _read_back(drive, context)
    if not context.rehearsed:
        raise Failed(step_context.NOT_REHEARSED(device=drive))
    before = image_of(drive, table_regions(member), member.drive)
    wanted = (
        one_entry.with_lost_table(operation, before, member.after)
        if plan.restores_table
        else one_entry.with_changes(operation, before)
    )
    _write_blocks(drive, before, wanted)
    devices.forget_caches(drive)
    devices.reread_table(drive, anew=True)
    devices.add_partitions(drive, (entry.number for entry in operation.entries))
    return _read_back(drive, context)


def _write_blocks(node: str, now: proof.Image, wanted: proof.Image) -> None:
    for offset, _, data in now.changed_blocks(wanted):
        devices.write_bytes(node, offset, data)


def table_regions(member: Member) -> tuple[Extent, ...]:
    """Return the places outside partitions that writing the drive's table can touch."""
    identity, before = member.drive, member.before
    block = identity.geometry.logical_block_bytes
    head = devices.read_bytes(identity.path, 0, min(MIB, identity.size_bytes // block * block))
    kept = tuple(
        slot.extent for slot in (*before.partitions, *member.after.partitions) if not is_extended(slot)
    )
    places = (*table_places(identity.size_bytes, head, block, kept), *record_places(identity))
    # A new partition may cover the place of a misplaced backup.
    outside = (piece for place in places for piece in place.without(kept))
    return merged(outside, block, identity.size_bytes)


def record_places(drive: Identity, node: str = "") -> tuple[Extent, ...]:
    """Return the places of the current table on a drive or the scratch copy `node`, with the chain of an
    extended partition: libparted rewrites all of them. Raises Failed."""
    node, block = node or drive.path, drive.geometry.logical_block_bytes
    with failing(UNREADABLE, file=node), Path(node).open("rb", buffering=0) as device:

        def read(offset: int, length: int) -> bytes:
            return os.pread(device.fileno(), length, offset)

        spans = read_table(read, drive.size_bytes, block, None, has_signature=False).spans
    return merged((Extent(*span) for span in spans), block, drive.size_bytes)


def _read_back(drive: str, context: step_context.StepContext) -> Message:
    wanted = context.member.after
    devices.forget_caches(drive)
    found = context.look()
    if differences := proof.disk_differences(wanted, found):
        raise Failed(proof.WRONG_TABLE(detail="; ".join(differences)))
    if proof.kernel_differences(wanted, found):
        devices.reread_table(drive, anew=False)
        found = context.look()
    if differences := proof.kernel_differences(wanted, found):
        raise Failed(
            t(
                "The table is on {drive}, but the kernel did not load the new table: "
                "{differences:semicolons}. A restart loads the table.",
                drive=drive,
                differences=differences,
            )
        )
    new = {slot.number for slot in wanted.changed}
    devices.wait_for(*(partition_path(drive, number) for number in new))
    # The plan cannot contain the UUIDs that libparted has drawn.
    drawn = [(drive, found.table.uuid if found.table else None)]
    drawn += ((part.path, part.part_uuid) for part in found.partitions if part.number in new)
    uuids = (t("{device} has UUID {uuid}.", device=node, uuid=uuid) for node, uuid in drawn if uuid)
    return join(t("Disk and kernel have exactly the planned table."), *uuids)


def _table_checks(operation: WriteTable | ResetZones, context: step_context.StepContext) -> Iterator[Check]:
    """Check the table of a drive, or its absence, on the drive and in the kernel."""
    pairs = zip(context.plan.members, context.drives, strict=True)
    member, drive = next((one, drive) for one, drive in pairs if one.drive.path == operation.device)
    plan, after = context.plan, member.after
    contents = _content_differences(plan, drive) if plan.only_table else ()
    yield step_context.matched(lambda: (*proof.disk_differences(after, drive), *contents))
    yield step_context.matched(lambda: proof.kernel_differences(after, drive))
    # Existing partitions keep their alignment.
    new = [slot.number for slot in after.changed if not plan.part]
    if new:
        yield step_context.matched(lambda: misalignments(drive, new))


def _empty_checks(operation: ResetZones, context: step_context.StepContext) -> Iterator[Check]:
    """The reset has removed the table, unless a later step wrote one."""
    what = str(t("{drive} has the planned table, or none.", drive=operation.device))
    yield from (replace(check, what=what) for check in _table_checks(operation, context))


def _content_differences(plan: Plan, drive: Drive) -> Iterator[Message]:
    parts = {part.number: slot_of(part) for part in drive.partitions}
    for slot in plan.after.partitions:
        found = parts.get(slot.number, Slot(slot.number, 0, 0))
        is_checked = slot.filesystem and plan.part in (0, slot.number)
        if is_checked and (found.filesystem, found.uuid) != (slot.filesystem, slot.uuid):
            yield t("{name} is missing", name=f"partition {slot.number}: {content_of(slot)}")


def misalignments(drive: Drive, numbers: Iterable[int]) -> Iterator[Message]:
    """Describe partitions that are misaligned by the kernel's rule."""
    for number in numbers:
        node = partition_path(drive.path, number)
        part, geometry = drive.partition(node), drive.geometry
        if part is None or geometry is None:
            yield t("{name} is missing", name=node)
        elif off := geometry.misalignment_bytes(part.start_bytes):
            yield t("{device} is misaligned by {bytes} bytes", device=node, bytes=off)


# UUIDs of a table or a LUKS header, changed in place. Only UUIDs and the checksums over them change, so undo
# restores every byte. A GPT and a LUKS2 header have two copies. Each block is old or new after a power cut,
# and one copy is always valid.

DISK_ID_AT = 440
"""Of the disk signature in an MBR."""

DISK_GUID_AT, PART_GUID_AT = 56, 16
"""In a GPT header and entry (UEFI 2.10, 5.3)."""

LUKS_UUID_AT, LUKS_UUID_BYTES = 168, 40
"""In LUKS1 and LUKS2 headers."""

LUKS = struct.Struct(">6sHQ")
"""Magic, version and, for LUKS2, size of the header."""

LUKS_MAGIC, LUKS_SECOND = b"LUKS\xba\xbe", b"SKUL\xba\xbe"
LUKS_ALGORITHM_AT, LUKS_CHECKSUM_AT, LUKS_CHECKSUM_BYTES = 72, 448, 64
LUKS_ALGORITHMS = frozenset({"sha1", "sha256", "sha512"})
LUKS_HEAD_BYTES = 4096
LUKS_SIZES = frozenset(1 << bits for bits in range(14, 23))
"""Sizes of a LUKS2 header with the JSON area, 16 KiB to 4 MiB (LUKS2 On-Disk Format 1.1.3)."""


NO_LUKS = Sentence("{device} has no readable LUKS header.")


class Edit(Struct, frozen=True):
    """The bytes now, with the old value, and with the new one. `kind`: of table, or empty."""

    kind: str
    now: proof.Image
    old: proof.Image
    new: proof.Image

    @property
    def is_half(self) -> bool:
        """True if each changed block has the old or the new bytes."""
        unlike_old, unlike_new = (
            {offset for offset, *_ in self.now.changed_blocks(other)} for other in (self.old, self.new)
        )
        return unlike_old.isdisjoint(unlike_new)

    def write(self, node: str, drive: Identity, *, new: bool) -> None:
        """Write the new or the old value, complete a half-written one, and read it back. Raises Failed."""
        wanted = self.new if new else self.old
        writes = (
            proof.in_order(self.kind, self.now, wanted)
            if self.kind
            else [(offset, data) for offset, _, data in self.now.changed_blocks(wanted)]
        )
        for offset, data in writes:
            # Synced before the next write.
            devices.write_bytes(node, offset, data)
        devices.forget_caches(node)
        if image_of(node, wanted.places, drive) != wanted:
            raise Failed(devices.UNVERIFIED(what=node))


def read_identifier(operation: Relabel, drive: Identity) -> Edit:
    """Read the bytes around the operation's UUID. Raises Failed."""
    if operation.filesystem == "crypto_LUKS":
        head = image_of(operation.device, (Extent(0, LUKS_HEAD_BYTES),), drive)
        magic, version, size = LUKS.unpack_from(head.read(0, LUKS.size))
        places = {1: head.places, 2: (Extent(0, size), Extent(size, size))}.get(version)
        if magic != LUKS_MAGIC or places is None or (version == 2 and size not in LUKS_SIZES):
            raise Failed(NO_LUKS(device=operation.device))
        now = image_of(operation.device, places, drive)
        if (old := _with_luks(now, operation.old)) and (new := _with_luks(now, operation.new)):
            return Edit("", now, old, new)
        raise Failed(NO_LUKS(device=operation.device))
    now = image_of(drive.path, record_places(drive), drive)
    if operation.filesystem == "mbr":
        old, new = (
            now.having({DISK_ID_AT: int(uuid, 16).to_bytes(4, "little")})
            for uuid in (operation.old, operation.new)
        )
        return Edit("mbr", now, old, new)
    prefix = len(partition_path(drive.path, 0)) - 1
    old_parts, new_parts = ({int(part[0][prefix:]): part[at] for part in operation.parts} for at in (1, 2))
    old, new = (
        now.with_gpt(
            {number: {PART_GUID_AT: UUID(guid).bytes_le} for number, guid in parts.items()},
            {DISK_GUID_AT: UUID(disk).bytes_le},
        )
        for disk, parts in ((operation.old, old_parts), (operation.new, new_parts))
    )
    return Edit("gpt", now, old, new)


def write_identifier(operation: Relabel, drive: Identity, *, new: bool) -> None:
    """Write the new or the old UUID, verify it, and make the kernel reread the table. Raises Failed."""
    is_luks = operation.filesystem == "crypto_LUKS"
    node = operation.device if is_luks else drive.path
    devices.check_unclaimed(node)
    read_identifier(operation, drive).write(node, drive, new=new)
    if not is_luks and devices.partition_nodes(drive.path):
        devices.reread_table(drive.path, anew=False)


def _with_luks(image: proof.Image, uuid: str) -> proof.Image | None:
    """Return the header, or both copies, with another UUID. None if a copy is missing or the checksum is of
    an unknown kind."""
    patches = {}
    for start, data in image.pieces:
        header = bytearray(data)
        header[LUKS_UUID_AT : LUKS_UUID_AT + LUKS_UUID_BYTES] = uuid.encode().ljust(LUKS_UUID_BYTES, b"\0")
        if LUKS.unpack_from(data)[1] == 2:
            name = data[LUKS_ALGORITHM_AT:][:32].rstrip(b"\0").decode("ascii", "replace")
            magic = LUKS_SECOND if start else LUKS_MAGIC
            if not data.startswith(magic) or name not in LUKS_ALGORITHMS:
                return None
            place = slice(LUKS_CHECKSUM_AT, LUKS_CHECKSUM_AT + LUKS_CHECKSUM_BYTES)
            header[place] = bytes(LUKS_CHECKSUM_BYTES)
            header[place] = hashlib.new(name, header).digest().ljust(LUKS_CHECKSUM_BYTES, b"\0")
        patches[start] = bytes(header)
    return image.having(patches)


STEPS: step_context.Steps = {
    WriteTable: (write_table, _table_checks),
    ResetZones: (reset_zones, _empty_checks),
}
