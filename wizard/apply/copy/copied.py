"""Source and target of a copy, opened so that paths cannot escape, and the records of the run.

Entries are copied to the stage, a folder in the target that only root can use. They are listed once they are
on the drive. When the copy is complete, the manifest is written, and the entries of the stage are moved to
the target. So the manifest lists all that a run made outside the stage.
"""

import ctypes
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.copy.copy_entry import LIBRARY, TreeCopy, status_of, telling
from wizard.apply.copy.places import source_open
from wizard.apply.run import backup_store
from wizard.apply.run.process import STOP, UNWRITTEN, Stopped
from wizard.apply.run.progress_log import Progress, Tally
from wizard.apply.tree import manifest
from wizard.apply.tree.entries import TO_READ, TreeEntry, from_line, named, opened, to_line
from wizard.apply.tree.mount_read_only import seen_alone
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, Failed
from wizard.model.said import Sentence, failing, t
from wizard.plan.changes import Bring
from wizard.plan.copy import holds_of

FILE, SCHEMA = "copied.json", "diskwright.copied/2"

LIST = "copied.list"
"""Lines of the copied entries in order, each as the source was then."""

MANIFEST = "expected.manifest"
"""Manifest of the complete copy."""

FOREIGN = Sentence(
    "{path} in the copy was not written by this run and will not be overwritten. Move it away first."
)


class Copied(Struct, frozen=True):
    """State of the copy to `folder`. `listed_bytes` of the list are valid. `unsteady` paths changed during
    the copy; they are as `os.fsdecode` returns them."""

    folder: str
    listed_bytes: int = 0
    unsteady: tuple[str, ...] = ()


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

    @property
    def stage(self) -> bytes:
        """Name of the stage in the target."""
        return b".diskwright-" + os.fsencode(self.run.name)

    def has_stage(self) -> bool:
        """Return True if the run created the stage. Raises Failed if another folder has this name."""
        status = status_of(self.target, self.stage)
        if status is None:
            return False
        is_own = load_copied(self.run) is not None
        if self.holds.owners:
            is_own = status.st_uid == os.geteuid() and not status.st_mode & 0o77
        if is_own and stat.S_ISDIR(status.st_mode):
            return True
        raise Failed(FOREIGN(path=named(self.stage)))

    @contextmanager
    def staged(self) -> Iterator[TreeCopy]:
        """Create the stage, unless an earlier attempt did, and open it as the target. Raises Failed."""
        with telling(self.stage):
            if not self.has_stage():
                os.mkdir(self.stage, 0o700, dir_fd=self.target)
        with opened(self.target, self.stage, TO_READ | os.O_DIRECTORY) as stage:
            # Files must not inherit an ACL that the source lacks.
            with suppress(OSError):
                os.removexattr(stage, "system.posix_acl_default")
            yield TreeCopy(self.source, stage, self.holds)

    def load(self) -> Copied:
        """Return the state of the copy. Raises BadInput if the run has none."""
        copied = load_copied(self.run)
        if copied is None:
            raise BadInput(manifest.INCOMPLETE(file=self.run / FILE))
        return copied

    def save(self, copied: Copied) -> None:
        """Write the state of the copy durably. Raises Failed."""
        backup_store.replace_document(self.run / FILE, SCHEMA, copied)

    def listed(self) -> Iterator[TreeEntry]:
        """Yield the listed entries in order. Raises BadInput if the list is damaged."""
        file, left = self.run / LIST, self.load().listed_bytes
        if not left:
            return
        with failing(UNREADABLE, BadInput, file=file), file.open("rb") as lines:
            # After a power cut, anything can follow.
            while line := lines.readline(left):
                left -= len(line)
                yield from_line(line, str(file))
        if left:
            raise BadInput(manifest.INCOMPLETE(file=file))

    def add(self, entries: Iterable[TreeEntry]) -> None:
        """List entries that are on the drive. Raises Failed."""
        copied, file = self.load(), self.run / LIST
        lines = b"".join(to_line(entry) + b"\n" for entry in entries)
        with failing(UNWRITTEN, file=file):
            fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with os.fdopen(fd, "wb") as raw:
                raw.seek(copied.listed_bytes)
                raw.write(lines)
                raw.truncate()
                raw.flush()
                os.fsync(fd)
        self.save(replace(copied, listed_bytes=copied.listed_bytes + len(lines)))

    def entries(self) -> Iterator[TreeEntry]:
        """Yield the entries of the complete copy, in order; none before. Raises BadInput if the manifest is
        damaged."""
        files = (self.run / name for name in (MANIFEST, manifest.BEFORE))
        return next((manifest.manifest_entries(file) for file in files if file.exists()), iter(()))

    def names(self) -> frozenset[bytes]:
        """Return the names of the complete copy in the top folder. Raises BadInput."""
        return frozenset(entry.path for entry in self.entries() if entry.path and b"/" not in entry.path)


def is_older(run: Path) -> bool:
    """Return True if version 1.0 made the copy. Such a run can only be undone."""
    return (run / manifest.BEFORE).exists()


def load_copied(run: Path) -> Copied | None:
    """Return the state of the copy, or None before the start. Raises BadInput if a file is damaged."""
    return None if is_older(run) else backup_store.load_document(run / FILE, SCHEMA, Copied)


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
            yield BringSite(here, there, holds_of(to.filesystem), run, bring)
