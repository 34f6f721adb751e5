"""What an operation is given to work with: its step, the drive, the journal, what is saved, and a way to run
commands."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import sleep
from typing import Protocol

from wizard.apply.run.environment import LOOK_SECONDS, Environment
from wizard.apply.run.journal import Journal
from wizard.apply.run.vault import Vault, describe
from wizard.apply.steps.lvm import Do, alone_on
from wizard.apply.steps.words import devices as words
from wizard.model.errors import Failed
from wizard.model.journal import Check, Event
from wizard.model.machine import Drive, Extent
from wizard.model.plan import Member, Plan, devices_of
from wizard.model.said import Said, reason_of, t
from wizard.probe.machine import probe_machine
from wizard.tools.program import Result, run
from wizard.tools.words import ENDED

BUSY = re.compile(r"busy|in use|already mounted", re.IGNORECASE)
BUSY_TRIES = 5
BUSY_PAUSE_SECONDS = 0.3
"""Anyone who looks at the drives claims each for an instant, and a program that wants it alone just then
refuses, having done nothing."""


class Commands(Protocol):
    """Where a step's commands are run."""

    def command(self, argv: Sequence[str]) -> object:
        """Run one and journal it; raises Failed where it ends badly."""
        ...


@dataclass(frozen=True, slots=True)
class Site:
    """The surroundings of one step. `step` counts from 1; `again` is true where an earlier process had begun
    it already.

    `secret` is the passphrase of what is encrypted; None where nothing is, or it is not needed any more. What
    is `rehearsed` is done to stand-ins, of which nothing has to be saved.
    """

    plan: Plan
    step: int
    again: bool
    run_name: str
    environment: Environment
    journal: Journal
    vault: Vault
    drive_locks: tuple[int, ...]
    secret: bytes | None = field(default=None, repr=False)
    rehearsed: bool = False

    @property
    def member(self) -> Member:
        """The drive that this step works on, or the first where it works on all of them."""
        devices = devices_of(self.plan.steps[self.step - 1].operation)
        return next(
            (member for device in devices if (member := self.plan.member(device))), self.plan.members[0]
        )

    @property
    def seconds(self) -> float:
        """How long a command of this step may take."""
        return self.environment.patience_seconds + 10 * self.plan.steps[self.step - 1].seconds

    def command(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes | None = None,
        accept: Sequence[int] = (0,),
        shown: Sequence[str] = (),
    ) -> Result:
        """Run a command under the drives' locks and journal it, as `shown` where the argument list is no use
        to a reader; raises Failed. In a rehearsal LVM sees the stand-ins alone."""
        if self.rehearsed:
            argv = alone_on(self.plan.paths, argv)
        result = when_free(lambda: self._once(argv, stdin, shown or argv), accept)
        if result.status not in accept:
            raise Failed(
                ENDED(program=(shown or argv)[0], status=result.status, last_words=result.last_words)
            )
        return result

    def _once(self, argv: Sequence[str], stdin: bytes | None, shown: Sequence[str]) -> Result:
        return journalled(
            argv, self.journal, self.step, self.seconds, self.drive_locks, stdin=stdin, shown=shown
        )

    def save(self, places: Sequence[Extent]) -> None:
        """Keep what these places of the step's drive hold, unless it is a stand-in. Raises Failed."""
        if not self.rehearsed:
            drive = self.member.drive.path
            self.vault.save(drive, places, self.step)
            said = words.SAVED(places=describe(places), drive=drive)
            self.journal.add(Event.SAVED, said, step=self.step)

    def look(self) -> Drive:
        """The step's drive as it is now; raises Failed where it does not tell."""
        return look_at(self.member.drive.path)


def when_free(once: Callable[[], Result], accept: Sequence[int] = (0,)) -> Result:
    """Run a command, a few times where something is busy just then."""
    for _ in range(BUSY_TRIES):
        result = once()
        if result.status in accept or not BUSY.search(result.output + result.errors):
            break
        sleep(BUSY_PAUSE_SECONDS)
    return result


def journalled(
    argv: Sequence[str],
    journal: Journal,
    step: int,
    seconds: float,
    drive_locks: tuple[int, ...],
    *,
    stdin: bytes | None = None,
    shown: Sequence[str] = (),
    on_begin: Callable[[int], None] = lambda _pid: None,
) -> Result:
    """Run a command to its end, whatever its status, under the drives' locks, and journal it; raises Failed
    where it could not be run.

    `on_begin` hears the number of its process.
    """
    told = shown or argv
    try:
        result = run(
            argv,
            seconds=seconds,
            stdin=stdin,
            accept=range(-64, 256),
            keep_open=drive_locks,
            on_begin=on_begin,
        )
    except Failed as error:
        journal.add(Event.COMMAND, reason_of(error), step=step, command=told)
        raise
    printed = "\n".join(text for text in (result.output.strip(), result.errors.strip()) if text)
    said = t(
        "{program} ended with status {status} after {seconds:.1f} s.",
        program=told[0],
        status=result.status,
        seconds=result.seconds,
    )
    journal.add(Event.COMMAND, said, step=step, command=told, output=printed)
    return result


def told_in(journal: Journal, drive_locks: tuple[int, ...] = (), *, seconds: float = LOOK_SECONDS) -> Do:
    """Runs commands of no step's own under the drives' locks, and journals them; raises Failed."""

    def do(argv: Sequence[str]) -> Result:
        result = journalled(argv, journal, 0, seconds, drive_locks)
        if result.status:
            raise Failed(_ended(argv, result))
        return result

    return do


def _ended(argv: Sequence[str], result: Result) -> Said:
    return ENDED(program=argv[0], status=result.status, last_words=result.last_words)


def demand(checks: Iterable[Check]) -> None:
    """Raises Failed for the first that does not hold."""
    for check in checks:
        if not check.holds:
            raise Failed(t("{what}: {seen}.", what=check.what, seen=check.seen))


def look_at(path: str) -> Drive:
    """A drive at work, read afresh; raises Failed where it does not answer, since what was not read is not
    missing."""
    return look_at_all([path])[0]


def look_at_all(paths: Sequence[str]) -> tuple[Drive, ...]:
    """Drives at work, read afresh side by side; raises Failed as `look_at` does."""
    drives = probe_machine(paths, seconds=LOOK_SECONDS).drives
    for drive in drives:
        if silent := next((unread for unread in drive.unread if unread.what == "drive"), None):
            raise Failed(t("{drive} could not be read again: {why}", drive=drive.path, why=silent.why))
    return drives
