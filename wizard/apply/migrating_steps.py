"""Carrying out an operation of a migration on any node: the device itself, or a snapshot of it."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from wizard.apply.devices import forget_caches
from wizard.apply.growth import watched_growth
from wizard.apply.journal import Journal
from wizard.apply.own_fstab import set_own_type
from wizard.apply.progress import StepProgress, note_progress
from wizard.apply.site import journalled
from wizard.migrate.estimates import WIDENING_UNDO_BYTES
from wizard.migrate.steps import CHECKER, accepted, operation_commands, proof
from wizard.model.errors import Failed
from wizard.model.migration import CheckFiles, CopyFiles, MakeFresh, Migration, OnDevice, SetOwnFstabType, WidenInodes
from wizard.model.names import printable
from wizard.tools.listening import Listener
from wizard.tools.run import Result

PASSES = (0.0, 0.70, 0.90, 0.92, 0.95, 1.0)
"""The part of all that e2fsck has done when each of its five passes has ended, as its own bar reckons (e2fsck/unix.c)."""

_PROGRESS = re.compile(r"([1-5]) (\d+) (\d+) ")

NOTE_SECONDS = 0.5
"""How far a step is, is noted no more often."""

OnGround = OnDevice | MakeFresh | CopyFiles
"""What is done to a filesystem, and not to a file that names it."""


@dataclass(frozen=True, slots=True)
class MigratingSite:
    """The surroundings of one step, which counts from 1. `patience_seconds` is granted on top of ten times its estimate."""

    run: Path
    migration: Migration
    step: int
    journal: Journal
    drive_locks: tuple[int, ...]
    patience_seconds: float

    @property
    def seconds(self) -> float:
        """How long a command of this step may take."""
        estimate = self.migration.steps[self.step - 1].seconds if self.step else sum(step.seconds for step in self.migration.steps)
        return self.patience_seconds + 10 * estimate

    def command(self, argv: Sequence[str], *, accept: Sequence[int] = (0,)) -> Result:
        """Run a command under the drive's lock, note how far it says it is, and journal it; raises Failed where it ends badly."""
        with Listener(Heed(lambda progress: note_progress(self.run, progress), self.step)) as listener:
            telling = (argv[0], "-C", str(listener.end), *argv[1:]) if argv[0] == CHECKER else tuple(argv)
            kept_open = (*self.drive_locks, listener.end)
            result = journalled(telling, self.journal, self.step, self.seconds, kept_open, shown=tuple(argv))
        if result.status not in accept:
            raise Failed(f"{argv[0]} ended with status {result.status}: {result.last_words}")
        return result


class Heed:
    """Understands the lines on how far e2fsck is (e2fsck(8), -C), and tells of them."""

    def __init__(self, tell: Callable[[StepProgress], None], step: int) -> None:
        self._tell = tell
        self._step = step
        self._begun = self._told = monotonic()

    def __call__(self, line: str) -> None:
        """One line: the pass, what of it is done, how much it is, and a name."""
        if not (found := _PROGRESS.match(line)):
            return
        share, now = share_of(int(found[1]), int(found[2]), int(found[3])), monotonic()
        if share and now >= self._told + NOTE_SECONDS:
            self._told = now
            self._tell(StepProgress(self._step, share, (now - self._begun) * (1 - share) / share))


def _widening_watched(folder: Path, site: MigratingSite) -> AbstractContextManager[None]:
    """Notes how far widening inodes is, by how much of it could be taken back by now."""
    expected = site.migration.before.inodes * WIDENING_UNDO_BYTES
    return watched_growth(folder, expected, sharing(site.run, monotonic(), site.step), NOTE_SECONDS)


def sharing(run: Path, begun: float, step: int = 0) -> Callable[[float], None]:
    """Notes which part of what was begun then is done, for whoever watches; it belongs to no step unless one is named."""
    told = begun

    def note(share: float) -> None:
        nonlocal told
        now = monotonic()
        if share and now >= told + NOTE_SECONDS:
            told = now
            note_progress(run, StepProgress(step, share, (now - begun) * (1 - share) / share))

    return note


def share_of(turn: int, done: int, total: int) -> float:
    """Which part of all is done when of pass `turn`, from 1 to 5, `done` of `total` is."""
    before, after = PASSES[turn - 1], PASSES[turn]
    return before + (after - before) * (min(done / total, 1.0) if total else 1.0)


def operate(operation: OnDevice, node: str, site: MigratingSite, undo_file: str = "") -> str:
    """Carry the operation out on a node, and give a sentence. What is replaced is kept in `undo_file`, where one is named.

    Raises Failed where a program ends badly.
    """
    if isinstance(operation, SetOwnFstabType):
        return set_own_type(operation, site.migration, node, site.command, undo_file)
    repaired = False
    for argv in operation_commands(operation, node, undo_file):
        unkept = isinstance(operation, WidenInodes) and not undo_file
        # Without being told, tune2fs fills /var/lib/e2fsprogs with what nobody will ask for.
        told = ("env", "E2FSPROGS_UNDO_DIR=none", *argv) if unkept else argv
        looks = argv == proof(node)
        # Of all programs only e2fsck says how far it is, and only this one takes long besides.
        watched = isinstance(operation, WidenInodes) and bool(undo_file)
        with _widening_watched(Path(undo_file).parent, site) if watched else nullcontext():
            result = site.command(told, accept=range(256) if looks else accepted(argv))
        if looks and result.status not in accepted(argv):
            raise Failed(damaged(site.migration.device, result.output))
        repaired = result.status != 0 or repaired
    forget_caches(node)
    return f"Done on {node}." if not repaired else f"Done on {node}; {put_right(operation)}."


def damaged(device: str, said: str) -> str:
    """Why a migration ends at its first step, with the first thing that e2fsck found."""
    found = [line for line in said.splitlines() if line.strip() and not line.startswith(("Pass ", "Running additional", "Warning!"))]
    first = printable(found[0].strip(), 200) if found else "it does not say what"
    return (
        f"{device} is damaged, and nothing of it was repaired. The first of what e2fsck finds: {first} To have it repaired first, in a way "
        f"that can be taken back, say `diskwright migrate {device} --repair`; a backup before that is wise."
    )


def put_right(operation: OnDevice) -> str:
    """What e2fsck repaired in a step, as a clause."""
    match operation:
        case CheckFiles(repairs=True):
            return "e2fsck repaired what was damaged"
        case CheckFiles():
            return "e2fsck put right what every start puts right"
        case _:
            return "e2fsck put right what the change itself had left to it"
