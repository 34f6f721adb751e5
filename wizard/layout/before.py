"""A drive as a plan finds it: who it is, what lies on it, and what cannot be known of that."""

from dataclasses import replace

from wizard.diagnose.recording import may_be_shingled
from wizard.layout import words
from wizard.layout.room.refusals import unread_content, waiting_doubts
from wizard.layout.room.space import gpt_bounds, mbr_bounds, with_free
from wizard.model.finding import Recording
from wizard.model.geometry import Geometry
from wizard.model.identity import HeldDigest, Identity
from wizard.model.machine import Drive, Extent, Machine, Partition
from wizard.model.names import printable
from wizard.model.plan import Layout, Slot
from wizard.model.said import Said

WRITTEN_ZONES = "written zones"
"""What stands among the signatures where zones hold something that has none."""


def known_identity(machine: Machine, drive: Drive, size_bytes: int, geometry: Geometry) -> Identity:
    """Who the drive is, and the start of the machine that its count is of."""
    return replace(identity_of(drive, size_bytes, geometry), boot_id=machine.boot_id)


def identity_of(drive: Drive, size_bytes: int, geometry: Geometry) -> Identity:
    """Who the drive is, as the plan keeps it."""
    return Identity(
        path=drive.path,
        by_id=drive.by_id,
        model=drive.model,
        serial=drive.serial,
        wwn=drive.wwn,
        size_bytes=size_bytes,
        geometry=geometry,
        diskseq=drive.diskseq,
        content_digest=drive.content_digest,
        rotational=drive.rotational,
        held=held_on(drive),
        serial_shared=bool(drive.same_serial),
        wwn_shared=bool(drive.same_wwn),
    )


def held_on(drive: Drive) -> tuple[HeldDigest, ...]:
    """The digests of the superblocks on the drive and its partitions. What is in use has none: it is written
    to all the time."""
    used = {use.subject for use in drive.uses}
    found = [
        (0, drive.path, drive.superblock_digest),
        *((part.number, part.path, part.superblock_digest) for part in drive.partitions),
    ]
    return tuple(
        HeldDigest(number, digest)
        for number, path, digest in found
        if digest is not None and path not in used
    )


def shared_by(drive: Drive) -> tuple[str, ...]:
    """The drives that tell all the numbers that this one tells; none where one of them is its own."""
    told = [
        others
        for number, others in ((drive.serial, drive.same_serial), (drive.wwn, drive.same_wwn))
        if number
    ]
    return tuple(dict.fromkeys(path for others in told for path in others)) if told and all(told) else ()


def layout_of(drive: Drive) -> Layout | None:
    """What the drive holds now, as a layout that keeps nothing; None where its size or block size could not
    be read."""
    if not drive.size_bytes or drive.geometry is None:
        return None
    return layout_before(drive, drive.size_bytes, drive.geometry, keep=False)


def layout_before(drive: Drive, size_bytes: int, geometry: Geometry, *, keep: bool) -> Layout:
    """What the drive holds now; `keep` marks every partition as one that stays."""
    kind = drive.table.kind if drive.table else "unread"
    partitions = tuple(
        replace(_slot(part), kept=keep, unread=drive.is_unread(part)) for part in drive.partitions
    )
    waiting = _waiting_words(drive)
    whole_is_taken = bool(drive.signatures or waiting) or kind == "unread"
    if whole_is_taken and not partitions:
        slots: tuple[Slot, ...] = ()
    else:
        slots = with_free(partitions, bounds_of(drive, size_bytes, geometry))
    kinds = tuple(signature.kind for signature in drive.signatures)
    # What programs wrote straight to zones has no signature, and is lost like what has one.
    kinds += (WRITTEN_ZONES,) if drive.unrecognised_zones else ()
    label = drive.signatures[0].label or "" if len(drive.signatures) == 1 else ""
    return Layout(kind, slots, kinds, waiting=waiting, label=label)


def _waiting_words(drive: Drive) -> Said | str:
    """What a run made that waits on the drive; empty where none does."""
    if drive.waiting is None or not drive.waiting.bare:
        return ""
    told, run = printable(drive.waiting.told, 200), drive.waiting.run
    return words.LEFT_BY_RUN(told=told, run=run)


def _slot(part: Partition) -> Slot:
    only = part.signatures[0] if len(part.signatures) == 1 else None
    return Slot(
        number=part.number,
        start_bytes=part.start_bytes,
        size_bytes=part.size_bytes,
        type=part.type,
        name=part.name,
        part_uuid=part.part_uuid,
        attributes=part.attributes,
        filesystem="+".join(signature.kind for signature in part.signatures) or None,
        label=only.label if only else None,
        uuid=only.uuid if only else None,
    )


def bounds_of(drive: Drive, size_bytes: int, geometry: Geometry) -> Extent:
    """Where partitions may lie on the drive as it is; the whole of it where it has no table of a kind known
    here."""
    table = drive.table
    if table is None or table.kind not in ("gpt", "mbr", "hybrid"):
        return Extent(0, size_bytes)
    usual = mbr_bounds(size_bytes, geometry) if table.kind == "mbr" else gpt_bounds(size_bytes, geometry)
    first = usual.start_bytes if table.first_usable_bytes is None else table.first_usable_bytes
    # Where the second copy of a GPT lies further in, whoever changes the table puts it at the end.
    unknown = table.end_usable_bytes is None or table.backup == "misplaced"
    end = usual.end_bytes if unknown else min(table.end_usable_bytes or 0, size_bytes)
    if table.kind == "mbr":
        end = min(end, usual.end_bytes)
    return Extent(first, max(0, end - first))


def doubts_of(drive: Drive, recording: Recording, *, keep: bool) -> tuple[Said, ...]:
    """What could not be known about the drive, in sentences. `recording` is what the diagnosis concludes."""
    doubts = [*waiting_doubts(drive)]
    if unread_content(drive):
        doubts.append(words.NOT_READ)
    if drive.unrecognised_zones:
        doubts.append(words.ZONES_WRITTEN(count=drive.unrecognised_zones))
    how = words.BY_COUNT if drive.diskseq is not None else words.BY_SIZE
    if not drive.serial and not drive.wwn:
        doubts.append(words.NO_IDENTITY(how=how))
    elif others := shared_by(drive):
        doubts.append(words.SHARED_IDENTITY(others=others, how=how))
    if drive.geometry is not None and drive.geometry.alignment_offset_bytes < 0:
        doubts.append(words.NO_ALIGNMENT)
    if drive.zoned is None:
        doubts.append(words.ZONED_UNREAD)
    if may_be_shingled(drive, recording):
        doubts.append(words.MAY_BE_SHINGLED)
    if not keep:
        lost = [part.path for part in drive.partitions if part.kernel_start_bytes is None and part.signatures]
        if lost:
            doubts.append(words.NO_NODES(parts=tuple(lost)))
    return tuple(doubts)
