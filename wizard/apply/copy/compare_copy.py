"""Compare a copy with the source. Undo removes only entries whose source has the same content.

The proof is the content. Size and dates prove little, because programs can restore both.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.apply.block.devices import forget_caches
from wizard.apply.copy.copied import BringSite
from wizard.apply.copy.copy_entry import clear, remove_entry, status_of, telling
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
    to, unsteady = site.bring.target, frozenset(map(os.fsencode, site.load().unsteady))
    size_bytes = site.bring.amount.size_bytes
    # The manifest includes the top folder.
    count = -1

    def expected() -> Iterator[entries.TreeEntry]:
        nonlocal count
        for entry in site.entries():
            count += 1
            yield entry

    held = as_held(site.holds)
    # Read the copy from the drive, not from memory.
    site.sync()
    forget_caches(to.device)
    on_bytes = site.counting(noting(site.run, 3, size_bytes=size_bytes), size_bytes)
    with seen_alone(Path(to.folder)) as place, manifest.open_folder(place) as top:
        read = manifest.read_tree(top, on_bytes, site.names(), cold=True)
        found = differences(
            entries.paired(expected(), read),
            seen_as=lambda entry: None if entry.path in unsteady else held(entry),
        )
    if found:
        raise Failed(join(t("The copy in {folder} differs:", folder=to.folder), *found))
    return t(
        "{entries:,d} entries were read back from the drive and match {source}.",
        entries=count,
        source=site.bring.source.path,
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


def _reduced(site: BringSite, top: int, path: bytes) -> entries.TreeEntry | None:
    entry = as_held(site.holds)(entries.look(top, path, _content))
    if entry is None:
        return None
    return entry._replace(modified=0) if entry.kind is entries.EntryKind.FOLDER else entry


def _content(fd: int, status: os.stat_result) -> Content:
    return content_of(fd, status.st_size, manifest.WORKERS, lambda _more: None)


def remove_brought(site: BringSite) -> Message:
    """Remove the entries that the run made. Return a message about removed and kept ones. Raises Failed."""
    top, removed, names = site.target, 0, site.names()
    left, folders = list[bytes](), list[bytes]()
    note, total = noting(site.run), max(site.bring.amount.entries, 1)
    has_stage = site.has_stage()
    if has_stage:
        # Not moved to the target.
        names -= {*entries.names_in(top, site.stage)}
    for number, (path, status) in enumerate(entries.walk(top, names, changing=True)):
        with telling(path, NOT_REMOVED):
            if stat.S_ISDIR(status.st_mode):
                folders.append(path)
            # A program may write to the file during the comparison.
            elif is_same(site, path) and _version(status_of(top, path)) == _version(status):
                remove_entry(top, path)
                removed += 1
            else:
                left.append(path)
        note(min(number / total, 1))
    # Folders after their content, and never the top folder.
    for path in reversed(folders[1:]):
        with telling(path, NOT_REMOVED):
            if not is_same(site, path):
                left.append(path)
            elif remove_entry(top, path):
                removed += 1
    if has_stage:
        with telling(site.stage, NOT_REMOVED):
            removed += clear(top, site.stage)
    site.sync()
    return _result_message(site, removed, sorted(left))


def _version(status: os.stat_result | None) -> tuple[int, ...]:
    return () if status is None else (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _result_message(site: BringSite, removed: int, left: Sequence[bytes]) -> Message:
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
    return join(*messages)


def paths_shown(paths: Sequence[str | bytes]) -> tuple[Message | str, ...]:
    """Return the first paths for display, and the number of others."""
    more = (t("{count} more", count=len(paths) - NAMED),) if len(paths) > NAMED else ()
    return (*(entries.named(os.fsencode(path)) for path in paths[:NAMED]), *more)
