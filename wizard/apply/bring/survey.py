"""Looking over what is to be copied: how much it is, and whether the target can hold it. Reads no content."""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from wizard.apply.bring import words
from wizard.apply.bring.places import refused
from wizard.apply.manifest.content import data_ranges
from wizard.apply.manifest.look import GONE, LOST_AND_FOUND, TO_READ, Inode, named, opened, status_at, walk
from wizard.filesystems.registry import KINDS
from wizard.layout.bring.losses import name_fault, size_fault
from wizard.model.documents.bring import BringAmount
from wizard.model.said import Said, t
from wizard.model.units import rounded_up

ENTRY_BYTES = 1024
"""What a file takes beside its content: an inode, twice where its filesystem keeps two copies, and a name."""


def names_in(top: int) -> frozenset[bytes]:
    """What is to be copied, by its names at the top. The folder for what a check finds is none of it while it
    is empty."""
    with os.scandir(top) as entries:
        names = {os.fsencode(entry.name) for entry in entries}
    if LOST_AND_FOUND in names and stat.S_ISDIR(status_at(top, LOST_AND_FOUND).st_mode):
        with opened(top, LOST_AND_FOUND, TO_READ) as fd, os.scandir(fd) as found:
            if next(found, None) is None:
                names.discard(LOST_AND_FOUND)
    return frozenset(names)


@dataclass(slots=True)
class _Count:
    entries: int = 0
    files: int = 0
    links: int = 0
    names: int = 0
    others: int = 0
    size_bytes: int = 0
    room_bytes: int = 0
    seen: set[Inode] = field(default_factory=set)
    folded: dict[str, bytes] = field(default_factory=dict)


def survey(top: Path, filesystem: str, block_bytes: int) -> BringAmount:
    """Count what lies in a folder, for a target of that filesystem, with blocks of so many bytes. Raises
    Refused for the first file that cannot be there, Failed where something cannot be read."""
    count = _Count()
    fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for path, _, _ in walk(fd, names_in(fd), changing=True):
            try:
                if path:
                    _count_one(fd, path, count, filesystem, block_bytes)
            except OSError as error:
                if error.errno not in GONE:
                    raise refused(words.UNREAD(path=named(path), why=str(error.strerror))) from None
    finally:
        os.close(fd)
    return BringAmount(
        count.entries,
        count.files,
        count.size_bytes,
        count.room_bytes,
        count.links,
        count.names,
        count.others,
    )


def _count_one(top: int, path: bytes, count: _Count, filesystem: str, block_bytes: int) -> None:
    status, holds = status_at(top, path), KINDS[filesystem].holds
    count.entries += 1
    count.room_bytes += ENTRY_BYTES
    if stat.S_ISDIR(status.st_mode):
        count.room_bytes += block_bytes
    elif status.st_nlink > 1 and (status.st_dev, status.st_ino) in count.seen:
        count.names += 1
        if not holds.links and stat.S_ISREG(status.st_mode):
            count.room_bytes += rounded_up(status.st_size, block_bytes)
    elif stat.S_ISREG(status.st_mode):
        _check_fits(path, size_fault(status.st_size, filesystem))
        count.files += 1
        data = _data_bytes(top, path, status)
        count.size_bytes += data
        count.room_bytes += rounded_up(data if holds.holes else status.st_size, block_bytes)
    elif stat.S_ISLNK(status.st_mode):
        count.links += 1
    else:
        count.others += 1
    if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
        count.seen.add((status.st_dev, status.st_ino))
    if holds.links or stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
        _check_name(path, count, filesystem)


def _check_name(path: bytes, count: _Count, filesystem: str) -> None:
    text = path.decode(errors="surrogateescape")
    _check_fits(path, name_fault(text.rpartition("/")[2], filesystem))
    if KINDS[filesystem].holds.folds_case:
        other = count.folded.setdefault(text.casefold(), path)
        if other != path:
            title = KINDS[filesystem].title
            raise refused(
                t(
                    "{path} cannot be copied: {title} takes it for the same name as {other}. "
                    "Rename one of both.",
                    path=named(path),
                    other=named(other),
                    title=title,
                )
            )


def _check_fits(path: bytes, fault: Said | None) -> None:
    if fault is not None:
        raise refused(
            t("{path} cannot be copied: {fault}. Rename it, or move it away.", path=named(path), fault=fault)
        )


def _data_bytes(top: int, path: bytes, status: os.stat_result) -> int:
    """How much of a file is no hole. Fewer blocks than its size asks for may also be compressed."""
    if status.st_blocks * 512 >= status.st_size:
        return status.st_size
    with opened(top, path, TO_READ) as fd:
        return sum(end - start for start, end in data_ranges(fd, status.st_size))
