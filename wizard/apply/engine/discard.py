"""Choose what a run discards, and read a sample of a drive before it counts as empty.

A discard erases bytes like a write, so its places belong to the change and are chosen before the first write.
A drive on which nothing was recognised is read in a sample only. So nothing is discarded on it: whatever lies
between the samples stays until a file takes its place, and the next `fstrim` frees the rest.
"""

from collections.abc import Sequence
from pathlib import Path

from wizard.apply.block.extents import chunks, clipped, gaps, held, merged, seeking_finds
from wizard.apply.block.medium import DeviceMedium, Medium
from wizard.apply.engine import words
from wizard.apply.engine.held import HeldDrive
from wizard.apply.engine.record import Change
from wizard.apply.engine.stores import Store, is_zero, new_file, old_file
from wizard.apply.run.journal import Journal
from wizard.filesystems.registry import MADE
from wizard.layout.told.promise import is_bare
from wizard.model.errors import Failed
from wizard.model.journal import Event
from wizard.model.machine import Extent
from wizard.model.names import partition_path
from wizard.model.operations.arrays import MakeArray
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.plan import Member, Plan
from wizard.model.said import Said
from wizard.model.units import GIB, KIB, MIB

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


def unknown_data(run: Path, plan: Plan, changes: Sequence[Change]) -> tuple[Said, ...]:
    """Return why drives of a rehearsed run do not count as empty although nothing is recognised on them.
    Raises Failed."""
    drives = enumerate(zip(plan.members, changes, strict=True))
    return tuple(
        words.COPIED_OVER(drive=change.path)
        if (byte := _data_found(run, number, change, zeros_wanted(plan, member))) is None
        else words.UNKNOWN_DATA(drive=change.path, byte=byte)
        for number, (member, change) in drives
        if is_bare(member.before) and not change.blank
    )


def _data_found(run: Path, number: int, change: Change, places: Sequence[Extent]) -> int | None:
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


def discards(run: Path, number: int, plan: Plan, change: Change, block_bytes: int) -> tuple[Extent, ...]:
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
        said = str(words.FREED(drive=drive.node, size=drive.discard(places)))
    except Failed as error:
        said = str(error)
    journal.add(Event.COMMAND, said)
