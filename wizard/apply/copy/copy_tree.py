"""Copy a tree to the stage, then copy again what changed meanwhile, and move the complete copy to the target.

Entries are copied in batches: copied, flushed, and listed. So after a power cut or a kill, the next attempt
copies only what is not listed.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from heapq import merge
from time import monotonic

from msgspec.structs import replace

from wizard.apply.copy.copied import FOREIGN, MANIFEST, BringSite, Copied, load_copied
from wizard.apply.copy.copy_entry import (
    TreeCopy,
    clear,
    copy_entry,
    finish_folder,
    make_link,
    place,
    remove_entry,
    set_flags,
    status_of,
    telling,
)
from wizard.apply.copy.survey import check_names_free, copied_names
from wizard.apply.run.process import UNWRITTEN
from wizard.apply.run.progress_log import noting
from wizard.apply.tree import manifest
from wizard.apply.tree.entries import (
    GONE,
    KINDS,
    EntryKind,
    Found,
    TreeEntry,
    named,
    names_in,
    opened,
    order_of,
    paired,
    status_at,
    walk,
)
from wizard.documents.files import UNREADABLE
from wizard.model.errors import Failed
from wizard.model.said import MIB, Message, failing, t, tn

BATCH_ENTRIES, BATCH_BYTES = 8192, 256 * MIB
"""Limits of a batch: a power cut costs at most one."""

Linked = dict[manifest.Inode, TreeEntry]
"""Copied files with several names."""


def copy_listed(site: BringSite) -> Message:
    """Copy everything that an earlier attempt did not. Return a result message. Raises Failed and
    Stopped."""
    start, total_bytes = monotonic(), max(site.bring.amount.size_bytes, 1)
    if load_copied(site.run) is None:
        check_names_free(copied_names(site.source) | {site.stage}, site.bring.target)
        site.save(Copied(site.bring.target.folder))
    count, done_bytes, copied_bytes, last = 0, 0, 0, None
    for entry in site.listed():
        count, done_bytes, last = count + 1, done_bytes + _data_bytes(entry), order_of(entry.path)
    left_bytes = max(total_bytes - done_bytes, 1)
    note = noting(site.run, 1, (min(done_bytes / total_bytes, 0.999), 1.0), left_bytes)
    on_bytes, linked = site.counting(note, left_bytes), Linked()
    with site.staged() as copy:
        for batch in _in_batches(_not_listed(site, last, linked)):
            entries = _copy_batch(site, copy, batch, linked, on_bytes)
            site.add(entries)
            count, copied_bytes = count + len(entries), copied_bytes + sum(map(_data_bytes, entries))
    return t(
        "{entries:,d} entries ({size:size}) are on the drive, {copied:size} copied in {seconds:.0f} s.",
        # The list includes the top folder.
        entries=count - 1,
        size=done_bytes + copied_bytes,
        copied=copied_bytes,
        seconds=monotonic() - start,
    )


def _data_bytes(entry: TreeEntry) -> int:
    return 0 if entry.same_as else entry.data_bytes


def _not_listed(site: BringSite, last: list[bytes] | None, linked: Linked) -> Iterator[Found]:
    """Yield the entries after the `last` listed one, and add listed hard links to `linked`. The next step
    copies what is missing before that one."""
    for found, entry in _compare_with_list(site):
        if found and entry:
            _know_link(entry, found[1], linked)
        elif found and (last is None or order_of(found[0]) > last):
            yield found


def _know_link(entry: TreeEntry, status: os.stat_result, linked: Linked) -> None:
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


def _compare_with_list(site: BringSite) -> Iterator[tuple[Found | None, TreeEntry | None]]:
    return paired(walk(site.source, copied_names(site.source), changing=True), site.listed())


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


def _copy_batch(
    site: BringSite, copy: TreeCopy, batch: Sequence[Found], linked: Linked, on_bytes: manifest.OnBytes
) -> Sequence[TreeEntry]:
    """Copy a batch to the drive, and return the entries. Those that changed meanwhile are omitted. Raises
    Failed, and whatever the callback raises."""
    links = linked if site.holds.links else None
    entries = list(manifest.read_batch(batch, links, partial(_copy_one, copy), on_bytes))
    for entry in entries:
        if entry.same_as:
            with telling(entry.path):
                make_link(copy.target, entry.same_as, entry.path)
    site.sync()
    return entries


def _copy_one(copy: TreeCopy, path: bytes, on_bytes: manifest.OnBytes) -> TreeEntry | None:
    """Copy one entry, or return None if the source changed. Raises Failed, and whatever `on_bytes` raises."""
    before: os.stat_result | None = None
    with telling(path):
        try:
            before = status_at(copy.source, path)
            return copy_entry(copy, path, on_bytes)
        except OSError as error:
            if not isinstance(error, GONE):
                now = status_of(copy.source, path)
                if before is None or (now is not None and now.st_ctime_ns == before.st_ctime_ns):
                    raise
    return None


def catch_up(site: BringSite) -> Message:
    """Copy changed files again, and finish the copy. Return a result message. Raises Failed and
    Stopped."""
    count = 0
    if not (site.run / MANIFEST).exists():
        with site.staged() as copy:
            count = _copy_changed(site, copy)
    _place(site)
    return tn(
        "1 entry changed during the copy and was copied again.",
        "{count:,d} entries changed during the copy and were copied again.",
        count=count,
    )


def _copy_changed(site: BringSite, copy: TreeCopy) -> int:
    """Copy changed entries again, remove others from the stage, and write the manifest. Return the number of
    changed entries. Raises Failed and Stopped."""
    note, linked = noting(site.run, 2), Linked()
    # Entries to copy again, and all that are not as listed.
    again, outdated = list[Found](), set[bytes]()
    for found, entry in _compare_with_list(site):
        if found and entry and is_steady(entry, found[1]):
            _know_link(entry, found[1], linked)
        # The top folder belongs to the target, unless the run made it.
        elif found and found[0]:
            again.append(found)
            outdated.add(found[0])
        elif entry and entry.path:
            outdated.add(entry.path)
    on_bytes = site.counting(lambda share: note(share * 0.8), sum(status.st_size for _, status in again))
    batches = (_copy_batch(site, copy, batch, linked, on_bytes) for batch in _in_batches(again))
    newer = {entry.path: entry for batch in batches for entry in batch}
    unsteady = {path for path, _ in again} - newer.keys()
    with failing(UNWRITTEN, file=site.run / MANIFEST):
        older = (entry for entry in site.listed() if entry.path not in outdated)
        in_order = (newer[path] for path in sorted(newer, key=order_of))
        expected = merge(older, in_order, key=lambda entry: order_of(entry.path))
        manifest.write_manifest(site.run / MANIFEST, _finish(site, copy, expected, unsteady))
    return len(outdated)


def _finish(
    site: BringSite, copy: TreeCopy, expected: Iterable[TreeEntry], unsteady: set[bytes]
) -> Iterator[TreeEntry]:
    """Yield the expected entries. Remove others from the stage, and finish the folders. When the last one is
    taken, the copy is on the drive, and `unsteady` entries are recorded. Raises Failed."""
    folders = list[bytes]()
    for found, entry in paired(walk(copy.target, changing=True), expected):
        path = entry.path if entry else found[0] if found else b""
        if entry is None:
            with telling(path):
                clear(copy.target, path)
            continue
        with telling(path, UNREADABLE):
            status = status_of(site.source, path)
        if path and (status is None or not is_steady(entry, status)):
            unsteady.add(path)
        if entry.kind is EntryKind.FOLDER and path:
            folders.append(path)
        yield entry
    for path in folders:
        with telling(path), suppress(*GONE):
            finish_folder(copy, path)
    site.sync()
    site.save(replace(site.load(), unsteady=tuple(os.fsdecode(path) for path in sorted(unsteady))))


def _place(site: BringSite) -> None:
    """Move the complete copy from the stage to the target, and set flags and the top folder's metadata. Can
    be repeated. Raises Failed."""
    if site.has_stage():
        with opened(site.target, site.stage) as stage:
            for name in names_in(stage):
                with telling(name):
                    try:
                        place(stage, site.target, name)
                    except FileExistsError:
                        raise Failed(FOREIGN(path=named(name))) from None
        with telling(site.stage):
            remove_entry(site.target, site.stage)
    for entry in site.entries():
        if flags := entry.flags & site.holds.flags if entry.path else 0:
            with telling(entry.path), suppress(*GONE):
                set_flags(site.target, entry.path, flags)
        elif not entry.path and (site.bring.target.makes or site.bring.takes is not None):
            with telling(b""):
                finish_folder(site, b"")
    site.sync()
