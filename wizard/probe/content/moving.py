"""The journal of a move, as a partition's own bytes tell of it: a slot of its state, and whether a move waits
to be finished. Only reads.

The table's entry alone does not say so on an MBR, whose type 0xda has other uses.
"""

import hashlib
import json
import struct
from collections.abc import Callable

from wizard.model.documents.move import journal_places
from wizard.model.machine import Extent
from wizard.model.units import KIB

MAGIC = b"DWMOVE\x001"
SLOT_BYTES = 128 * KIB
SLOTS = 2
HEADER = struct.Struct("<8sQII32s")
"""Magic, number, lengths of the state and of the edges, digest of all three."""

OVER = "done"
"""The phase in which nothing is left to be done."""

Read = Callable[[int, int], bytes]
"""Reads from a byte of the drive on so many bytes; fewer where it ends. Raises OSError."""


def read_slot(raw: bytes) -> tuple[int, bytes, bytes] | None:
    """The number of a valid slot, its state and its edges; None where it is none."""
    if len(raw) < HEADER.size:
        return None
    magic, number, plain_bytes, edge_bytes, digest = HEADER.unpack_from(raw)
    end = HEADER.size + plain_bytes
    if magic != MAGIC or end + edge_bytes > min(SLOT_BYTES, len(raw)):
        return None
    plain, edges = raw[HEADER.size : end], raw[end : end + edge_bytes]
    return (number, plain, edges) if digest_of(raw[8:24], plain, edges) == digest else None


def digest_of(lengths: bytes, plain: bytes, edges: bytes) -> bytes:
    """Of a slot: its number and lengths, as the header has them, its state and its edges."""
    return hashlib.sha256(lengths + plain + edges).digest()


def is_moving(read: Read, span: Extent) -> bool:
    """Whether the entry that covers `span` holds the journal of a move that is not over. Raises OSError."""
    for at in journal_places(span):
        slots = [read_slot(read(at + number * SLOT_BYTES, SLOT_BYTES)) for number in range(SLOTS)]
        found = [slot for slot in slots if slot is not None]
        if found and _phase(max(found)[1]) != OVER:
            return True
    return False


def _phase(plain: bytes) -> str:
    try:
        return str(json.loads(plain)["phase"])
    except (ValueError, KeyError, TypeError):
        return ""
