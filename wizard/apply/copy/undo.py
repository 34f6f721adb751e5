"""Undo a copy. Removes only entries that the run made and whose source has the same content."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from wizard.apply.block.devices import forget_caches
from wizard.apply.copy import survey
from wizard.apply.copy.catch_up import remove_entry
from wizard.apply.copy.copying import entries_in, heeding
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
"""So many files are named, the others counted."""

KEPT = "kept.txt"
"""The file in a run's folder that lists all that undoing kept."""


@dataclass(slots=True)
class _Taken:
    removed: int = 0
    inodes: set[int] = field(default_factory=set)
    left: list[bytes] = field(default_factory=list)
    folders: list[bytes] = field(default_factory=list)
    kept_folders: list[bytes] = field(default_factory=list)


def remove_brought(site: BringSite) -> Message:
    """Take away what the run made; a sentence on that, and on what was left. Raises Failed."""
    copied = load_copied(site.run)
    if copied is not None and not copied.written_ns:
        # Undoing notes its progress where the copy did.
        save_copied(site.run, replace(copied, written_ns=site.written_ns))
    taken = _Taken()
    note = noting(site.run)
    paths = dict(_made(site))
    for number, (path, half) in enumerate(paths.items()):
        with telling(path, survey.NOT_REMOVED):
            _take_one(site, path, taken, half=half)
        note((number + 1) / len(paths))
    for path in sorted(taken.folders, key=lambda path: path.split(b"/"), reverse=True):
        with telling(path, survey.NOT_REMOVED):
            _take_folder(site, path, taken)
    site.sync()
    return _told(site, taken)


def _made(site: BringSite) -> Iterator[tuple[bytes, bool]]:
    """What the run made, and whether it can be half there."""
    copied, again = load_copied(site.run), load_again(site.run)
    if copied is None:
        return
    # Before it is written down what they are to be, files that were copied again can be half there, too.
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


def _take_one(site: BringSite, path: bytes, taken: _Taken, *, half: bool) -> None:
    try:
        there = status_at(site.there, path)
    except OSError as error:
        if error.errno in GONE:
            return
        raise
    if stat.S_ISDIR(there.st_mode):
        taken.folders.append(path)
    elif _is_own(site, path, there, taken, half=half) and not _was_touched(site, path, there):
        remove_entry(site.there, path)
        taken.removed += 1
        taken.inodes.add(there.st_ino)
    else:
        taken.left.append(path)


def _is_own(site: BringSite, path: bytes, there: os.stat_result, taken: _Taken, *, half: bool) -> bool:
    """Return True if the source holds all of it, so that nothing is lost with it."""
    if is_same(site, path):
        return True
    # Removing another name of the same file was the inode's last change.
    is_as_left = there.st_ino in taken.inodes or is_older(there, site.written_ns)
    return half and is_as_left and is_part(site, path)


def _was_touched(site: BringSite, path: bytes, before: os.stat_result) -> bool:
    """Return True if somebody changed it while it was compared."""
    now = status_at(site.there, path)
    seen = [(one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for one in (before, now)]
    return seen[0] != seen[1]


def _take_folder(site: BringSite, path: bytes, taken: _Taken) -> None:
    if not is_same(site, path):
        taken.left.append(path)
    elif remove_entry(site.there, path):
        taken.removed += 1
    else:
        taken.kept_folders.append(path)


def remove_made_folders(site_folders: tuple[str, ...]) -> None:
    """Take away the folders that lead to the copy, as far as nothing else is in them."""
    for path in reversed(site_folders):
        try:
            Path(path).rmdir()
        except OSError:
            return


def _told(site: BringSite, taken: _Taken) -> Message:
    folder = shown(site.bring.target.folder)
    said = [
        tn(
            "1 entry was removed from {folder}.",
            "{count:,d} entries were removed from {folder}.",
            count=taken.removed,
            folder=folder,
        )
    ]
    if taken.left:
        source = shown(site.bring.source.path)
        said.append(
            t(
                "Kept because the copy differs from {source}: {paths:list}.",
                source=source,
                paths=_names(taken.left),
            )
        )
        if len(taken.left) > NAMED:
            list_file = site.run / KEPT
            replace_durably(list_file, "".join(f"{named(path)}\n" for path in sorted(taken.left)).encode())
            said.append(t("{file} lists all kept entries.", file=str(list_file)))
    if taken.kept_folders:
        said.append(t("Folders with other contents remain: {paths:list}.", paths=_names(taken.kept_folders)))
    return join(*said)


def _names(paths: list[bytes]) -> tuple[Message | str, ...]:
    more = (survey.MORE_CHANGE(count=len(paths) - NAMED),) if len(paths) > NAMED else ()
    return (*map(named, sorted(paths)[:NAMED]), *more)


STEP = 3


def compare(site: BringSite) -> tuple[Message, int]:
    """Read it and compare; a sentence, and how many entries that were. Raises Failed where something is not
    the same, naming it."""
    copied, again, to = load_copied(site.run), load_again(site.run), site.bring.target
    assert copied is not None, "the first step is done"
    # What was written has to come from the drive again, not from memory.
    size_bytes = site.bring.amount.size_bytes
    site.sync()
    forget_caches(to.device)
    with seen_alone(Path(to.folder)) as top:
        taken = take_manifest(
            top,
            site.run / AFTER,
            on_progress=heeding(site.run, noting(site.run, STEP, size_bytes=size_bytes)),
            reading=Reading(cold=True, only=copied.top),
            total_bytes=size_bytes,
        )
    unsteady = frozenset(path.encode(errors="surrogateescape") for path in again.unsteady)
    found = differences(
        site.run / RESULT, site.run / AFTER, inode_numbers=False, seen_as=as_held(site.holds, unsteady)
    )
    if found:
        raise Failed(join(t("The copy in {folder} differs:", folder=shown(to.folder)), *found))
    # The top is on the list, too.
    count = taken.entries - 1
    return t(
        "{entries:,d} entries were read back from the drive and match {source}.",
        entries=count,
        source=shown(site.bring.source.path),
    ), count
