"""Reading all of a partition: before it moves, to find bad sectors, and afterwards, to compare."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from wizard.apply.move.journal import MovingDrive, read_bytes
from wizard.model.documents.move import Move
from wizard.model.units import MIB

STEP_BYTES = 16 * MIB
TAIL_BYTES = 64 * 1024


def content_digest(
    drive: MovingDrive, move: Move, start_bytes: int, told: Callable[[float], None], stop: Callable[[], bool]
) -> str | None:
    """A digest of what the partition holds at this start, without its head and its last bytes, which may be
    others at another place; the drive is read all the same. None where it was stopped. Raises Failed, naming
    the byte, where a sector cannot be read."""
    size, digest = move.before.size_bytes, hashlib.sha256()
    low, high = move.head_bytes, max(move.head_bytes, size - TAIL_BYTES)
    buffers = [drive.buffer(min(STEP_BYTES, size)) for _ in range(2)]
    with ThreadPoolExecutor(1) as hashing:
        before = None
        for number, at in enumerate(range(0, size, STEP_BYTES)):
            if stop():
                return None
            buffer = buffers[number % 2][: min(STEP_BYTES, size - at)]
            drive.read_into(start_bytes + at, buffer)
            if before is not None:
                before.result()
            counted = buffer[max(low - at, 0) : max(min(high - at, len(buffer)), 0)]
            before = hashing.submit(digest.update, counted)
            told((at + len(buffer)) / size)
        if before is not None:
            before.result()
    return digest.hexdigest()


def ends_digest(drive: MovingDrive, move: Move, start_bytes: int) -> str:
    """A digest of the partition's head and of its last bytes at this start: whoever mounts it for writing
    changes them. Raises Failed."""
    size = move.before.size_bytes
    head = read_bytes(drive, start_bytes, move.head_bytes)
    tail = read_bytes(drive, start_bytes + max(size - TAIL_BYTES, 0), min(TAIL_BYTES, size))
    return hashlib.sha256(head + tail).hexdigest()
