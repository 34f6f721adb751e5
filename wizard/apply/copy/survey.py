"""Survey source and target, and plan the copy. Read-only."""

import os
import stat
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from wizard.apply.block.extents import data_extents
from wizard.apply.copy import places
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.process import refused
from wizard.apply.settings.existing_filesystem import look_at_filesystem
from wizard.apply.system import fstab
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.mounts import mounted_at, read_mounts
from wizard.apply.tree import manifest
from wizard.apply.tree.entries import (
    GONE,
    LOST_AND_FOUND,
    attribute_names,
    named,
    opened,
    status_at,
    walk,
)
from wizard.documents.files import UNREADABLE
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput
from wizard.model.said import Message, rounded_up, t
from wizard.operations.fstab import EditFstab
from wizard.operations.mounts import Top, fstab_line
from wizard.plan import changes, copy

ENTRY_BYTES = 1024
"""Metadata per file: an inode, twice if the filesystem stores two copies, and a name."""


def names_in(top: int) -> frozenset[bytes]:
    """Return the names in the top folder to copy. An empty lost+found is skipped."""
    with os.scandir(top) as entries:
        names = {os.fsencode(entry.name) for entry in entries}
    if LOST_AND_FOUND in names and stat.S_ISDIR(status_at(top, LOST_AND_FOUND).st_mode):
        with opened(top, LOST_AND_FOUND) as fd, os.scandir(fd) as found:
            if next(found, None) is None:
                names.discard(LOST_AND_FOUND)
    return frozenset(names)


def survey(top: Path, filesystem: str, block_bytes: int) -> changes.BringAmount:
    """Count the contents of a folder for a target with this filesystem and block size.

    Raises Refused for the first file that the target cannot store, Failed if something cannot be read.
    """
    holds = KINDS[filesystem].holds
    files = links = others = names = size_bytes = room_bytes = entries = 0
    seen, folded = set[manifest.Inode](), dict[str, bytes]()
    with manifest.open_folder(top) as fd:
        for path, status in walk(fd, names_in(fd), changing=True):
            if not path:
                continue
            inode, is_file = manifest.linked_inode(status), stat.S_ISREG(status.st_mode)
            entries, room_bytes = entries + 1, room_bytes + ENTRY_BYTES
            if stat.S_ISDIR(status.st_mode):
                room_bytes += block_bytes
            elif inode in seen:
                names += 1
                room_bytes += rounded_up(status.st_size, block_bytes) if is_file and not holds.links else 0
            elif is_file:
                _check_fits(path, copy.size_fault(status.st_size, filesystem))
                data = _data_bytes(fd, path, status)
                files, size_bytes = files + 1, size_bytes + data
                room_bytes += rounded_up(data if holds.holes else status.st_size, block_bytes)
            elif stat.S_ISLNK(status.st_mode):
                links += 1
            else:
                others += 1
            if inode:
                seen.add(inode)
            if holds.links or is_file or stat.S_ISDIR(status.st_mode):
                text = os.fsdecode(path)
                _check_fits(path, copy.name_fault(text.rpartition("/")[2], filesystem))
                other = folded.setdefault(text.casefold(), path) if holds.folds_case else path
                if other != path:
                    _check_fits(
                        path,
                        t(
                            "{title} treats the name and {other} as identical",
                            title=KINDS[filesystem].title,
                            other=named(other),
                        ),
                    )
    return changes.BringAmount(entries, files, size_bytes, room_bytes, links, names, others)


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
        with opened(top, path) as fd:
            return sum(one.size_bytes for one in data_extents(fd, status.st_size))
    except GONE:
        return 0
    except OSError as error:
        raise refused(UNREADABLE(file=named(path), why=error)) from None


def work_out(
    source: str,
    target: str,
    into: str | None,
    environment: Environment | None = None,
    *,
    takes_place: bool = False,
) -> changes.Bring:
    """Inspect source and target, and count the files. With `takes_place`, the target replaces the source.

    Raises BadInput if source or target is missing, Refused if the copy is impossible.
    """
    if Path(target).is_block_device():
        mounted = places.mount_of(str(Path(target).resolve()))
        if mounted is None:
            raise refused(t("{device} is not mounted. Run `diskwright mount {device}` first.", device=target))
        location = places.FolderLocation(Path(mounted.mount_point), mounted)
    else:
        location = places.ground_of(Path(target))
    to = _target(location, into)
    origin, place = _source(source)
    if place and place.overlaps(replace(location, folder=Path(to.folder))):
        raise refused(
            t(
                "{source} and {target} are the same, or one contains the other.",
                source=origin.path,
                target=to.folder,
            )
        )
    takes = _taken_place(origin, to, environment or Environment()) if takes_place else None
    drive = places.drive_of(to.device)
    block_bytes = os.statvfs(location.mounted.mount_point).f_frsize
    with places.source_open(origin) as top:
        with manifest.open_folder(top) as fd:
            check_names_free(names_in(fd), to)
        amount = survey(top, to.filesystem, block_bytes)
    if not amount.entries:
        raise refused(t("{source} is empty: no files to copy.", source=source))
    bring = changes.Bring(drive, origin, to, amount, takes)
    check_room_there(bring)
    return copy.with_current_texts(bring)


def _target(location: places.FolderLocation, into: str | None) -> changes.BringTo:
    mounted = location.mounted
    device = places.device_of(mounted)
    if device is None:
        raise refused(t("{path} is not on a drive.", path=location.folder))
    if "ro" in mounted.options:
        raise refused(places.READ_ONLY(path=mounted.mount_point))
    folder = location.folder
    if into is not None:
        inner = PurePosixPath(into)
        if inner.is_absolute() or ".." in inner.parts or not inner.parts:
            raise BadInput(
                t(
                    "--into requires a path within the target, such as old/photos, not {path}.",
                    path=into,
                )
            )
        folder = location.folder / inner
    ways, missing = [folder, *folder.parents], list[str]()
    for path in ways[: ways.index(location.folder)]:
        if not os.path.lexists(path):
            missing.insert(0, str(path))
        elif path.is_symlink() or not path.is_dir() or path.is_mount():
            raise refused(t("{path} is not a folder.", path=path))
    return changes.BringTo(
        *places.held_on(device),
        mounted.mount_point,
        str(folder),
        tuple(missing),
    )


def _source(source: str) -> tuple[changes.BringFrom, places.FolderLocation | None]:
    """Return the source and the folder to read, None for an unmounted device."""
    path = Path(source)
    if is_device := path.is_block_device():
        found = places.held_on(source)
        mounted, shown = places.mount_of(found.node), found.node
        place = places.FolderLocation(Path(mounted.mount_point), mounted) if mounted else None
    else:
        place = places.ground_of(path)
        found, shown = places.mounted_filesystem(place.mounted), str(place.folder)
    below = set[str]()
    if place:
        points = (Path(one.mount_point) for one in read_mounts())
        below = {str(one) for one in points if one != place.folder and one.is_relative_to(place.folder)}
    return changes.BringFrom(shown, is_device, found.filesystem, found.uuid, tuple(sorted(below))), place


def check_names_free(names: frozenset[bytes], to: changes.BringTo) -> None:
    """Raises Refused for the first name that exists in the target."""
    for name in sorted(names):
        path = f"{to.folder}/{os.fsdecode(name)}"
        if os.path.lexists(path):
            raise refused(
                t(
                    "{path} already exists and will not be overwritten. Choose another folder "
                    "with --into FOLDER.",
                    path=path,
                )
            )


def check_room_there(bring: changes.Bring) -> None:
    """Raises Refused if the target lacks space or inodes."""
    to, amount = bring.target, bring.amount
    status = os.statvfs(to.place)
    free, needed = status.f_bfree * status.f_frsize, amount.room_bytes
    if needed > free:
        raise refused(
            t(
                "{target} has {free:size} free; the copy needs about {needed:size}.",
                target=to.place,
                free=free,
                needed=needed,
            )
        )
    # Filesystems that create inodes on demand report none.
    if status.f_files and amount.entries > status.f_ffree:
        raise refused(
            t(
                "{target} can store {free:,d} more files; the copy needs {needed:,d}.",
                target=to.place,
                free=status.f_ffree,
                needed=amount.entries,
            )
        )


def _taken_place(
    source: changes.BringFrom, to: changes.BringTo, environment: Environment
) -> changes.TakePlace:
    """Return how the target replaces the source. Raises Refused if it cannot, BadInput if fstab or a device
    cannot be read."""
    if not source.is_device and (fault := copy.takes_fault(source.path)) is not None:
        raise refused(t("{why}. The copy cannot replace the source.", why=fault))
    mounted = None if source.is_device else mounted_at(source.path)
    device = places.device_of(mounted) if mounted else None
    if mounted is None or device is None:
        raise refused(
            t(
                "{source} is not the mount point of a filesystem on a drive. Only a mount "
                "point can be replaced.",
                source=source.path,
            )
        )
    if to.folder != to.place or to.makes:
        raise refused(
            t(
                "{folder} is not the top folder of its volume. Only a copy to {place} itself "
                "can replace a mount point.",
                folder=to.folder,
                place=to.place,
            )
        )
    if not KINDS[to.filesystem].holds.owners:
        raise refused(
            t(
                "{title} does not store owners, so the copy cannot replace {place}.",
                title=KINDS[to.filesystem].title,
                place=source.path,
            )
        )
    edit = _place_edit(source.path, to, environment)
    with manifest.open_folder(Path(to.folder)) as fd:
        status = os.fstat(fd)
        pairs = tuple((name, os.getxattr(fd, name).hex()) for name in attribute_names(fd))
    top = Top(status.st_uid, status.st_gid, status.st_mode & 0o7777, pairs)
    return changes.TakePlace(source.path, device, source.uuid, edit, top)


def _place_edit(place: str, to: changes.BringTo, environment: Environment) -> EditFstab:
    """Return the edit of fstab that mounts the target at the place of the source."""
    file = environment.fstab
    fstab.check_writable(file)
    text = read_text(file)
    lines = fstab.parse(text, str(file))
    found = [line for line in lines if line.mount_point.rstrip("/") == place]
    if len(found) != 1:
        raise refused(
            t(
                "{file} has {count} lines for {place}, but exactly one is required.",
                count=len(found),
                file=file,
                place=place,
            )
        )
    (old,) = found
    if {"bind", "rbind"}.intersection(old.options):
        raise refused(t("{place} is a bind mount of another folder.", place=place))
    target = look_at_filesystem(to.device, environment)
    own = next((line for line in target.lines if line.mount_point.rstrip("/") == to.place), None)
    if own is not None:
        return copy.place_edit(str(file), text, old.number, own.number, own.text)
    if not target.uuid:
        raise refused(t("{device} has no UUID.", device=to.device))
    mounted = mounted_at(to.place)
    assert mounted is not None, "it was looked at"
    if mounted.root != "/":
        raise refused(
            t(
                "{place} is only part of the filesystem on {device}, and fstab has no line for {place}.",
                device=to.device,
                place=to.place,
            )
        )
    options = [one for one in copy.OF_THE_PLACE if one in old.options] or ["defaults"]
    line = fstab_line(target.uuid, place, target.filesystem, mounted.type, options)
    others = tuple(one for one in lines if one is not old)
    if conflict := fstab.conflict(others, line):
        raise refused(t("{file} already has a conflicting line: {conflict}.", file=file, conflict=conflict))
    return copy.place_edit(str(file), text, old.number, None, line.line)
