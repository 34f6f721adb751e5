"""Carrying out an operation of a migration on any node: the device itself, or a snapshot of it."""

import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.block.devices import forget_caches
from wizard.apply.block.ext_superblock import facts_on
from wizard.apply.migration import words
from wizard.apply.migration.looking.own_fstab import set_own_type
from wizard.apply.run.child_progress import watched_effort
from wizard.apply.run.journal import Journal
from wizard.apply.run.progress import NOTE_SECONDS, WHOLE, noting
from wizard.apply.steps.step_context import journalled
from wizard.migrate.effort import Effort, effort_of, parts_of
from wizard.migrate.steps import CHECKER, accepted, operation_commands, proof
from wizard.model.documents.migration import (
    CheckFiles,
    CopyFiles,
    MakeFresh,
    Migration,
    OnDevice,
    SetOwnFstabType,
    WidenInodes,
)
from wizard.model.errors import Failed
from wizard.model.names import printable
from wizard.model.said import Said, in_a_row, t
from wizard.tools.listening import Listener
from wizard.tools.program import Result

PASSES = (0.0, 0.70, 0.90, 0.92, 0.95, 1.0)
"""The part of all that e2fsck has done when each of its five passes has ended, as its own bar reckons
(e2fsck/unix.c)."""

_PROGRESS = re.compile(r"([1-5]) (\d+) (\d+) ")

OnGround = OnDevice | MakeFresh | CopyFiles
"""What is done to a filesystem, and not to a file that names it."""


@dataclass(frozen=True, slots=True)
class MigratingSite:
    """The surroundings of one step, which counts from 1. `patience_seconds` is granted on top of ten times
    its estimate."""

    run: Path
    migration: Migration
    step: int
    journal: Journal
    drive_locks: tuple[int, ...]
    patience_seconds: float

    @property
    def seconds(self) -> float:
        """How long a command of this step may take."""
        estimate = (
            self.migration.steps[self.step - 1].seconds
            if self.step
            else sum(step.seconds for step in self.migration.steps)
        )
        return self.patience_seconds + 10 * estimate

    def command(
        self,
        argv: Sequence[str],
        *,
        accept: Sequence[int] = (0,),
        part: tuple[float, float] = WHOLE,
        effort: Effort | None = None,
    ) -> Result:
        """Run a command under the drive's lock and journal it; raises Failed where it ends badly.

        How far it is gets noted, as the `part` of its step that it is, by its own word or by what it does of
        the `effort` that is expected on its last argument.
        """
        note = noting(self.run, self.step, part)
        watched = watched_effort(argv[-1], effort, note, NOTE_SECONDS) if effort else nullcontext(_unheeded)
        with Listener(Heed(note)) as listener, watched as begin:
            telling = (argv[0], "-C", str(listener.end), *argv[1:]) if argv[0] == CHECKER else tuple(argv)
            kept_open = (*self.drive_locks, listener.end)
            result = journalled(
                telling, self.journal, self.step, self.seconds, kept_open, shown=tuple(argv), on_begin=begin
            )
        if result.status not in accept:
            said = words.ENDED(program=argv[0], status=result.status)
            raise Failed(f"{said} {result.last_words}")
        return result


def _unheeded(_pid: int) -> None:
    """Nobody watches this process."""


class Heed:
    """Understands the lines on how far e2fsck is (e2fsck(8), -C), and tells which share of all it is."""

    def __init__(self, tell: Callable[[float], None]) -> None:
        self._tell = tell

    def __call__(self, line: str) -> None:
        """One line: the pass, what of it is done, how much it is, and a name."""
        if found := _PROGRESS.match(line):
            self._tell(share_of(int(found[1]), int(found[2]), int(found[3])))


def share_of(turn: int, done: int, total: int) -> float:
    """Which part of all is done when of pass `turn`, from 1 to 5, `done` of `total` is."""
    before, after = PASSES[turn - 1], PASSES[turn]
    return before + (after - before) * (min(done / total, 1.0) if total else 1.0)


def operate(operation: OnDevice, node: str, site: MigratingSite, undo_file: str = "") -> str:
    """Carry the operation out on a node, and give a sentence. What is replaced is kept in `undo_file`, where
    one is named.

    Raises Failed where a program ends badly.
    """
    if isinstance(operation, SetOwnFstabType):
        return set_own_type(operation, site.migration, node, site.command, undo_file)
    repaired = False
    commands = operation_commands(operation, node, undo_file)
    for argv, part in zip(commands, parts_of(operation, len(commands)), strict=True):
        unkept = isinstance(operation, WidenInodes) and not undo_file
        # Without being told, tune2fs fills /var/lib/e2fsprogs with what nobody will ask for.
        told = ("env", "E2FSPROGS_UNDO_DIR=none", *argv) if unkept else argv
        looks = argv == proof(node)
        # e2fsck says how far it is, and can be called for what is too damaged to be read here.
        effort = (
            None if argv[0] == CHECKER else effort_of(operation, facts_on(node), undoable=bool(undo_file))
        )
        result = site.command(told, accept=range(256) if looks else accepted(argv), part=part, effort=effort)
        if looks and result.status not in accepted(argv):
            raise Failed(damaged(site.migration.device, result.output))
        repaired = result.status != 0 or repaired
    forget_caches(node)
    done = t("Done on {node}.", node=node)
    return str(
        t("Done on {node}; {repaired}.", node=node, repaired=put_right(operation)) if repaired else done
    )


def first_error(said: str) -> Said | str:
    """The first thing that e2fsck found."""
    found = [
        line
        for line in said.splitlines()
        if line.strip() and not line.startswith(("Pass ", "Running additional", "Warning!"))
    ]
    return printable(found[0].strip(), 200) if found else t("it does not say what.")


def damaged(device: str, said: str) -> Said:
    """Why a migration ends at its first step, with the first thing that e2fsck found."""
    first = first_error(said)
    command = " ".join(("diskwright", "migrate", device, "--repair"))
    return in_a_row(
        t(
            "{device} is damaged, and nothing of it was repaired. The first of what e2fsck finds: {found}",
            device=device,
            found=first,
        ),
        t(
            "To have it repaired first, in a way that can be undone, say `{command}`. A "
            "backup before that is wise.",
            command=command,
        ),
    )


def put_right(operation: OnDevice) -> Said:
    """What e2fsck repaired in a step, as a clause."""
    match operation:
        case CheckFiles(repairs=True):
            return t("e2fsck repaired what was damaged")
        case CheckFiles():
            return t("e2fsck put right what every start puts right")
        case _:
            return t("e2fsck put right what the change itself had left to it")
