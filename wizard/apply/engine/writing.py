"""Writing the places of a drive of the exchange: its marks one by one, or all that changes. What was written
is read back past every cache."""

from collections.abc import Sequence

from wizard.apply.block.extents import Read, chunks, differing, merged
from wizard.apply.engine import words
from wizard.apply.engine.record import Mark
from wizard.apply.engine.survey import Side
from wizard.model.errors import Failed
from wizard.model.machine import Extent


def check(side: Side, digest: str) -> None:
    """Raises Failed where the drive, read past every cache, does not hold what has this digest."""
    if not side.holds(digest):
        raise Failed(words.NOT_AS_WRITTEN(drive=side.change.path))


def replace_all(side: Side, content: Read, digest: str, standing: Read | None = None) -> None:
    """Put these bytes in all places, and read them back. What is there already is not written again: where a
    block takes no writes any more, that is the way back from it. `standing` gives what is there where that is
    known; else the drive is read. Raises Failed.
    """
    standing = standing or side.medium.read
    for chunk in chunks(side.change.places):
        data = content(chunk.start_bytes, chunk.size_bytes)
        for place in _unlike(standing, chunk, data):
            at = place.start_bytes - chunk.start_bytes
            side.medium.write(place.start_bytes, data[at : at + place.size_bytes])
        side.told(chunk.size_bytes)
    side.medium.flush()
    check(side, digest)


def bar(side: Side, marks: Sequence[Mark]) -> None:
    """Take marks away, the one that decides first."""
    for mark in reversed(marks):
        _write(side, mark, mark.away(mark.start_bytes, mark.size_bytes, side.old))


def put(side: Side, marks: Sequence[Mark], content: Read) -> None:
    """Put marks in place, the one that decides last."""
    for mark in marks:
        _write(side, mark, content(mark.start_bytes, mark.size_bytes))


def put_away_notice(side: Side) -> None:
    """Put what is to be there in the place of the notice, if the drive has one."""
    if place := side.change.notice:
        for chunk in chunks((place,)):
            put(side, (Mark(chunk.start_bytes, chunk.size_bytes),), side.new)


def _write(side: Side, mark: Mark, data: bytes) -> None:
    """On return it is on the medium, and read back: the next mark may rely on it. Raises Failed."""
    if _unlike(side.medium.read, mark.extent, data):
        side.medium.write_through(mark.start_bytes, data)
    else:
        # An earlier try may have left it in the drive's cache.
        side.medium.flush()
    if side.medium.read(mark.start_bytes, mark.size_bytes) != data:
        raise Failed(words.NOT_AS_WRITTEN_AT(drive=side.change.path, byte=mark.start_bytes))


def _unlike(standing: Read, place: Extent, data: bytes) -> tuple[Extent, ...]:
    """What of a place, of 1 MiB at most, does not hold these bytes; all of it where it cannot be read."""

    def wanted(start: int, length: int) -> bytes:
        return data[start - place.start_bytes :][:length]

    try:
        return merged(differing((place,), standing, wanted), 1, place.end_bytes)
    except Failed:
        return (place,)
