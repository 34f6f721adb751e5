"""Second pass of a copy: copy changed files again once, then set folder metadata, then flags."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from wizard.apply.copy import survey
from wizard.apply.copy.copying import check_not_stopped, entries_in, is_steady
from wizard.apply.copy.own_copy import check_own, with_digests
from wizard.apply.copy.site import RESULT, Again, BringSite, load_again, load_copied, save_again
from wizard.apply.copy.survey import names_in
from wizard.apply.run.progress_log import noting
from wizard.apply.tree.copying import (
    TreeCopy,
    copy_entry,
    finish_folder,
    free,
    remove_name,
    set_flags,
    telling,
)
from wizard.apply.tree.entry import (
    GONE,
    KINDS,
    EntryKind,
    Inode,
    TreeEntry,
    folder_of,
    look,
    status_at,
    to_line,
    walk,
)
from wizard.apply.tree.manifest import BEFORE, write_manifest
from wizard.apply.tree.mount_read_only import NOT_WRITTEN
from wizard.model.errors import Failed
from wizard.model.said import Message, t, tn

STEP = 2
READERS = 2


@dataclass(slots=True)
class _Changed:
    """Changed entries. `gone` are missing or of another kind. `again` are copied again, in order, each with
    the new entry once copied."""

    gone: list[bytes] = field(default_factory=list)
    again: dict[bytes, TreeEntry | None] = field(default_factory=dict)
    unsteady: set[bytes] = field(default_factory=set)


def catch_up(site: BringSite) -> Message:
    """Copy changed files again, and finish the copy. Return a result message. Raises Failed and
    CopyStopped."""
    note = noting(site.run, STEP)
    copied, previous = load_copied(site.run), load_again(site.run)
    assert copied is not None, "the first step is done"
    changed = _find_changed(site, copied.top, frozenset(map(os.fsencode, previous.paths)))
    new = names_in(site.here) - copied.top
    paths = tuple(dict.fromkeys((*previous.paths, *map(os.fsdecode, changed.again))))
    save_again(site.run, Again(paths, new=tuple(sorted(map(os.fsdecode, new)))))
    _check_own(site, changed, frozenset(map(os.fsencode, previous.paths)))
    _remove_gone(site, changed)
    _copy_again(site, changed, lambda share: note(share * 0.8))
    _write_result(site, changed)
    _finish(site)
    _find_unsteady(site, changed)
    site.sync()
    unsteady = tuple(sorted(map(os.fsdecode, changed.unsteady)))
    save_again(site.run, replace(load_again(site.run), unsteady=unsteady))
    count = len(changed.again) + len(changed.gone)
    return (
        tn(
            "1 entry changed during the copy and was copied again.",
            "{count:,d} entries changed during the copy and were copied again.",
            count=count,
        )
        if count
        else t("No entries changed during the copy.")
    )


def _find_changed(site: BringSite, top: frozenset[bytes], previous: frozenset[bytes]) -> _Changed:
    changed = _Changed()
    remaining = set(previous)
    for path, entry, status in _compare_with_list(site, top):
        remaining.discard(path)
        if status is None:
            changed.gone.append(path)
            continue
        if entry is None or path in previous or not is_steady(entry, status):
            changed.again[path] = None
            if entry is not None and KINDS.get(stat.S_IFMT(status.st_mode)) is not entry.kind:
                changed.gone.append(path)
    # Copied by an earlier attempt, and missing now.
    changed.gone += sorted(remaining)
    # The top folder belongs to the target, unless the run made it.
    changed.again.pop(b"", None)
    return changed


def _compare_with_list(
    site: BringSite, top: frozenset[bytes]
) -> Iterator[tuple[bytes, TreeEntry | None, os.stat_result | None]]:
    """Yield each path with the listed entry and the current status. Both lists have the same order."""
    listed = entries_in(site.run / BEFORE)
    entry = next(listed, None)
    for path, _, _ in walk(site.here, top, changing=True):
        order = path.split(b"/") if path else []
        while entry is not None and entry.order < order:
            yield entry.path, entry, None
            entry = next(listed, None)
        try:
            status = status_at(site.here, path)
        except OSError as error:
            if error.errno in GONE:
                continue
            raise Failed(survey.UNREAD(path=os.fsdecode(path), why=str(error.strerror))) from None
        if entry is not None and entry.path == path:
            yield path, entry, status
            entry = next(listed, None)
        else:
            yield path, None, status
    while entry is not None:
        yield entry.path, entry, None
        entry = next(listed, None)


def _check_own(site: BringSite, changed: _Changed, previous: frozenset[bytes]) -> None:
    """Raises Failed if an entry to replace or remove may not belong to the run."""
    wanted = {*changed.gone, *changed.again}
    if not wanted:
        return
    listed = with_digests(site.run, entries_in(site.run / BEFORE))
    recorded = {entry.path: entry for entry in listed if entry.path in wanted}
    for path in sorted(wanted):
        with telling(path):
            check_own(site, path, recorded.get(path), half=path in previous)


def _remove_gone(site: BringSite, changed: _Changed) -> None:
    """Remove copied entries that are missing in the source, deepest first."""
    for path in sorted(changed.gone, key=lambda path: path.split(b"/"), reverse=True):
        with telling(path):
            remove_entry(site.there, path)


def remove_entry(top: int, path: bytes) -> bool:
    """Remove a file, or a folder if empty. Return True if the entry is gone. Raises OSError."""
    try:
        with folder_of(top, path) as (folder, name):
            if stat.S_ISDIR(status_at(folder, name).st_mode):
                return _remove_folder(folder, name)
            remove_name(folder, name)
    except OSError as error:
        if error.errno not in GONE:
            raise
    return True


def _remove_folder(above: int, name: bytes) -> bool:
    try:
        os.rmdir(name, dir_fd=above)
    except PermissionError:
        free(above, name)
        os.rmdir(name, dir_fd=above)
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise
        return False
    return True


def _copy_again(site: BringSite, changed: _Changed, note: Callable[[float], None]) -> None:
    copy = TreeCopy(site.here, site.there, lambda _more: None, site.holds, again=True)
    first: dict[Inode, bytes] = {}
    for number, path in enumerate(changed.again):
        check_not_stopped(site.run)
        with telling(path):
            _copy_one(copy, path, first, changed)
        note((number + 1) / len(changed.again))


def _copy_one(copy: TreeCopy, path: bytes, first: dict[Inode, bytes], changed: _Changed) -> None:
    before = None
    try:
        before = status_at(copy.source, path)
        entry = look(copy.source, path, READERS, lambda _more: None)
        status, same = status_at(copy.source, path), path
        if entry.kind is not EntryKind.FOLDER and status.st_nlink > 1:
            same = first.setdefault((status.st_dev, status.st_ino), path)
        _without_flags(copy.target, path, partial(copy_entry, copy, path, status, same))
    except OSError as error:
        if error.errno not in GONE and before is not None and not _has_changed(copy.source, path, before):
            raise
        # The entry was deleted, or truncated during the copy.
        changed.unsteady.add(path)
        remove_entry(copy.target, path)
        return
    changed.again[path] = replace(entry, same_as=same if same != path else b"")


def _has_changed(top: int, path: bytes, before: os.stat_result) -> bool:
    try:
        return status_at(top, path).st_ctime_ns != before.st_ctime_ns
    except OSError as error:
        return error.errno in GONE


def _without_flags(top: int, path: bytes, work: Callable[[], object]) -> None:
    """Run `work`. If flags set by an earlier attempt forbid that, clear them and retry."""
    try:
        work()
    except PermissionError:
        free(top, path)
        work()


def _write_result(site: BringSite, changed: _Changed) -> None:
    """Write the manifest of the expected copy."""
    try:
        write_manifest(site.run / RESULT, _result_lines(site, changed))
    except OSError as error:
        file = str(site.run / RESULT)
        raise Failed(NOT_WRITTEN(file=file, why=str(error.strerror))) from None


def _result_lines(site: BringSite, changed: _Changed) -> Iterator[bytes]:
    again = iter([entry for entry in changed.again.values() if entry is not None])
    gone = frozenset(changed.gone) | changed.again.keys()
    newer = next(again, None)
    for entry in with_digests(site.run, entries_in(site.run / BEFORE)):
        while newer is not None and newer.order <= entry.order:
            yield to_line(newer)
            newer = next(again, None)
        if entry.path not in gone:
            yield to_line(entry)
    while newer is not None:
        yield to_line(newer)
        newer = next(again, None)


def _finish(site: BringSite) -> None:
    """Finish folders, deepest first, then set flags."""
    copy = TreeCopy(site.here, site.there, lambda _more: None, site.holds)
    entries = [one for one in entries_in(site.run / RESULT) if one.kind is EntryKind.FOLDER or one.flags]
    makes_top = bool(site.bring.target.makes) or site.bring.takes is not None
    for entry in reversed(entries):
        if entry.kind is EntryKind.FOLDER and (entry.path or makes_top):
            _ignore_missing(entry.path, partial(_finish_one, copy, entry.path))
    for entry in entries:
        if flags := entry.flags & site.holds.flags if entry.path else 0:
            _ignore_missing(entry.path, partial(set_flags, site.there, entry.path, flags))


def _finish_one(copy: TreeCopy, path: bytes) -> None:
    _without_flags(copy.target, path, partial(finish_folder, copy, path))


def _ignore_missing(path: bytes, work: Callable[[], object]) -> None:
    """Run `work`, and ignore an entry that was deleted in the source."""
    with telling(path):
        try:
            work()
        except OSError as error:
            if error.errno not in GONE:
                raise


def _find_unsteady(site: BringSite, changed: _Changed) -> None:
    """Find entries that changed after they were copied again."""
    for entry in entries_in(site.run / RESULT):
        try:
            steady = is_steady(entry, status_at(site.here, entry.path))
        except OSError as error:
            if error.errno not in GONE:
                raise Failed(survey.UNREAD(path=os.fsdecode(entry.path), why=str(error.strerror))) from None
            steady = False
        if not steady and entry.path:
            changed.unsteady.add(entry.path)
