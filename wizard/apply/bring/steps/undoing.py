"""Removing what was brought: only what the run made, and only where its source still holds the same."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wizard.apply.bring import words
from wizard.apply.bring.places import shown
from wizard.apply.bring.site import BringSite
from wizard.apply.bring.steps.catching_up import remove_entry
from wizard.apply.bring.steps.copying import entries_in
from wizard.apply.bring.steps.record import RESULT, load_again, load_copied
from wizard.apply.manifest.copying import telling
from wizard.apply.manifest.look import GONE, folder_of, named, status_at
from wizard.apply.manifest.manifest import BEFORE
from wizard.apply.run.progress import noting
from wizard.filesystems.holding import Holds
from wizard.model.said import Said, in_a_row

NAMED = 5
"""So many files are named, the others counted."""


@dataclass(slots=True)
class _Taken:
    removed: int = 0
    left: list[bytes] = field(default_factory=list)
    folders: list[bytes] = field(default_factory=list)
    kept_folders: list[bytes] = field(default_factory=list)


def remove_brought(site: BringSite) -> Said:
    """Take away what the run made; a sentence on that, and on what was left. Raises Failed."""
    taken = _Taken()
    note = noting(site.run)
    paths = dict(_made(site))
    for number, (path, half) in enumerate(paths.items()):
        with telling(path, words.NOT_REMOVED):
            _take_one(site, path, taken, half=half)
        note((number + 1) / len(paths))
    for path in sorted(taken.folders, key=lambda path: path.split(b"/"), reverse=True):
        with telling(path, words.NOT_REMOVED):
            gone = remove_entry(site.there, path)
        taken.removed += gone
        if not gone:
            taken.kept_folders.append(path)
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
    elif _is_still_held(site, path, there, half=half):
        remove_entry(site.there, path)
        taken.removed += 1
    else:
        taken.left.append(path)


def _is_still_held(site: BringSite, path: bytes, there: os.stat_result, *, half: bool) -> bool:
    """Whether the source has the same, or the whole of what is half there: so nothing is lost with it."""
    try:
        here = status_at(site.here, path)
    except OSError as error:
        if error.errno in GONE:
            return False
        raise
    if stat.S_IFMT(here.st_mode) != stat.S_IFMT(there.st_mode):
        return False
    if half or not (stat.S_ISREG(here.st_mode) or stat.S_ISLNK(here.st_mode)):
        return True
    if stat.S_ISLNK(here.st_mode):
        return _link_at(site.here, path) == _link_at(site.there, path)
    return _key(here, site.holds) == _key(there, site.holds)


def _key(status: os.stat_result, holds: Holds) -> tuple[int, int]:
    return status.st_size, holds.time(status.st_mtime_ns)


def _link_at(top: int, path: bytes) -> bytes:
    with folder_of(top, path) as (folder, name):
        return os.readlink(name, dir_fd=folder)


def remove_made_folders(site_folders: tuple[str, ...]) -> None:
    """Take away the folders that lead to the copy, as far as nothing else is in them."""
    for path in reversed(site_folders):
        try:
            Path(path).rmdir()
        except OSError:
            return


def _told(site: BringSite, taken: _Taken) -> Said:
    folder = shown(site.bring.target.folder)
    said = [words.REMOVED(count=taken.removed, folder=folder)]
    if taken.left:
        source = shown(site.bring.source.path)
        said.append(words.LEFT(source=source, paths=_names(taken.left)))
    if taken.kept_folders:
        said.append(words.NOT_EMPTY(paths=_names(taken.kept_folders)))
    return in_a_row(*said)


def _names(paths: list[bytes]) -> tuple[Said | str, ...]:
    more = (words.MORE_CHANGE(count=len(paths) - NAMED),) if len(paths) > NAMED else ()
    return (*map(named, sorted(paths)[:NAMED]), *more)
