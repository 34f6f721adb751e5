"""libblkid, through its Python binding: the only module that touches it, and it runs in a worker process
only.

Used of the binding is what is sound: `lookup_value` gives bytes (`items` decodes and raises), and a
partition's number, place and type. Its `name`, `uuid` and a table's `id` crash the process where libblkid has
none (pylibblkid 0.3), so they are read elsewhere.
"""

import os
from typing import Any

import blkid

from wizard.probe.reasons import Unreadable
from wizard.probe.words import unread as words

OPEN_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
UNIT_BYTES = 512
MOST_SIGNATURES = 32
WANTED = (
    blkid.SUBLKS_TYPE
    | blkid.SUBLKS_LABEL
    | blkid.SUBLKS_UUID
    | blkid.SUBLKS_USAGE
    | blkid.SUBLKS_VERSION
    | blkid.SUBLKS_MAGIC
)

Facts = dict[str, Any]


def read_content(path: str, offset_bytes: int = 0, size_bytes: int = 0) -> Facts:
    """A RawContent as plain data: every superblock on `path`, or on a part of it (size 0: to its end). Raises
    OSError.

    As wipefs does, it goes on behind the first find, since a stale signature is exactly what a person needs
    to know of.
    """
    probe = _open(path, offset_bytes, size_bytes)
    probe.enable_superblocks(True)
    probe.set_superblocks_flags(WANTED)
    found: list[Facts] = []
    try:
        while len(found) < MOST_SIGNATURES and probe.do_probe():
            found.append(_signature(probe))
    except RuntimeError as error:
        raise Unreadable(words.BLKID_READS(device=path, why=str(error))) from None
    return {
        "signatures": found,
        "ambivalent": len(found) > 1 and _is_ambivalent(path, offset_bytes, size_bytes),
    }


def read_partitions(path: str) -> tuple[str, list[Facts]]:
    """PTTYPE (empty where there is no table) and RawEntry facts in libblkid's order. Raises OSError."""
    probe = _open(path, 0, 0)
    probe.enable_superblocks(False)
    probe.enable_partitions(True)
    probe.set_partitions_flags(blkid.PARTS_ENTRY_DETAILS)
    try:
        if not probe.do_fullprobe():
            return "", []
        kind = _text(probe, "PTTYPE") or ""
        listed = probe.partitions
        parts = [listed.get_partition(index) for index in range(listed.numof_partitions)]
    except RuntimeError as error:
        raise Unreadable(words.BLKID_READS_TABLE(device=path, why=str(error))) from None
    return kind, [
        {
            "number": part.partno,
            "start_bytes": part.start * UNIT_BYTES,
            "size_bytes": part.size * UNIT_BYTES,
            "type": part.type,
        }
        for part in parts
    ]


def _open(path: str, offset_bytes: int, size_bytes: int) -> Any:  # noqa: ANN401 - the binding has no types
    probe = blkid.Probe()
    try:
        probe.set_device(path, OPEN_FLAGS, offset_bytes, size_bytes)
    except (RuntimeError, ValueError, OverflowError) as error:
        raise Unreadable(words.BLKID_OPENS(device=path, why=str(error))) from None
    return probe


def _signature(probe: Any) -> Facts:  # noqa: ANN401
    offset = _text(probe, "SBMAGIC_OFFSET")
    return {
        "kind": _text(probe, "TYPE") or "unknown",
        "usage": _text(probe, "USAGE") or "other",
        "label": _text(probe, "LABEL"),
        "uuid": _text(probe, "UUID"),
        "version": _text(probe, "VERSION"),
        "offset_bytes": int(offset) if offset and offset.isdigit() else None,
    }


def _text(probe: Any, key: str) -> str | None:  # noqa: ANN401
    """A value as text; bytes that are no UTF-8 become the replacement character. None where libblkid has
    none."""
    try:
        value: bytes = probe.lookup_value(key)
    except RuntimeError:
        return None
    return value.decode("utf-8", errors="replace")


def _is_ambivalent(path: str, offset_bytes: int, size_bytes: int) -> bool:
    """libblkid's own judgement on several superblocks. The binding turns it into a bare RuntimeError; a read
    error has shown before."""
    probe = _open(path, offset_bytes, size_bytes)
    probe.enable_superblocks(True)
    try:
        probe.do_safeprobe()
    except RuntimeError:
        return True
    return False
