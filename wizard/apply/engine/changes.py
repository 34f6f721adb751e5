"""Collect the changes of a rehearsal from scratch copy and drive. Saves the drive's old bytes first."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from wizard.apply.block.extents import (
    DeviceMedium,
    Medium,
    Read,
    Remembering,
    chunks,
    clipped,
    differing,
    gaps,
    held,
    merged,
    seeking_finds,
    zeros,
)
from wizard.apply.engine import record
from wizard.apply.engine.held_drive import HeldDrive
from wizard.apply.engine.record import DriveChange, SavedSignature
from wizard.apply.engine.scratch_copies import ScratchRequest
from wizard.apply.engine.stores import Store, barred, digest_of, is_zero, new_file, old_file
from wizard.apply.run.journal import Journal
from wizard.apply.run.progress_log import Progress, Tally, part_of
from wizard.filesystems.registry import MADE
from wizard.model.errors import Failed, partition_path
from wizard.model.ext import Event
from wizard.model.machine import Extent
from wizard.model.operations import MakeArray, MakeFilesystem
from wizard.model.plan import Member, Plan
from wizard.model.said import GIB, KIB, MIB, Message
from wizard.plan.undo_policy import is_bare

SAMPLES, SAMPLE_BYTES, END_BYTES = 256, 256 * KIB, MIB
"""64 MiB in pieces: data in one stretch of at least a 256th of the drive is always found. A disk takes about
2 s to read them, an SSD less than one."""

MOST_READ_BYTES = GIB
"""A drive that is to be overwritten completely is read completely, if it is no larger."""


def sample_of(size_bytes: int, block_bytes: int) -> tuple[Extent, ...]:
    """Return the places that are read before a drive counts as empty: both ends and evenly spaced pieces.
    These are all of a drive of up to 64 MiB."""
    starts = [number * size_bytes // SAMPLES for number in range(SAMPLES)]
    ends = (Extent(0, END_BYTES), Extent(max(0, size_bytes - END_BYTES), END_BYTES))
    return merged((*ends, *(Extent(start, SAMPLE_BYTES) for start in starts)), block_bytes, size_bytes)


def zeros_wanted(plan: Plan, member: Member) -> tuple[Extent, ...]:
    """Return the places of a drive that must be zeros if it is to count as empty: a sample, or the whole
    drive if md copies another one over it. None of such a drive that is too large: it never counts as
    empty."""
    drive = member.drive
    arrays = [step.operation for step in plan.steps if isinstance(step.operation, MakeArray)]
    copied = (part for array in arrays if array.level == "raid1" for part in array.parts[1:])
    if not any(map(member.owns, copied)):
        return sample_of(drive.size_bytes, drive.geometry.logical_block_bytes)
    return (Extent(0, drive.size_bytes),) if drive.size_bytes <= MOST_READ_BYTES else ()


def first_data(drive: Medium, places: Sequence[Extent]) -> int | None:
    """Return the first byte in these places that is not zero, or None. Unreadable places may be
    anything."""
    for chunk in chunks(places):
        try:
            data = drive.read(chunk.start_bytes, chunk.size_bytes)
        except Failed:
            return chunk.start_bytes
        if not is_zero(data):
            return chunk.start_bytes + _first_in(data)
    return None


def unknown_data(run: Path, plan: Plan, changes: Sequence[DriveChange]) -> tuple[Message, ...]:
    """Return why drives of a rehearsed run do not count as empty although nothing is recognised on them.
    Raises Failed."""
    drives = enumerate(zip(plan.members, changes, strict=True))
    return tuple(
        record.COPIED_OVER(drive=change.path)
        if (byte := _data_found(run, number, change, zeros_wanted(plan, member))) is None
        else record.UNKNOWN_DATA(drive=change.path, byte=byte)
        for number, (member, change) in drives
        if is_bare(member.before) and not change.blank
    )


def _data_found(run: Path, number: int, change: DriveChange, places: Sequence[Extent]) -> int | None:
    """Return the first nonzero byte of the saved ones, else of these places, or None."""
    with Store(old_file(run, number)) as old:
        for chunk in chunks(seeking_finds(old.fd, change.size_bytes)):
            data = old.read(chunk.start_bytes, chunk.size_bytes)
            if not is_zero(data):
                return chunk.start_bytes + _first_in(data)
    with DeviceMedium(change.path) as drive:
        return first_data(drive, places)


def _first_in(data: bytes) -> int:
    """Return the place of the first byte that is not zero."""
    return len(data) - len(data.lstrip(b"\0"))


def discards(run: Path, number: int, plan: Plan, change: DriveChange, block_bytes: int) -> tuple[Extent, ...]:
    """Return what is discarded of a rehearsed change once it is kept: its new volumes, without what changes
    or was written in the rehearsal. None of a drive that counts as empty. Raises Failed."""
    volumes = _discarded_volumes(plan, plan.members[number])
    if change.blank or not volumes:
        return ()
    with Store(new_file(run, number)) as new:
        # Also what a maker wrote and the drive happened to hold already.
        needed = merged((*change.places, *held(new.fd)), block_bytes, change.size_bytes)
    return tuple(clipped(merged(volumes, block_bytes, change.size_bytes), gaps(needed, change.size_bytes)))


def _discarded_volumes(plan: Plan, member: Member) -> list[Extent]:
    """Return the new volumes on a drive whose makers discard what they held."""
    made = [step.operation for step in plan.steps if isinstance(step.operation, MakeFilesystem)]
    nodes = {
        node
        for one in made
        if MADE[one.filesystem].discards_with(one.options)
        for node in (one.device, *one.others)
    }
    arrays = [step.operation for step in plan.steps if isinstance(step.operation, MakeArray)]
    nodes |= {part for array in arrays if array.device in nodes for part in array.parts}
    slots = [slot for slot in member.after.partitions if not slot.kept]
    return [slot.extent for slot in slots if partition_path(member.drive.path, slot.number) in nodes]


def discard(places: Sequence[Extent], drive: HeldDrive, journal: Journal) -> None:
    """Discard places of a drive, as the makers of its volumes would have: until now they were needed for a
    way back. A drive that refuses is no reason to fail."""
    if not places or not drive.discards:
        return
    try:
        said = str(record.FREED(drive=drive.node, size=drive.discard(places)))
    except Failed as error:
        said = str(error)
    journal.add(Event.COMMAND, said)


READ_SHARE = 0.5
"""Which part of the time reading and keeping the old bytes takes; reading all again for the digests takes the
rest."""


def collected(
    run: Path,
    number: int,
    wanted: ScratchRequest,
    old_marks: Sequence[SavedSignature],
    new_marks: Sequence[SavedSignature],
    *,
    blank: bool,
    zeros_in: Sequence[Extent],
    progress: Progress,
) -> DriveChange:
    """The change to one drive, whose old bytes are on the medium on return. The drive is only read. `blank`
    says that nothing was recognised on it; the change is blank only if there are zeros in `zeros_in`, too.
    Raises Failed where the rehearsal wrote elsewhere than it may, or there is no room.
    """
    with (
        DeviceMedium(wanted.path) as drive,
        Store(new_file(run, number)) as new,
        Store(old_file(run, number), make_bytes=wanted.size_bytes) as old,
    ):
        touched = held(new.fd)
        _refuse_elsewhere(wanted, touched, drive, new)
        change = kept(
            wanted.path,
            drive,
            partial(_changed, wanted, touched, new),
            new.read,
            old,
            old_marks,
            new_marks,
            blank=blank,
            touched_bytes=sum(place.size_bytes for place in touched),
            progress=progress,
        )
        empty = change.blank and bool(zeros_in) and first_data(drive, zeros_in) is None
        return replace(change, size_bytes=wanted.size_bytes, blank=empty)


def kept(
    path: str,
    drive: Medium,
    changed: Callable[[Read], Iterable[Extent]],
    new: Read,
    old: Store,
    old_marks: Sequence[SavedSignature],
    new_marks: Sequence[SavedSignature],
    *,
    blank: bool,
    touched_bytes: int,
    progress: Progress,
) -> DriveChange:
    """The change to a drive that is to hold what `new` gives in the places that `changed` finds with a reader
    of the drive, and in the marks. What the drive holds there is in `old`, and on its medium, on return.
    About `touched_bytes` of the drive are read for that. Raises Failed.
    """
    tally = Tally()
    tally.begin(part_of(progress, 0.0, READ_SHARE), touched_bytes)

    def counted(start: int, length: int) -> bytes:
        tally(length)
        return drive.read(start, length)

    read, saved, empty = Remembering(counted), [], True

    def save(places: Iterable[Extent]) -> None:
        nonlocal empty
        for chunk in chunks(places):
            data = read(chunk.start_bytes, chunk.size_bytes)
            empty = empty and is_zero(data)
            old.write(chunk.start_bytes, data)
            saved.append(chunk)

    save(changed(read))
    marked = [mark.extent for mark in (*old_marks, *new_marks)]
    places = merged(chain(saved, marked), drive.logical_block_bytes, drive.size_bytes)
    save([*clipped(places, gaps(merged(saved, 1, drive.size_bytes), drive.size_bytes))])
    old.sync()
    tally.begin(part_of(progress, READ_SHARE, 1.0), 3 * sum(place.size_bytes for place in places))
    change = DriveChange(
        path=path,
        size_bytes=drive.size_bytes,
        places=places,
        old_marks=tuple(old_marks),
        new_marks=tuple(new_marks),
        old_digest=digest_of(places, old.read, tally),
        new_digest=digest_of(places, new, tally),
        barred_digest="",
        blank=blank and empty,
    )
    content = barred(change, old.read, new, b"")
    return replace(change, barred_digest=digest_of(places, content, tally))


def _changed(wanted: ScratchRequest, touched: Sequence[Extent], new: Store, drive: Read) -> Iterator[Extent]:
    """What of the stand-in is not as on the drive, within what may change. Zeros that were asked for, as for
    a filesystem's journal, can be a gigabyte: of them only the drive is read."""
    places = tuple(clipped(touched, wanted.allowed))
    written = seeking_finds(new.fd, wanted.size_bytes)
    yield from differing(clipped(places, written), drive, new.read)
    yield from differing(clipped(places, gaps(written, wanted.size_bytes)), drive, zeros)


def _refuse_elsewhere(
    wanted: ScratchRequest, touched: Sequence[Extent], drive: DeviceMedium, new: Store
) -> None:
    """Raises Failed where the stand-in holds other bytes than the drive outside of what may change."""
    passed = merged((*wanted.allowed, *wanted.others), wanted.block_bytes, wanted.size_bytes)
    outside = clipped(touched, gaps(passed, wanted.size_bytes))
    stray = next(iter(differing(outside, drive.read, new.read)), None)
    if stray is not None:
        raise Failed(record.ELSEWHERE(byte=stray.start_bytes, drive=wanted.path))
