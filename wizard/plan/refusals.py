"""Refuse to plan for a drive. Each refusal names the problem, the place and the remedy."""

from collections.abc import Iterator

from wizard.filesystems import partition_types
from wizard.findings.contents import table_words, unmarked_contents
from wizard.findings.use import named_field
from wizard.model.errors import BadInput, Refused
from wizard.model.geometry import Geometry
from wizard.model.layout import Slot
from wizard.model.machine import Drive, Table, Unread, Use, kinds_in
from wizard.model.said import Message, Sentence, join, t
from wizard.operations.rules import is_plausible
from wizard.plan import free_space
from wizard.probe.facts import ROOT_READS

CLOSE_FIRST = Sentence("{subject} is in use by {by}; close that first")

IN_USE = Sentence("{drive} is in use: {how}.")

HOST_MANAGED_ZONES = Sentence("{drive} is a host-managed zoned drive and cannot be partitioned.")

UNKNOWN_CONTENTS = Sentence(
    "The contents of {drive} are unknown, so nothing there can be preserved safely. {why}"
)

CONTENT_FIELDS = frozenset({"table", "signatures", "partitions", "content_digest", "zones"})


def unmeasured(drive: Drive) -> Message:
    """Return that the size or block size is unknown, and why."""
    what = named_field("size_bytes" if drive.size_bytes is None else "geometry")
    cannot = t("Cannot read the {what} of {drive}.", what=what, drive=drive)
    return join(cannot, *(unread.why for unread in drive.unread[:1]))


def unread_content(drive: Drive) -> bool:
    """Return True if any contents of the drive are unreadable, so it must not be treated as empty."""
    return drive.table is None or drive.content_digest is None or bool(_unread_contents(drive))


def _unread_contents(drive: Drive) -> list[Unread]:
    return [unread for unread in drive.unread if unread.what in CONTENT_FIELDS]


def refuse_drive(drive: Drive) -> tuple[int, Geometry]:
    """Return the drive's size and geometry. Raises Refused if they are unknown or the drive must not be
    written."""
    path, uses = drive.path, uses_of(drive, drive.path)
    if uses:
        used = IN_USE(drive=path, how=in_use(uses[0]))
        if uses[0].kind in ("holder", "raid-member"):
            used = join(used, t("`diskwright inspect {drive}` shows how.", drive=path))
        raise Refused(used)
    _refuse_half_moved(drive)
    return measured(drive)


def _refuse_half_moved(drive: Drive) -> None:
    """Raises Refused if a partition is in the middle of a move: all its data would be lost, and the journal
    may be anywhere in the entry."""
    if half := next(filter(partition_types.is_half_moved, drive.partitions), None):
        raise Refused(free_space.HALF_MOVED(part=half, drive=drive))


def measured(drive: Drive) -> tuple[int, Geometry]:
    """Return size and geometry of a drive that may be in use. Raises Refused if they are unknown or the drive
    is not writable."""
    path = drive.path
    if drive.read_only:
        raise Refused(
            t(
                "{drive} is read-only: the write-protect switch is on, or a run is waiting "
                "there (see `diskwright status`).",
                drive=path,
            )
        )
    if drive.size_bytes is None or drive.geometry is None:
        raise Refused(unmeasured(drive))
    if drive.size_bytes <= 0:
        raise Refused(
            t(
                "The kernel reports no size for {drive}. Insert a medium or check the cable. `diskwright "
                "inspect {drive}` shows details.",
                drive=path,
            )
        )
    if not is_plausible(drive.geometry):
        blocks = Sentence(
            "Cannot plan for {drive}: blocks of {logical} and {physical} bytes with an offset of {offset} "
            "bytes do not support partitions."
        )
        raise Refused(
            blocks(
                drive=path,
                logical=drive.geometry.logical_block_bytes,
                physical=drive.geometry.physical_block_bytes,
                offset=drive.geometry.alignment_offset_bytes,
            )
        )
    return drive.size_bytes, drive.geometry


def uses_of(drive: Drive, path: str) -> tuple[Use, ...]:
    """Return why the drive or partition at `path` must not be written, most severe first. Uses of devices on
    it count, and uses of the drive, but not those of neighbouring partitions."""
    own = {drive.path, path}
    for _ in drive.layers:
        own |= {layer.path for layer in drive.layers if layer.below in own}
    found = [
        *drive.uses,
        *(Use("mounted", part.path, place) for part in drive.partitions for place in part.mount_points),
        *(Use("holder", layer.below, layer.path) for layer in drive.layers),
    ]
    counted = (use for use in found if path == drive.path or use.subject in own)
    return tuple(sorted(counted, key=lambda use: use.kind != "running-system"))


HOW_USED = {
    "mounted": Sentence("{subject} is mounted at {by}; unmount it first"),
    "swap": Sentence("{subject} is in use as swap; run swapoff first"),
    "loop-backing": Sentence("{subject} backs the loop device {by}; detach that first"),
    "raid-member": Sentence("{subject} is part of the running RAID {by}; stop that first"),
    "running-system": Sentence("{subject} is part of the running system ({by}); choose another drive"),
    "opened": Sentence("{subject} is open in another program; close that first"),
}
"""By kind of use. Other kinds are `CLOSE_FIRST`."""


def in_use(use: Use) -> str:
    """Describe how a device is in use and how to end that, as part of a sentence."""
    form, values = HOW_USED.get(use.kind, CLOSE_FIRST), {"subject": use.subject, "by": str(use.by)}
    return str(form(**{field: values[field] for field in form.fields}))


def refuse_content(drive: Drive, *, chosen: bool) -> None:
    """Raises Refused if the drive is not or may not be empty and the user has not decided about its
    contents."""
    if chosen:
        return
    if unread_content(drive):
        unread = UNKNOWN_CONTENTS(drive=drive, why=_unread_reason(drive))
        raise Refused(unread if needs_root(drive) else join(unread, t("Use --replace to erase everything.")))
    if drive.is_empty:
        return
    if waiting := _waiting_reason(drive):
        raise Refused(str(waiting))
    not_empty = (
        Sentence(
            "{drive} is not empty: {what}. Use --replace to erase everything, or "
            "--use-free to preserve all partitions and use only free space."
        )
        if drive.has_table and not drive.signatures
        else Sentence("{drive} is not empty: {what}. Use --replace to erase everything.")
    )
    raise Refused(not_empty(drive=drive, what=_what_it_holds(drive)))


def _waiting_reason(drive: Drive) -> Message | None:
    """Describe a run waiting on the drive, whose volumes look like free space, or return None."""
    if drive.waiting is None or not drive.waiting.bare:
        return None
    return t(
        "{drive} looks empty, but run {run} is waiting there. `diskwright inspect "
        "{drive}` shows how to keep the result. Replacing everything (--replace) "
        "erases the result.",
        drive=drive,
        run=drive.waiting.run,
    )


def _unread_reason(drive: Drive) -> Message:
    """Return why contents are unknown. An unprivileged user learns that root may help."""
    if needs_root(drive):
        return ROOT_READS
    return next((unread.why for unread in _unread_contents(drive)), t("The reason is unknown."))


def needs_root(drive: Drive) -> bool:
    """Return True if root may be able to read contents that an unprivileged user cannot."""
    return any(unread.without_root for unread in _unread_contents(drive))


def _what_it_holds(drive: Drive) -> Message:
    found = [t("{kind} on the whole drive", kind=signature.kind) for signature in drive.signatures]
    if drive.has_table:
        found.append(table_words(drive.table_kind, len(drive.partitions)))
    if drive.waiting:
        found.append(t("remains of run {run}", run=drive.waiting.run))
    found += unmarked_contents(drive)
    contents = tuple(found) or (named_field("partitions"),)
    if not drive.partitions:
        return t("{holds:and}", holds=contents)
    form, more = Sentence("{part} ({content}, {size:size})"), len(drive.partitions) - 3
    shown = tuple(
        form(part=part, content=kinds_in(part.signatures) or t("nothing recognised"), size=part.size_bytes)
        for part in drive.partitions[:3]
    )
    if more > 0:
        return t("{holds:and}: {parts:list} and {more} more", holds=contents, parts=shown, more=more)
    return t("{holds:and}: {parts:list}", holds=contents, parts=shown)


def refuse_table(drive: Drive) -> None:
    """Raises Refused if partitions cannot be added to the table without risk for the existing ones. Accepts
    a misplaced backup GPT, because writing the table corrects this."""
    _refuse_half_moved(drive)
    for fault in _table_faults(drive):
        raise Refused(fault)


def _table_faults(drive: Drive) -> Iterator[Message]:
    """Yield why partitions cannot be added. The first reason counts; later ones may follow from it."""
    path, table = drive.path, drive.table
    if waiting := _waiting_reason(drive):
        yield waiting
    if table is None or unread_content(drive):
        yield UNKNOWN_CONTENTS(drive=path, why=_unread_reason(drive))
        return
    if table.kind == "none":
        yield t(
            "{drive} has {what} instead of a partition table. Only --replace can set up "
            "the drive, erasing everything.",
            drive=path,
            what=_what_it_holds(drive),
        )
    if drive.signatures:
        yield t(
            "{drive} contains {what}, which contradict each other. Determine which is "
            "right, or use --replace.",
            drive=path,
            what=_what_it_holds(drive),
        )
    if table.kind == "hybrid":
        yield t(
            "{drive} has a hybrid table: GPT and MBR list different partitions. Adding "
            "would break one of them. Only --replace can set up the drive.",
            drive=path,
        )
    if table.kind not in ("gpt", "mbr"):
        yield t(
            "diskwright cannot add partitions to the table type on {drive}. Only "
            "--replace can set up the drive.",
            drive=path,
        )
    if table.primary == "damaged":
        yield t(
            "The GPT at the start of {drive} is damaged. Restore the backup first (gdisk: r, b, w).",
            drive=path,
        )
    if table.backup in ("missing", "damaged"):
        yield t(
            "The backup GPT of {drive} is {state}. Repair it first (`sgdisk --move-second-header {drive}`).",
            drive=path,
            state=table.backup,
        )
    if table.ordinary is False:
        yield t(
            "The GPT of {drive} has entries in an unusual location or format, as the "
            "boot loaders of some boards require. Rewriting the GPT would move the "
            "entries and overwrite other data. Add the partition with the original tool, "
            "or use --replace.",
            drive=path,
        )
    yield from _partition_faults(drive, table)


def refuse_new_mbr(path: str, size_bytes: int, geometry: Geometry, volumes: int, *, preserve: bool) -> None:
    """Raises BadInput if a new MBR is not possible. `preserve`: the existing table is preserved."""
    if preserve:
        raise BadInput(
            t("The table of {drive} is preserved. A new MBR requires replacing everything.", drive=path)
        )
    if volumes > free_space.MBR_PRIMARIES:
        raise BadInput(
            t(
                "An MBR supports {most} partitions, but {asked} were requested. A GPT supports {gpt}.",
                most=free_space.MBR_PRIMARIES,
                asked=volumes,
                gpt=free_space.GPT_PARTITIONS,
            )
        )
    reach = free_space.MBR_BLOCKS * geometry.logical_block_bytes
    if size_bytes > reach:
        raise BadInput(
            t(
                "An MBR has 32-bit block numbers and reaches only {reach:size} of {drive} "
                "({size:size}). The rest would be unusable. A GPT reaches everything.",
                reach=reach,
                drive=path,
                size=size_bytes,
            )
        )


def _partition_faults(drive: Drive, table: Table) -> Iterator[Message]:
    path = drive.path
    size_bytes = drive.size_bytes or 0
    slots = [Slot(part.number, part.start_bytes, part.size_bytes, part.type) for part in drive.partitions]
    lowest, highest = (table.first_usable_bytes or 0), table.end_usable_bytes
    if not free_space.is_consistent(slots) or any(
        part.start_bytes < lowest
        or (highest is not None and part.end_bytes > highest)
        or part.size_bytes <= 0
        # An extended partition contains the records of the logical ones.
        or (part.type not in partition_types.CONTAINERS and any(map(part.overlaps, table.own)))
        or part.end_bytes > size_bytes
        for part in drive.partitions
    ):
        yield t(
            "Cannot add to the inconsistent table of {drive}: see `diskwright inspect {drive}`.",
            drive=path,
        )
    for part in drive.partitions:
        if part.type is None:
            yield t("Cannot read the type of {part}, so it cannot be preserved.", part=part)
        # The kernel reports only the first blocks as length of an extended partition
        # (block/partitions/msdos.c).
        has_size = part.type in partition_types.CONTAINERS or not (
            part.kernel_size_bytes and part.kernel_size_bytes != part.size_bytes
        )
        if not has_size or part.kernel_start_bytes not in (None, part.start_bytes):
            yield t(
                "The kernel and the table disagree about the position of {part}. Run "
                "`partprobe {drive}` or reboot, then plan again.",
                part=part,
                drive=path,
            )
