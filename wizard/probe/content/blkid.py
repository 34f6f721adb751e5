"""ctypes binding of libblkid for signatures and partition tables. For worker processes only.

Names, values and return codes follow libblkid.h (util-linux, libblkid/src/blkid.h.in).
"""

import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_void_p
from typing import Any

from wizard.model.said import KERNEL_SECTOR_BYTES, t
from wizard.probe.facts import RawContent, RawEntry, RawSignature, Unreadable, opened

MOST_SIGNATURES = 32

SUBLKS_LABEL, SUBLKS_UUID, SUBLKS_TYPE = 1 << 1, 1 << 3, 1 << 5
SUBLKS_USAGE, SUBLKS_VERSION, SUBLKS_MAGIC = 1 << 7, 1 << 8, 1 << 9
WANTED = SUBLKS_LABEL | SUBLKS_UUID | SUBLKS_TYPE | SUBLKS_USAGE | SUBLKS_VERSION | SUBLKS_MAGIC
PARTS_ENTRY_DETAILS = 1 << 2
FOUND, NOTHING, AMBIVALENT = 0, 1, -2
"""Return values of blkid_do_probe and the relatives; -1 is an error."""
_FUNCTIONS: dict[tuple[Any, ...], tuple[str, ...]] = {
    (c_void_p,): ("new_probe",),
    (None, c_void_p): ("free_probe",),
    (c_int, c_void_p, c_int, c_int64, c_int64): ("probe_set_device",),
    (c_int, c_void_p, c_int): (
        *("probe_enable_superblocks", "probe_set_superblocks_flags"),
        *("probe_enable_partitions", "probe_set_partitions_flags"),
    ),
    (c_int, c_void_p): (
        *("do_probe", "do_safeprobe", "do_fullprobe", "partlist_numof_partitions"),
        *("partition_get_partno", "partition_get_type"),
    ),
    (c_int, c_void_p, c_char_p, POINTER(c_char_p), POINTER(c_size_t)): ("probe_lookup_value",),
    (c_void_p, c_void_p): ("probe_get_partitions",),
    (c_void_p, c_void_p, c_int): ("partlist_get_partition",),
    (c_int64, c_void_p): ("partition_get_start", "partition_get_size"),
}
"""Names without `blkid_`, by types of result and arguments."""


_LIBRARY = ctypes.CDLL("libblkid.so.1", use_errno=True)
for (_result, *_arguments), _names in _FUNCTIONS.items():
    for _name in _names:
        _function = getattr(_LIBRARY, f"blkid_{_name}")
        _function.restype, _function.argtypes = _result, _arguments


def read_content(path: str, offset_bytes: int = 0, size_bytes: int = 0) -> RawContent:
    """Return every superblock on `path`, or on a part (size 0: to the end). Continues after the
    first match, to report stale signatures too. Raises OSError."""
    found: list[RawSignature] = []
    with _probe(path, offset_bytes, size_bytes) as probe:
        _LIBRARY.blkid_probe_enable_superblocks(probe, 1)
        _LIBRARY.blkid_probe_set_superblocks_flags(probe, WANTED)
        while len(found) < MOST_SIGNATURES and _has_result(_LIBRARY.blkid_do_probe(probe), path):
            found.append(_signature(probe))
    ambivalent = False
    if len(found) > 1:
        # libblkid may refuse to choose.
        with _probe(path, offset_bytes, size_bytes) as probe:
            _LIBRARY.blkid_probe_enable_superblocks(probe, 1)
            ambivalent = _LIBRARY.blkid_do_safeprobe(probe) == AMBIVALENT
    return RawContent(tuple(found), ambivalent)


def read_partitions(path: str) -> tuple[str, tuple[RawEntry, ...]]:
    """Return PTTYPE (empty without a table), and the entries. Raises OSError."""
    with _probe(path, 0, 0) as probe:
        _LIBRARY.blkid_probe_enable_superblocks(probe, 0)
        _LIBRARY.blkid_probe_enable_partitions(probe, 1)
        _LIBRARY.blkid_probe_set_partitions_flags(probe, PARTS_ENTRY_DETAILS)
        if not _has_result(_LIBRARY.blkid_do_fullprobe(probe), path):
            return "", ()
        # Read values first: creating the list probes again and drops them.
        kind = _value(probe, "PTTYPE") or ""
        listed = _LIBRARY.blkid_probe_get_partitions(probe)
        count = _LIBRARY.blkid_partlist_numof_partitions(listed) if listed else 0
        parts = [_LIBRARY.blkid_partlist_get_partition(listed, number) for number in range(count)]
        return kind, tuple(
            RawEntry(
                _LIBRARY.blkid_partition_get_partno(part),
                _LIBRARY.blkid_partition_get_start(part) * KERNEL_SECTOR_BYTES,
                _LIBRARY.blkid_partition_get_size(part) * KERNEL_SECTOR_BYTES,
                _LIBRARY.blkid_partition_get_type(part),
            )
            for part in parts
            if part
        )


@contextmanager
def _probe(path: str, offset_bytes: int, size_bytes: int) -> Iterator[int]:
    with opened(path) as descriptor:
        probe = _LIBRARY.blkid_new_probe()
        try:
            if not probe or _LIBRARY.blkid_probe_set_device(probe, descriptor, offset_bytes, size_bytes):
                raise _error(path)
            yield probe
        finally:
            if probe:
                _LIBRARY.blkid_free_probe(probe)


def _has_result(status: int, path: str) -> bool:
    if status in (FOUND, NOTHING):
        return status == FOUND
    raise _error(path)


def _error(path: str) -> Unreadable:
    why = os.strerror(ctypes.get_errno() or errno.EIO)
    return Unreadable(t("libblkid cannot read {device}: {why}.", device=path, why=why))


def _signature(probe: int) -> RawSignature:
    offset = _value(probe, "SBMAGIC_OFFSET")
    return RawSignature(
        _value(probe, "TYPE") or "unknown",
        _value(probe, "USAGE") or "other",
        _value(probe, "LABEL"),
        _value(probe, "UUID"),
        _value(probe, "VERSION"),
        int(offset) if offset and offset.isdigit() else None,
        _value(probe, "UUID_SUB"),
    )


def _value(probe: int, key: str) -> str | None:
    data, size = c_char_p(), c_size_t()
    if _LIBRARY.blkid_probe_lookup_value(probe, key.encode(), byref(data), byref(size)) or data.value is None:
        return None
    return data.value.decode(errors="replace")
