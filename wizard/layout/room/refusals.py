"""When a drive is not planned for: every refusal says what, where and what to do."""

from collections.abc import Iterator, Sequence

from wizard.filesystems.partitions import CONTAINER_TYPES, is_half_moved
from wizard.layout.room import words
from wizard.layout.room.space import GPT_PARTITIONS, MBR_BLOCKS, MBR_PRIMARIES, loose, overlapping
from wizard.layout.rules import geometry_fault
from wizard.model.errors import BadInput, Refused
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Extent, Partition, Use
from wizard.model.names import printable
from wizard.model.plan import Slot
from wizard.model.said import Said, in_a_row

CONTENT_FIELDS = frozenset({"table", "signatures", "partitions", "content_digest", "zones"})


def unread_content(drive: Drive) -> bool:
    """Whether anything about what the drive holds could not be read: then it must not pass for empty."""
    return (
        drive.table is None
        or drive.content_digest is None
        or any(unread.what in CONTENT_FIELDS for unread in drive.unread)
    )


def refuse_drive(drive: Drive) -> tuple[int, Geometry]:
    """The drive's size and geometry; raises Refused where they are unknown or the drive must not be written
    at all."""
    path = drive.path
    if drive.uses:
        gravest = next((use for use in drive.uses if use.kind == "running-system"), drive.uses[0])
        used = words.IN_USE(drive=path, how=in_use(gravest))
        raise Refused(str(in_a_row(used, words.NOT_IN_USE())))
    if mounted := next((part for part in drive.partitions if part.mount_points), None):
        use = Use("mounted", mounted.path, mounted.mount_points[0])
        raise Refused(str(words.IN_USE(drive=path, how=in_use(use))))
    if drive.layers:
        layer = drive.layers[0]
        use = Use("holder", layer.below, layer.path)
        raise Refused(str(words.IN_USE(drive=path, how=in_use(use))))
    refuse_half_moved(drive)
    return measured(drive)


def refuse_half_moved(drive: Drive) -> None:
    """Raises Refused where a partition of the drive is in the middle of a move: all of it would be lost, and
    its journal may lie anywhere in its entry."""
    if half := next(filter(is_half_moved, drive.partitions), None):
        raise Refused(str(words.HALF_MOVED(part=half.path, drive=drive.path)))


def measured(drive: Drive) -> tuple[int, Geometry]:
    """The size and geometry of a drive that may be in use; raises Refused where they are unknown, or nothing
    can be written to it."""
    path = drive.path
    if drive.read_only:
        raise Refused(str(words.READ_ONLY(drive=path)))
    if drive.size_bytes is None or drive.geometry is None:
        what = words.SIZE() if drive.size_bytes is None else words.BLOCK_SIZE()
        if not drive.unread:
            raise Refused(str(words.UNMEASURED(what=what, drive=path)))
        raise Refused(str(words.UNMEASURED_WHY(what=what, drive=path, why=drive.unread[0].why)))
    if drive.size_bytes <= 0:
        no_size = words.UNUSABLE if drive.removable is False else words.NO_SIZE
        raise Refused(str(no_size(drive=path)))
    if fault := geometry_fault(drive.geometry):
        raise Refused(str(words.NO_LAYOUT(drive=path, fault=fault)))
    return drive.size_bytes, drive.geometry


def uses_of_part(drive: Drive, path: str) -> tuple[Use, ...]:
    """Why nothing may be written to the partition at `path`, the gravest first: how it is in use, what stands
    on it, or the drive itself. What its neighbours are used for does not count."""
    mine = {drive.path, path}
    for _ in drive.layers:
        mine |= {layer.path for layer in drive.layers if layer.below in mine}
    part = drive.partition(path)
    found = [
        *(use for use in drive.uses if use.subject in mine),
        *(Use("mounted", path, place) for place in (part.mount_points if part else ())),
        *(Use("holder", layer.below, layer.path) for layer in drive.layers if layer.below in mine),
    ]
    return tuple(sorted(found, key=lambda use: use.kind != "running-system"))


def in_use(use: Use) -> str:
    """How a device is in use and what would end that, as a part of a sentence."""
    subject, by = printable(use.subject, 60), printable(str(use.by), 200)
    match use.kind:
        case "mounted":
            said = words.MOUNTED(subject=subject, by=by)
        case "swap":
            said = words.SWAP(subject=subject)
        case "holder":
            said = words.HELD(subject=subject, by=by)
        case "loop-backing":
            said = words.LOOP(subject=subject, by=by)
        case "raid-member":
            said = words.IN_RAID(subject=subject, by=by)
        case "running-system":
            said = words.RUNNING_SYSTEM(subject=subject, by=by)
        case "opened":
            said = words.OPENED(subject=subject)
        case _:
            said = words.OTHER_USE(subject=subject, by=by)
    return str(said)


def refuse_content(drive: Drive, *, chosen: bool) -> None:
    """Raises Refused where the drive holds anything, or may, and nobody has said what is to become of it."""
    if chosen:
        return
    if unread_content(drive):
        unread = words.MAY_HOLD(drive=drive.path, why=_why_unread(drive))
        raise Refused(str(unread if needs_root(drive) else in_a_row(unread, words.ERASE())))
    if drive.is_empty:
        return
    if waiting := _why_waiting(drive):
        raise Refused(str(waiting))
    has_table = drive.table is not None and drive.table.kind != "none"
    not_empty = words.NOT_EMPTY_OR_FREE if has_table and not drive.signatures else words.NOT_EMPTY
    raise Refused(str(not_empty(drive=drive.path, what=what_it_holds(drive))))


def _why_waiting(drive: Drive) -> Said | None:
    """That a run waits on the drive, whose volumes look like free space; None where none does."""
    if drive.waiting is None or not drive.waiting.bare:
        return None
    return words.WAITING(drive=drive.path, run=drive.waiting.run)


def waiting_doubts(drive: Drive) -> Iterator[Said]:
    """What a plan may destroy of a run that was left on the drive and written to since, in sentences."""
    if drive.waiting is not None and not drive.waiting.bare:
        yield words.LEFT_RUN(run=drive.waiting.run)


def _why_unread(drive: Drive) -> Said:
    """Why what a drive holds is not known; a plain user is told what helps."""
    if needs_root(drive):
        return words.TAKES_ROOT()
    reasons = [unread.why for unread in drive.unread if unread.what in CONTENT_FIELDS]
    return reasons[0] if reasons else words.REASON_UNKNOWN()


def needs_root(drive: Drive) -> bool:
    """Whether root may be able to read what the drive holds, which a plain user could not."""
    return any(unread.without_root for unread in drive.unread if unread.what in CONTENT_FIELDS)


def what_it_holds(drive: Drive) -> Said:
    """The table, partitions and signatures of a drive in a few words."""
    found = [words.ON_DRIVE(kind=printable(signature.kind, 30)) for signature in drive.signatures]
    if drive.table and drive.table.kind != "none":
        found.append(words.A_TABLE(kind=drive.table.kind, count=len(drive.partitions)))
    if drive.waiting:
        found.append(words.OF_RUN(run=drive.waiting.run))
    if drive.unrecognised_zones:
        found.append(words.ZONES(count=drive.unrecognised_zones))
    holds = tuple(found) or (words.PARTITIONS(),)
    if not drive.partitions:
        return words.UNNAMED(holds=holds)
    named, more = tuple(map(_part_held, drive.partitions[:3])), len(drive.partitions) - 3
    if more > 0:
        return words.NAMED_MORE(holds=holds, parts=named, more=more)
    return words.NAMED(holds=holds, parts=named)


def _part_held(part: Partition) -> Said:
    kinds = printable("+".join(one.kind for one in part.signatures), 40)
    return words.PART(part=part.path, content=kinds or words.UNRECOGNISED(), size=part.size_bytes)


def refuse_table(drive: Drive, *, puts_backup_right: bool = False) -> None:
    """Raises Refused where the table is none that partitions can be added to without a risk for those it
    has. What changes one partition `puts_backup_right`, too: at the end of the drive."""
    path, table = drive.path, drive.table
    refuse_half_moved(drive)
    if waiting := _why_waiting(drive):
        raise Refused(str(words.NOTHING_ADDED(why=waiting)))
    if table is None or unread_content(drive):
        raise Refused(str(words.NOT_KEPT(drive=path, why=_why_unread(drive))))
    if table.kind == "none":
        raise Refused(str(words.NO_TABLE(drive=path, what=what_it_holds(drive))))
    if drive.signatures:
        raise Refused(str(words.CONTRADICTION(drive=path, what=what_it_holds(drive))))
    if table.kind == "hybrid":
        raise Refused(str(words.HYBRID(drive=path)))
    if table.kind not in ("gpt", "mbr"):
        raise Refused(str(words.OTHER_TABLE(drive=path)))
    if table.primary == "damaged":
        raise Refused(str(words.GPT_DAMAGED(drive=path)))
    if table.backup in ("missing", "damaged") or (table.backup == "misplaced" and not puts_backup_right):
        raise Refused(str(words.BACKUP_FAULT(drive=path, state=table.backup)))
    if table.ordinary is False:
        raise Refused(str(words.UNUSUAL_GPT(drive=path)))
    _refuse_partitions(drive)


def refuse_new_mbr(path: str, size_bytes: int, geometry: Geometry, volumes: int, *, keep: bool) -> None:
    """Raises BadInput where a new MBR does not fit; `keep` where the table that is there stays."""
    if keep:
        raise BadInput(str(words.TABLE_STAYS(drive=path)))
    if volumes > MBR_PRIMARIES:
        raise BadInput(str(words.MBR_ROOM(most=MBR_PRIMARIES, asked=volumes, gpt=GPT_PARTITIONS)))
    reach = MBR_BLOCKS * geometry.logical_block_bytes
    if size_bytes > reach:
        raise BadInput(str(words.MBR_REACH(reach=reach, drive=path, size=size_bytes)))


def _refuse_partitions(drive: Drive) -> None:
    path = drive.path
    size_bytes = drive.size_bytes or 0
    slots = [Slot(part.number, part.start_bytes, part.size_bytes, part.type) for part in drive.partitions]
    if pair := overlapping(slots):
        first, second = pair
        raise Refused(str(words.OVERLAP(first=first.number, second=second.number, drive=path)))
    if outside := loose(slots):
        raise Refused(str(words.LOOSE(number=outside.number, drive=path)))
    table = drive.table
    lowest, highest = ((table.first_usable_bytes or 0), table.end_usable_bytes) if table else (0, None)
    for part in drive.partitions:
        if part.start_bytes < lowest or (highest is not None and size_bytes >= part.end_bytes > highest):
            raise Refused(str(words.OUTSIDE(part=part.path, drive=path)))
        if part.size_bytes <= 0:
            raise Refused(str(words.NO_BYTES(part=part.path, drive=path)))
        if table and _covers(part, table.own):
            raise Refused(str(words.UPON_TABLE(part=part.path, drive=path)))
        if part.end_bytes > size_bytes:
            raise Refused(str(words.BEYOND(part=part.path, drive=path)))
        if part.type is None:
            raise Refused(str(words.TYPE_UNREAD(part=part.path)))
        if _kernel_differs(part):
            raise Refused(str(words.KERNEL_DIFFERS(part=part.path, drive=path)))


def _covers(part: Partition, own: Sequence[Extent]) -> bool:
    """Whether it lies upon the table itself; an extended one holds records of its logical ones."""
    return part.type not in CONTAINER_TYPES and any(part.overlaps(place) for place in own)


def _kernel_differs(part: Partition) -> bool:
    if part.type in CONTAINER_TYPES:
        # The kernel shows an extended partition with the length of its first blocks only
        # (block/partitions/msdos.c).
        return part.kernel_start_bytes not in (None, part.start_bytes)
    return (part.kernel_start_bytes or part.start_bytes) != part.start_bytes or (
        part.kernel_size_bytes or part.size_bytes
    ) != part.size_bytes
