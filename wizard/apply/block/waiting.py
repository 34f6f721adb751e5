"""Drives on which a run waits, by their own notices. Read-only."""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress

from wizard.apply.block.devices import size_bytes
from wizard.model.errors import Failed
from wizard.model.notice import Notice
from wizard.probe.content.notices import is_bare, notices
from wizard.probe.machine import list_drive_paths


def waiting_drives(known: Collection[str]) -> Iterator[tuple[str, Notice]]:
    """Yield each attached drive on which a run waits, with its notice, except those that are `known`. A drive
    in use is skipped, since nothing waits there, and so is one that cannot be read."""
    for path in list_drive_paths():
        with suppress(OSError, Failed):
            if path not in known and (notice := _notice_on(path)):
                yield path, notice


def _notice_on(path: str) -> Notice | None:
    descriptor = os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
    try:

        def read(start: int, length: int) -> bytes:
            return os.pread(descriptor, length, start)

        found = (notice for notice, _ in notices(read, size_bytes(path)))
        return next((notice for notice in found if is_bare(notice, read)), None)
    finally:
        os.close(descriptor)
