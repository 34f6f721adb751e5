"""Describe the differences between two manifests, file by file."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice

from wizard.apply.tree import entries
from wizard.filesystems.kind import Holds
from wizard.model.said import Message, Sentence, t, tn

TOLD = 20
"""Limit for listed differences. Others are counted."""

CHANGED = Sentence("{field} changed from {was} to {now}")
DIFFERS = Sentence("{field} differs")
"""`field`: a property of stat(2), flags, holes, the target of a link, or an extended attribute."""


SeenAs = Callable[[entries.TreeEntry], entries.TreeEntry | None]
"""Returns the parts of an entry to compare, or None to ignore it."""


def differences(
    pairs: entries.Pairs,
    *,
    seen_as: SeenAs = lambda entry: entry,
) -> tuple[Message, ...]:
    """Describe the differences between paired entries: the first few and a count. Empty if they match.

    `seen_as` selects what is compared.
    """
    found = _differences(pairs, seen_as)
    told = tuple(islice(found, TOLD))
    more = sum(1 for _ in found)
    return (*told, tn("One more difference.", "{count} more differences.", count=more)) if more else told


def _differences(pairs: entries.Pairs, seen_as: SeenAs) -> Iterator[Message]:
    for found in pairs:
        old, new = (entry and seen_as(entry) for entry in found)
        if old and new:
            if old != new and (pieces := tuple(_entry_differences(old, new))):
                yield t("{path}: {how:semicolons}.", path=entries.named(old.path), how=pieces)
        elif old:
            yield t("{path} ({kind}) is missing.", path=entries.named(old.path), kind=old.kind)
        elif new:
            yield t("{path} ({kind}) is new.", path=entries.named(new.path), kind=new.kind)


def _entry_differences(old: entries.TreeEntry, new: entries.TreeEntry) -> Iterator[Message]:
    if old.kind is not new.kind:
        yield CHANGED(field="type", was=old.kind, now=new.kind)
        return
    if old.size_bytes != new.size_bytes:
        yield CHANGED(field="size", was=old.size_bytes, now=new.size_bytes)
    elif old.digest != new.digest:
        yield DIFFERS(field="content")
    was = _properties(old)
    for field, now in _properties(new).items():
        if now != was[field] and (field != "holes" or old.size_bytes == new.size_bytes):
            yield CHANGED(field=field, was=was[field], now=now)
    attributes = dict(old.attributes), dict(new.attributes)
    for name in sorted({*attributes[0], *attributes[1]}):
        if attributes[0].get(name) != attributes[1].get(name):
            yield DIFFERS(field=name)


def _properties(entry: entries.TreeEntry) -> dict[str, str | int]:
    return {
        "holes": entry.data,
        "mode": f"{entry.mode:04o}",
        "owner": f"{entry.uid}:{entry.gid}",
        "mtime": _time(entry.modified),
        "atime": _time(entry.accessed),
        "target": os.fsdecode(entry.target),
        "device": entry.device,
        "flags": f"{entry.flags:#x}",
        "link": f"/{os.fsdecode(entry.same_as)}" if entry.same_as else "-",
        # The link count of a folder only counts its subfolders, which are compared themselves.
        "nlink": entry.links if entry.kind is not entries.EntryKind.FOLDER else 0,
        "inode": entry.inode,
        "ctime": _time(entry.changed),
    }


def _time(nanoseconds: int) -> str:
    """Format a time, as in `2026-11-22 07:00:00.000000001 UTC`, or in seconds if the date is out of range."""
    seconds, rest = divmod(nanoseconds, 10**9)
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}.{rest:09d} UTC"
    except (ValueError, OverflowError, OSError):
        return f"{seconds}.{rest:09d} s"


CONTENT = (entries.EntryKind.FILE, entries.EntryKind.FOLDER)


def as_held(holds: Holds) -> SeenAs:
    """Return a function that selects what a copy preserves of an entry. Ignores the top folder.

    Access times change in use, link counts may include names outside this tree, and holes depend on the block
    size, so they are ignored.
    """

    def seen(entry: entries.TreeEntry) -> entries.TreeEntry | None:
        if not entry.path or not (holds.links or entry.kind in CONTENT):
            return None
        return entry._replace(
            mode=entry.mode if holds.owners else 0,
            uid=entry.uid if holds.owners else 0,
            gid=entry.gid if holds.owners else 0,
            modified=holds.time(entry.modified),
            accessed=0,
            changed=0,
            inode=0,
            links=0,
            same_as=entry.same_as if holds.links else b"",
            flags=entry.flags & holds.flags,
            attributes=tuple(pair for pair in entry.attributes if holds.attribute(pair[0])),
            data="",
        )

    return seen
