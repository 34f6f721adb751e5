"""Compare a copy with the source. Undo removes only entries whose source has the same content.

The proof is the content. Size and dates prove little, because programs can restore both.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.apply.block.devices import forget_caches
from wizard.apply.copy.copied import BringSite, load_copied
from wizard.apply.copy.copy_entry import remove_entry, status_of, telling
from wizard.apply.run.backup_store import replace_durably
from wizard.apply.run.progress_log import noting
from wizard.apply.tree import entries, manifest
from wizard.apply.tree.content import Content, content_of
from wizard.apply.tree.differences import as_held, differences
from wizard.apply.tree.mount_read_only import seen_alone
from wizard.model.errors import Failed
from wizard.model.said import Message, Sentence, join, t, tn

NOT_REMOVED = Sentence("Cannot remove {file}: {why}.")

NAMED = 5
"""Number of files to name. Others are counted."""

KEPT = "kept.txt"
"""File in a run's folder that lists all entries that undo kept."""


def compare(site: BringSite) -> Message:
    """Read the copy back and compare it. Return a result message. Raises Failed with the differences."""
    copied, to = site.load(), site.bring.target
    gone, unsteady = (frozenset(map(os.fsencode, paths)) for paths in (copied.gone, copied.unsteady))
    size_bytes = site.bring.amount.size_bytes
    count = -1

    def expected() -> Iterator[entries.TreeEntry]:
        # The list includes the top folder.
        nonlocal count
        for entry in site.entries():
            if entry.path not in gone:
                count += 1
                yield entry

    held = as_held(site.holds)

    def seen(entry: entries.TreeEntry) -> entries.TreeEntry | None:
        # The target may have its own lost+found, and an empty one is not copied.
        is_own = entry.path == entries.LOST_AND_FOUND and entry.kind is entries.EntryKind.FOLDER
        return None if is_own or entry.path in unsteady else held(entry)

    # Read the copy from the drive, not from memory.
    site.sync()
    forget_caches(to.device)
    on_bytes = site.counting(noting(site.run, 3, size_bytes=size_bytes), size_bytes)
    with seen_alone(Path(to.folder)) as place, manifest.open_folder(place) as top:
        names = frozenset(map(os.fsencode, copied.names))
        read = manifest.read_tree(top, on_bytes, names, cold=True)
        found = differences(entries.paired(expected(), read), seen_as=seen)
    if found:
        raise Failed(join(t("The copy in {folder} differs:", folder=to.folder), *found))
    return t(
        "{entries:,d} entries were read back from the drive and match {source}.",
        entries=count,
        source=site.bring.source.path,
    )


def check_own(site: BringSite, path: bytes, recorded: entries.TreeEntry | None) -> None:
    """Raises Failed if the entry at `path` in the copy may contain anything that the run did not write.
    Raises OSError.

    The entry belongs to the run if it is as `recorded` during the copy, or as in the source.
    """
    try:
        # Folders are removed only if empty.
        is_folder = stat.S_ISDIR(entries.status_at(site.target, path).st_mode)
        is_own = is_folder or (recorded is not None and _is_recorded(site, path, recorded))
    except entries.GONE:
        return
    if not is_own and not is_same(site, path):
        raise Failed(
            t(
                "{path} in the copy was not written by this run and will not be overwritten. "
                "Move it away first.",
                path=entries.named(path),
            )
        )


def is_same(site: BringSite, path: bytes) -> bool:
    """Return True if the source has the same entry, as far as the target can store it. Raises OSError.

    A new folder, still without owner and attributes, also counts as the same.
    """
    try:
        source, copy = (_reduced(site, top, path) for top in (site.source, site.target))
    except entries.GONE:
        return False
    if source is None or copy is None or source.kind is not copy.kind:
        return False
    if copy.kind is entries.EntryKind.FOLDER and not (
        copy.mode & 0o77 or copy.uid or copy.flags or copy.attributes
    ):
        return True
    # Flags are set last.
    return copy in (source, source._replace(flags=0))


def _is_recorded(site: BringSite, path: bytes, recorded: entries.TreeEntry) -> bool:
    """Return True if the entry has the content recorded during the copy. Raises OSError."""
    found = entries.look(site.target, path, _content)
    if found.kind is not recorded.kind:
        return False
    if found.kind is entries.EntryKind.FILE:
        same = (found.size_bytes, found.digest) == (recorded.size_bytes, recorded.digest)
        return same and bool(recorded.digest)
    return (found.target, found.device) == (recorded.target, recorded.device)


def _reduced(site: BringSite, top: int, path: bytes) -> entries.TreeEntry | None:
    entry = as_held(site.holds)(entries.look(top, path, _content))
    if entry is None:
        return None
    return entry._replace(modified=0) if entry.kind is entries.EntryKind.FOLDER else entry


def _content(fd: int, status: os.stat_result) -> Content:
    return content_of(fd, status.st_size, manifest.WORKERS, lambda _more: None)


def remove_brought(site: BringSite) -> Message:
    """Remove the entries that the run made. Return a message about removed and kept ones. Raises Failed."""
    top, removed = site.target, 0
    left, folders, kept_folders = list[bytes](), list[bytes](), list[bytes]()
    note = noting(site.run)
    copied = load_copied(site.run)
    pending = [os.fsencode(path) for path in copied.pending] if copied else []
    paths = dict.fromkeys(entry.path for entry in site.entries() if entry.path)
    for path in pending:
        with telling(path, NOT_REMOVED):
            remove_entry(top, site.temporary(path))
    # Of a batch that was not recorded, only folders may have their final names.
    every = [*paths, *(path for path in pending if path and path not in paths)]
    for number, path in enumerate(every, 1):
        with telling(path, NOT_REMOVED):
            status = status_of(top, path)
            if status is not None and stat.S_ISDIR(status.st_mode):
                folders.append(path)
            elif status is not None and path in paths:
                before, is_own = _version(status), is_same(site, path)
                # A program may have written to the file during the comparison.
                if is_own and _version(entries.status_at(top, path)) == before:
                    remove_entry(top, path)
                    removed += 1
                else:
                    left.append(path)
        note(number / len(every))
    # Folders after their content.
    for path in sorted(folders, key=entries.order_of, reverse=True):
        with telling(path, NOT_REMOVED):
            if not is_same(site, path):
                left.append(path)
            elif remove_entry(top, path):
                removed += 1
            else:
                kept_folders.append(path)
    site.sync()
    return _result_message(site, removed, sorted(left), sorted(kept_folders))


def _version(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _result_message(
    site: BringSite, removed: int, left: Sequence[bytes], kept_folders: Sequence[bytes]
) -> Message:
    messages = [
        tn(
            "1 entry was removed from {folder}.",
            "{count:,d} entries were removed from {folder}.",
            count=removed,
            folder=site.bring.target.folder,
        )
    ]
    if left:
        messages.append(
            t(
                "Not removed because the copy differs from {source}: {paths:list}.",
                source=site.bring.source.path,
                paths=paths_shown(left),
            )
        )
    if len(left) > NAMED:
        list_file = site.run / KEPT
        replace_durably(list_file, "".join(f"{entries.named(path)}\n" for path in left).encode())
        messages.append(t("{file} lists all remaining entries.", file=list_file))
    if kept_folders:
        messages.append(
            t("Folders with other contents remain: {paths:list}.", paths=paths_shown(kept_folders))
        )
    return join(*messages)


def paths_shown(paths: Sequence[str | bytes]) -> tuple[Message | str, ...]:
    """Return the first paths for display, and the number of others."""
    more = (t("{count} more", count=len(paths) - NAMED),) if len(paths) > NAMED else ()
    return (*(entries.named(os.fsencode(path)) for path in paths[:NAMED]), *more)
