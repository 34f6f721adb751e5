"""Context of one step: drive, journal, saved bytes, and commands run under the drives' locks."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep
from typing import Protocol

from wizard.apply.run.backup_store import LOOK_SECONDS, Environment, Vault, describe
from wizard.apply.run.journal import Journal
from wizard.model.errors import Failed, printable
from wizard.model.ext import Check, Event
from wizard.model.machine import Drive, Extent
from wizard.model.plan import Member, Plan, devices_of
from wizard.model.said import Message, Sentence, reason_of, t
from wizard.plan.steps.commands import LVM_WITHOUT_UDEV
from wizard.probe.machine import probe_machine
from wizard.process.program import ENDED, Result, find, run

Do = Callable[[Sequence[str]], Result]
"""Runs a command to its end and says what came of it; raises Failed."""

DEVICES = Path("/etc/lvm/devices/system.devices")

PROGRAMS = frozenset(
    {"pvcreate", "vgcreate", "lvcreate", "lvchange", "vgchange", "vgremove", "lvs", "pvs", "vgs"}
)
"""LVM's programs that are run."""

ALONE = (
    "activation{{udev_sync=0 udev_rules=0 monitoring=0}} backup{{backup=0 archive=0}} "
    'devices{{use_devicesfile=0 hints="none" obtain_device_list_from_udev=0 '
    'external_device_info_source="none" filter={only} global_filter={only}}} '
    "global{{event_activation=0}}"
)
"""LVM's settings for stand-ins (lvm.conf(5)): it looks at nothing else, and writes neither its copies of a
group's records nor the list of the devices that it uses."""


def alone_on(nodes: Sequence[str], argv: Sequence[str]) -> tuple[str, ...]:
    """The argument list of one of LVM's programs that is to look at these drives and their partitions only,
    and to leave no trace elsewhere; any other as it is. Pure."""
    if argv[0] not in PROGRAMS:
        return tuple(argv)
    only = ", ".join(f'"a|^{node}(p[0-9]+)?$|"' for node in nodes)
    own = [word for word in argv[1:] if word not in LVM_WITHOUT_UDEV]
    return (argv[0], "--config", ALONE.format(only=f'[{only}, "r|.*|"]'), *own)


def note_devices(parts: Sequence[str]) -> None:
    """Have LVM look at these partitions from now on, where it goes by a list of devices (lvmdevices(8)):
    pvcreate, which would have said so, ran on stand-ins."""
    if DEVICES.exists() and find("lvmdevices"):
        for part in parts:
            # A list that is not in force takes nothing, and need not.
            run(("lvmdevices", "--yes", "--adddev", part), seconds=LOOK_SECONDS, accept=range(256))


def physical_volumes_of(group: str, do: Do) -> dict[str, str]:
    """The physical volumes of a group, by their nodes, with their UUIDs."""
    said = do(("pvs", "--noheadings", "--separator", " ", "--options", "pv_name,pv_uuid,vg_name")).output
    rows = [line.split() for line in said.splitlines()]
    return {row[0]: row[1] for row in rows if len(row) == 3 and row[2] == group}


def logical_names_in(group: str, do: Do) -> list[str]:
    """The names of a group's logical volumes; none where there is no such group."""
    said = do(("lvs", "--noheadings", "--separator", " ", "--options", "vg_name,lv_name")).output
    rows = [line.split() for line in said.splitlines()]
    return [row[1] for row in rows if len(row) == 2 and row[0] == group]


def asked(kind: str, fields: Sequence[str], what: str, do: Do) -> tuple[dict[str, str], ...]:
    """The rows that `pvs`, `vgs` or `lvs` has of `what`, with sizes in bytes. Raises Failed."""
    words = ("--reportformat", "json", "--units", "b", "--nosuffix", "--options", ",".join(fields))
    return rows(kind.removesuffix("s"), do((kind, *words, what)).output)


def rows(kind: str, text: str) -> tuple[dict[str, str], ...]:
    """The rows of LVM's JSON, by field; raises Failed for what is none. Pure."""
    try:
        return tuple(
            {str(key): str(value) for key, value in row.items()}
            for row in json.loads(text)["report"][0][kind]
        )
    except (ValueError, LookupError, TypeError, AttributeError):
        raise Failed(t("LVM output not understood: {said}", said=printable(text, 80))) from None


NO_NODE = Sentence("The node {node} did not appear.")
IN_USE = Sentence("{node} is in use: {why}.")
NOT_TOUCHED = Sentence("{node} was not touched: {why}.")
WIPEFS_UNREADABLE = Sentence("wipefs output for {device} not understood: {said}")
SAVED = Sentence("Saved {places} of {drive}.")


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
class StepContext:
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
            said = SAVED(places=describe(places), drive=drive)
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


def _ended(argv: Sequence[str], result: Result) -> Message:
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
            raise Failed(t("Cannot read {drive} again: {why}", drive=drive.path, why=silent.why))
    return drives
