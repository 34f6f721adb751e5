"""What a rehearsal changed: found on the stand-in, held against the drive, whose bytes there are kept before
anything else."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from wizard.apply.block.extents import (
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
from wizard.apply.block.medium import DeviceMedium, Medium
from wizard.apply.engine import words
from wizard.apply.engine.discard import first_data
from wizard.apply.engine.record import Change, Mark
from wizard.apply.engine.stand_ins import Wanted
from wizard.apply.engine.stores import Store, barred, digest_of, is_zero, new_file, old_file
from wizard.apply.run.progress import Progress, Tally, part_of
from wizard.model.errors import Failed
from wizard.model.machine import Extent

READ_SHARE = 0.5
"""Which part of the time reading and keeping the old bytes takes; reading all again for the digests takes the
rest."""


def collected(
    run: Path,
    number: int,
    wanted: Wanted,
    old_marks: Sequence[Mark],
    new_marks: Sequence[Mark],
    *,
    blank: bool,
    zeros_in: Sequence[Extent],
    progress: Progress,
) -> Change:
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
    old_marks: Sequence[Mark],
    new_marks: Sequence[Mark],
    *,
    blank: bool,
    touched_bytes: int,
    progress: Progress,
) -> Change:
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
    change = Change(
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


def _changed(wanted: Wanted, touched: Sequence[Extent], new: Store, drive: Read) -> Iterator[Extent]:
    """What of the stand-in is not as on the drive, within what may change. Zeros that were asked for, as for
    a filesystem's journal, can be a gigabyte: of them only the drive is read."""
    places = tuple(clipped(touched, wanted.allowed))
    written = seeking_finds(new.fd, wanted.size_bytes)
    yield from differing(clipped(places, written), drive, new.read)
    yield from differing(clipped(places, gaps(written, wanted.size_bytes)), drive, zeros)


def _refuse_elsewhere(wanted: Wanted, touched: Sequence[Extent], drive: DeviceMedium, new: Store) -> None:
    """Raises Failed where the stand-in holds other bytes than the drive outside of what may change."""
    passed = merged((*wanted.allowed, *wanted.others), wanted.block_bytes, wanted.size_bytes)
    outside = clipped(touched, gaps(passed, wanted.size_bytes))
    stray = next(iter(differing(outside, drive.read, new.read)), None)
    if stray is not None:
        raise Failed(words.ELSEWHERE(byte=stray.start_bytes, drive=wanted.path))
