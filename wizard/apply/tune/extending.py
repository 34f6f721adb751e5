"""Moving the end of one partition while it, and its neighbours, are in use. Every other byte of the table
stays, but for its checksums."""

from dataclasses import dataclass

from wizard.apply.block.devices import forget_caches, write_bytes
from wizard.apply.table.at_end import with_backup_at_end
from wizard.apply.table.image import Image
from wizard.apply.table.one_entry import with_one_changed
from wizard.apply.table.proof import in_order
from wizard.apply.table.rehearsal import image_of
from wizard.apply.table.write import table_regions
from wizard.apply.tune.how import How, Standing
from wizard.layout.before import layout_before
from wizard.layout.one.derived import changing, resized_layout, resized_table
from wizard.layout.one.possible import room_behind
from wizard.model.documents.changes import ExtendPartition
from wizard.model.errors import Failed
from wizard.model.identity import Identity
from wizard.model.machine import Drive, Extent
from wizard.model.plan import Member, WriteTable
from wizard.model.said import t
from wizard.probe.host.sysfs import SYS, name_of, text
from wizard.probe.machine import probe_drive

SECTOR_BYTES = 512
"""What sysfs counts in, whatever the drive's logical blocks (Linux block/partitions/core.c)."""


@dataclass(frozen=True, slots=True)
class _Table:
    """The places of the table as they are, and as they are with the old end and with the new one."""

    kind: str
    now: Image
    old: Image
    new: Image


def end_of(operation: ExtendPartition, identity: Identity) -> Standing:
    """How the partition's end stands, in both copies of a GPT and for the kernel. Raises Failed or
    BadInput."""
    drive = probe_drive(operation.drive)
    part = drive.partition(operation.device)
    if part is None or part.start_bytes != operation.start_bytes:
        return Standing(How.OTHER, t("{device} no longer begins where it did", device=operation.device))
    told = kernel_bytes(operation.device)
    seen = t(
        "{device} has {size:size} in the table, and {kernel:size} for the kernel",
        device=operation.device,
        size=part.size_bytes,
        kernel=told,
    )
    if part.size_bytes not in (operation.old_bytes, operation.new_bytes):
        return Standing(How.OTHER, seen)
    table = _table(operation, identity, drive)
    if table.now == table.new and told == operation.new_bytes:
        return Standing(How.AFTER, seen)
    # A table that was copied from a smaller drive has its backup further in still: it comes to the end.
    is_copied = drive.table is not None and drive.table.backup == "misplaced"
    now = with_backup_at_end(table.now) if is_copied else table.now
    if now == table.old and told == operation.old_bytes:
        if room_behind(drive, part) < operation.new_bytes - operation.old_bytes:
            return Standing(How.OTHER, t("the free space behind {device} is taken", device=operation.device))
        return Standing(How.BEFORE, seen)
    return Standing(How.HALF, seen)


def write_end(operation: ExtendPartition, identity: Identity, *, new: bool) -> None:
    """Write the table with the new end, or with the old one; the kernel is not told. One that is half written
    becomes whole. Raises Failed, BadInput or OSError."""
    drive = probe_drive(operation.drive)
    table = _table(operation, identity, drive)
    wanted = table.new if new else table.old
    for offset, data in in_order(table.kind, table.now, wanted):
        # On its medium before the next one.
        write_bytes(operation.drive, offset, data)
    forget_caches(operation.drive)
    places = (Extent(offset, len(data)) for offset, data in wanted.pieces)
    if image_of(operation.drive, places, identity) != wanted:
        raise Failed(t("{drive} does not hold the table that was written to it.", drive=operation.drive))


def kernel_bytes(device: str) -> int:
    """How large the kernel takes a partition for; 0 where it has none. Raises nothing."""
    said = text(SYS / "class/block" / name_of(device) / "size")
    return int(said) * SECTOR_BYTES if said and said.isdigit() else 0


def _table(operation: ExtendPartition, identity: Identity, drive: Drive) -> _Table:
    before = changing(
        layout_before(drive, identity.size_bytes, identity.geometry, keep=True), operation.number
    )
    slot = next(one for one in before.partitions if one.number == operation.number)
    after = resized_layout(before, slot, operation.new_bytes)
    regions = table_regions(Member(identity, before, after), fresh=False)
    now = image_of(operation.drive, regions, identity)

    def having(size_bytes: int) -> tuple[WriteTable, Image]:
        table = resized_table(operation.drive, before, slot, size_bytes)
        return table, with_one_changed(table, now)

    (kind, old), (_, new) = having(operation.old_bytes), having(operation.new_bytes)
    return _Table(kind.table, now, old, new)
