"""The notice that a drive carries while it is barred: made after the rehearsal, with the run's plan and the
marks that are withheld, and put where nothing of the result lies."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.apply.block.extents import GRAIN_BYTES, Read, chunks, merged, without
from wizard.apply.block.medium import DeviceMedium
from wizard.apply.engine import words
from wizard.apply.engine.marks import BTRFS_COPIES
from wizard.apply.engine.record import Change
from wizard.apply.engine.stores import Store, barred, digest_of, new_file, notice_file, old_file
from wizard.documents.notice import sealed_notice
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.notice import MOST_BYTES, Notice, Withheld, notice_places
from wizard.model.units import MIB, rounded_up

EDGE_BYTES = MIB
"""Of a new volume: nothing is put so near to its ends, where programs look for what it is."""

SPARE_BYTES = 256
"""The notice grows by a few bytes when it names its own place."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the notices of a run say of it. `plan` is its plan as a document, `told` what is made, in a few
    words."""

    run: str
    begun: str
    told: str
    plan: str


def with_notice(
    run: Path, number: int, change: Change, volumes: Sequence[Extent], told: Told, block_bytes: int
) -> Change:
    """The change with a notice for its drive, whose old bytes there are on the run's medium on return. The
    drive is only read. As it was where no place in the new volumes is free for one. Raises Failed.
    """
    with (
        DeviceMedium(change.path) as drive,
        Store(new_file(run, number)) as new,
        Store(old_file(run, number), grow=True) as old,
    ):
        draft = _notice(change, number, told, old.read, new.read)
        room = rounded_up(len(sealed_notice(draft)) + SPARE_BYTES, max(GRAIN_BYTES, block_bytes))
        place = next(_free_places(change, volumes, room), None)
        if place is None:
            return change
        data = sealed_notice(replace(draft, start_bytes=place.start_bytes, room_bytes=room))
        if len(data) > room:
            raise Failed(words.NOTICE_TOO_LONG(drive=change.path))
        for chunk in chunks((place,)):
            old.write(chunk.start_bytes, drive.read(chunk.start_bytes, chunk.size_bytes))
        old.sync()
        with Store(notice_file(run, number), make_bytes=change.size_bytes) as kept:
            kept.write(place.start_bytes, data)
            kept.sync()
            noted = replace(
                change, places=merged((*change.places, place), block_bytes, change.size_bytes), notice=place
            )
            shown = barred(noted, old.read, new.read, kept.read(place.start_bytes, room))
        return replace(
            noted,
            old_digest=digest_of(noted.places, old.read),
            new_digest=digest_of(noted.places, new.read),
            barred_digest=digest_of(noted.places, shown),
        )


def _notice(change: Change, number: int, told: Told, old: Read, new: Read) -> Notice:
    """The notice without its place."""
    hidden = barred(change, old, new, b"")
    return Notice(
        run=told.run,
        begun=told.begun,
        told=told.told,
        plan=told.plan,
        number=number,
        drive_bytes=change.size_bytes,
        start_bytes=0,
        room_bytes=0,
        places=change.places,
        digest=digest_of(change.places, hidden),
        withheld=tuple(
            Withheld(
                mark.start_bytes,
                mark.size_bytes,
                mark.stays,
                b64encode(new(mark.start_bytes, mark.size_bytes)).decode("ascii"),
            )
            for mark in change.new_marks
        ),
        bare_digest=digest_of(tuple(mark.extent for mark in change.new_marks), hidden),
    )


def _free_places(change: Change, volumes: Sequence[Extent], room_bytes: int) -> Iterator[Extent]:
    """Where a notice may lie: in a new volume, away from its ends, from what changes, and from where a copy
    of a superblock could be."""
    if room_bytes > MOST_BYTES:
        return
    for start in notice_places(change.size_bytes):
        place = Extent(start, room_bytes)
        if any(_fits(place, volume) for volume in volumes) and without(place, change.places) == (place,):
            yield place


def _fits(place: Extent, volume: Extent) -> bool:
    within = (
        place.start_bytes >= volume.start_bytes + EDGE_BYTES
        and place.end_bytes <= volume.end_bytes - EDGE_BYTES
    )
    copies = [Extent(volume.start_bytes + at, GRAIN_BYTES) for at in BTRFS_COPIES]
    return within and without(place, copies) == (place,)
