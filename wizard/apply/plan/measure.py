"""How much room the way back of a plan takes: tried out, in the folder where its run would lie, and not
guessed."""

import os
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from tempfile import TemporaryDirectory

from wizard.apply.engine.stand_ins import free_bytes, release_left
from wizard.apply.engine.stores import new_file, old_file
from wizard.apply.plan.rehearse import Ground, rehearse
from wizard.apply.plan.rehearsed import LITTLE_BYTES
from wizard.apply.plan.run import execute
from wizard.apply.run.environment import Environment
from wizard.apply.run.journal import Journal
from wizard.apply.run.lock import is_locked, lock_run
from wizard.apply.run.runs import ROOM_BYTES, make_private
from wizard.model.errors import Failed, Refused
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.model.units import format_capacity, format_exact

BLOCK_BYTES = 512
"""What `st_blocks` counts in (stat(2))."""

PREFIX = ".measuring-"

TOO_LITTLE = "There is no room for a way back in {folder}: {what}. Name another folder by --journal DIR."


@dataclass(frozen=True, slots=True)
class Room:
    """What a run would keep in its folder until it is kept or undone: `old_bytes` of what the drives hold
    where it changes, in which zeros take nothing, and `new_bytes` of what comes there. Both are None where
    there was no room to find out. `free_bytes` was free before.
    """

    folder: Path
    free_bytes: int
    old_bytes: int | None = None
    new_bytes: int | None = None

    @property
    def needed_bytes(self) -> int | None:
        """All of it, with the run's own files."""
        if self.old_bytes is None or self.new_bytes is None:
            return None
        return self.old_bytes + self.new_bytes + ROOM_BYTES

    @property
    def fits(self) -> bool:
        """Whether the run could be begun there."""
        return self.needed_bytes is not None and self.needed_bytes <= self.free_bytes

    @property
    def sentence(self) -> str:
        """For a person, before anything is written."""
        folder = printable(str(self.folder), 200)
        free = format_capacity(self.free_bytes)
        if self.needed_bytes is None:
            return TOO_LITTLE.format(folder=folder, what=f"it takes more than the {free} that are free")
        needed = format_exact(self.needed_bytes)
        if not self.fits:
            return TOO_LITTLE.format(folder=folder, what=f"it takes {needed}, and {free} are free")
        held = format_exact(self.old_bytes) if self.old_bytes else "nothing"
        return (
            f"The way back takes {needed} in {folder}, where {free} are free: {held} of what is there now, "
            "zeros not counted, and what comes there. It was tried out; nothing was written to the drive."
        )


def measure(plan: Plan, folder: Path, environment: Environment) -> Room:
    """Try the plan out on stand-ins in the folder, take what that needs, and leave nothing there. Reads the
    drives; takes seconds. Raises DiskwrightError where it cannot be tried out.
    """
    try:
        make_private(folder)
        _clear_left(folder)
        free = free_bytes(folder)
        with TemporaryDirectory(prefix=PREFIX, dir=folder) as made:
            return _measured(plan, Path(made), Room(folder, free), environment)
    except OSError as error:
        raise Refused(
            f"{printable(str(folder), 200)} cannot be used for a run: {error.strerror}. Nothing was written."
        ) from None


def _clear_left(folder: Path) -> None:
    """Clear away what a process left that was killed while it tried a plan out."""
    for left in folder.glob(f"{PREFIX}*"):
        if not is_locked(left):
            release_left(left)
            rmtree(left)


def _measured(plan: Plan, run: Path, room: Room, environment: Environment) -> Room:
    lock, journal = lock_run(run), Journal(run)
    # Nobody has typed one yet, and what it is takes no more room or less.
    secret = token_hex().encode() if plan.containers else None
    try:
        rehearse(plan, Ground(run, environment, journal, execute, secret))
    except Failed:
        if free_bytes(run) < LITTLE_BYTES:
            return room
        raise
    finally:
        journal.close()
        os.close(lock)
    numbers = range(len(plan.members))
    return Room(
        room.folder,
        room.free_bytes,
        sum(_taken(old_file(run, number)) for number in numbers),
        sum(_taken(new_file(run, number)) for number in numbers),
    )


def _taken(file: Path) -> int:
    return file.stat().st_blocks * BLOCK_BYTES
