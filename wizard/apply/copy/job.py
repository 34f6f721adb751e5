"""Start and carry out a copy: copy, catch up, compare, replace the source, and undo. Refuses in doubt."""

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import drives_under
from wizard.apply.copy import places
from wizard.apply.copy.compare_copy import NOT_REMOVED, compare, paths_shown, remove_brought
from wizard.apply.copy.copied import BringSite, is_older, load_copied, site_of
from wizard.apply.copy.copy_entry import restore_top, telling
from wizard.apply.copy.copy_tree import catch_up, copy_listed
from wizard.apply.copy.survey import check_room_there
from wizard.apply.plan.identity_check import drive_fault
from wizard.apply.run import backup_store, job, kinds, process, runs
from wizard.apply.run.journal import Journal, begun_steps, done_steps, read_entries
from wizard.apply.settings import guard
from wizard.apply.settings.states import How, do, undo
from wizard.apply.settings.system import system_in, system_of
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.run import Event
from wizard.model.said import Message, join, t
from wizard.operations.operation import AS_SENTENCE
from wizard.plan.changes import Bring, BringStep
from wizard.plan.copy import OLD_UNCHANGED, fstab_step
from wizard.probe.machine import probe_machine

ALL_SAME = t("All copied entries match the source")
REMAIN = t("Copied files remain.")

LISTED_BYTES = 512
"""Maximum size of an entry in the lists of a run."""


def _drives_now(bring: Bring) -> tuple[str, ...]:
    """Return the drives below the target. Raises Refused unless the target is the planned filesystem, and
    mounted read-write at the planned place."""
    to = bring.target
    location = places.ground_of(Path(to.place))
    device = places.device_of(location.mounted)
    is_at_place = str(location.folder) == location.mounted.mount_point
    found = places.held_on(device) if device and is_at_place else None
    if found is None or found[1:] != (to.filesystem, to.uuid):
        raise Refused(
            t(
                "The filesystem at {place} is not the {title} target of this copy. This attempt made no "
                "changes.",
                place=to.place,
                title=KINDS[to.filesystem].title,
            )
        )
    if "ro" in location.mounted.options:
        raise process.refused(places.READ_ONLY(path=to.place))
    return _own_drives(bring, found.node)


def _own_drives(bring: Bring, node: str) -> tuple[str, ...]:
    """Return the drives below the target. Raises Refused if none is the planned drive, or a copy of the
    target is attached, too."""
    paths = drives_under(node)
    drives = probe_machine(paths, seconds=backup_store.LOOK_SECONDS).drives
    # The target's UUID was compared before.
    faults = [drive_fault(bring.drive, drive, lambda: bool(bring.target.uuid) or None) for drive in drives]
    if None not in faults:
        raise process.refused(
            t(
                "{device} is not on the target drive of this copy: {fault}.",
                device=node,
                fault=next(iter(faults), None) or "",
            )
        )
    if clones := guard.clone_fault(node, bring.target.uuid):
        raise process.refused(AS_SENTENCE(clause=clones))
    return paths


def _compare(site: BringSite, journal: Journal) -> Message:
    try:
        message = compare(site)
    except Failed as error:
        journal.add(Event.NOT_VERIFIED, ALL_SAME, output=str(error))
        raise
    journal.add(Event.VERIFIED, ALL_SAME, output=str(message))
    return message


def _take_place(work: job.RunWork, bring: Bring, number: int) -> Message:
    """Make fstab mount the target in place of the source. Return a result message. Can be repeated. Raises
    Failed."""
    assert bring.takes is not None
    message = do(bring.takes.edit, system_in(work, bring, number))
    work.journal.add(Event.VERIFIED, " ".join(fstab_step(bring).holds).rstrip("."), output=str(message))
    return message


def _done_message(run: Path, bring: Bring) -> Message:
    again = load_copied(run)
    assert again is not None, "it is copied"
    folder, source = bring.target.folder, bring.source.path
    notes = [
        t(
            "{source} was copied to {folder}, read back and compared. `diskwright undo "
            "{run}` removes the copy.",
            run=runs.run_argument(run),
            folder=folder,
            source=source,
        )
    ]
    if again.unsteady:
        notes.append(
            t("Not compared because still changing: {paths:list}.", paths=paths_shown(again.unsteady))
        )
    if again.new:
        notes.append(
            t("Not copied because created during the copy: {paths:list}.", paths=paths_shown(again.new))
        )
    if bring.takes is not None:
        notes += (
            t(
                "The next boot mounts {device} at {place}. Reboot soon: changes there before "
                "the reboot are not copied.",
                device=bring.target.device,
                place=source,
            ),
            OLD_UNCHANGED(device=bring.takes.device, file=bring.takes.edit.file),
        )
    return join(*notes)


class CopyRunJob(job.RunJob[Bring]):
    """Runs that copy files."""

    kind = kinds.BRING

    def own_drives(
        self,
        document: Bring,
        environment: backup_store.Environment,
        run: Path | None = None,
        *,
        undoing: bool = False,
    ) -> Collection[str]:
        """Check that source and target are the run's. If only fstab remains to be changed or restored, the
        target may be mounted elsewhere after a reboot, or not attached."""
        if run is not None and not undoing and is_older(run):
            raise process.refused(t("Version 1.0 began this copy. Undo the run, then copy again."))
        to, steps = document.target, enumerate(document.steps, 1)
        copied = {number for number, step in steps if step is not BringStep.TAKE_PLACE}
        if run and document.takes is not None and (undoing or done_steps(read_entries(run)) >= copied):
            node = places.node_with(to.device, to.filesystem, to.uuid)
            drives = _own_drives(document, node) if node else ()
        else:
            drives = _drives_now(document)
        guard.check_foreign(document, environment)
        environment.check_allowed(drives)
        return drives

    def room_bytes(self, document: Bring) -> int:
        """Count the lists of entries."""
        return document.amount.entries * LISTED_BYTES

    def check_new(self, document: Bring) -> None:
        """Check that the copy still fits, and that fstab is as planned."""
        _drives_now(document)
        check_room_there(document)
        for edit in document.settings:
            guard.check_setting(edit, system_of(document), {How.BEFORE})

    def apply(self, work: job.RunWork) -> job.Outcome:
        """Copy, catch up, compare, and replace the source if planned."""
        run = work.run
        try:
            bring = self.kind.load(run)
            with ExitStack() as held:
                steps = self._steps(work, bring, held)
                end = job.carry_steps(work, len(bring.steps), steps, lambda: REMAIN, may_stop=False)
            return end or (Event.DONE, str(_done_message(run, bring)))
        except process.Stopped:
            return Event.STOPPED, str(join(process.STOPPED, REMAIN))
        except BadInput as error:
            raise Refused(str(error)) from None

    def _steps(self, work: job.RunWork, bring: Bring, held: ExitStack) -> Iterator[job.TodoStep]:
        """Yield the remaining steps. Raises Refused if the drives are not those of the copy."""
        run = work.run
        environment, entries = runs.load_environment(run), read_entries(run)
        site: BringSite | None = None
        for number, step in enumerate(bring.steps, 1):
            if number in done_steps(entries):
                continue
            # Before looking at drives, which may be gone.
            if (run / process.STOP).exists():
                raise process.Stopped
            self.own_drives(bring, environment, run)
            if number == 1 and not begun_steps(entries):
                self.check_new(bring)
            if step is BringStep.TAKE_PLACE:
                held.close()
                does: Callable[[], Message] = partial(_take_place, work, bring, number)
            else:
                site = site or held.enter_context(site_of(run, bring))
                if step is BringStep.COMPARE:
                    does = partial(_compare, site, work.journal)
                else:
                    does = partial(copy_listed if step is BringStep.COPY else catch_up, site)
            yield number, bring.sentences[number - 1], does

    def undo(self, work: job.RunWork) -> job.Outcome:
        """Restore the old lines of fstab, then remove the copied files.

        If the target is mounted elsewhere, it may have replaced the source and be in use. Then no files are
        removed.
        """
        run, (bring, _) = work.run, self.owned(work.run, undoing=True)
        backup_store.mark_durably(run / process.UNDOING)
        messages = list[Message]()
        if bring.takes is not None:
            number = len(bring.steps)
            if number in begun_steps(read_entries(run)):
                messages.append(undo(bring.takes.edit, system_in(work, bring, number)))
                work.journal.add(Event.COMMAND, str(messages[0]), step=number)
            # Unless target and source are mounted as during the copy, the target may be in use.
            is_as_copied = False
            with suppress(Refused, BadInput):
                _drives_now(bring)
                mounted = places.ground_of(Path(bring.source.path)).mounted
                is_as_copied = places.mounted_filesystem(mounted).uuid == bring.source.uuid
            if not is_as_copied:
                kept = t(
                    "The copy on {device} remains, because it may be in use at the new mount "
                    "point. The next boot mounts the old filesystem at {place}.",
                    device=bring.target.device,
                    place=bring.takes.place,
                )
                return Event.UNDONE, str(join(*messages, kept))
        try:
            with site_of(run, bring) as site:
                messages.append(remove_brought(site))
                if bring.takes is not None:
                    with telling(b"", NOT_REMOVED):
                        restore_top(site.target, bring.takes.top)
                    site.sync()
        except (Refused, BadInput) as error:
            raise Failed(
                t(
                    "Undo removes only files that still exist in the source, and the source is "
                    "unreadable. {why} No files were removed.",
                    why=error,
                )
            ) from None
        for path in reversed(bring.target.makes):
            # A folder with other contents remains.
            with suppress(OSError):
                Path(path).rmdir()
        return Event.UNDONE, str(join(*messages))


JOB = CopyRunJob()
