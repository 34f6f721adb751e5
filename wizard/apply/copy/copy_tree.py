"""Copy a tree, then copy again what changed meanwhile, and set folder metadata and flags last.

Entries are copied in batches: under temporary names, flushed, recorded, and then renamed. So a power cut or a
kill leaves complete files and temporary names, which the next attempt renames or removes.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from time import monotonic

from msgspec.structs import replace

from wizard.apply.copy.compare_copy import check_own
from wizard.apply.copy.copied import (
    AGAIN_LIST,
    LIST,
    BringSite,
    Copied,
    EntryList,
    entries_in,
    load_copied,
)
from wizard.apply.copy.copy_entry import (
    copy_entry,
    finish_folder,
    give_name,
    make_folder,
    make_link,
    remove_entry,
    set_flags,
    status_of,
    telling,
    without_flags,
)
from wizard.apply.copy.survey import check_names_free, names_in
from wizard.apply.run.progress_log import noting
from wizard.apply.tree import manifest
from wizard.apply.tree.entries import (
    GONE,
    KINDS,
    EntryKind,
    Found,
    TreeEntry,
    order_of,
    paired,
    status_at,
    to_line,
    walk,
)
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput
from wizard.model.said import MIB, Message, t, tn

BATCH_ENTRIES, BATCH_BYTES = 8192, 256 * MIB
"""Limits of a batch: a power cut costs at most one."""


def copy_listed(site: BringSite) -> Message:
    """Copy everything that an earlier attempt did not. Return a result message. Raises Failed and
    Stopped."""
    start, total_bytes = monotonic(), max(site.bring.amount.size_bytes, 1)
    copied = load_copied(site.run)
    if copied is None:
        names = names_in(site.source)
        check_names_free(names, site.bring.target)
        copied = Copied(site.bring.target.folder, _sorted(names))
        EntryList(site.run / LIST).close()
        site.save(copied)
    _settle(site)
    done_bytes, last = 0, None
    for entry in site.entries():
        done_bytes, last = done_bytes + (0 if entry.same_as else entry.data_bytes), order_of(entry.path)
    left_bytes = max(total_bytes - done_bytes, 1)
    note = noting(site.run, 1, (min(done_bytes / total_bytes, 0.999), 1.0), left_bytes)
    linked: dict[manifest.Inode, TreeEntry] = {}
    with _Batches(site, LIST, linked, site.counting(note, left_bytes)) as batches:
        for found in _in_batches(_not_listed(site, copied, last, linked)):
            batches.copy(found, {})
        seconds, size_bytes = monotonic() - start, done_bytes + batches.copied_bytes
    # The list includes the top folder.
    count = batches.recorder.count - 1
    return t(
        "{entries:,d} entries ({size:size}) are on the drive, {copied:size} copied in {seconds:.0f} s.",
        entries=count,
        size=size_bytes,
        copied=batches.copied_bytes,
        seconds=seconds,
    )


def _not_listed(
    site: BringSite, copied: Copied, last: list[bytes] | None, linked: dict[manifest.Inode, TreeEntry]
) -> Iterator[Found]:
    """Yield the entries after the `last` listed one, and add listed hard links to `linked`. The next step
    copies what is missing before that one."""
    for path, status, entry in _compare_with_list(site, copied):
        if status is None:
            continue
        if entry is not None:
            _know_link(entry, status, linked)
        elif last is None or order_of(path) > last:
            yield path, status


def _know_link(entry: TreeEntry, status: os.stat_result, linked: dict[manifest.Inode, TreeEntry]) -> None:
    inode = manifest.linked_inode(status)
    if inode and not entry.same_as and is_steady(entry, status):
        linked[inode] = entry


def is_steady(entry: TreeEntry, status: os.stat_result) -> bool:
    """Return True if a file or folder is unchanged since it was copied."""
    return (
        KINDS.get(stat.S_IFMT(status.st_mode)) is entry.kind
        and (entry.kind is EntryKind.FOLDER or status.st_size == entry.size_bytes)
        and (status.st_mtime_ns, status.st_ctime_ns) == (entry.modified, entry.changed)
    )


def _compare_with_list(
    site: BringSite, copied: Copied
) -> Iterator[tuple[bytes, os.stat_result | None, TreeEntry | None]]:
    names = frozenset(map(os.fsencode, copied.names))
    for found, entry in paired(walk(site.source, names, changing=True), site.entries()):
        if found is not None:
            yield *found, entry
        elif entry is not None:
            yield entry.path, None, entry


def _in_batches(found: Iterable[Found]) -> Iterator[Sequence[Found]]:
    batch, size_bytes = list[Found](), 0
    for path, status in found:
        batch.append((path, status))
        size_bytes += min(status.st_size, status.st_blocks * 512)
        if len(batch) >= BATCH_ENTRIES or size_bytes >= BATCH_BYTES:
            yield batch
            batch, size_bytes = [], 0
    if batch:
        yield batch


class _Batches:
    """Copies batches of entries and records them in the list `file`."""

    def __init__(
        self, site: BringSite, file: str, linked: dict[manifest.Inode, TreeEntry], on_bytes: manifest.OnBytes
    ) -> None:
        self._site, self._file, self._on_bytes = site, file, on_bytes
        self._linked = linked if site.holds.links else None
        self._copied = site.load()
        self._earlier = frozenset(map(os.fsencode, self._copied.pending))
        self.recorder = EntryList(site.run / file)
        self.copied_bytes = 0

    def __enter__(self) -> "_Batches":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.recorder.close()
        if kind is None:
            self._site.sync()
            self._site.save(replace(self._copied, pending=()))

    def copy(self, batch: Sequence[Found], own: Mapping[bytes, TreeEntry]) -> frozenset[bytes]:
        """Copy a batch, and replace the entries that the run copied before as `own`. Return the paths that
        changed meanwhile. Raises Failed, and whatever the callback raises."""
        site, begin = self._site, self.recorder.count
        paths = tuple(os.fsdecode(path) for path, _ in batch)
        # Until this batch is flushed, the new names of the last one may be lost.
        last = self._copied
        first = last.entries if last.pending and last.file == self._file else begin
        site.save(replace(last, file=self._file, entries=first, pending=(*last.pending, *paths)))
        read = partial(_copy_one, site, self._earlier | own.keys())
        entries = list(manifest.read_batch(batch, self._linked, read, self._count))
        for entry in entries:
            if entry.same_as:
                top, link = site.target, partial(make_link, site, entry.same_as, entry.path)
                with telling(entry.path):
                    without_flags(top, entry.path, partial(without_flags, top, entry.same_as, link))
        site.sync()
        self.recorder.add([to_line(entry) for entry in entries])
        for entry in entries:
            _give_name(site, entry.path, own.get(entry.path))
        self._copied = replace(last, file=self._file, entries=begin, pending=paths)
        return frozenset(path for path, _ in batch) - {entry.path for entry in entries}

    def _count(self, more: int) -> None:
        self.copied_bytes += more
        self._on_bytes(more)


def _copy_one(
    site: BringSite, known: frozenset[bytes], path: bytes, on_bytes: Callable[[int], None]
) -> TreeEntry | None:
    """Copy one entry to a temporary name, or return None if the source changed. Folders in `known` may exist.
    Raises Failed, and whatever `on_bytes` raises."""
    before: os.stat_result | None = None

    def work() -> TreeEntry:
        entry = copy_entry(site, path, on_bytes)
        if entry.kind is EntryKind.FOLDER and path:
            make_folder(site, path, again=path in known)
        return entry

    with telling(path):
        try:
            before = status_at(site.source, path)
            return without_flags(site.target, path, work)
        except OSError as error:
            if not isinstance(error, GONE):
                now = status_of(site.source, path)
                if before is None or (now is not None and now.st_ctime_ns == before.st_ctime_ns):
                    raise
            remove_entry(site.target, site.temporary(path))
    return None


def _give_name(site: BringSite, path: bytes, own: TreeEntry | None) -> None:
    """Rename a temporary file, and replace what the run copied before as `own`. Raises Failed."""
    with telling(path), suppress(*GONE):
        try:
            without_flags(site.target, path, partial(give_name, site, path))
        except FileExistsError:
            if status_of(site.target, site.temporary(path)) is None:
                return
            check_own(site, path, own)
            without_flags(site.target, path, partial(give_name, site, path, replace=True))


def _settle(site: BringSite) -> None:
    """Finish the renames of an earlier attempt, and remove its other temporary names. Raises Failed, and
    BadInput if the lists are damaged."""
    pending = site.load()
    paths = dict.fromkeys(map(os.fsencode, pending.pending))
    recorded, own, count = set[bytes](), dict[bytes, TreeEntry](), 0
    for file in (LIST, AGAIN_LIST) if paths else ():
        for number, entry in enumerate(entries_in(site.run / file), 1):
            is_new = file == pending.file and number > pending.entries
            count = number if file == pending.file else count
            if entry.path in paths and is_new:
                recorded.add(entry.path)
            elif entry.path in paths:
                own[entry.path] = entry
    if paths and count < pending.entries:
        raise BadInput(manifest.INCOMPLETE(file=site.run / pending.file))
    for path in paths:
        if path in recorded:
            _give_name(site, path, own.get(path))
        else:
            with telling(path):
                remove_entry(site.target, site.temporary(path))


def catch_up(site: BringSite) -> Message:
    """Copy changed files again, and finish the copy. Return a result message. Raises Failed and
    Stopped."""
    note = noting(site.run, 2)
    copied = site.load()
    _settle(site)
    linked: dict[manifest.Inode, TreeEntry] = {}
    # Entries to copy again, these as copied before, and those missing or of another kind in the source.
    again, own, stale = list[Found](), dict[bytes, TreeEntry](), dict[bytes, TreeEntry]()
    for path, status, entry in _compare_with_list(site, copied):
        if status is not None and entry is not None and is_steady(entry, status):
            _know_link(entry, status, linked)
            continue
        # The top folder belongs to the target, unless the run made it.
        if status is not None and path:
            again.append((path, status))
        if entry is not None:
            own[path] = entry
            if status is None or KINDS.get(stat.S_IFMT(status.st_mode)) is not entry.kind:
                stale[path] = entry
    new = names_in(site.source) - frozenset(map(os.fsencode, copied.names))
    _remove(site, stale)
    missed: set[bytes] = set()
    if again:
        count = site.counting(lambda share: note(share * 0.8), sum(status.st_size for _, status in again))
        with _Batches(site, AGAIN_LIST, linked, count) as batches:
            for found in _in_batches(again):
                missed |= batches.copy(found, own)
    _remove(site, {path: own[path] for path in missed if path in own})
    gone = missed | (stale.keys() - {path for path, _ in again})
    _finish(site, gone)
    unsteady = missed | {*_unsteady(site, gone | {b""})}
    site.sync()
    site.save(replace(site.load(), gone=_sorted(gone), unsteady=_sorted(unsteady), new=_sorted(new)))
    return tn(
        "1 entry changed during the copy and was copied again.",
        "{count:,d} entries changed during the copy and were copied again.",
        count=len(again) + len(gone - missed),
    )


def _sorted(paths: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(os.fsdecode(path) for path in sorted(paths))


def _remove(site: BringSite, entries: Mapping[bytes, TreeEntry]) -> None:
    """Remove copied entries, deepest first. Raises Failed if one may not be the run's."""
    for path in sorted(entries, key=order_of, reverse=True):
        with telling(path):
            check_own(site, path, entries[path])
            remove_entry(site.target, path)


def _finish(site: BringSite, gone: Set[bytes]) -> None:
    found = (entry for entry in site.entries() if entry.path not in gone)
    entries = [one for one in found if one.kind is EntryKind.FOLDER or one.flags]
    makes_top = bool(site.bring.target.makes) or site.bring.takes is not None
    for entry in reversed(entries):
        if entry.kind is EntryKind.FOLDER and (entry.path or makes_top):
            with telling(entry.path), suppress(*GONE):
                finish_folder(site, entry.path)
    for entry in entries:
        if flags := entry.flags & site.holds.flags if entry.path else 0:
            with telling(entry.path), suppress(*GONE):
                set_flags(site.target, entry.path, flags)


def _unsteady(site: BringSite, skipped: Set[bytes]) -> Iterator[bytes]:
    for entry in site.entries():
        if entry.path not in skipped:
            with telling(entry.path, UNREADABLE):
                status = status_of(site.source, entry.path)
            if status is None or not is_steady(entry, status):
                yield entry.path
