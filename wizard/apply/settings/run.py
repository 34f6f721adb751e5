"""Apply, verify and undo changes of settings."""

import os
import shlex
import stat
from collections.abc import Collection, Iterator, Set
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block.devices import size_bytes
from wizard.apply.plan.guard import check_programs
from wizard.apply.run import job, journal, kinds, process
from wizard.apply.run.backup_store import Environment, mark_durably
from wizard.apply.run.progress_log import reached
from wizard.apply.run.runs import run_argument
from wizard.apply.settings import guard
from wizard.apply.settings.plan_settings import act
from wizard.apply.settings.states import How, do, read, undo
from wizard.apply.settings.system import has_capability, system_in, system_of
from wizard.apply.settings.tune import ROOT_ONLY
from wizard.model import requests
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.layout import EVERYONE, ROOT, Writer
from wizard.model.run import Check, Event
from wizard.model.said import Message, join, t
from wizard.operations import filesystem
from wizard.operations.mounts import Unmount
from wizard.operations.operation import Setting
from wizard.plan.changes import Changes, Migration


def ready_message(changes: Changes) -> tuple[Message, ...]:
    """Return messages on the size, place and writer of a new mount and, if only root can write there, how the
    requested user can. Empty if nothing was mounted or the mount is unreadable."""
    place = next(filter(None, (one.mounted_at for one in changes.settings)), None)
    if place is None or not isinstance(changes.wanted, requests.Attach) or not Path(place).is_mount():
        return ()
    try:
        # Needs no root.
        size = size_bytes(changes.device)
        read_only = bool(os.statvfs(place).f_flag & os.ST_RDONLY)
        writer = writer_of(Path(place))
    except (OSError, Failed):
        return ()
    if read_only:
        return (t("{size:size} ready at {places:and}, read-only.", size=size, places=(place,)),)
    ready = job.READY(size=size, places=(place,), who=writer.shown)
    asked = changes.wanted.writer
    if writer != ROOT or asked.kind != "person":
        return (ready,)
    words = ("sudo", "diskwright", "mount", changes.device, "--writable", asked.name)
    command = shlex.join((*words, "--confirm", changes.drive.token))
    return ready, t(
        "The owner is unchanged. To let {who} write there: `{command}`.", who=asked.shown, command=command
    )


def writer_of(top: Path) -> Writer:
    """Return who besides root may write to a folder, by owner and permissions. Owners without a name have
    their number. Raises OSError."""
    status = top.stat()
    user, group = status.st_uid, status.st_gid
    if status.st_mode & stat.S_IWOTH:
        return EVERYONE
    if user and status.st_mode & stat.S_IWUSR:
        with suppress(KeyError):
            return Writer("person", top.owner(), user, group)
        return Writer("person", str(user), user, group)
    if group and status.st_mode & stat.S_IWGRP:
        with suppress(KeyError):
            return Writer("group", top.group(), 0, group)
        return Writer("group", str(group), 0, group)
    return ROOT


def _is_off(changes: Changes, begun: Set[int]) -> bool:
    if len(changes.steps) not in begun or not isinstance(changes.wanted, requests.SwitchOff):
        return False
    return read(changes.settings[-1], system_of(changes)).how is How.AFTER


def _check_device(run: Path, changes: Changes) -> None:
    if fault := guard.device_fault(changes):
        raise process.refused(t("The run {run} cannot be resumed: {fault}.", run=run.name, fault=fault))


def _verified(work: job.RunWork, changes: Changes) -> job.Outcome:
    if failed := work.journal.verify(setting_checks(changes)):
        return Event.FAILED, failed
    if isinstance(changes.wanted, requests.SwitchOff):
        return Event.DONE, t("{device} is powered off and can be unplugged.", device=changes.device)
    if changes.is_final:
        return Event.DONE, t(
            "{device} has grown as shown; all checks passed. Undo is not possible.", device=changes.device
        )
    changed = t(
        "{device} is changed exactly as shown; all checks passed. `diskwright undo "
        "{run}` undoes the changes.",
        device=changes.device,
        run=run_argument(work.run),
    )
    return Event.DONE, join(*ready_message(changes), changed)


def setting_checks(document: Changes | Migration) -> Iterator[Check]:
    """Check that each setting has the new value."""
    for step in document.steps:
        if isinstance(step.operation, Setting):
            try:
                found = read(step.operation, system_of(document))
                holds, seen = found.how is How.AFTER, str(found.seen)
            except (BadInput, Failed) as error:
                holds, seen = False, str(error)
            yield Check(" ".join(step.holds), holds, seen)


class SettingsRunJob(job.RunJob[Changes]):
    """Runs that change settings of a filesystem in use."""

    kind = kinds.CHANGES

    def own_drives(
        self, document: Changes, environment: Environment, run: Path | None = None, *, undoing: bool = False
    ) -> Collection[str]:
        """Check that this run may change every setting."""
        guard.check_own(document, environment)
        if not undoing:
            for setting in document.settings:
                # Root in a container may lack capabilities.
                if (
                    isinstance(setting, filesystem.GrowMounted)
                    and setting.is_ext
                    and not has_capability(filesystem.SYS_RESOURCE)
                ):
                    raise process.refused(filesystem.NO_GROWING)
            check_programs({tool for setting in document.settings for tool in setting.tools()})
        return (document.drive.path,)

    def check_requirements(self, document: Changes, how: job.Start) -> None:
        """Raises Refused if the run's journal is on a filesystem to unmount, or if the changes or their
        explanations differ from those planned now; BadInput if planning fails."""
        places = (one.mount_point for one in document.settings if isinstance(one, Unmount))
        if place := next((one for one in places if how.folder.resolve().is_relative_to(one)), None):
            raise process.refused(
                t("The run's journal is on {place}; name another folder with --journal.", place=place)
            )
        wanted, now = document.wanted, act(document.device, document.wanted, how.environment)
        if not isinstance(wanted, requests.Tune):
            # Texts of steps may be in another language.
            planned, given = ((one.settings, one.doubts, one.reasons) for one in (now, document))
            if planned != given:
                raise process.refused(t("These changes differ from the ones required now."))
            return
        again = f"diskwright tune {document.device} --workload {wanted.workload}"
        kinds.check_told(now.reasons, document.reasons, again)
        # A document made without root may include the warning that only root can read everything.
        kinds.check_told((*now.doubts, ROOT_ONLY), (*document.doubts, ROOT_ONLY), again)

    def lock(self, document: Changes, drives: Collection[str], run: Path | None = None) -> job.Locks:
        """Lock the drive of an existing run only if it is attached. Files can be restored without it."""
        try:
            return super().lock(document, drives, run)
        except BadInput:
            if run is None:
                raise
            return ()

    def check_new(self, document: Changes) -> None:
        """Check the filesystem and the settings."""
        guard.check_new(document)

    def check_possible(self, run: Path, asked: job.JobRequest) -> None:
        """Refuse to undo a finished change that stays. A drive that is plugged in again can be mounted
        again."""
        super().check_possible(run, asked)
        if asked.purpose is process.Purpose.UNDO and journal.state(run) is journal.RunState.DONE:
            changes = self.kind.load(run)
            why = next((one.undo_obstacle for one in changes.settings if one.stays), None)
            if why is not None and not isinstance(changes.wanted, requests.SwitchOff):
                raise Refused(why)

    def check_continues(self, run: Path, document: Changes, purpose: process.Purpose) -> None:
        """Check that a resumed run has the same filesystem, and the settings as the run left them."""
        if purpose is not process.Purpose.APPLY:
            return
        entries = journal.read_entries(run)
        begun = journal.begun_steps(entries)
        if not begun:
            guard.check_new(document)
        elif not _is_off(document, begun):
            _check_device(run, document)
            guard.check_state(document, begun, journal.done_steps(entries))

    def apply(self, work: job.RunWork) -> job.Outcome:
        """Make all changes that are not made yet."""
        run, (changes, _) = work.run, self.owned(work.run)
        entries = journal.read_entries(run)
        begun, done = journal.begun_steps(entries), journal.done_steps(entries)
        with process.refusing():
            self.check_continues(run, changes, process.Purpose.APPLY)
        system = system_in(work, changes)

        def left() -> Iterator[job.TodoStep]:
            for number, step in enumerate(changes.steps, 1):
                if number in done and step.operation.lasts:
                    continue
                if not _is_off(changes, begun):
                    _check_device(run, changes)
                yield number, step.sentence, partial(do, step.operation, replace(system, step=number))

        total = len(changes.steps)
        ended = job.carry_steps(work, total, left(), lambda: reached(run, total))
        return ended or _verified(work, changes)

    def undo(self, work: job.RunWork) -> job.Outcome:
        """Undo the changes in reverse order. Files are restored even if the drive is missing; changes to the
        drive are not."""
        run, (changes, _) = work.run, self.owned(work.run, undoing=True)
        mark_durably(run / process.UNDOING)
        system = system_in(work, changes)
        results = []
        fault: Message | str | None = None
        for number in sorted(journal.begun_steps(journal.read_entries(run)), reverse=True):
            setting = changes.settings[number - 1]
            fault = fault or guard.device_fault(changes)
            if fault is not None and setting.needs_drive:
                continue
            results.append(undo(setting, replace(system, step=number)))
            work.journal.add(Event.COMMAND, results[-1], step=number)
        if fault is not None:
            raise Failed(
                t(
                    "{said:row} Changes to the drive itself could not be undone: {fault}.",
                    said=tuple(results),
                    fault=fault,
                )
            )
        return Event.UNDONE, join(*results)


JOB = SettingsRunJob()
