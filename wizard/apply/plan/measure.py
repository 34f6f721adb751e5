"""How much room the way back of a plan takes: tried out, in the folder where its run would lie, and not
guessed."""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from tempfile import TemporaryDirectory

from wizard.apply.engine.discard import unknown_data
from wizard.apply.engine.stand_ins import free_bytes, release_left
from wizard.apply.engine.stores import FOLDER, old_file
from wizard.apply.plan.rehearse import Ground, rehearse
from wizard.apply.plan.rehearsed import LITTLE_BYTES
from wizard.apply.plan.run import execute
from wizard.apply.plan.start import why_direct
from wizard.apply.run.environment import Environment
from wizard.apply.run.journal import Journal
from wizard.apply.run.lock import is_locked, lock_run
from wizard.apply.run.runs import ROOM_BYTES, make_private
from wizard.layout.told.promise import WayBackRoom, promise, wants_word
from wizard.model.errors import Failed, Refused
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.model.said import Said, Sentence, in_a_row, t

BLOCK_BYTES = 512
"""What `st_blocks` counts in (stat(2))."""

PREFIX = ".measuring-"


@dataclass(frozen=True, slots=True)
class Room:
    """What a run would keep in its folder until it is kept or undone: `old_bytes` of what the drives hold
    where it changes, in which zeros take nothing, and `new_bytes` of what comes there. Both are None where
    there was no room to find out. `free_bytes` was free before. `blanks` says of each drive of the plan
    whether nothing but zeros would be lost there; `unknown` is where data is that nothing recognises.
    """

    folder: Path
    free_bytes: int
    old_bytes: int | None = None
    new_bytes: int | None = None
    blanks: tuple[bool, ...] = ()
    unknown: tuple[Said, ...] = ()

    @property
    def blank(self) -> bool:
        """Whether nothing but zeros would be lost anywhere."""
        return bool(self.blanks) and all(self.blanks)

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
        return str(self.said)

    @property
    def said(self) -> Said:
        """The same as data."""
        folder, free = printable(str(self.folder), 200), self.free_bytes
        if self.needed_bytes is None:
            return t(
                "There is no room for a way back in {folder}: it takes more than the "
                "{free:size} that are free. Name another folder by --journal DIR.",
                folder=folder,
                free=free,
            )
        takes = (
            Sentence("The way back takes {needed:size} in {folder}, where {free:size} are free.")
            if self.fits
            else Sentence(
                "There is no room for a way back in {folder}: it takes {needed:size}, and "
                "{free:size} are free. Name another folder by --journal DIR."
            )
        )
        return in_a_row(*self.unknown, takes(folder=folder, needed=self.needed_bytes, free=free))


def way_back_room(plan: Plan, folder: Path, environment: Environment) -> WayBackRoom:
    """The same for a face, before the last question. Where root alone can tell that no stand-in can be had,
    that is what is told, and whether it wants a word. Raises as `measure` does.
    """
    if why := why_direct(plan, folder):
        return WayBackRoom(promise(plan, why), not wants_word(plan, why))
    room = measure(plan, folder, environment)
    return WayBackRoom(room.sentence, room.fits, tuple(map(str, room.unknown)))


def measure(plan: Plan, folder: Path, environment: Environment) -> Room:
    """Try the plan out on stand-ins in the folder, take what that needs, and leave nothing there. Reads the
    drives; takes seconds. Raises DiskwrightError where it cannot be tried out.
    """
    missing = [above for above in (folder.absolute(), *folder.absolute().parents) if not above.exists()]
    try:
        make_private(folder)
        with _alone(folder):
            return _tried(plan, folder, environment)
    except OSError as error:
        named = printable(str(folder), 200)
        raise Refused(
            t(
                "{folder} cannot be used for a run: {why}. Nothing was written.",
                folder=named,
                why=error.strerror or str(error),
            )
        ) from None
    finally:
        for made in missing:
            # As it was: a run that began meanwhile has its folder there.
            with suppress(OSError):
                made.rmdir()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Until another that tries a plan out there has ended: two stand-ins would have the same UUIDs."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _tried(plan: Plan, folder: Path, environment: Environment) -> Room:
    _clear_left(folder)
    free = free_bytes(folder)
    with TemporaryDirectory(prefix=PREFIX, dir=folder) as made:
        return _measured(plan, Path(made), Room(folder, free), environment)


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
        record = rehearse(plan, Ground(run, environment, journal, execute, secret))
    except Failed:
        if free_bytes(run) < LITTLE_BYTES:
            return room
        raise
    finally:
        journal.close()
        os.close(lock)
    old = _taken(old_file(run, number) for number in range(len(plan.members)))
    blanks = tuple(change.blank for change in record.changes)
    unknown = unknown_data(run, plan, record.changes)
    return Room(room.folder, room.free_bytes, old, _taken((run / FOLDER).iterdir()) - old, blanks, unknown)


def _taken(files: Iterable[Path]) -> int:
    return sum(file.stat().st_blocks * BLOCK_BYTES for file in files)
