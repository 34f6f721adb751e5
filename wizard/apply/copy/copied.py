"""Source and target of a copy, opened so that paths cannot escape, and the records of the run.

Every entry is recorded before the final rename. So the lists contain all that a run made.
"""

import ctypes
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from heapq import merge
from pathlib import Path

from msgspec import Struct

from wizard.apply.copy.copy_entry import LIBRARY, TreeCopy
from wizard.apply.copy.places import source_open
from wizard.apply.run import backup_store
from wizard.apply.run.process import STOP, UNWRITTEN, Stopped
from wizard.apply.run.progress_log import Progress, Tally
from wizard.apply.tree import manifest
from wizard.apply.tree.entries import TreeEntry, from_line, order_of
from wizard.apply.tree.mount_read_only import seen_alone
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, Failed
from wizard.model.said import failing, t
from wizard.plan.changes import Bring
from wizard.plan.copy import holds_of

FILE, SCHEMA = "copied.json", "diskwright.copied/2"

LIST, AGAIN_LIST = "copied.list", "again.list"
"""Lines of the copied entries in order, and of those copied again, each as the source was then."""

EXPECTED = "expected.manifest"
"""List of a finished copy of version 1.0."""


class Copied(Struct, frozen=True):
    """State of the copy of `names` in the source's top folder to `folder`. Paths are as `os.fsdecode` returns
    them.

    `pending` paths may have temporary names; the list `file` had that number of `entries` before them. `gone`
    disappeared from the source, `unsteady` still change, and `new` are new names in the top folder.
    """

    folder: str
    names: tuple[str, ...]
    file: str = LIST
    entries: int = 0
    pending: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    unsteady: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


class BringSite(TreeCopy, frozen=True):
    """The copy of a run. The folder `source` is read-only."""

    run: Path
    bring: Bring

    def sync(self) -> None:
        """Flush the target's filesystem. Raises Failed."""
        if LIBRARY.syncfs(self.target):
            raise Failed(UNWRITTEN(file=self.bring.target.folder, why=os.strerror(ctypes.get_errno())))

    def counting(self, note: Progress, total: int) -> Callable[[int], None]:
        """Return a function that counts work done, notes the share of the total, and raises Stopped."""
        tally = Tally(note, total)

        def count(more: int) -> None:
            # Called for each file, so without a path object.
            if os.path.exists(f"{self.run}/{STOP}"):  # noqa: PTH110
                raise Stopped
            tally(more)

        return count

    def load(self) -> Copied:
        """Return the state of the copy. Raises BadInput if the run has none."""
        copied = load_copied(self.run)
        if copied is None:
            raise BadInput(manifest.INCOMPLETE(file=self.run / FILE))
        return copied

    def save(self, copied: Copied) -> None:
        """Write the state of the copy durably. Raises Failed."""
        backup_store.replace_document(self.run / FILE, SCHEMA, copied)

    def entries(self) -> Iterator[TreeEntry]:
        """Yield the copied entries in order, each as last copied. Raises BadInput if a list is damaged."""
        for file in (self.run / EXPECTED, self.run / manifest.BEFORE):
            if file.exists():
                return manifest.manifest_entries(file)
        newer = {entry.path: entry for entry in entries_in(self.run / AGAIN_LIST)}
        older = (entry for entry in entries_in(self.run / LIST) if entry.path not in newer)
        again = (newer[path] for path in sorted(newer, key=order_of))
        return merge(older, again, key=lambda entry: order_of(entry.path))


def is_older(run: Path) -> bool:
    """Return True if version 1.0 made the copy. Such a run can only be undone."""
    return (run / manifest.BEFORE).exists()


def load_copied(run: Path) -> Copied | None:
    """Return the state of the copy, or None before the start. Raises BadInput if a file is damaged."""
    found = None if is_older(run) else backup_store.load_document(run / FILE, SCHEMA, Copied)
    if found is not None and not (run / LIST).exists():
        raise BadInput(manifest.INCOMPLETE(file=run / LIST))
    return found


def entries_in(file: Path) -> Iterator[TreeEntry]:
    """Yield the committed entries of a list, if the list exists. Raises BadInput if damaged."""
    return (from_line(line, str(file)) for line in _committed(file))


def _committed(file: Path) -> Iterator[bytes]:
    """Yield the lines up to the last count. After a power cut, anything can follow."""
    count, held, damaged = -1, list[bytes](), False
    try:
        with file.open("rb") as lines:
            for line in lines:
                if line.startswith(b"["):
                    held.append(line)
                elif line == _count_line(max(count, 0) + len(held)):
                    yield from held
                    count, held = max(count, 0) + len(held), []
                elif line == _count_line(count):
                    # The run was resumed, and dropped what it had not committed.
                    held = []
                else:
                    damaged = damaged or (line.startswith(b'{"entries"') and line.endswith(b"}\n"))
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadInput(UNREADABLE(file=file, why=error)) from None
    if count < 0 or damaged:
        raise BadInput(manifest.INCOMPLETE(file=file))


def _count_line(count: int) -> bytes:
    return json.dumps({"entries": count}).encode() + b"\n"


class EntryList:
    """Append lines of entries to a list. They count once their number follows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with failing(UNWRITTEN, file=path):
            if not path.exists():
                backup_store.replace_durably(path, _count_line(0))
            self.count = sum(1 for _ in _committed(path))
            fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            self._file = os.fdopen(fd, "ab")
            self._file.write(b"\n")
        self.add(())

    def close(self) -> None:
        """Close the list."""
        self._file.close()

    def add(self, lines: Sequence[bytes]) -> None:
        """Append lines and sync them. Raises Failed."""
        self.count += len(lines)
        with failing(UNWRITTEN, file=self._path):
            self._file.write(b"".join(line + b"\n" for line in lines) + _count_line(self.count))
            self._file.flush()
            os.fsync(self._file.fileno())


@contextmanager
def site_of(run: Path, bring: Bring) -> Iterator[BringSite]:
    """Open source and target of a run, and create missing folders of the target. Raises Refused or Failed."""
    copied, to = load_copied(run), bring.target
    if copied is not None and copied.folder != to.folder:
        raise Failed(
            t(
                "{run} copied to {folder}, but its bring.json belongs to another run. This "
                "attempt made no changes.",
                run=run.name,
                folder=copied.folder,
            )
        )
    with (
        source_open(bring.source) as source,
        manifest.open_folder(source) as here,
        # Until the end, the public mount cannot be unmounted.
        manifest.open_folder(Path(to.place)),
        seen_alone(Path(to.place), writable=True) as top,
    ):
        with failing(UNWRITTEN, file=to.folder):
            for path in to.makes:
                (top / Path(path).relative_to(to.place)).mkdir(mode=0o755, exist_ok=True)
        with manifest.open_folder(top / Path(to.folder).relative_to(to.place)) as there:
            yield BringSite(here, there, holds_of(to.filesystem), os.fsencode(run.name), run, bring)
