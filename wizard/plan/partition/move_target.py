"""Plan the move of a partition to a requested or aligned place, or explain why it cannot move. Pure."""

import shlex
from collections.abc import Iterable, Iterator

from wizard.filesystems import partition_types
from wizard.findings.contents import UNRECOGNISED
from wizard.model.errors import Refused, why_not
from wizard.model.geometry import FLOOR_BYTES, Geometry
from wizard.model.machine import Drive, Extent, Machine, Partition, kinds_in
from wizard.model.moves import JOURNALS, LOGGED_WINDOWS, WINDOW_BYTES, Move, Scheme
from wizard.model.said import KIB, MIB, Message, Sentence, t
from wizard.plan import dangers, refusals
from wizard.plan.partition import possible

WITHOUT_PLACE = frozenset(
    {
        "btrfs", "crypto_LUKS", "ext2", "ext3", "ext4", "f2fs", "jfs", "linux_raid_member", "LVM2_member",
        "nilfs2", "reiserfs", "swap", "xfs",
    }
)  # fmt: skip
"""libblkid names of contents written by Linux through the partition, so all positions are relative to its
start."""

MOVABLE = WITHOUT_PLACE | {"exfat", "ntfs", "vfat"}
"""The others store their start, which the move updates."""

SMALLEST_BYTES = MIB
LARGEST_PHYSICAL_BYTES = 16 * KIB


def why_not_move(drive: Drive, part: Partition) -> Message | str | None:
    """Return why the partition cannot be moved at all, or None."""
    if why := possible.why_not_change(drive, part) or why_not(refusals.refuse_drive, drive):
        return why
    _, geometry = refusals.measured(drive)
    if drive.table and drive.table.backup == "misplaced":
        return t(
            "The backup GPT of {drive} is misplaced. Growing the last partition or adding one corrects this.",
            drive=drive,
        )
    if geometry.alignment_offset_bytes > 0 or geometry.physical_block_bytes > LARGEST_PHYSICAL_BYTES:
        return t(
            "{drive} has physical blocks of {size} bytes, the first at byte {offset}. Moves require at most "
            "16384 bytes, and byte 0.",
            drive=drive,
            size=geometry.physical_block_bytes,
            offset=geometry.alignment_offset_bytes,
        )
    if (part.type or "").lower() == partition_types.BIOS_BOOT_GPT:
        return t(
            "A BIOS boots GRUB from {part} by position. The partition is not moved, which costs no speed.",
            part=part,
        )
    if part.size_bytes < SMALLEST_BYTES:
        return t(
            "{part} is smaller than {least:size}, the minimum for a move.",
            part=part,
            least=SMALLEST_BYTES,
        )
    if drive.is_unread(part):
        return t("Cannot read the contents of {device}: run as root.", device=part)
    if part.filesystem in MOVABLE:
        return None
    return t(
        "{part} contains {what}. It is unknown if this can be moved, so {part} is not moved.",
        part=part,
        what=kinds_in(part.signatures) or UNRECOGNISED,
    )


def afterwards(drive: Drive, part: Partition) -> Iterator[Message]:
    """Yield what must be done after the move so that systems on the partition boot again."""
    for loader in drive.loaders:
        if part.start_bytes <= loader.next_bytes < part.end_bytes:
            holders = (one.path for one in drive.partitions if one.start_bytes == loader.start_bytes)
            where = next(holders, drive.path)
            yield t(
                "GRUB's first sector, on {where}, refers to positions in {part}, where other "
                "data may soon be. Reinstall GRUB before the first reboot: `{command}`. If "
                "{part} contains only /boot, do so in its system.",
                where=where,
                part=part,
                command=again(part.path, where),
            )


def again(part: str, where: str) -> str:
    """Return the command to reinstall GRUB from the system in a partition. Without --force, grub-install
    refuses blocklists inside a filesystem, even if already used. Bind mounts are not recursive, because
    unmounting recursive ones would affect the running system."""
    place = "/mnt"
    commands = (
        ("mount", part, place),
        *(("mount", "--bind", f"/{folder}", f"{place}/{folder}") for folder in ("dev", "proc", "sys")),
        ("chroot", place, "grub-install", "--force", where),
        ("umount", "-R", place),
    )
    return " && ".join(map(shlex.join, commands))


LARGE_SHIFT_BYTES = 64 * MIB
"""From this distance, a move takes no more time than one read and one write."""

DIRECT_BYTES = 32 * MIB
"""Minimum shift without logging."""

IN_FLIGHT = 3
"""Maximum number of windows in flight when flushes overlap writes: one being written, one being flushed, and
one whose record is being flushed."""


def room_around(drive: Drive, part: Partition) -> Extent:
    """Return the range available to a partition: its own and the free space on both sides. A logical
    partition is limited to the extended one."""
    others = [one for one in drive.partitions if one.number != part.number]
    extended = [one for one in others if one.type in partition_types.CONTAINERS and part.is_within(one)]
    limits = (dangers.bounds_of(drive), *extended)
    # Records of logical partitions are between the partitions.
    taken = [
        *(one.extent for one in others if one not in extended),
        *(drive.table.own if drive.table else ()),
    ]
    # GRUB uses the range before the first partition.
    end = min(FLOOR_BYTES, *(one.start_bytes for one in drive.partitions))
    loaders = (loader.next_bytes for loader in drive.loaders if loader.next_bytes < end)
    taken += (Extent(start, end - start) for start in loaders)
    before = (one.end_bytes for one in taken if one.end_bytes <= part.start_bytes)
    after = (one.start_bytes for one in taken if one.start_bytes >= part.end_bytes)
    low = max([*(one.start_bytes for one in limits), *before])
    return Extent(low, min([*(one.end_bytes for one in limits), *after]) - low)


def direction(shift_bytes: int) -> Message:
    """Return the direction of a move."""
    if shift_bytes > 0:
        return t("towards the end of the drive")
    return t("towards the start of the drive")


def _aligned_starts(room: Extent, part: Partition, geometry: Geometry) -> tuple[int, ...]:
    """Return the aligned starts to try, best first."""
    now, needed = part.start_bytes, JOURNALS[WINDOW_BYTES]
    # The highest start with space for a journal after the partition, if no logging is needed.
    highest = geometry.align_down(geometry.align_down(room.end_bytes - needed) - part.size_bytes)
    # The lowest start. Without space after the partition, the journal comes first.
    is_behind = room.end_bytes - geometry.align_up(part.end_bytes) >= needed
    lowest = geometry.align_up(room.start_bytes + (0 if is_behind else needed))
    return (
        geometry.align_up(now + LARGE_SHIFT_BYTES),
        lowest if lowest + LARGE_SHIFT_BYTES <= now else now,
        highest if highest >= now + DIRECT_BYTES else now,
        lowest if lowest + DIRECT_BYTES <= now else now,
        geometry.align_up(now),
        geometry.align_down(now),
    )


def _move_to(machine: Machine, drive: Drive, part: Partition, room: Extent, start: int) -> Move | None:
    """Return the move to this start. None if it is the current start, or partition or journal do not fit."""
    _, geometry = refusals.measured(drive)
    shift = abs(start - part.start_bytes)
    after = Extent(start, part.size_bytes)
    if not shift or start < room.start_bytes or after.end_bytes > room.end_bytes:
        return None
    scheme = Scheme.DIRECT if shift >= DIRECT_BYTES else Scheme.LOGGED
    for window in (WINDOW_BYTES,) if scheme is Scheme.DIRECT else LOGGED_WINDOWS:
        journal = _journal(room, (part.extent, after), geometry, JOURNALS[window])
        if journal is not None:
            break
    else:
        return None
    in_flight = 1 if drive.rotational is True else IN_FLIGHT
    if scheme is Scheme.DIRECT:
        # The windows in flight, in whole physical blocks, must not exceed the shift.
        physical = geometry.physical_block_bytes
        window = min(window, shift // in_flight) // physical * physical
    head = LUKS_HEAD_BYTES if part.filesystem == "crypto_LUKS" else HEAD_BYTES
    assert drive.table is not None and part.filesystem is not None
    return Move(
        drive=dangers.known_identity(machine, drive),
        device=part.path,
        number=part.number,
        table=drive.table.kind,
        holds=part.filesystem,
        before=part.extent,
        after=after,
        span=_span((part.extent, after, journal)),
        journal=journal,
        scheme=scheme,
        window_bytes=window,
        in_flight=in_flight,
        head_bytes=min(head, part.size_bytes - TAIL_BYTES),
        doubts=tuple(_doubts(drive, part, scheme)),
        then=tuple(afterwards(drive, part)),
    )


def _journal(room: Extent, places: Iterable[Extent], geometry: Geometry, size: int) -> Extent | None:
    span = _span(places)
    after = geometry.align_up(span.end_bytes)
    if after + size <= room.end_bytes:
        return Extent(after, size)
    before = geometry.align_down(span.start_bytes - size)
    return Extent(before, size) if before >= room.start_bytes and before + size <= span.start_bytes else None


def _span(places: Iterable[Extent]) -> Extent:
    known = [*places]
    start = min(place.start_bytes for place in known)
    return Extent(start, max(place.end_bytes for place in known) - start)


NO_ROOM = Sentence("Not enough space to move {part}: {needed:size} of adjacent free space required. {way}")

STARTS = Sentence("No move needed: {part} already starts at {start:exact}.")
OCCUPIED = Sentence(
    "Occupied: the partition, and a journal if it moves, must fit between {low:exact} and {high:exact}."
)

HEAD_BYTES, LUKS_HEAD_BYTES = MIB, 5 * MIB
"""Contents are recognised by their first MiB. The second LUKS2 header may start at up to 4 MiB (cryptsetup,
LUKS2 on-disk format 1.1.3, 2.2)."""

TAIL_BYTES = 64 * KIB
"""The head excludes the end of a partition, where contents may store data."""


def planned_move(machine: Machine, drive: Drive, part: Partition, start: int | None = None) -> Move:
    """Plan a move to `start`, or to the best aligned place if None. Raises Refused with the reason."""
    if why := why_not_move(drive, part):
        raise Refused(why)
    _, geometry = refusals.measured(drive)
    room = room_around(drive, part)
    if start is None:
        if part.start_bytes % geometry.grain_bytes == 0:
            raise Refused(STARTS(part=part, start=part.start_bytes))
        moves = (_move_to(machine, drive, part, room, at) for at in _aligned_starts(room, part, geometry))
        if move := next(filter(None, moves), None):
            return move
        raise Refused(_no_space(drive, part))
    if start % geometry.logical_block_bytes:
        raise Refused(
            t(
                "A partition cannot start at byte {start}: blocks have {block} bytes.",
                start=start,
                block=geometry.logical_block_bytes,
            )
        )
    if start == part.start_bytes:
        raise Refused(STARTS(part=part, start=start))
    if move := _move_to(machine, drive, part, room, start):
        return move
    raise Refused(OCCUPIED(low=room.start_bytes, high=room.end_bytes))


def _no_space(drive: Drive, part: Partition) -> Message:
    """Return the message about the free space required. If the partition can shrink enough, suggest that."""
    grain = refusals.measured(drive)[1].grain_bytes
    fast, short = LARGE_SHIFT_BYTES + JOURNALS[WINDOW_BYTES], grain + JOURNALS[LOGGED_WINDOWS[-1]]
    if possible.why_not_shrink(drive, part) is None:
        for needed in (fast, short):
            # The end, the new start and the journal are each rounded to an aligned place.
            size = (part.size_bytes - needed - 3 * grain) // MIB
            if size * MIB >= possible.least_bytes(drive, part):
                return NO_ROOM(
                    part=part,
                    needed=needed,
                    way=t(
                        "Shrink it first: `sudo diskwright plan {part} --shrink {mib}M -o shrink.json`.",
                        part=part,
                        mib=size,
                    ),
                )
    return NO_ROOM(
        part=part,
        needed=fast,
        way=t("Delete an adjacent partition, if any, or copy files elsewhere with `diskwright bring`."),
    )


def _doubts(drive: Drive, part: Partition, scheme: Scheme) -> Iterator[Message]:
    if part.type in (partition_types.ESP_GPT, partition_types.ESP_MBR):
        yield t(
            "The firmware's boot entries record the start of {part}. If the computer does not boot "
            "afterwards, choose the drive in the boot menu. `efibootmgr` recreates the entry.",
            part=part,
        )
    is_active = part.attributes & partition_types.ACTIVE and not drive.loaders
    if drive.table_kind == "mbr" and (part.filesystem == "ntfs" or is_active):
        yield t(
            "If Windows on {part} does not boot afterwards, repair it with its recovery medium. Reinstall "
            "any other boot loader, for example with `grub-install`.",
            part=part,
        )
    if scheme is Scheme.LOGGED:
        yield t(
            "The shift is less than {least:size}, so each piece is written twice. A "
            "larger shift takes half the time.",
            least=LARGE_SHIFT_BYTES,
        )
