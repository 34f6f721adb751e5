"""Undo a copy. Removes only entries that the run made and whose source has the same content."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from wizard.apply.block.devices import forget_caches
from wizard.apply.copy import survey
from wizard.apply.copy.catch_up import remove_entry
from wizard.apply.copy.copying import entries_in, stoppable
from wizard.apply.copy.own_copy import is_older, is_part, is_same
from wizard.apply.copy.places import shown
from wizard.apply.copy.site import RESULT, BringSite, load_again, load_copied, save_copied
from wizard.apply.run.backup_store import replace_durably
from wizard.apply.run.progress_log import noting
from wizard.apply.tree.copying import telling
from wizard.apply.tree.differences import as_held, differences
from wizard.apply.tree.entry import GONE, named, status_at
from wizard.apply.tree.manifest import AFTER, BEFORE, Reading, take_manifest
from wizard.apply.tree.mount_read_only import seen_alone
from wizard.model.errors import Failed
from wizard.model.said import Message, join, t, tn

NAMED = 5
"""Number of files to name. Others are counted."""

KEPT = "kept.txt"
"""File in a run's folder that lists all entries that undo kept."""


@dataclass(slots=True)
class _Removal:
    removed: int = 0
    inodes: set[int] = field(default_factory=set)
    left: list[bytes] = field(default_factory=list)
    folders: list[bytes] = field(default_factory=list)
    kept_folders: list[bytes] = field(default_factory=list)


def remove_brought(site: BringSite) -> Message:
    """Remove the entries that the run made. Return a message about removed and kept ones. Raises Failed."""
    copied = load_copied(site.run)
    if copied is not None and not copied.written_ns:
        # Undo overwrites the progress file of the copy, whose date is the last write.
        save_copied(site.run, replace(copied, written_ns=site.written_ns))
    removal = _Removal()
    note = noting(site.run)
    paths = dict(_made_entries(site))
    for number, (path, half) in enumerate(paths.items()):
        with telling(path, survey.NOT_REMOVED):
            _remove_one(site, path, removal, half=half)
        note((number + 1) / len(paths))
    for path in sorted(removal.folders, key=lambda path: path.split(b"/"), reverse=True):
        with telling(path, survey.NOT_REMOVED):
            _remove_folder(site, path, removal)
    site.sync()
    return _result_message(site, removal)


def _made_entries(site: BringSite) -> Iterator[tuple[bytes, bool]]:
    """Yield the entries that the run made. The second value is True if the entry may be incomplete."""
    copied, again = load_copied(site.run), load_again(site.run)
    if copied is None:
        return
    # Until the expected manifest is written, files that were copied again may be incomplete.
    settled = (site.run / RESULT).exists()
    twice = dict.fromkeys(map(os.fsencode, again.paths))
    if (site.run / BEFORE).exists():
        for index, entry in enumerate(entries_in(site.run / BEFORE)):
            if index >= copied.begun:
                break
            if entry.path:
                yield entry.path, index >= copied.done or (entry.path in twice and not settled)
                twice.pop(entry.path, None)
    for path in twice:
        yield path, not settled


def _remove_one(site: BringSite, path: bytes, removal: _Removal, *, half: bool) -> None:
    try:
        status = status_at(site.there, path)
    except OSError as error:
        if error.errno in GONE:
            return
        raise
    if stat.S_ISDIR(status.st_mode):
        removal.folders.append(path)
    elif _is_own(site, path, status, removal, half=half) and not _was_touched(site, path, status):
        remove_entry(site.there, path)
        removal.removed += 1
        removal.inodes.add(status.st_ino)
    else:
        removal.left.append(path)


def _is_own(site: BringSite, path: bytes, status: os.stat_result, removal: _Removal, *, half: bool) -> bool:
    """Return True if the source contains all of the entry, so that no data is lost with it."""
    if is_same(site, path):
        return True
    # The last change of the inode may be the removal of another name.
    is_as_left = status.st_ino in removal.inodes or is_older(status, site.written_ns)
    return half and is_as_left and is_part(site, path)


def _was_touched(site: BringSite, path: bytes, before: os.stat_result) -> bool:
    """Return True if the entry changed during the comparison."""
    now = status_at(site.there, path)
    seen = [(one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for one in (before, now)]
    return seen[0] != seen[1]


def _remove_folder(site: BringSite, path: bytes, removal: _Removal) -> None:
    if not is_same(site, path):
        removal.left.append(path)
    elif remove_entry(site.there, path):
        removal.removed += 1
    else:
        removal.kept_folders.append(path)


def remove_made_folders(site_folders: tuple[str, ...]) -> None:
    """Remove the folders that the run made above the copy, unless they have other contents."""
    for path in reversed(site_folders):
        try:
            Path(path).rmdir()
        except OSError:
            return


def _result_message(site: BringSite, removal: _Removal) -> Message:
    folder = shown(site.bring.target.folder)
    messages = [
        tn(
            "1 entry was removed from {folder}.",
            "{count:,d} entries were removed from {folder}.",
            count=removal.removed,
            folder=folder,
        )
    ]
    if removal.left:
        source = shown(site.bring.source.path)
        messages.append(
            t(
                "Not removed because the copy differs from {source}: {paths:list}.",
                source=source,
                paths=_names(removal.left),
            )
        )
        if len(removal.left) > NAMED:
            list_file = site.run / KEPT
            replace_durably(list_file, "".join(f"{named(path)}\n" for path in sorted(removal.left)).encode())
            messages.append(t("{file} lists all remaining entries.", file=str(list_file)))
    if removal.kept_folders:
        messages.append(
            t("Folders with other contents remain: {paths:list}.", paths=_names(removal.kept_folders))
        )
    return join(*messages)


def _names(paths: list[bytes]) -> tuple[Message | str, ...]:
    more = (survey.MORE_CHANGE(count=len(paths) - NAMED),) if len(paths) > NAMED else ()
    return (*map(named, sorted(paths)[:NAMED]), *more)


STEP = 3


def compare(site: BringSite) -> tuple[Message, int]:
    """Read the copy back and compare it. Return a result message and the number of entries.

    Raises Failed with the differences.
    """
    copied, again, to = load_copied(site.run), load_again(site.run), site.bring.target
    assert copied is not None, "the first step is done"
    # Read the copy from the drive, not from memory.
    size_bytes = site.bring.amount.size_bytes
    site.sync()
    forget_caches(to.device)
    with seen_alone(Path(to.folder)) as top:
        taken = take_manifest(
            top,
            site.run / AFTER,
            on_progress=stoppable(site.run, noting(site.run, STEP, size_bytes=size_bytes)),
            reading=Reading(cold=True, only=copied.top),
            total_bytes=size_bytes,
        )
    unsteady = frozenset(path.encode(errors="surrogateescape") for path in again.unsteady)
    found = differences(
        site.run / RESULT, site.run / AFTER, inode_numbers=False, seen_as=as_held(site.holds, unsteady)
    )
    if found:
        raise Failed(join(t("The copy in {folder} differs:", folder=shown(to.folder)), *found))
    # The list includes the top folder.
    count = taken.entries - 1
    return t(
        "{entries:,d} entries were read back from the drive and match {source}.",
        entries=count,
        source=shown(site.bring.source.path),
    ), count
