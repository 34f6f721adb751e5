"""Look for data where no signature is: a sample of a drive or partition, and filesystems in partitions whose
table is lost. Runs in the worker process of the drive. Read-only."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from wizard.model.machine import Partition, Signature
from wizard.model.said import KIB, MIB, rounded_up
from wizard.probe.content.superblocks import READERS, read_inside
from wizard.probe.content.tables import Read
from wizard.probe.facts import RawContent, RawData, RawEntry

SAMPLES, SAMPLE_BYTES, HEAD_BYTES = 64, 4 * KIB, 64 * KIB
"""Number and size of the evenly spaced pieces, and size of the piece at each end."""

HIDDEN_START_BYTES = 128 * KIB
"""Range of all superblocks near the start of a filesystem."""

USUAL_STARTS = tuple(number * MIB for number in (1, 2, 4, 8, 16, 17, 129, 513, 1025))
"""Usual starts of the first partition, or of the next one behind a reserved or EFI system partition."""

TRACK_BLOCKS = 63
"""Start of the first partition in logical blocks, as DOS and Windows XP created it."""

POSSIBLE_STARTS = (TRACK_BLOCKS * 512, TRACK_BLOCKS * 4096, *USUAL_STARTS)

MOST_LOST = 16
OTHER_LOST = ("swap",)
"""Kinds without a parser that are reported too."""


def sampled(start_bytes: int, size_bytes: int, starts: Iterable[int] = ()) -> Iterator[tuple[int, int]]:
    """Yield start and size of the sampled pieces of a range, ascending, so that a hard disk seeks forward
    only; then of the possible filesystem `starts`."""
    end = start_bytes + size_bytes
    head, tail = start_bytes + HEAD_BYTES, end - HEAD_BYTES
    yield start_bytes, min(HEAD_BYTES, size_bytes)
    for number in range(SAMPLES):
        at = start_bytes + number * size_bytes // SAMPLES // SAMPLE_BYTES * SAMPLE_BYTES
        if head <= at < tail:
            yield at, SAMPLE_BYTES
    if head < end:
        yield max(head, tail), end - max(head, tail)
    yield from ((at, min(HIDDEN_START_BYTES, end - at)) for at in starts if at < end)


def find_data(read: Read, start_bytes: int, size_bytes: int, starts: Iterable[int] = ()) -> RawData | None:
    """Return the first nonzero place in a sample, with a digest, or None. Raises OSError."""
    for at, length in sampled(start_bytes, size_bytes, starts):
        data = read(at, length)
        if data != bytes(len(data)):
            first = at + len(data) - len(data.lstrip(b"\0"))
            return RawData(first - start_bytes, hashlib.sha256(data).hexdigest())
    return None


def find_lost(
    read: Read,
    read_content: Callable[[int, int], RawContent],
    size_bytes: int,
    block_bytes: int,
    entries: Iterable[Partition],
) -> Iterator[tuple[RawEntry, RawContent]]:
    """Yield each filesystem whose partition table is lost, with the content. Without `entries` of a lone
    backup GPT, searches the usual starts, and after each filesystem found. Raises OSError."""
    known = [entry for entry in entries if 0 < entry.size_bytes <= size_bytes - entry.start_bytes]
    for one in known[:MOST_LOST]:
        yield (
            RawEntry(one.number, one.start_bytes, one.size_bytes),
            read_content(one.start_bytes, one.size_bytes),
        )
    starts = set() if known else {TRACK_BLOCKS * block_bytes, *USUAL_STARTS}
    found = end = 0
    while starts and found < MOST_LOST:
        start = min(starts)
        starts.remove(start)
        length = size_bytes - start
        head = read(start, min(HIDDEN_START_BYTES, length)) if start >= end and length > 0 else b""
        if head == bytes(len(head)):
            continue
        content = read_content(start, length)
        if len(content.signatures) != 1:
            continue
        (signature,) = content.signatures
        kind, at = signature.kind, signature.offset_bytes
        if at is None or at >= HIDDEN_START_BYTES or kind not in (*READERS, *OTHER_LOST):
            continue
        mark = Signature(kind, "", offset_bytes=at)
        size = read_inside(mark, partial(_shifted, read, start), length).size_bytes
        found += 1
        yield RawEntry(found, start, min(size or length, length)), content
        end = start + (size or 0)
        starts |= {rounded_up(end, block_bytes), rounded_up(end, MIB)} if size else set()


def _shifted(read: Read, start_bytes: int, at_bytes: int, size_bytes: int) -> bytes:
    return read(start_bytes + at_bytes, size_bytes)
