"""Parse the superblock and the chunk tree of a Btrfs from btrfs-inspect-internal(8)."""

import re

from wizard.model.errors import Failed
from wizard.model.said import Sentence

NOT_TOLD = Sentence("{program} does not report {what:and}.")

SUPERBLOCK = ("btrfs", "inspect-internal", "dump-super")
CHUNKS = ("btrfs", "inspect-internal", "dump-tree", "--tree", "chunk")
CHUNK = re.compile(r"CHUNK_ITEM \d+\).*?\n\s+length \d+ .*? type (\S+)\n")


def chunks_in(text: str) -> tuple[tuple[frozenset[str], str], ...]:
    """Parse the chunk tree from dump-tree, and return the types (DATA, METADATA, SYSTEM) and profile of each
    chunk. Raises Failed if it lists no chunks. Pure."""
    kinds = CHUNK.findall(text)
    if len(kinds) != text.count("CHUNK_ITEM ") or not kinds:
        raise Failed(NOT_TOLD(program="btrfs", what=("CHUNK_ITEM",)))
    return tuple((frozenset(holds), profile) for *holds, profile in (kind.split("|") for kind in kinds))


def number_in(text: str, name: str) -> int:
    """Return a number from dump-super. Raises Failed if it is missing. Pure."""
    found = re.search(rf"(?m)^{re.escape(name)}\s+(\d+)", text)
    if found is None:
        raise Failed(NOT_TOLD(program="btrfs", what=(name,)))
    return int(found[1])
