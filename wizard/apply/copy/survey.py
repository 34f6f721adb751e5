"""Survey source and target, and plan the copy. Read-only."""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from wizard.apply.copy.places import (
    READ_ONLY,
    DeviceFilesystem,
    FolderLocation,
    device_of,
    drive_of,
    ground_of,
    held_on,
    mount_of,
    refused,
    shown,
    source_open,
)
from wizard.apply.copy.replace_source import taken_place
from wizard.apply.run.backup_store import Environment
from wizard.apply.system.mounts import read_mounts
from wizard.apply.tree.content import data_ranges
from wizard.apply.tree.entry import GONE, LOST_AND_FOUND, TO_READ, named, opened, status_at, walk
from wizard.apply.tree.manifest import Inode, linked_inode, open_folder
from wizard.apply.tree.mount_read_only import NOT_READ
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput
from wizard.model.said import Message, rounded_up, t
from wizard.plan.changes import Bring, BringAmount, BringFrom, BringTo
from wizard.plan.copy import losses_of, name_fault, size_fault

ENTRY_BYTES = 1024
"""Metadata per file: an inode, twice if the filesystem stores two copies, and a name."""


def names_in(top: int) -> frozenset[bytes]:
    """Return the names in the top folder to copy. An empty lost+found is skipped."""
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
    """Count the contents of a folder for a target with this filesystem and block size.

    Raises Refused for the first file that the target cannot store, Failed if something cannot be read.
    """
    count = _Count()
    with open_folder(top) as fd:
        for path, status in walk(fd, names_in(fd), changing=True):
            if path:
                _count_one(fd, path, status, count, filesystem, block_bytes)
    return BringAmount(
        count.entries,
        count.files,
        count.size_bytes,
        count.room_bytes,
        count.links,
        count.names,
        count.others,
    )


def _count_one(
    top: int, path: bytes, status: os.stat_result, count: _Count, filesystem: str, block_bytes: int
) -> None:
    inode, holds = linked_inode(status), KINDS[filesystem].holds
    count.entries += 1
    count.room_bytes += ENTRY_BYTES
    if stat.S_ISDIR(status.st_mode):
        count.room_bytes += block_bytes
    elif inode in count.seen:
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
    if inode:
        count.seen.add(inode)
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
                    "{path} cannot be copied: {title} treats the name and {other} as identical. "
                    "Rename one of them.",
                    path=named(path),
                    other=named(other),
                    title=title,
                )
            )


def _check_fits(path: bytes, fault: Message | None) -> None:
    if fault is not None:
        raise refused(
            t("{path} cannot be copied: {fault}. Rename or move the file.", path=named(path), fault=fault)
        )


def _data_bytes(top: int, path: bytes, status: os.stat_result) -> int:
    """Return the size of a file without holes. A compressed file uses fewer blocks than its size, too."""
    if status.st_blocks * 512 >= status.st_size:
        return status.st_size
    try:
        with opened(top, path, TO_READ) as fd:
            return sum(end - start for start, end in data_ranges(fd, status.st_size))
    except OSError as error:
        if error.errno in GONE:
            return 0
        raise refused(NOT_READ(path=named(path), why=str(error.strerror))) from None


def work_out(
    source: str,
    target: str,
    into: str | None,
    environment: Environment | None = None,
    *,
    takes_place: bool = False,
) -> Bring:
    """Inspect source and target, and count the files. With `takes_place`, the target replaces the source.

    Raises BadInput if source or target is missing, Refused if the copy is impossible.
    """
    location = _locate_target(target)
    to = _target(location, into)
    origin = _source(source)
    _check_overlap(origin, location, to)
    takes = taken_place(origin, to, environment or Environment()) if takes_place else None
    drive = drive_of(to.device)
    block_bytes = os.statvfs(location.mounted.mount_point).f_frsize
    with source_open(origin) as top:
        with open_folder(top) as fd:
            check_names_free(names_in(fd), to)
        amount = survey(top, to.filesystem, block_bytes)
    if not amount.entries:
        raise refused(t("{source} is empty: no files to copy.", source=shown(source)))
    bring = Bring(drive, origin, to, amount, takes)
    check_room_there(bring)
    return replace(bring, doubts=losses_of(bring))


def _locate_target(target: str) -> FolderLocation:
    path = Path(target)
    if path.is_block_device():
        mounted = mount_of(str(path.resolve()))
        if mounted is None:
            raise refused(
                t(
                    "{device} is not mounted. Run `diskwright mount {device}` first.",
                    device=shown(target),
                )
            )
        return FolderLocation(Path(mounted.mount_point), mounted)
    return ground_of(path)


def _target(location: FolderLocation, into: str | None) -> BringTo:
    mounted = location.mounted
    device = device_of(mounted)
    if device is None:
        raise refused(t("{path} is not on a drive.", path=shown(location.folder)))
    if "ro" in mounted.options:
        raise refused(READ_ONLY(path=shown(mounted.mount_point)))
    found = held_on(device)
    folder = location.folder
    if into is not None:
        inner = PurePosixPath(into)
        if inner.is_absolute() or ".." in inner.parts or not inner.parts:
            raise BadInput(
                t(
                    "--into requires a path within the target, such as old/photos, not {path}.",
                    path=shown(into),
                )
            )
        folder = location.folder / inner
    return BringTo(
        found.node,
        found.filesystem,
        found.uuid,
        mounted.mount_point,
        str(folder),
        _missing_folders(location.folder, folder),
    )


def _missing_folders(ground: Path, folder: Path) -> tuple[str, ...]:
    """Return the missing folders, outermost first. Raises Refused if something else is in their place."""
    ways = [folder, *folder.parents]
    missing = []
    for path in ways[: ways.index(ground)]:
        if not os.path.lexists(path):
            missing.append(str(path))
        elif path.is_symlink() or not path.is_dir() or path.is_mount():
            raise refused(t("{path} is not a folder.", path=shown(path)))
    return tuple(reversed(missing))


def _source(source: str) -> BringFrom:
    path = Path(source)
    if path.is_block_device():
        found = held_on(source)
        mounted = mount_of(found.node)
        below = _mounted_below(Path(mounted.mount_point)) if mounted else ()
        return BringFrom(found.node, True, found.filesystem, found.uuid, below)
    ground = ground_of(path)
    device = device_of(ground.mounted)
    below = _mounted_below(ground.folder)
    known: DeviceFilesystem | None = None
    # A folder may be readable although its device is not, as in a container.
    with suppress(BadInput):
        known = held_on(device) if device else None
    filesystem, uuid = (known.filesystem, known.uuid) if known else (ground.mounted.filesystem, "")
    return BringFrom(str(ground.folder), False, filesystem, uuid, below)


def _mounted_below(folder: Path) -> tuple[str, ...]:
    places = (Path(one.mount_point) for one in read_mounts())
    return tuple(sorted({str(place) for place in places if place != folder and place.is_relative_to(folder)}))


def _check_overlap(source: BringFrom, location: FolderLocation, to: BringTo) -> None:
    """Raises Refused if the source contains the copy, or the copy the source."""
    mounted = mount_of(source.path) if source.is_device else None
    if source.is_device and mounted is None:
        return
    origin = FolderLocation(Path(mounted.mount_point), mounted) if mounted else ground_of(Path(source.path))
    folder = replace(location, folder=Path(to.folder))
    if origin.overlaps(folder):
        raise refused(
            t(
                "{source} and {target} are the same, or one contains the other.",
                source=shown(source.path),
                target=shown(to.folder),
            )
        )


def check_names_free(names: frozenset[bytes], to: BringTo) -> None:
    """Raises Refused for the first name that exists in the target."""
    folder = os.fsencode(to.folder)
    for name in sorted(names):
        if os.path.lexists(folder + b"/" + name):
            raise refused(
                t(
                    "{path} already exists and will not be overwritten. Choose another folder "
                    "with --into FOLDER.",
                    path=shown(os.fsdecode(folder + b"/" + name)),
                )
            )


def check_room_there(bring: Bring) -> None:
    """Raises Refused if the target lacks space or inodes."""
    to, amount = bring.target, bring.amount
    status = os.statvfs(to.place)
    free, needed = status.f_bfree * status.f_frsize, amount.room_bytes
    if needed > free:
        raise refused(
            t(
                "{target} has {free:size} free; the copy needs about {needed:size}.",
                target=shown(to.place),
                free=free,
                needed=needed,
            )
        )
    # Filesystems that create inodes on demand report none.
    if status.f_files and amount.entries > status.f_ffree:
        message = t(
            "{target} can store {free:,d} more files; the copy needs {needed:,d}.",
            target=shown(to.place),
            free=status.f_ffree,
            needed=amount.entries,
        )
        raise refused(message)
