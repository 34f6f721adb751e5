"""Whether a table that libparted wrote adds to the old one and changes nothing else of it, and in which order
it is to reach a drive. Pure.

A cut between two of the writes leaves either the old table, the new one, or none that anybody takes
partitions from: of a GPT the copy at the end comes first, while the first one is whole and in force; then the
first one's entries, for which its header is wrong meanwhile, so that Linux sees no partitions
(block/partitions/efi.c) and firmware takes the copy, which is the new one (UEFI 2.10, 5.3.2); and one block,
the first header, last. Of an MBR one sector changes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wizard.apply.table.image import Image, changed_bytes, is_within
from wizard.apply.table.type_codes import CHECKSUM_AT, ENTRIES_CHECKSUM_AT, MBR_LINE_BYTES, MBR_LINES_AT
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.plan import WriteTable
from wizard.model.said import t
from wizard.probe.table.gpt import HEADER, SIGNATURE
from wizard.probe.table.tables import Entry, TableReading, read_table

CHECKSUM_BYTES = 4


@dataclass(frozen=True, slots=True)
class Copy:
    """Where one copy of a GPT lies."""

    header: Extent
    entries: Extent
    entry_bytes: int

    def entry(self, number: int) -> Extent:
        """Where the record of a partition lies."""
        return Extent(self.entries.start_bytes + (number - 1) * self.entry_bytes, self.entry_bytes)


def proven(operation: WriteTable, before: Image, written: Image) -> Image:
    """What is to reach the drive: of what libparted has `written`, the new partitions' records and what
    states them; all else as `before`.

    Raises Failed where it changed anything of what stays.
    """
    _check_kept(operation, before, written)
    if operation.table == "mbr":
        return _mbr_with_new_lines(operation, before, written)
    # The record in front of a GPT states no partition of it.
    wanted = written.having({0: before.read(0, before.block_bytes)})
    new = [entry.number for entry in operation.entries if not entry.kept]
    may_change = tuple(_changing(copies_of(before), new))
    for offset in changed_bytes(before, wanted):
        if not is_within(offset, may_change):
            raise Failed(t("libparted changed byte {byte}, which belongs to no new partition.", byte=offset))
    table = _reading(wanted).table
    if (table.primary, table.backup) != ("ok", "ok"):
        raise Failed(t("libparted wrote a GPT that is not whole in both copies."))
    return wanted


def _check_kept(operation: WriteTable, before: Image, written: Image) -> None:
    """Raises Failed where a partition that stays reads otherwise than before, by our own reader of tables."""
    old, new = _entries(before), _entries(written)
    with_uuid = operation.table == "gpt"
    for entry in operation.entries:
        if entry.kept and _told(old.get(entry.number), with_uuid) != _told(new.get(entry.number), with_uuid):
            raise Failed(
                t(
                    "libparted changed the record of partition {number}, which is to stay.",
                    number=entry.number,
                )
            )


def _entries(image: Image) -> dict[int, Entry]:
    return {entry.number: entry for entry in _reading(image).entries}


def _reading(image: Image) -> TableReading:
    return read_table(image.read, image.size_bytes, image.block_bytes, None, has_signature=False)


def _told(entry: Entry | None, with_uuid: bool) -> tuple[object, ...] | None:
    """What counts of a record. An MBR's lines have no UUID of their own: theirs comes from the disk
    signature, which is put back."""
    if entry is None:
        return None
    told = (entry.start_bytes, entry.size_bytes, entry.type, entry.name, entry.attributes)
    return (*told, entry.part_uuid) if with_uuid else told


def _mbr_with_new_lines(operation: WriteTable, before: Image, written: Image) -> Image:
    """libparted writes its own boot code into an MBR without any, draws another disk signature, by which
    partitions that stay may be known (PARTUUID), and counts cylinders anew: only the lines of new partitions
    are taken.
    """
    places = [
        MBR_LINES_AT + MBR_LINE_BYTES * (entry.number - 1) for entry in operation.entries if not entry.kept
    ]
    return before.having({place: written.read(place, MBR_LINE_BYTES) for place in places})


def _changing(copies: tuple[Copy, Copy], new: list[int]) -> Iterator[Extent]:
    for copy in copies:
        for at in (CHECKSUM_AT, ENTRIES_CHECKSUM_AT):
            yield Extent(copy.header.start_bytes + at, CHECKSUM_BYTES)
        yield from (copy.entry(number) for number in new)


def copies_of(image: Image) -> tuple[Copy, Copy]:
    """Where both copies of a GPT lie, the first one first; raises Failed where one has no header."""
    first, other = _copy(image, 1)
    return first, _copy(image, other)[0]


def _copy(image: Image, block: int) -> tuple[Copy, int]:
    """The copy with its header in this block, and the block of the other one's."""
    size = image.block_bytes
    raw = image.read(block * size, HEADER.size)
    if len(raw) < HEADER.size or not raw.startswith(SIGNATURE):
        raise Failed(t("The table has no header in block {block}.", block=block))
    _, _, _, _, _, _, other, _, _, _, entries, count, entry_bytes, _ = HEADER.unpack(raw)
    return Copy(Extent(block * size, size), Extent(entries * size, count * entry_bytes), entry_bytes), other


def in_order(kind: str, before: Image, wanted: Image) -> tuple[tuple[int, bytes], ...]:
    """The writes that make the one out of the other, each of which is to be on its medium before the next:
    offsets with whole blocks.

    Raises Failed where something else than the table would change.
    """
    changed = {offset: new for offset, _, new in before.changed_blocks(wanted)}
    if kind == "mbr":
        # Only one of its records changes at a time: the first one, or one of the logical partitions' chain.
        size = wanted.block_bytes
        phases = [Extent(offset // size * size, size) for offset, _ in _reading(before).spans]
    else:
        first, far = copies_of(wanted)
        phases = [far.entries, far.header, first.entries, first.header]
    writes: list[tuple[int, bytes]] = []
    for phase in phases:
        blocks = sorted(offset for offset in changed if is_within(offset, (phase,)))
        writes += _joined((offset, changed.pop(offset)) for offset in blocks)
    if changed:
        raise Failed(t("Byte {byte} would change, which is no part of the table.", byte=min(changed)))
    return tuple(writes)


def _joined(blocks: Iterable[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """Blocks that follow each other as one write."""
    joined: list[tuple[int, bytes]] = []
    for offset, data in blocks:
        if joined and joined[-1][0] + len(joined[-1][1]) == offset:
            joined[-1] = (joined[-1][0], joined[-1][1] + data)
        else:
            joined.append((offset, data))
    return joined
