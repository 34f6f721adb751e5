"""A rehearsed job, small enough for thousands of exchanges: content of the changed places of each drive,
before and after."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block.extents import Read, chunks, clipped, merged
from wizard.apply.engine.record import DriveChange, Phase, Record, SavedSignature
from wizard.apply.engine.stores import Store, digest_of, hidden_reader, new_file, notice_file, old_file
from wizard.model.machine import Extent
from wizard.model.said import KIB
from wizard.plan.plan import Plan

WHOLE_BYTES, END_BYTES = 48 * KIB, 8 * KIB
"""Of a place that is longer than the first, without marks, only its ends of the second are left to change:
the engine treats all of it alike, and what is in between costs time alone.
"""

Blocks = dict[int, bytes]
"""Logical blocks by their numbers."""


@dataclass(frozen=True, slots=True)
class Part:
    """One drive of a job: changed places, their blocks before and after, and an image of the whole drive
    before.

    `volumes`: volumes before and after. Tools must always recognise the `kept` ones. `unsaved`:
    blocks that are zeroed when the run is kept.
    """

    change: DriveChange
    block_bytes: int
    old: Blocks
    new: Blocks
    image: Path
    volumes: tuple[Extent, ...]
    kept: tuple[Extent, ...]
    notice: bytes
    unsaved: frozenset[int] = frozenset()

    def numbers(self, places: Iterable[Extent]) -> frozenset[int]:
        """Return the block numbers of places."""
        size = self.block_bytes
        return frozenset(
            number
            for place in places
            for number in range(place.start_bytes // size, -(-place.end_bytes // size))
        )

    @property
    def marks(self) -> tuple[SavedSignature, ...]:
        """Blocks with signatures, before and after."""
        return (*self.change.old_marks, *self.change.new_marks)

    @property
    def noted(self) -> frozenset[int]:
        """Blocks of the notice."""
        return self.numbers((self.change.notice,)) if self.change.notice else frozenset()


@dataclass(frozen=True, slots=True)
class Job:
    """A rehearsed job."""

    name: str
    plan: Plan
    record: Record
    parts: tuple[Part, ...]

    @property
    def fresh(self) -> bool:
        """True if the drives have no content to preserve."""
        return not any(mark.stays for part in self.parts for mark in part.marks)

    def fill(self, run: Path) -> None:
        """Write the run's data about its drives to its folder."""
        for number, part in enumerate(self.parts):
            witness = part.numbers((part.change.witness,) if part.change.witness else ())
            for file, blocks in ((old_file(run, number), part.old), (new_file(run, number), part.new)):
                file.parent.mkdir(mode=0o700, exist_ok=True)
                with Store(file, make_bytes=part.change.size_bytes) as store:
                    for at, data in blocks.items():
                        if at not in part.unsaved or at in witness:
                            store.write(at * part.block_bytes, data)
            if part.change.notice:
                with Store(notice_file(run, number), make_bytes=part.change.size_bytes) as store:
                    store.write(part.change.notice.start_bytes, part.notice)


def recorded(name: str, plan: Plan, record: Record, run: Path, images: Iterable[Path]) -> Job:
    """Return the job of a record and the data saved with it. `images`: files behind its drives."""
    parts = []
    for number, (change, image) in enumerate(zip(record.changes, images, strict=True)):
        member = plan.members[number]
        slots = {layout: layout.partitions for layout in (member.before, member.after)}
        kept = tuple(
            slot.extent for slot in member.after.partitions if slot.kept and slot.number != plan.part
        )
        volumes = {slot.extent for found in slots.values() for slot in found if slot.extent not in kept}
        block = member.drive.geometry.logical_block_bytes
        with Store(old_file(run, number)) as old, Store(new_file(run, number)) as new:
            parts.append(
                _part(
                    change,
                    block,
                    old.read,
                    new.read,
                    image,
                    tuple(volumes),
                    kept,
                    _notice(run, number, change),
                )
            )
    return Job(name, plan, Record(Phase.SAVED, tuple(part.change for part in parts)), tuple(parts))


def _notice(run: Path, number: int, change: DriveChange) -> bytes:
    if change.notice is None:
        return b""
    with Store(notice_file(run, number)) as store:
        return store.read(change.notice.start_bytes, change.notice.size_bytes)


def _part(
    change: DriveChange,
    block: int,
    old: Read,
    new: Read,
    image: Path,
    volumes: tuple[Extent, ...],
    kept: tuple[Extent, ...],
    notice: bytes,
) -> Part:
    places = merged(_thinned(change), block, change.size_bytes)
    ends = (
        Extent(start, END_BYTES)
        for place in change.zeros
        for start in (place.start_bytes, place.end_bytes - END_BYTES)
    )
    zeros = merged((*ends, *((change.witness,) if change.witness else ())), block, change.size_bytes)
    thin = replace(
        change,
        places=places,
        zeros=zeros,
        old_digest=digest_of(places, old),
        new_digest=digest_of(places, new),
    )
    thin = replace(thin, barred_digest=digest_of(places, hidden_reader(thin, old, new, notice)))
    before, after = (
        {
            (chunk.start_bytes + at) // block: data[at : at + block]
            for chunk in chunks(places)
            for data in (read(chunk.start_bytes, chunk.size_bytes),)
            for at in range(0, chunk.size_bytes, block)
        }
        for read in (old, new)
    )
    zeroed: Blocks = {}
    with image.open("rb") as whole:
        for place in thin.zeros:
            for start in range(place.start_bytes, place.end_bytes, block):
                whole.seek(start)
                zeroed[start // block] = whole.read(block)
    before |= zeroed
    after |= dict.fromkeys(zeroed, bytes(block))
    return Part(thin, block, before, after, image, volumes, kept, notice, frozenset(zeroed))


def _thinned(change: DriveChange) -> Iterable[Extent]:
    for place in change.places:
        marks = [mark.extent for mark in (*change.old_marks, *change.new_marks)]
        marks += [change.notice] if change.notice else []
        if place.size_bytes <= WHOLE_BYTES:
            yield place
            continue
        yield from clipped(merged(marks, 1, change.size_bytes), (place,))
        yield Extent(place.start_bytes, END_BYTES)
        yield Extent(place.end_bytes - END_BYTES, END_BYTES)
