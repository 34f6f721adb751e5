"""From a partition and what is wanted of it to a move. Pure."""

from collections.abc import Iterator

from wizard.filesystems.partitions import ESP_GPT_TYPE, ESP_MBR_TYPE
from wizard.layout.before import known_identity
from wizard.layout.moving.possible import why_not_move
from wizard.layout.moving.starting import afterwards
from wizard.layout.moving.target import (
    IN_FLIGHT,
    LARGE_SHIFT_BYTES,
    aligned_target,
    room_around,
    target_at,
    window_of,
)
from wizard.layout.one.possible import least_bytes, why_not_shrink
from wizard.layout.room.refusals import measured
from wizard.model.documents.move import JOURNALS, LOGGED_WINDOWS, WINDOW_BYTES, Move, Scheme
from wizard.model.errors import Refused
from wizard.model.geometry import Geometry, grain_bytes
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.said import Said, Sentence, t
from wizard.model.units import KIB, MIB

NO_ROOM = Sentence("There is no room to move {part}: it takes {needed:size} of free space beside it. {way}")

HEAD_BYTES, LUKS_HEAD_BYTES = MIB, 5 * MIB
"""By what lies in the first MiB a content is recognised; a second LUKS2 header is looked for up to 4 MiB
(cryptsetup, LUKS2 on-disk format 1.1.3, 2.2)."""

TAIL_BYTES = 64 * KIB
"""The head ends before what a content may keep at its end."""

ACTIVE = 0x80
"""The boot byte of an MBR entry that firmware starts from; in GPT, the attribute for old BIOSes is bit 2."""


def planned_move(machine: Machine, drive: Drive, part: Partition, start: int | None = None) -> Move:
    """The move of a partition to a start, or, without one, to the best aligned place. Raises Refused with the
    reason where it cannot be."""
    if why := why_not_move(drive, part):
        raise Refused(why)
    size_bytes, geometry = measured(drive)
    room = room_around(drive, part, geometry)
    if start is None:
        if part.start_bytes % grain_bytes(geometry) == 0:
            raise Refused(
                t(
                    "{part} is aligned already: it starts at {start:exact}.",
                    part=part.path,
                    start=part.start_bytes,
                )
            )
        target = aligned_target(room, part, geometry)
        if target is None:
            raise Refused(_no_room(drive, part))
    else:
        _check_start(part, start, geometry)
        target = target_at(start, room, part, geometry)
        if target is None:
            raise Refused(
                t(
                    "{part} does not fit there with its journal. Between its neighbours there is "
                    "room from {low:exact} to {high:exact}.",
                    part=part.path,
                    low=room.start_bytes,
                    high=room.end_bytes,
                )
            )
    in_flight = 1 if drive.rotational is True else IN_FLIGHT
    shift = abs(target.after.start_bytes - part.start_bytes)
    head = LUKS_HEAD_BYTES if part.filesystem == "crypto_LUKS" else HEAD_BYTES
    assert drive.table is not None and part.filesystem is not None
    return Move(
        drive=known_identity(machine, drive, size_bytes, geometry),
        device=part.path,
        number=part.number,
        table=drive.table.kind,
        holds=part.filesystem,
        before=part.extent,
        after=target.after,
        span=target.span,
        journal=target.journal,
        scheme=target.scheme,
        window_bytes=window_of(
            target.scheme, shift, target.window_bytes, geometry.physical_block_bytes, in_flight
        ),
        in_flight=in_flight,
        head_bytes=min(head, part.size_bytes - TAIL_BYTES),
        doubts=tuple(_doubts(drive, part, target.scheme)),
        then=tuple(afterwards(drive, part)),
    )


def _no_room(drive: Drive, part: Partition) -> Said:
    """How much free space it takes, and how that is had: where it can itself become so much smaller, by
    that."""
    grain = grain_bytes(measured(drive)[1])
    fast, short = LARGE_SHIFT_BYTES + JOURNALS[WINDOW_BYTES], grain + JOURNALS[LOGGED_WINDOWS[-1]]
    if why_not_shrink(drive, part) is None:
        for needed in (fast, short):
            # Its own end, its new start and the journal each go on to an aligned place.
            size = (part.size_bytes - needed - 3 * grain) // MIB
            if size * MIB >= least_bytes(drive, part):
                return NO_ROOM(
                    part=part.path,
                    needed=needed,
                    way=t(
                        "Make it smaller first: `sudo diskwright plan {part} --shrink {mib}M -o "
                        "shrink.json`.",
                        part=part.path,
                        mib=size,
                    ),
                )
    return NO_ROOM(
        part=part.path,
        needed=fast,
        way=t("Delete its neighbour first, or copy its files elsewhere with `diskwright bring`."),
    )


def _check_start(part: Partition, start: int, geometry: Geometry) -> None:
    if start % geometry.logical_block_bytes:
        raise Refused(
            t(
                "A partition cannot start at byte {start}: blocks have {block} bytes.",
                start=start,
                block=geometry.logical_block_bytes,
            )
        )
    if start == part.start_bytes:
        raise Refused(t("{part} starts there already.", part=part.path))


def _doubts(drive: Drive, part: Partition, scheme: Scheme) -> Iterator[Said]:
    is_mbr = drive.table is not None and drive.table.kind == "mbr"
    if part.type in (ESP_GPT_TYPE, ESP_MBR_TYPE):
        yield t(
            "The firmware's entries name where {part} starts. OVMF goes by the GUID that "
            "stands beside it; others may not. If the computer does not start "
            "afterwards, choose the drive itself in its menu. `efibootmgr` makes the "
            "entry anew.",
            part=part.path,
        )
    if is_mbr and part.filesystem == "ntfs":
        yield t(
            "Windows notes where its partitions start. If it does not start from {part} "
            "afterwards, its own recovery medium repairs that.",
            part=part.path,
        )
    elif is_mbr and part.attributes & ACTIVE and not drive.loaders:
        yield t(
            "{part} is marked as the one to start from. A boot loader that names places "
            "on the drive must be installed again afterwards, with `grub-install` or its "
            "own program.",
            part=part.path,
        )
    if scheme is Scheme.LOGGED:
        yield t(
            "It moves by less than {least:size}, so each piece is written twice. A "
            "larger shift takes half the time.",
            least=LARGE_SHIFT_BYTES,
        )
