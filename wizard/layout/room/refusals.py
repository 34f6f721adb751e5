"""When a drive is not planned for: every refusal is one sentence that says what, where and what to do."""

from collections.abc import Iterator

from wizard.filesystems.partitions import CONTAINER_TYPES
from wizard.layout.room.space import GPT_PARTITIONS, MBR_BLOCKS, MBR_PRIMARIES, overlapping
from wizard.layout.rules import geometry_fault
from wizard.model.errors import BadInput, Refused
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Partition, Use
from wizard.model.names import printable
from wizard.model.plan import Slot
from wizard.model.units import format_capacity

_USES = {
    "mounted": "{subject} is mounted at {by}; unmount it first",
    "swap": "{subject} is in use as swap; end that with swapoff first",
    "holder": "{subject} is held by {by}; close that first",
    "loop-backing": "{subject} lies behind the loop device {by}; detach that first",
    "raid-member": "{subject} is part of the running RAID {by}; stop that first",
    "running-system": "{subject} is part of the running system ({by}); choose another drive",
    "opened": "{subject} is held open by another program; end that first",
}

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
        raise Refused(f"{path} is in use: {in_use(gravest)}. Nothing is planned for a drive in use.")
    if mounted := next((part for part in drive.partitions if part.mount_points), None):
        raise Refused(f"{path} is in use: {in_use(Use('mounted', mounted.path, mounted.mount_points[0]))}.")
    if drive.layers:
        layer = drive.layers[0]
        raise Refused(f"{path} is in use: {in_use(Use('holder', layer.below, layer.path))}.")
    return measured(drive)


def measured(drive: Drive) -> tuple[int, Geometry]:
    """The size and geometry of a drive that may be in use; raises Refused where they are unknown, or nothing
    can be written to it."""
    path = drive.path
    if drive.read_only:
        raise Refused(f"{path} is read-only: the drive or its lock switch allows no writing.")
    if drive.size_bytes is None or drive.geometry is None:
        what = "size" if drive.size_bytes is None else "block size"
        why = next((f": {printable(unread.why, 200).rstrip('.')}" for unread in drive.unread), "")
        raise Refused(f"The {what} of {path} could not be read{why}. Nothing can be planned without it.")
    if drive.size_bytes <= 0:
        raise Refused(f"{path} has no size: insert a medium, or check its cable.")
    if fault := geometry_fault(drive.geometry):
        raise Refused(f"{path} cannot be laid out: {fault}.")
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
    form = _USES.get(use.kind, "{subject} is in use by {by}; end that first")
    return form.format(subject=printable(use.subject, 60), by=printable(use.by, 200))


def refuse_content(drive: Drive, *, chosen: bool) -> None:
    """Raises Refused where the drive holds anything, or may, and nobody has said what is to become of it."""
    if chosen:
        return
    has_table = drive.table is not None and drive.table.kind != "none"
    use_free = (
        ", or --use-free to keep every partition and use only free space"
        if has_table and not drive.signatures
        else ""
    )
    if unread_content(drive):
        erase = "" if needs_root(drive) else " Say --replace to erase it all."
        raise Refused(f"{drive.path} was not read, so it may not be empty. {_why_unread(drive)}{erase}")
    if drive.is_empty:
        return
    refuse_waiting(drive, "")
    raise Refused(
        f"{drive.path} is not empty: it holds {what_it_holds(drive)}. Say --replace to erase everything on "
        f"it{use_free}."
    )


def refuse_waiting(drive: Drive, what: str) -> None:
    """Raises Refused where a run waits on the drive, whose volumes look like free space; `what` must not be
    done to those, as the beginning of a sentence."""
    if drive.waiting is None or not drive.waiting.bare:
        return
    raise Refused(
        f"{what}{drive.path} is not empty, though it looks so: the run {printable(drive.waiting.run, 60)} "
        "waits on "
        f"it. `diskwright inspect {drive.path}` tells how to put that to use. Replacing everything "
        "(--replace) erases it."
    )


def waiting_doubts(drive: Drive) -> Iterator[str]:
    """What a plan may destroy of a run that was left on the drive and written to since, in sentences."""
    if drive.waiting is not None and not drive.waiting.bare:
        run = printable(drive.waiting.run, 60)
        yield f"The run {run} was left on the drive: whatever of it is whole, it will be lost."


def _why_unread(drive: Drive) -> str:
    """Why what a drive holds is not known; a plain user is told what helps."""
    if needs_root(drive):
        return "Reading it takes root."
    reasons = [unread.why for unread in drive.unread if unread.what in CONTENT_FIELDS]
    return printable(reasons[0], 300) if reasons else "Why, it is not known."


def needs_root(drive: Drive) -> bool:
    """Whether root may be able to read what the drive holds, which a plain user could not."""
    return any(unread.without_root for unread in drive.unread if unread.what in CONTENT_FIELDS)


def what_it_holds(drive: Drive) -> str:
    """The table, partitions and signatures of a drive in a few words."""
    parts = [printable(signature.kind, 30) + " on the whole drive" for signature in drive.signatures]
    if drive.table and drive.table.kind != "none":
        count = len(drive.partitions)
        parts.append(f"a table ({drive.table.kind}) with {count} partition{'' if count == 1 else 's'}")
    if drive.waiting:
        parts.append(f"what the run {printable(drive.waiting.run, 60)} left there")
    named = [
        f"{part.path} "
        f"({printable('+'.join(one.kind for one in part.signatures) or 'nothing recognised', 40)}, "
        f"{format_capacity(part.size_bytes)})"
        for part in drive.partitions
    ]
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    if drive.unrecognised_zones:
        parts.append(
            f"{drive.unrecognised_zones} zones that were written to, with nothing that is recognised"
        )
    return " and ".join(parts or ["partitions"]) + (f": {', '.join(named[:3])}{more}" if named else "")


def refuse_table(drive: Drive) -> None:
    """Raises Refused where the table is none that partitions can be added to without a risk for those it
    has."""
    path, table = drive.path, drive.table
    refuse_waiting(drive, "Nothing can be added there: ")
    if table is None or unread_content(drive):
        raise Refused(f"{path} was not read, so nothing can be kept safely. {_why_unread(drive)}")
    if table.kind == "none":
        raise Refused(
            f"{path} has no partition table to add to: it holds {what_it_holds(drive)}. Only --replace can "
            "set it up, and erases that."
        )
    if drive.signatures:
        raise Refused(
            f"{path} holds {what_it_holds(drive)}: these contradict each other. Settle which is right, or "
            "say --replace."
        )
    if table.kind == "hybrid":
        raise Refused(
            f"{path} has a hybrid table (GPT and MBR that name different partitions): adding would break one "
            "of the two. Only --replace."
        )
    if table.kind not in ("gpt", "mbr"):
        raise Refused(
            f"{path} has a table of a kind that diskwright does not add to. Only --replace can set it up."
        )
    if table.primary == "damaged":
        raise Refused(
            f"The GPT at the start of {path} is damaged: repair it from its backup first (gdisk: r, b, w)."
        )
    if table.backup in ("missing", "damaged", "misplaced"):
        raise Refused(
            f"The backup GPT of {path} is {table.backup}: repair it first (`sgdisk --move-second-header "
            f"{path}`)."
        )
    if table.ordinary is False:
        raise Refused(
            f"The GPT of {path} keeps its entries in an unusual place or form, as some boards' boot loaders "
            "need it: writing it again would move them over what lies there. Add the partition with the tool "
            "that made the table, or say --replace."
        )
    _refuse_partitions(drive)


def refuse_new_mbr(path: str, size_bytes: int, geometry: Geometry, volumes: int, *, keep: bool) -> None:
    """Raises BadInput where a new MBR does not fit; `keep` where the table that is there stays."""
    if keep:
        raise BadInput(
            f"The table of {path} stays as it is: a new MBR can only be made where everything on the drive "
            "is replaced."
        )
    if volumes > MBR_PRIMARIES:
        raise BadInput(
            f"An MBR has room for {MBR_PRIMARIES} partitions, and {volumes} were asked for. A GPT holds "
            f"{GPT_PARTITIONS}."
        )
    reach = MBR_BLOCKS * geometry.logical_block_bytes
    if size_bytes > reach:
        raise BadInput(
            f"An MBR counts blocks in 32 bits and so reaches {format_capacity(reach)} of {path}, which has "
            f"{format_capacity(size_bytes)}: the rest would be lost to it. A GPT reaches all of it."
        )


def _refuse_partitions(drive: Drive) -> None:
    path = drive.path
    size_bytes = drive.size_bytes or 0
    slots = [Slot(part.number, part.start_bytes, part.size_bytes, part.type) for part in drive.partitions]
    if pair := overlapping(slots):
        first, second = pair
        raise Refused(
            f"Partitions {first.number} and {second.number} of {path} overlap: nothing is added to a table "
            "that contradicts itself."
        )
    table = drive.table
    lowest, highest = ((table.first_usable_bytes or 0), table.end_usable_bytes) if table else (0, None)
    for part in drive.partitions:
        if part.start_bytes < lowest or (highest is not None and size_bytes >= part.end_bytes > highest):
            raise Refused(
                f"{part.path} lies outside of what the table of {path} says can be used: nothing is added to "
                "such a table."
            )
        if part.end_bytes > size_bytes:
            raise Refused(
                f"{part.path} reaches beyond the end of {path}: the table does not fit this drive, so "
                "nothing is added to it."
            )
        if part.type is None:
            raise Refused(f"The type of {part.path} could not be read, so it could not be kept as it is.")
        if _kernel_differs(part):
            raise Refused(
                f"The kernel sees {part.path} elsewhere than the table says: run `partprobe {path}` or "
                "restart, then plan again."
            )


def _kernel_differs(part: Partition) -> bool:
    if part.type in CONTAINER_TYPES:
        # The kernel shows an extended partition with the length of its first blocks only
        # (block/partitions/msdos.c).
        return part.kernel_start_bytes not in (None, part.start_bytes)
    return (part.kernel_start_bytes or part.start_bytes) != part.start_bytes or (
        part.kernel_size_bytes or part.size_bytes
    ) != part.size_bytes
