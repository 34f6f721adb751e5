"""Sparse files of a drive's size in the run's folder, with old or planned bytes at their offsets.

Zeros use no space. `dd` alone can restore the old bytes from such a file.
"""

import errno
import os
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from wizard.apply.block import extents
from wizard.apply.engine.record import DriveChange
from wizard.apply.engine.signatures import BTRFS_COPIES
from wizard.apply.run.journal import sync_folder
from wizard.documents.profiles import sealed_notice
from wizard.model.errors import DiskwrightError, Failed
from wizard.model.finding import MOST_BYTES, HiddenBlock, Notice, notice_places
from wizard.model.machine import Extent
from wizard.model.said import MIB, rounded_up, t
from wizard.process.program import run as run_command

FOLDER = "engine"
LARGE_BYTES = 16 * MIB
"""Least size of a place whose space is worth freeing."""


def old_file(run: Path, number: int) -> Path:
    """Return the file of a drive's old bytes. Drives are counted from 0."""
    return run / FOLDER / f"old-{number}.img"


def new_file(run: Path, number: int) -> Path:
    """Return the file of a drive's planned bytes, as rehearsed."""
    return run / FOLDER / f"new-{number}.img"


def notice_file(run: Path, number: int) -> Path:
    """Return the file of a hidden drive's notice, stored at the offset on the drive."""
    return run / FOLDER / f"notice-{number}.img"


class FullError(Failed):
    """The folder of a store or a scratch copy lacks space."""


class Store:
    """Sparse file of a drive, writable if created with `make_bytes` or opened with `grow`. Raises Failed."""

    def __init__(self, file: Path, *, make_bytes: int = 0, grow: bool = False) -> None:
        self.file = file
        flags = os.O_RDWR if grow else os.O_RDONLY
        if make_bytes:
            flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
        with self.failing():
            self.fd = os.open(file, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
            if make_bytes:
                os.ftruncate(self.fd, make_bytes)

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Report errors of the system. Raises FullError for lack of space, else Failed."""
        try:
            yield
        except OSError as error:
            kind = FullError if error.errno in (errno.ENOSPC, errno.EDQUOT) else Failed
            raise kind(t("{file} cannot be used: {why}.", file=self.file, why=error)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        """Read bytes. Holes are zeros."""
        with self.failing():
            data = os.pread(self.fd, length_bytes, offset_bytes)
        if len(data) != length_bytes:
            raise Failed(t("{place} is damaged.", place=self.file))
        return data

    def write(self, offset_bytes: int, data: bytes) -> None:
        """Write bytes to a hole. Zeros are not written."""
        if not is_zero(data):
            self.put(offset_bytes, data)

    def put(self, offset_bytes: int, data: bytes) -> None:
        """Write bytes, including zeros."""
        with self.failing():
            if os.pwrite(self.fd, data, offset_bytes) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def free(self, place: Extent) -> None:
        """Free the space of a large place that contains zeros, if the filesystem can."""
        if place.size_bytes < LARGE_BYTES:
            return
        where = ("--offset", str(place.start_bytes), "--length", str(place.size_bytes))
        with suppress(DiskwrightError):
            run_command(("fallocate", "--punch-hole", *where, str(self.file)), seconds=60.0)

    def sync(self) -> None:
        """Flush the file, its folder and the run's folder."""
        with self.failing():
            os.fsync(self.fd)
            for folder in (self.file.parent, self.file.parent.parent):
                sync_folder(folder)


def hidden_reader(change: DriveChange, old: extents.Read, new: extents.Read, notice: bytes) -> extents.Read:
    """Return a reader of a hidden drive: the new bytes without the new signatures, with the notice if any."""
    covers: list[tuple[Extent, extents.Read]] = [
        (mark.extent, partial(mark.away, held=old)) for mark in change.new_marks
    ]
    if change.notice and notice:
        covers.append((change.notice, extents.reader_of(change.notice.start_bytes, notice)))

    def read(offset: int, length: int) -> bytes:
        data = new(offset, length)
        for place, other in covers:
            start, end = max(offset, place.start_bytes), min(offset + length, place.end_bytes)
            if start < end:
                data = data[: start - offset] + other(start, end - start) + data[end - offset :]
        return data

    return read


def hidden_old_reader(change: DriveChange, old: extents.Read) -> extents.Read:
    """Return a reader of the old bytes without the old signatures."""
    return hidden_reader(replace(change, new_marks=change.old_marks), old, old, b"")


def digest_of(
    places: tuple[Extent, ...], read: extents.Read, told: Callable[[int], None] = lambda size: None
) -> str:
    """Return the SHA-256 of the bytes in these places. `told` receives the byte count of each read."""
    digest = sha256()
    for _, data in extents.pieces(places, read):
        digest.update(data)
        told(len(data))
    return digest.hexdigest()


def is_zero(data: bytes) -> bool:
    """Return True if data of at most 1 MiB is all zeros."""
    return data == extents.ZEROS[: len(data)]


EDGE_BYTES = MIB
"""Distance of the notice from the ends of a new volume, where programs look for signatures."""

SPARE_BYTES = 256
"""The notice grows by a few bytes when it includes its own place."""


def with_notice(
    run: Path,
    number: int,
    change: DriveChange,
    volumes: Sequence[Extent],
    about: Callable[..., Notice],
    block_bytes: int,
) -> DriveChange:
    """Return the change with a notice, and save the drive's old bytes in that place durably. The drive is
    only read. `about` makes a notice that describes the run.

    Returns the change unmodified if the new volumes have no room for a notice. Raises Failed.
    """
    with (
        extents.DeviceMedium(change.path) as drive,
        Store(new_file(run, number)) as new,
        Store(old_file(run, number), grow=True) as old,
    ):
        hidden = hidden_reader(change, old.read, new.read, b"")
        draft = about(
            number=number,
            drive_bytes=change.size_bytes,
            start_bytes=0,
            room_bytes=0,
            places=change.places,
            zeros=change.zeros,
            digest=change.barred_digest,
            withheld=tuple(
                HiddenBlock(
                    mark.start_bytes,
                    mark.size_bytes,
                    mark.stays,
                    b64encode(new.read(mark.start_bytes, mark.size_bytes)).decode("ascii"),
                )
                for mark in change.new_marks
            ),
            bare_digest=digest_of(tuple(mark.extent for mark in change.new_marks), hidden),
        )
        room = rounded_up(len(sealed_notice(draft)) + SPARE_BYTES, max(extents.GRAIN_BYTES, block_bytes))
        place = next(_free_places(change, volumes, room), None)
        if place is None:
            return change
        data = sealed_notice(replace(draft, start_bytes=place.start_bytes, room_bytes=room))
        if len(data) > room:
            raise Failed(t("The recovery label for {drive} is too large.", drive=change.path))
        extents.copy((place,), drive.read, old.write)
        old.sync()
        with Store(notice_file(run, number), make_bytes=change.size_bytes) as kept:
            kept.write(place.start_bytes, data)
            kept.sync()
            noted = replace(
                change,
                places=extents.merged((*change.places, place), block_bytes, change.size_bytes),
                notice=place,
            )
            shown = hidden_reader(noted, old.read, new.read, kept.read(place.start_bytes, room))
        return replace(
            noted,
            old_digest=digest_of(noted.places, old.read),
            new_digest=digest_of(noted.places, new.read),
            barred_digest=digest_of(noted.places, shown),
        )


def _free_places(change: DriveChange, volumes: Sequence[Extent], room_bytes: int) -> Iterator[Extent]:
    """Yield places for a notice in the new volumes, away from the ends, the changes and possible backup
    superblocks."""
    if room_bytes > MOST_BYTES:
        return
    for start in notice_places(change.size_bytes):
        place = Extent(start, room_bytes)
        for volume in volumes:
            inside = Extent(volume.start_bytes + EDGE_BYTES, volume.size_bytes - 2 * EDGE_BYTES)
            copies = [Extent(volume.start_bytes + at, extents.GRAIN_BYTES) for at in BTRFS_COPIES]
            is_within = inside.start_bytes <= start and place.end_bytes <= inside.end_bytes
            if is_within and place.without((*change.places, *change.zeros, *copies)) == (place,):
                yield place
