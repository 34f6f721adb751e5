"""Refuse to plan for a drive. Each refusal names the problem, the place and the remedy."""

from collections.abc import Iterator, Sequence

from wizard.filesystems.kind import CONTAINER_TYPES, is_half_moved
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Extent, Partition, Use
from wizard.model.plan import Slot
from wizard.model.said import Message, Sentence, join, t, tn
from wizard.plan import free_space
from wizard.plan.free_space import GPT_PARTITIONS, MBR_BLOCKS, MBR_PRIMARIES, loose, overlapping
from wizard.plan.rules import geometry_fault

IN_USE = Sentence("{drive} is in use: {how}.")

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
        used = IN_USE(drive=path, how=in_use(gravest))
        raise Refused(str(join(used, t("Cannot plan for a drive in use."))))
    if mounted := next((part for part in drive.partitions if part.mount_points), None):
        use = Use("mounted", mounted.path, mounted.mount_points[0])
        raise Refused(str(IN_USE(drive=path, how=in_use(use))))
    if drive.layers:
        layer = drive.layers[0]
        use = Use("holder", layer.below, layer.path)
        raise Refused(str(IN_USE(drive=path, how=in_use(use))))
    refuse_half_moved(drive)
    return measured(drive)


def refuse_half_moved(drive: Drive) -> None:
    """Raises Refused where a partition of the drive is in the middle of a move: all of it would be lost, and
    its journal may lie anywhere in its entry."""
    if half := next(filter(is_half_moved, drive.partitions), None):
        raise Refused(str(free_space.HALF_MOVED(part=half.path, drive=drive.path)))


def measured(drive: Drive) -> tuple[int, Geometry]:
    """The size and geometry of a drive that may be in use; raises Refused where they are unknown, or nothing
    can be written to it."""
    path = drive.path
    if drive.read_only:
        raise Refused(
            str(
                t(
                    "{drive} is read-only: the write-protect switch is on, or a run is waiting "
                    "there (see `diskwright status`).",
                    drive=path,
                )
            )
        )
    if drive.size_bytes is None or drive.geometry is None:
        what = t("size") if drive.size_bytes is None else t("block size")
        if not drive.unread:
            raise Refused(
                str(
                    t(
                        "Cannot read the {what} of {drive}. Planning requires this value.",
                        what=what,
                        drive=path,
                    )
                )
            )
        raise Refused(
            str(
                t(
                    "Cannot read the {what} of {drive}: {why} Planning requires this value.",
                    what=what,
                    drive=path,
                    why=drive.unread[0].why,
                )
            )
        )
    if drive.size_bytes <= 0:
        no_size = (
            Sentence("The kernel reports no size for {drive}. See `diskwright inspect {drive}`.")
            if drive.removable is False
            else Sentence("{drive} has no size. Insert a medium, or check the cable.")
        )
        raise Refused(str(no_size(drive=path)))
    if fault := geometry_fault(drive.geometry):
        raise Refused(str(t("Cannot plan for {drive}: {fault}.", drive=path, fault=fault)))
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
            said = t("{subject} is mounted at {by}; unmount it first", subject=subject, by=by)
        case "swap":
            said = t("{subject} is in use as swap; run swapoff first", subject=subject)
        case "holder":
            said = t("{subject} is in use by {by}; close that first", subject=subject, by=by)
        case "loop-backing":
            said = t("{subject} backs the loop device {by}; detach that first", subject=subject, by=by)
        case "raid-member":
            said = t("{subject} is part of the running RAID {by}; stop that first", subject=subject, by=by)
        case "running-system":
            said = t(
                "{subject} is part of the running system ({by}); choose another drive", subject=subject, by=by
            )
        case "opened":
            said = t("{subject} is open in another program; close that first", subject=subject)
        case _:
            said = t("{subject} is in use by {by}; close that first", subject=subject, by=by)
    return str(said)


def refuse_content(drive: Drive, *, chosen: bool) -> None:
    """Raises Refused where the drive holds anything, or may, and nobody has said what is to become of it."""
    if chosen:
        return
    if unread_content(drive):
        unread = t(
            "The contents of {drive} are unknown, so the drive may not be empty. {why}",
            drive=drive.path,
            why=_why_unread(drive),
        )
        raise Refused(
            str(unread if needs_root(drive) else join(unread, t("Use --replace to erase everything.")))
        )
    if drive.is_empty:
        return
    if waiting := _why_waiting(drive):
        raise Refused(str(waiting))
    has_table = drive.table is not None and drive.table.kind != "none"
    not_empty = (
        Sentence(
            "{drive} is not empty: {what}. Use --replace to erase everything, or "
            "--use-free to preserve all partitions and use only free space."
        )
        if has_table and not drive.signatures
        else Sentence("{drive} is not empty: {what}. Use --replace to erase everything.")
    )
    raise Refused(str(not_empty(drive=drive.path, what=what_it_holds(drive))))


def _why_waiting(drive: Drive) -> Message | None:
    """That a run waits on the drive, whose volumes look like free space; None where none does."""
    if drive.waiting is None or not drive.waiting.bare:
        return None
    return t(
        "{drive} looks empty, but run {run} is waiting there. `diskwright inspect "
        "{drive}` shows how to keep the result. Replacing everything (--replace) "
        "erases the result.",
        drive=drive.path,
        run=drive.waiting.run,
    )


def waiting_doubts(drive: Drive) -> Iterator[Message]:
    """What a plan may destroy of a run that was left on the drive and written to since, in sentences."""
    if drive.waiting is not None and not drive.waiting.bare:
        yield t(
            "Run {run} was left on the drive. Anything intact from that run will be lost.",
            run=drive.waiting.run,
        )


def _why_unread(drive: Drive) -> Message:
    """Why what a drive holds is not known; a plain user is told what helps."""
    if needs_root(drive):
        return t("Reading requires root.")
    reasons = [unread.why for unread in drive.unread if unread.what in CONTENT_FIELDS]
    return reasons[0] if reasons else t("The reason is unknown.")


def needs_root(drive: Drive) -> bool:
    """Whether root may be able to read what the drive holds, which a plain user could not."""
    return any(unread.without_root for unread in drive.unread if unread.what in CONTENT_FIELDS)


def what_it_holds(drive: Drive) -> Message:
    """The table, partitions and signatures of a drive in a few words."""
    found = [
        t("{kind} on the whole drive", kind=printable(signature.kind, 30)) for signature in drive.signatures
    ]
    if drive.table and drive.table.kind != "none":
        found.append(
            tn(
                "a table ({kind}) with {count} partition",
                "a table ({kind}) with {count} partitions",
                kind=drive.table.kind,
                count=len(drive.partitions),
            )
        )
    if drive.waiting:
        found.append(t("remains of run {run}", run=drive.waiting.run))
    if drive.unrecognised_zones:
        found.append(
            tn(
                "{count} written zone with unrecognised data",
                "{count} written zones with unrecognised data",
                count=drive.unrecognised_zones,
            )
        )
    holds = tuple(found) or (t("partitions"),)
    if not drive.partitions:
        return t("{holds:and}", holds=holds)
    named, more = tuple(map(_part_held, drive.partitions[:3])), len(drive.partitions) - 3
    if more > 0:
        return t("{holds:and}: {parts:list} and {more} more", holds=holds, parts=named, more=more)
    return t("{holds:and}: {parts:list}", holds=holds, parts=named)


def _part_held(part: Partition) -> Message:
    kinds = printable("+".join(one.kind for one in part.signatures), 40)
    return t(
        "{part} ({content}, {size:size})",
        part=part.path,
        content=kinds or t("nothing recognised"),
        size=part.size_bytes,
    )


def refuse_table(drive: Drive, *, puts_backup_right: bool = False) -> None:
    """Raises Refused where the table is none that partitions can be added to without a risk for those it
    has. What changes one partition `puts_backup_right`, too: at the end of the drive."""
    path, table = drive.path, drive.table
    refuse_half_moved(drive)
    if waiting := _why_waiting(drive):
        raise Refused(str(t("Cannot add partitions: {why}", why=waiting)))
    if table is None or unread_content(drive):
        raise Refused(
            str(
                t(
                    "The contents of {drive} are unknown, so they cannot be preserved safely. {why}",
                    drive=path,
                    why=_why_unread(drive),
                )
            )
        )
    if table.kind == "none":
        raise Refused(
            str(
                t(
                    "{drive} has {what} instead of a partition table. Only --replace can set up "
                    "the drive, erasing everything.",
                    drive=path,
                    what=what_it_holds(drive),
                )
            )
        )
    if drive.signatures:
        raise Refused(
            str(
                t(
                    "{drive} contains {what}, which contradict each other. Determine which is "
                    "right, or use --replace.",
                    drive=path,
                    what=what_it_holds(drive),
                )
            )
        )
    if table.kind == "hybrid":
        raise Refused(
            str(
                t(
                    "{drive} has a hybrid table: GPT and MBR list different partitions. Adding "
                    "would break one of them. Only --replace can set up the drive.",
                    drive=path,
                )
            )
        )
    if table.kind not in ("gpt", "mbr"):
        raise Refused(
            str(
                t(
                    "diskwright cannot add partitions to the table type on {drive}. Only "
                    "--replace can set up the drive.",
                    drive=path,
                )
            )
        )
    if table.primary == "damaged":
        raise Refused(
            str(
                t(
                    "The GPT at the start of {drive} is damaged. Restore the backup first (gdisk: r, b, w).",
                    drive=path,
                )
            )
        )
    if table.backup in ("missing", "damaged") or (table.backup == "misplaced" and not puts_backup_right):
        raise Refused(
            str(
                t(
                    "The backup GPT of {drive} is {state}. Repair it first (`sgdisk "
                    "--move-second-header {drive}`).",
                    drive=path,
                    state=table.backup,
                )
            )
        )
    if table.ordinary is False:
        raise Refused(
            str(
                t(
                    "The GPT of {drive} has entries in an unusual location or format, as the "
                    "boot loaders of some boards require. Rewriting the GPT would move the "
                    "entries and overwrite other data. Add the partition with the original tool, "
                    "or use --replace.",
                    drive=path,
                )
            )
        )
    _refuse_partitions(drive)


def refuse_new_mbr(path: str, size_bytes: int, geometry: Geometry, volumes: int, *, keep: bool) -> None:
    """Raises BadInput where a new MBR does not fit; `keep` where the table that is there stays."""
    if keep:
        raise BadInput(
            str(
                t(
                    "The table of {drive} is preserved. A new MBR requires replacing everything.",
                    drive=path,
                )
            )
        )
    if volumes > MBR_PRIMARIES:
        raise BadInput(
            str(
                t(
                    "An MBR supports {most} partitions, but {asked} were requested. A GPT supports {gpt}.",
                    most=MBR_PRIMARIES,
                    asked=volumes,
                    gpt=GPT_PARTITIONS,
                )
            )
        )
    reach = MBR_BLOCKS * geometry.logical_block_bytes
    if size_bytes > reach:
        raise BadInput(
            str(
                t(
                    "An MBR has 32-bit block numbers and reaches only {reach:size} of {drive} "
                    "({size:size}). The rest would be unusable. A GPT reaches everything.",
                    reach=reach,
                    drive=path,
                    size=size_bytes,
                )
            )
        )


def _refuse_partitions(drive: Drive) -> None:
    path = drive.path
    size_bytes = drive.size_bytes or 0
    slots = [Slot(part.number, part.start_bytes, part.size_bytes, part.type) for part in drive.partitions]
    if pair := overlapping(slots):
        first, second = pair
        raise Refused(
            str(
                t(
                    "Partitions {first} and {second} of {drive} overlap. Cannot add to an "
                    "inconsistent table.",
                    first=first.number,
                    second=second.number,
                    drive=path,
                )
            )
        )
    if outside := loose(slots):
        raise Refused(
            str(
                t(
                    "Partition {number} of {drive} is logical but outside the extended "
                    "partition. Cannot add to an inconsistent table.",
                    number=outside.number,
                    drive=path,
                )
            )
        )
    table = drive.table
    lowest, highest = ((table.first_usable_bytes or 0), table.end_usable_bytes) if table else (0, None)
    for part in drive.partitions:
        if part.start_bytes < lowest or (highest is not None and size_bytes >= part.end_bytes > highest):
            raise Refused(
                str(
                    t(
                        "{part} is outside the usable range in the table of {drive}. Cannot add to "
                        "an inconsistent table.",
                        part=part.path,
                        drive=path,
                    )
                )
            )
        if part.size_bytes <= 0:
            raise Refused(
                str(
                    t(
                        "{part} has zero bytes in the table of {drive}. Cannot add to an inconsistent table.",
                        part=part.path,
                        drive=path,
                    )
                )
            )
        if table and _covers(part, table.own):
            raise Refused(
                str(
                    t(
                        "{part} overlaps the partition table of {drive}. Cannot add to an "
                        "inconsistent table.",
                        part=part.path,
                        drive=path,
                    )
                )
            )
        if part.end_bytes > size_bytes:
            raise Refused(
                str(
                    t(
                        "{part} extends beyond the end of {drive}. Cannot add to a table that does "
                        "not fit the drive.",
                        part=part.path,
                        drive=path,
                    )
                )
            )
        if part.type is None:
            raise Refused(
                str(
                    t(
                        "Cannot read the type of {part}, so it cannot be preserved.",
                        part=part.path,
                    )
                )
            )
        if _kernel_differs(part):
            raise Refused(
                str(
                    t(
                        "The kernel and the table disagree about the position of {part}. Run "
                        "`partprobe {drive}` or reboot, then plan again.",
                        part=part.path,
                        drive=path,
                    )
                )
            )


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
