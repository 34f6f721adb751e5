"""What a trial writes down before it begins, so that whoever comes after a killed one can take away what is
left of it: the kernel's partition, and the marks in it."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from wizard.documents.codec import from_json, to_json
from wizard.layout.steps.commands import PRIVATE_PLACES
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.machine import Drive, Extent
from wizard.model.names import partition_path
from wizard.model.said import t
from wizard.model.units import KERNEL_SECTOR_BYTES
from wizard.probe.host.sysfs import SYS, name_of, node_of
from wizard.trial.candidates.partition import drop, erase_marks
from wizard.trial.candidates.surroundings import remove_groups
from wizard.trial.scratch import locked

FOLDER = Path(PRIVATE_PLACES)
"""It is empty after a restart, as the kernel's list of partitions is."""

PATIENCE_SECONDS = 60.0
"""A maker of filesystems that outlived its trial keeps the lock until it has ended."""


@dataclass(frozen=True, slots=True)
class Left:
    """The partition of a trial, in one of these extents at a time."""

    drive: str
    diskseq: int | None
    number: int
    extents: tuple[Extent, ...]


def _file(path: str) -> Path:
    return FOLDER / f"trial-{name_of(path)}.json"


@contextmanager
def written_down(drive: Drive, number: int, extents: tuple[Extent, ...]) -> Iterator[None]:
    """From before the partition is made until the kernel has it no more. Raises Failed where it cannot be
    written."""
    file, left = _file(drive.path), Left(drive.path, drive.diskseq, number, extents)
    try:
        FOLDER.mkdir(mode=0o700, exist_ok=True)
        file.write_text(json.dumps(to_json(left)))
    except OSError as error:
        raise Failed(
            t(
                "{file} cannot be written ({why}). Nothing was written to the drive.",
                file=str(file),
                why=str(error.strerror),
            )
        ) from None
    try:
        yield
    finally:
        if not _is_there(left):
            with suppress(OSError):
                file.unlink()


def sweep_all() -> None:
    """Take away what killed trials left on any drive; one that is at work keeps what it has."""
    for file in FOLDER.glob("trial-*.json"):
        with suppress(DiskwrightError):
            sweep(node_of(file.stem.removeprefix("trial-")), 0)


def sweep(path: str, seconds: float = PATIENCE_SECONDS) -> bool:
    """Take away what a killed trial left on the drive; whether there was anything. Raises Refused or Failed
    where it is still in use after so long."""
    file = _file(path)
    try:
        left = from_json(json.loads(file.read_text()), Left, str(file))
    except (OSError, ValueError, BadInput):
        return False
    with locked(path, seconds) as lock:
        there = _is_there(left)
        if there:
            drop(lock, path, left.number)
            _erase(path, left.extents)
            remove_groups()
    with suppress(OSError):
        file.unlink()
    return there


def _is_there(left: Left) -> bool:
    """Whether the kernel still has this partition in one of its places, and the drive is the same."""
    drive = SYS / "block" / name_of(left.drive)
    folder = SYS / "class/block" / name_of(partition_path(left.drive, left.number))
    try:
        start, size = (int((folder / what).read_text()) * KERNEL_SECTOR_BYTES for what in ("start", "size"))
        sequence = (drive / "diskseq").read_text().strip() if left.diskseq is not None else ""
    except (OSError, ValueError):
        return False
    same = left.diskseq is None or sequence == str(left.diskseq)
    return same and Extent(start, size) in left.extents


def _erase(path: str, extents: tuple[Extent, ...]) -> None:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_EXCL)
    except OSError as error:
        raise Refused(
            t("What a trial left on {drive} could not be erased: {why}.", drive=path, why=str(error.strerror))
        ) from None
    try:
        for extent in extents:
            erase_marks(descriptor, extent)
    finally:
        os.close(descriptor)
