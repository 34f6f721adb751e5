"""Collect the changes of a rehearsal from scratch copy and drive, and save the drive's old bytes first."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block import extents
from wizard.apply.engine import stores, survey
from wizard.apply.engine.record import UNKNOWN_DATA, DriveChange, SavedSignature
from wizard.apply.engine.scratch_copies import ScratchRequest
from wizard.apply.run import progress_log
from wizard.apply.run.journal import Journal
from wizard.filesystems.registry import MADE
from wizard.model.errors import Failed
from wizard.model.layout import Member
from wizard.model.machine import Extent
from wizard.model.run import Event
from wizard.model.said import GIB, KIB, MIB, Message, reason_of, t
from wizard.operations.filesystem import MakeFilesystem
from wizard.plan.plan import Plan

SAMPLES, SAMPLE_BYTES, END_BYTES = 256, 256 * KIB, MIB
"""64 MiB in pieces: they find contiguous data of at least a 256th of the drive. A disk needs about 2 s to
read them, an SSD less than one."""

MOST_READ_BYTES = GIB
"""Largest drive that is read completely if the plan overwrites it completely."""


def sample_of(size_bytes: int, block_bytes: int) -> tuple[Extent, ...]:
    """Return the ranges to read before a drive counts as empty: both ends and evenly spaced pieces, or all of
    a drive of up to 64 MiB."""
    starts = [number * size_bytes // SAMPLES for number in range(SAMPLES)]
    ends = (Extent(0, END_BYTES), Extent(max(0, size_bytes - END_BYTES), END_BYTES))
    return extents.merged(
        (*ends, *(Extent(start, SAMPLE_BYTES) for start in starts)), block_bytes, size_bytes
    )


def zeros_wanted(plan: Plan, member: Member) -> tuple[Extent, ...]:
    """Return the ranges that must contain zeros in an empty drive: a sample, or the whole drive if md copies
    another one over it.

    Returns none for such a drive if it is too large. It never counts as empty.
    """
    drive = member.drive
    copied = (part for array in plan.arrays for part in array.copied)
    if not any(part in member.nodes for part in copied):
        return sample_of(drive.size_bytes, drive.geometry.logical_block_bytes)
    return (Extent(0, drive.size_bytes),) if drive.size_bytes <= MOST_READ_BYTES else ()


ZEROS_BYTES = MIB
"""Least size of a range of zeros that is written only when the run is kept."""


def unknown_data(run: Path, plan: Plan, changes: Sequence[DriveChange]) -> Iterator[Message]:
    """Yield why drives of a rehearsed run do not count as empty although no signature was found. Raises
    Failed."""
    for number, (member, change) in enumerate(zip(plan.members, changes, strict=True)):
        if change.blank or not member.before.is_bare:
            continue
        with stores.Store(stores.old_file(run, number)) as old:
            byte = survey.first_data(old.read, extents.seeking_finds(old.fd, change.size_bytes))
        if byte is None and change.witness:
            byte = change.witness.start_bytes
        if byte is None:
            with extents.DeviceMedium(change.path) as drive:
                sampled = survey.sample_of_zeros(change.zeros)
                byte = survey.first_data(drive.read, (*zeros_wanted(plan, member), *sampled))
        if byte is None:
            yield t(
                "md overwrites all of {drive}, which may have unrecognised data: diskwright read only a "
                "sample.",
                drive=change.path,
            )
        else:
            yield UNKNOWN_DATA(drive=change.path, byte=byte)


def discards(run: Path, number: int, plan: Plan, change: DriveChange, block_bytes: int) -> tuple[Extent, ...]:
    """Return the ranges to discard when a change is kept: the new volumes that mkfs would discard, without
    the ranges that change or were written in the rehearsal.

    Empty for a drive that counts as empty. Raises Failed.
    """
    member = plan.members[number]
    discarded = (one for one in plan.filesystems if MADE[one.filesystem].discards_with(one.options))
    volumes = new_volumes(plan, member, discarded)
    if change.blank or not volumes:
        return ()
    with stores.Store(stores.new_file(run, number)) as new:
        # Includes bytes that mkfs wrote and that were already on the drive.
        needed = extents.merged(
            (*change.places, *change.zeros, *extents.held(new.fd)), block_bytes, change.size_bytes
        )
    return tuple(
        extents.clipped(
            extents.merged(volumes, block_bytes, change.size_bytes), extents.gaps(needed, change.size_bytes)
        )
    )


def new_volumes(plan: Plan, member: Member, made: Iterable[MakeFilesystem]) -> list[Extent]:
    """Return the partitions of a drive in which these filesystems are created, directly or by md."""
    nodes = {node for one in made for node in one.devices}
    nodes |= {part for array in plan.arrays if array.device in nodes for part in array.parts}
    return [slot.extent for slot in member.after.changed if member.node(slot.number) in nodes]


def discard(places: Sequence[Extent], drive: extents.HeldDrive, journal: Journal) -> None:
    """Discard ranges of a drive, as mkfs would have. Undo needed them until now. Errors are only
    journaled."""
    if not places or not drive.discards:
        return
    said: Message | str
    try:
        said = t(
            "Discarded {size:exact} of free space in the new volumes on {drive}.",
            drive=drive.node,
            size=drive.discard(places),
        )
    except Failed as error:
        said = reason_of(error)
    journal.add(Event.COMMAND, said)


READ_SHARE = 0.5
"""Share of the time for reading and saving the old bytes. Digests take the rest."""


def collected(
    run: Path,
    number: int,
    plan: Plan,
    wanted: ScratchRequest,
    written: Sequence[Extent] | None,
    old_marks: Sequence[SavedSignature],
    new_marks: Sequence[SavedSignature],
    progress: progress_log.Progress,
) -> DriveChange:
    """Return the change to one drive of a plan, with the old bytes saved durably. The drive is only read.

    `written`: ranges of the scratch copy that may differ from the drive; None if all in the file may.

    Large zeros of new filesystems are neither compared nor saved, since they are written only at the end.
    The change is blank if no signature was found, and everything read is zeros. Raises Failed if the
    rehearsal wrote outside the allowed places, or if space runs out.
    """
    member = plan.members[number]
    zeros_in = zeros_wanted(plan, member)
    with (
        extents.DeviceMedium(wanted.path) as drive,
        stores.Store(stores.new_file(run, number)) as new,
        stores.Store(stores.old_file(run, number), make_bytes=wanted.size_bytes) as old,
    ):
        new.sync()
        touched = extents.held(new.fd) if written is None else written
        passed = extents.merged((*wanted.allowed, *wanted.others), wanted.block_bytes, wanted.size_bytes)
        outside = extents.clipped(touched, extents.gaps(passed, wanted.size_bytes))
        for stray in extents.differing(outside, drive.read, new.read):
            raise Failed(
                t(
                    "The rehearsal changed byte {byte} of {drive}, outside the planned contents. "
                    "Nothing was written to the drive.",
                    byte=stray.start_bytes,
                    drive=wanted.path,
                )
            )

        places = tuple(extents.clipped(touched, wanted.allowed))
        volumes = extents.merged(new_volumes(plan, member, plan.filesystems), 1, wanted.size_bytes)
        zeros = _large_zeros(new, tuple(extents.clipped(places, volumes)), wanted.size_bytes)
        rest = tuple(extents.clipped(places, extents.gaps(zeros, wanted.size_bytes)))
        sampled = (*zeros_in, *survey.sample_of_zeros(zeros))
        change = kept(
            wanted.path,
            drive,
            rest,
            new.read,
            old,
            old_marks,
            new_marks,
            blank=member.before.is_bare
            and not old_marks
            and bool(zeros_in)
            and survey.first_data(drive.read, sampled) is None,
            progress=progress,
        )
        zeros = tuple(rest for place in zeros for rest in place.without(change.places))
        witness = next(survey.blocks_with_data(drive, survey.sample_of_zeros(zeros), []), None)
        if witness is None and not change.blank:
            # Without a witness, nothing would show that keep has begun to overwrite them, so read all.
            unread: list[Failed] = []
            witness = next(survey.blocks_with_data(drive, zeros, unread), None)
            if unread:
                raise unread[0]
            # If the drive has these zeros already, they need not be written.
            zeros = zeros if witness else ()
        for place in zeros:
            new.free(place)
        if witness:
            extents.copy((witness,), drive.read, old.write)
            old.sync()
        return replace(change, size_bytes=wanted.size_bytes, zeros=zeros, witness=witness)


def _large_zeros(new: stores.Store, places: Sequence[Extent], size_bytes: int) -> tuple[Extent, ...]:
    """Return the large ranges of zeros that were written to these places of a scratch copy."""
    data = extents.seeking_finds(new.fd, size_bytes)
    holes = extents.clipped(places, extents.gaps(data, size_bytes))
    # Some filesystems store zeros as data.
    stored = (
        chunk
        for chunk in extents.chunks(extents.clipped(places, data))
        if stores.is_zero(new.read(chunk.start_bytes, chunk.size_bytes))
    )
    found = extents.merged((*holes, *stored), 1, size_bytes)
    return tuple(place for place in found if place.size_bytes >= ZEROS_BYTES)


def kept(
    path: str,
    drive: extents.Medium,
    touched: Sequence[Extent],
    new: extents.Read,
    old: stores.Store,
    old_marks: Sequence[SavedSignature],
    new_marks: Sequence[SavedSignature],
    *,
    blank: bool,
    progress: progress_log.Progress,
) -> DriveChange:
    """Return the change that writes `new` to the blocks of the `touched` places that differ on the drive, and
    to the signatures.

    Saves the drive's old bytes in `old` durably. Raises Failed.
    """
    tally = progress_log.Tally()
    tally.begin(progress_log.part_of(progress, 0.0, READ_SHARE), sum(place.size_bytes for place in touched))

    def counted(start: int, length: int) -> bytes:
        tally(length)
        return drive.read(start, length)

    saved, empty = list[Extent](), True

    def save(places: Iterable[Extent], read: extents.Read) -> None:
        nonlocal empty
        for start, data in extents.pieces(places, read):
            empty = empty and stores.is_zero(data)
            old.write(start, data)
            saved.append(Extent(start, len(data)))

    for start, data in extents.pieces(touched, counted):
        held = extents.reader_of(start, data)
        save(extents.differing((Extent(start, len(data)),), held, new), held)
    marked = [mark.extent for mark in (*old_marks, *new_marks)]
    places = extents.merged(chain(saved, marked), drive.logical_block_bytes, drive.size_bytes)
    unsaved = extents.gaps(extents.merged(saved, 1, drive.size_bytes), drive.size_bytes)
    save(extents.clipped(places, unsaved), counted)
    old.sync()
    tally.begin(
        progress_log.part_of(progress, READ_SHARE, 1.0), 3 * sum(place.size_bytes for place in places)
    )
    change = DriveChange(
        path=path,
        size_bytes=drive.size_bytes,
        places=places,
        old_marks=tuple(old_marks),
        new_marks=tuple(new_marks),
        old_digest=stores.digest_of(places, old.read, tally),
        new_digest=stores.digest_of(places, new, tally),
        barred_digest="",
        blank=blank and empty,
    )
    content = stores.hidden_reader(change, old.read, new, b"")
    return replace(change, barred_digest=stores.digest_of(places, content, tally))
