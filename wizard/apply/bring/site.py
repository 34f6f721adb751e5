"""What the steps of a run share: both places, opened so that nothing else can be reached."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.bring.places import shown, source_open
from wizard.apply.bring.steps.record import load_copied, written_ns
from wizard.apply.manifest.mount_read_only import seen_alone
from wizard.filesystems.holding import Holds
from wizard.layout.bring.losses import holds_of
from wizard.model.documents.bring import Bring
from wizard.model.errors import Failed
from wizard.model.said import Sentence, t

TARGET_LOST = Sentence("{folder} cannot be written to: {why}.")


@dataclass(frozen=True, slots=True)
class BringSite:
    """A run at work: `source` is a folder that cannot be written to, `target` where the copy lies; `here` and
    `there` are their descriptors. `written_ns` is when an earlier process of the run last wrote, in ns since
    1970; 0 if there was none."""

    run: Path
    bring: Bring
    source: Path
    here: int
    target: Path
    there: int
    written_ns: int

    @property
    def holds(self) -> Holds:
        """What the target can hold."""
        return holds_of(self.bring.target.filesystem)

    def sync(self) -> None:
        """Have all that was written on the medium. Raises Failed."""
        library = ctypes.CDLL(None, use_errno=True)
        if library.syncfs(self.there):
            why = os.strerror(ctypes.get_errno())
            raise Failed(TARGET_LOST(folder=shown(self.bring.target.folder), why=why))


@contextmanager
def site_of(run: Path, bring: Bring, *, makes: bool) -> Iterator[BringSite]:
    """Both places of a run, with the folders that it `makes` where they are missing. Raises Refused or
    Failed."""
    copied = load_copied(run)
    if copied is not None and copied.folder != bring.target.folder:
        raise Failed(
            t(
                "{run} copied to {folder}, but its bring.json is of another run. Nothing was written now.",
                run=run.name,
                folder=shown(copied.folder),
            )
        )
    with ExitStack() as held:
        source = held.enter_context(source_open(bring.source))
        target = held.enter_context(target_open(bring, makes=makes))
        here, there = (_opened(held, place) for place in (source, target))
        yield BringSite(run, bring, source, here, target, there, written_ns(run))


@contextmanager
def target_open(bring: Bring, *, makes: bool) -> Iterator[Path]:
    """The target's folder, by a mount of our own. As long as it is open, its usual place cannot be
    unmounted."""
    to = bring.target
    with ExitStack() as held:
        _opened(held, Path(to.place))
        top = held.enter_context(seen_alone(Path(to.place), writable=True))
        folder = top / Path(to.folder).relative_to(to.place)
        try:
            for path in to.makes if makes else ():
                (top / Path(path).relative_to(to.place)).mkdir(mode=0o755, exist_ok=True)
        except OSError as error:
            raise Failed(TARGET_LOST(folder=shown(to.folder), why=str(error.strerror))) from None
        yield folder


def _opened(held: ExitStack, place: Path) -> int:
    try:
        fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Failed(TARGET_LOST(folder=shown(place), why=str(error.strerror))) from None
    held.callback(os.close, fd)
    return fd
