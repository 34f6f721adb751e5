"""Source and target of a copy, opened so that paths cannot escape, and the state of the copy."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from wizard.apply.copy.places import shown, source_open
from wizard.apply.run.backup_store import read_kept, replace_document
from wizard.apply.run.progress_log import FILE as PROGRESS
from wizard.apply.tree.mount_read_only import seen_alone
from wizard.documents.codec import from_json, parse_document
from wizard.filesystems.kind import Holds
from wizard.model.errors import WHERE_USED, Failed
from wizard.model.said import Sentence, t
from wizard.plan.changes import Bring
from wizard.plan.copy import holds_of

FILE, SCHEMA = "copied.json", "diskwright.copied/1"
AGAIN, AGAIN_SCHEMA = "again.json", "diskwright.again/1"
RESULT = "expected.manifest"
"""Manifest of the expected copy, written when all changes are copied."""


@dataclass(frozen=True, slots=True)
class Copied:
    """Progress of the copy in `folder`. `names` are the copied names in the source's top folder, as
    `os.fsdecode` returns them.

    During undo, `written_ns` is the time of the last write to the copy, in ns since 1970.
    """

    folder: str
    names: tuple[str, ...]
    begun: int = 0
    done: int = 0
    written_ns: int = field(default=0, metadata=WHERE_USED)

    @property
    def top(self) -> frozenset[bytes]:
        """Names as bytes."""
        return frozenset(map(os.fsencode, self.names))


@dataclass(frozen=True, slots=True)
class Again:
    """Changes during the copy: `paths` to copy again, `unsteady` ones that still change, and `new` names in
    the source's top folder."""

    paths: tuple[str, ...]
    unsteady: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


def load_copied(run: Path) -> Copied | None:
    """Return the progress of the copy, or None before it starts. Raises BadInput if the file is damaged."""
    text = read_kept(run / FILE)
    return None if text is None else from_json(parse_document(text, SCHEMA, FILE), Copied, str(run / FILE))


def save_copied(run: Path, copied: Copied) -> None:
    """Write the progress durably. Raises Failed."""
    replace_document(run / FILE, SCHEMA, copied)


def load_again(run: Path) -> Again:
    """Return the changes during the copy, empty before they are searched for. Raises BadInput."""
    text = read_kept(run / AGAIN)
    if text is None:
        return Again(())
    return from_json(parse_document(text, AGAIN_SCHEMA, AGAIN), Again, str(run / AGAIN))


def save_again(run: Path, again: Again) -> None:
    """Write the changes during the copy durably. Raises Failed."""
    replace_document(run / AGAIN, AGAIN_SCHEMA, again)


def written_ns(run: Path) -> int:
    """Return when the run last recorded its progress, in ns since 1970, or 0. Raises BadInput."""
    copied = load_copied(run)
    if copied is not None and copied.written_ns:
        return copied.written_ns
    times = [0]
    for name in (PROGRESS, FILE, AGAIN):
        with suppress(OSError):
            times.append((run / name).stat().st_mtime_ns)
    return max(times)


TARGET_LOST = Sentence("Cannot write to {folder}: {why}.")


@dataclass(frozen=True, slots=True)
class BringSite:
    """Open folders of a run: the read-only `source`, the `target` of the copy, and their descriptors `here`
    and `there`.

    `written_ns` is the last write of an earlier process of the run, in ns since 1970, or 0.
    """

    run: Path
    bring: Bring
    source: Path
    here: int
    target: Path
    there: int
    written_ns: int

    @property
    def holds(self) -> Holds:
        """Capabilities of the target's filesystem."""
        return holds_of(self.bring.target.filesystem)

    def sync(self) -> None:
        """Flush the target's filesystem. Raises Failed."""
        library = ctypes.CDLL(None, use_errno=True)
        if library.syncfs(self.there):
            why = os.strerror(ctypes.get_errno())
            raise Failed(TARGET_LOST(folder=shown(self.bring.target.folder), why=why))


@contextmanager
def site_of(run: Path, bring: Bring, *, makes: bool) -> Iterator[BringSite]:
    """Open source and target of a run. With `makes`, create missing folders of the target. Raises Refused or
    Failed."""
    copied = load_copied(run)
    if copied is not None and copied.folder != bring.target.folder:
        raise Failed(
            t(
                "{run} copied to {folder}, but its bring.json belongs to another run. This "
                "attempt made no changes.",
                run=run.name,
                folder=shown(copied.folder),
            )
        )
    with ExitStack() as held:
        source = held.enter_context(source_open(bring.source))
        target = held.enter_context(_target_open(bring, makes=makes))
        here, there = (_open_folder(held, place) for place in (source, target))
        yield BringSite(run, bring, source, here, target, there, written_ns(run))


@contextmanager
def _target_open(bring: Bring, *, makes: bool) -> Iterator[Path]:
    """Yield the target's folder in a private mount. Until the end, the public mount cannot be unmounted."""
    to = bring.target
    with ExitStack() as held:
        _open_folder(held, Path(to.place))
        top = held.enter_context(seen_alone(Path(to.place), writable=True))
        folder = top / Path(to.folder).relative_to(to.place)
        try:
            for path in to.makes if makes else ():
                (top / Path(path).relative_to(to.place)).mkdir(mode=0o755, exist_ok=True)
        except OSError as error:
            raise Failed(TARGET_LOST(folder=shown(to.folder), why=str(error.strerror))) from None
        yield folder


def _open_folder(held: ExitStack, place: Path) -> int:
    try:
        fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Failed(TARGET_LOST(folder=shown(place), why=str(error.strerror))) from None
    held.callback(os.close, fd)
    return fd
