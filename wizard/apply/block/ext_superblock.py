"""The superblock of an ext filesystem as it lies on its device: read past every cache, and put back."""

from functools import partial

from wizard.apply.block.devices import forget_caches, read_bytes, write_bytes
from wizard.apply.block.devices import size_bytes as device_bytes
from wizard.migrate.ext.superblock import START_BYTES, SUPERBLOCK_BYTES, read_filesystem
from wizard.model.errors import Failed
from wizard.model.ext import ExtFacts
from wizard.model.said import t
from wizard.model.units import rounded_up

FIRST_BYTES = 4096
"""Whole blocks of every drive."""

END_BYTES = START_BYTES + SUPERBLOCK_BYTES


def superblock_on(node: str) -> bytes:
    """The superblock's bytes; raises Failed where they cannot be read."""
    forget_caches(node)
    return read_bytes(node, 0, FIRST_BYTES)[START_BYTES:END_BYTES]


def put_superblock(node: str, superblock: bytes) -> None:
    """Put the bytes of a superblock in their place; whatever lies around them stays. Raises Failed."""
    first = read_bytes(node, 0, FIRST_BYTES)
    write_bytes(node, 0, first[:START_BYTES] + superblock + first[END_BYTES:])
    forget_caches(node)


def _bytes_of(node: str, offset_bytes: int, size_bytes: int) -> bytes:
    """Of whole blocks read past the cache, from the device's beginning on; those behind its end are none."""
    begin, end = (
        offset_bytes // FIRST_BYTES * FIRST_BYTES,
        rounded_up(offset_bytes + size_bytes, FIRST_BYTES),
    )
    if end > device_bytes(node):
        return b""
    return read_bytes(node, begin, end - begin)[offset_bytes - begin :][:size_bytes]


def facts_on(node: str) -> ExtFacts:
    """What the superblock says, and the root folder; raises Failed where there is none."""
    forget_caches(node)
    found = read_filesystem(partial(_bytes_of, node))
    if found is None:
        raise Failed(t("{node} holds no ext filesystem.", node=node))
    return found
