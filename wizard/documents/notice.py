"""The bytes of a notice on a drive: sealed, so that half a notice, or an old one that was written over in
part, is none.

A magic, the length of what follows and its SHA-256; then the document, packed by zlib. Whatever a drive holds
there can be anybody's: nothing is unpacked beyond a limit, and nothing is believed but its form.
"""

import json
import struct
import zlib
from hashlib import sha256

from wizard.documents.codec import from_json, parse_document, to_json
from wizard.model.errors import BadInput
from wizard.model.notice import MOST_BYTES, Notice

SCHEMA = "diskwright.notice/1"
MAGIC = b"DISKWRIGHT-WAITS"
HEAD = struct.Struct("<16sI32s")
MOST_UNPACKED_BYTES = 32 * MOST_BYTES


def sealed_notice(notice: Notice) -> bytes:
    """The notice as bytes."""
    text = json.dumps({"schema": SCHEMA, **to_json(notice)}, separators=(",", ":"))
    body = zlib.compress(text.encode("ascii"), 9)
    return HEAD.pack(MAGIC, len(body), sha256(body).digest()) + body


def notice_bytes(head: bytes) -> int:
    """How long the notice is that begins with these bytes; 0 where they begin none."""
    if len(head) < HEAD.size:
        return 0
    magic, length, _ = HEAD.unpack_from(head)
    return HEAD.size + length if magic == MAGIC and length <= MOST_BYTES - HEAD.size else 0


def read_notice(data: bytes) -> Notice | None:
    """The notice in these bytes, whatever follows it; None where there is no whole one. Never raises."""
    size = notice_bytes(data)
    if not size or len(data) < size:
        return None
    body = data[HEAD.size : size]
    if sha256(body).digest() != HEAD.unpack_from(data)[2]:
        return None
    try:
        text = zlib.decompressobj().decompress(body, MOST_UNPACKED_BYTES).decode("ascii")
        return from_json(parse_document(text, SCHEMA, "The notice"), Notice, "The notice")
    except (zlib.error, UnicodeDecodeError, BadInput):
        return None
