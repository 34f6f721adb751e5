"""Context of one step: drive, journal, saved bytes, and commands run under the drives' locks."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import sleep
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.run.job import RunWork
from wizard.apply.run.journal import Journal
from wizard.model.errors import Failed
from wizard.model.layout import Member
from wizard.model.machine import Drive
from wizard.model.run import Check, Event, WithSecret
from wizard.model.said import Message, Sentence, join, reason_of, t
from wizard.operations.layers import LVM_WITHOUT_UDEV
from wizard.operations.operation import Operation
from wizard.plan.plan import Plan, PlanOperation, Step
from wizard.probe.machine import probe_machine
from wizard.process.program import ENDED, Result, run

Do = Callable[[Sequence[str]], Result]
"""Runs a command to the end and returns its result. Raises Failed."""

PROGRAMS = frozenset(
    {"pvcreate", "vgcreate", "lvcreate", "lvchange", "vgchange", "vgremove", "lvs", "pvs", "vgs"}
)
"""LVM commands that are restricted in the rehearsal."""

ALONE = (
    "activation{{udev_sync=0 udev_rules=0 monitoring=0}} backup{{backup=0 archive=0}} "
    'devices{{use_devicesfile=0 hints="none" obtain_device_list_from_udev=0 '
    'external_device_info_source="none" filter={only} global_filter={only}}} '
    "global{{event_activation=0}}"
)
"""LVM settings for the rehearsal (lvm.conf(5)): see only scratch copies, and write neither metadata backups
nor the devices file."""


def alone_on(nodes: Sequence[str], argv: Sequence[str]) -> tuple[str, ...]:
    """Return the arguments that restrict an LVM command to these drives, without traces elsewhere. Other
    commands are unchanged. Pure."""
    if argv[0] not in PROGRAMS:
        return tuple(argv)
    only = ", ".join(f'"a|^{node}(p[0-9]+)?$|"' for node in nodes)
    own = [word for word in argv[1:] if word not in LVM_WITHOUT_UDEV]
    return (argv[0], "--config", ALONE.format(only=f'[{only}, "r|.*|"]'), *own)


def physical_volumes_of(group: str) -> frozenset[str]:
    """Return the nodes of a group's physical volumes."""
    rows = asked("pvs", ("pv_name", "vg_name"), "--all", run)
    return frozenset(row["pv_name"] for row in rows if row["vg_name"] == group)


def asked(kind: str, fields: Iterable[str], what: str, do: Do) -> tuple[dict[str, str], ...]:
    """Return the rows of `pvs`, `vgs` or `lvs` on `what`, by field, with sizes in bytes. Raises Failed."""
    words = ("--reportformat", "json", "--units", "b", "--nosuffix", "--options", ",".join(fields))
    text = do((kind, *words, what)).output
    try:
        return tuple(
            {str(key): str(value) for key, value in row.items()}
            for row in json.loads(text)["report"][0][kind.removesuffix("s")]
        )
    except (ValueError, LookupError, TypeError, AttributeError):
        raise Failed(NOT_UNDERSTOOD(program="LVM", said=text)) from None


NOT_TOUCHED = Sentence("{node} was not touched: {why}.")
NOT_REHEARSED = Sentence("This change to {device} requires a rehearsal.")
TAKEN = Sentence("{what} already exists. Make a new plan. Nothing was written.")
NOT_UNDERSTOOD = Sentence("{program} output not understood: {said}")


def foreign(node: str) -> Failed:
    """Return the error for a device that is not the run's."""
    return Failed(NOT_TOUCHED(node=node, why=t("this run did not make it")))


BUSY = re.compile(r"busy|in use|already mounted", re.IGNORECASE)
BUSY_TRIES = 5
BUSY_PAUSE_SECONDS = 0.3
"""Programs that probe drives open them for moments. Commands that need exclusive access then fail without
effect."""


class StepContext(WithSecret, Struct, frozen=True):
    """The context of one step.

    `step` counts from 1. `again` is True if an earlier process may have executed it. With `rehearsed`, the
    step runs on scratch copies. `drives`: as probed after the last step, to check all results; empty before.
    With `compared`, the drives were blank, and were just compared with the rehearsal's bytes, which passed
    the checkers of filesystems.
    """

    plan: Plan
    step: int
    work: RunWork
    environment: Environment
    again: bool = False
    rehearsed: bool = False
    drives: tuple[Drive, ...] = ()
    compared: bool = False

    @property
    def planned(self) -> Step[PlanOperation]:
        """The step in the plan."""
        return self.plan.steps[self.step - 1]

    @property
    def member(self) -> Member:
        """The drive of this step, or the first one if it uses all."""
        devices = self.planned.operation.devices
        return next(
            (member for device in devices if (member := self.plan.member(device))), self.plan.members[0]
        )

    @property
    def seconds(self) -> float:
        """The time limit for a command of this step."""
        return self.environment.patience_seconds + 10 * self.planned.seconds

    def command(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes | None = None,
        accept: Sequence[int] = (0,),
        shown: Sequence[str] = (),
    ) -> Result:
        """Run and journal a command under the drives' locks. `shown` replaces it in the journal. Raises
        Failed.

        In a rehearsal, LVM only sees scratch copies.
        """
        locks = self.work.drive_locks
        if self.rehearsed:
            argv, locks = alone_on(self.plan.devices, argv), ()
        return journalled(
            argv, self.work.journal, self.step, self.seconds, locks, accept=accept, stdin=stdin, shown=shown
        )

    def look(self) -> Drive:
        """Probe the step's drive. Raises Failed if it does not respond."""
        return look_at_all([self.member.drive.path])[0]

    def run_commands(self, stdin: bytes | None = None) -> None:
        """Run the commands of the step's operation. Raises Failed."""
        for argv in self.planned.operation.commands():
            self.command(argv, stdin=stdin)

    def do(self, argv: Sequence[str]) -> Result:
        """Run a command of a check, which is only journaled right after the step. Raises Failed."""
        return run(argv, seconds=self.seconds) if self.drives else self.command(argv)

    def described(self, checks: Iterable[Check]) -> Iterator[Check]:
        """Yield checks of the step, described by the operation unless they describe themselves."""
        results = iter(self.planned.holds)
        for check in checks:
            yield check if check.what else replace(check, what=next(results, self.planned.sentence))

    def confirm(self, checks: Iterable[Check]) -> Message:
        """Return the confirmed results of the step. Raises Failed for the first failed check."""
        confirmed = []
        for check in self.described(checks):
            if not check.holds:
                raise Failed(t("Check failed: {what} Found: {seen}.", what=check.what, seen=check.seen))
            confirmed.append(check.what)
        return join(*confirmed)


def checked(holds: bool, seen: object) -> Check:
    """Return the check of the next result that the step's operation describes (`Operation.holds`)."""
    return Check("", holds, str(seen))


def matched(find: Callable[[], Iterable[Message | str]]) -> Check:
    """Check for differences from the plan, like `checked`. An error fails the check."""
    try:
        found = "; ".join(map(str, find()))
    except Failed as error:
        found = str(error)
    return checked(not found, found or t("no difference"))


def journalled(
    argv: Sequence[str],
    journal: Journal,
    step: int,
    seconds: float,
    drive_locks: tuple[int, ...],
    *,
    accept: Sequence[int] = (0,),
    stdin: bytes | None = None,
    shown: Sequence[str] = (),
    tries: int = BUSY_TRIES,
) -> Result:
    """Run and journal a command under the drives' locks, and retry if a device is busy. Raises Failed for any
    other exit status. `shown` replaces the command in the journal."""
    displayed = shown or argv
    for _ in range(tries):
        try:
            result = run(
                argv,
                seconds=seconds,
                stdin=stdin,
                accept=range(-64, 256),
                # ntfs-3g outlives mount(8) and would keep the locks.
                keep_open=()
                if argv[0] == "mount" and any("ntfs" in word for word in argv[:3])
                else drive_locks,
            )
        except Failed as error:
            journal.add(Event.COMMAND, reason_of(error), step=step, command=displayed)
            raise
        printed = "\n".join(text for text in (result.output.strip(), result.errors.strip()) if text)
        summary = t(
            "{program} ended with status {status} after {seconds:.1f} s.",
            program=displayed[0],
            status=result.status,
            seconds=result.seconds,
        )
        journal.add(Event.COMMAND, summary, step=step, command=displayed, output=printed)
        if result.status in accept:
            return result
        if not BUSY.search(result.output + result.errors):
            break
        sleep(BUSY_PAUSE_SECONDS)
    raise Failed(ENDED(program=displayed[0], status=result.status, last_words=result.last_words))


def told_in(journal: Journal, drive_locks: tuple[int, ...] = ()) -> Do:
    """Return a function that runs and journals commands outside of steps, under the drives' locks. Raises
    Failed."""

    return lambda argv: journalled(argv, journal, 0, LOOK_SECONDS, drive_locks, tries=1)


Execute = Callable[[Any, StepContext], Message | str | None]
"""Executes an operation and returns a summary, or None if the checks describe the result. Raises Failed."""

Checks = Callable[[Any, StepContext], Iterable[Check]]
"""Checks the result of an operation, in the order of `Operation.holds`. Raises Failed."""

Steps = dict[type[Operation], tuple[Execute, Checks]]
"""How to execute each operation, and how to check the result after the last step."""


def look_at_all(paths: Sequence[str]) -> tuple[Drive, ...]:
    """Probe drives in use in parallel. Raises Failed if one does not respond: unread contents are not missing
    contents."""
    drives = probe_machine(paths, seconds=LOOK_SECONDS).drives
    for drive in drives:
        if why := drive.why_unread("drive"):
            raise Failed(t("Cannot read {drive} again: {why}", drive=drive.path, why=why))
    return drives
