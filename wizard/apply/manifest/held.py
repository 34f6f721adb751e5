"""An entry as another kind of filesystem holds it: what a copy there can keep of it. Pure."""

from dataclasses import replace

from wizard.apply.manifest.differences import SeenAs
from wizard.apply.manifest.entry import Entry, Kind
from wizard.filesystems.holding import Holds

CONTENT = (Kind.FILE, Kind.FOLDER)


def as_held(holds: Holds, skipped: frozenset[bytes] = frozenset()) -> SeenAs:
    """What of an entry counts in a copy. Of the paths `skipped` nothing does, and nothing of the top itself.

    When a file was last read changes while it is in use, and how many names it has elsewhere is nothing of
    this tree. Where its holes lie goes by the size of blocks.
    """

    def seen(entry: Entry) -> Entry | None:
        if not entry.path or entry.path in skipped or not (holds.links or entry.kind in CONTENT):
            return None
        return replace(
            entry,
            mode=entry.mode if holds.owners else 0,
            uid=entry.uid if holds.owners else 0,
            gid=entry.gid if holds.owners else 0,
            modified=holds.time(entry.modified),
            accessed=0,
            links=0,
            same_as=entry.same_as if holds.links else b"",
            flags=entry.flags & holds.flags,
            attributes=tuple(pair for pair in entry.attributes if holds.attribute(pair[0])),
            data="",
            wide_data="",
        )

    return seen
