"""The conversion job: start, resume, keep and undo."""

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block import devices
from wizard.apply.block.extents import HeldDrive
from wizard.apply.conversion import commit, guard
from wizard.apply.conversion.commit import Committer
from wizard.apply.conversion.rehearsal import MigratingSite, rehearse
from wizard.apply.engine.checks import LeftError
from wizard.apply.engine.record import UNTOUCHED, Phase, Record, load_record, save_record
from wizard.apply.engine.scratch_copies import blocker
from wizard.apply.engine.stores import FOLDER
from wizard.apply.engine.writable_copy import obstacle
from wizard.apply.run import job, journal, kinds, process, runs
from wizard.apply.run.backup_store import Environment, mark_durably
from wizard.apply.run.progress_log import noting
from wizard.apply.settings.guard import check_own, is_stacked
from wizard.apply.settings.run import setting_checks
from wizard.apply.settings.states import How, do, undo
from wizard.apply.settings.system import RunningSystem, system_in
from wizard.apply.system import mounts
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import parse
from wizard.ext4.document import doubts_of
from wizard.ext4.ways import INSPECT_RESULT
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.run import Event
from wizard.model.said import KERNEL_SECTOR_BYTES, Message, Sentence, join, t
from wizard.operations.operation import Setting
from wizard.plan.changes import Migration

ENTRY_BYTES = 160
"""Maximum for a packed entry of a manifest. The files of a system needed 67."""

MOUNTED = Sentence("{device} is mounted at {mount_point}.")


def keep(site: MigratingSite) -> job.Outcome:
    """Delete the undo data and mount the filesystem. Return the last event and message. Raises
    DiskwrightError."""
    mark_durably(site.run / KEEPING)
    message = drop_saved(site.run)
    advice = t(
        "`diskwright tune {device} --workload ID` suggests options for the workload "
        "and can set them; `diskwright workloads` lists the IDs.",
        device=site.migration.device,
    )
    # Undo is impossible now, even if mounting fails.
    return Event.KEPT, f"{message} {_mount(site)} {advice}"


def drop_saved(run: Path) -> Message:
    """Delete the undo data of a run, and return a result message. Raises Failed."""
    record = load_record(run)
    if record is None:
        return t("This run saved no data for undo.")
    freed = sum(file.stat().st_blocks * KERNEL_SECTOR_BYTES for file in (run / FOLDER).glob("*"))
    if record.phase is Phase.RELEASED:
        save_record(run, replace(record, phase=Phase.KEPT))
    commit.delete_saved(run)
    return t("Deleted the undo data and freed {freed:exact}.", freed=freed)


def _mount(site: MigratingSite) -> Message | str:
    """Mount the filesystem as at the next boot. Return a message, also if that fails."""
    device, environment = site.migration.device, runs.load_environment(site.run)
    if mounted := next((one for one in mounts.read_mounts() if mounts.is_mount_of(one, device)), None):
        place = mounted.mount_point
        if "ro" in mounted.options:
            return t(
                "{device} is mounted read-only at {place}. For write access, run `umount {place}` and mount "
                "again.",
                device=device,
                place=place,
            )
        message = MOUNTED(device=device, mount_point=place)
        return message if mounted.filesystem == "ext4" else join(message, t("The next mount uses ext4."))
    text = read_text(environment.fstab)
    # Other lines may have been added above.
    planned = {edit.new for setting in site.migration.settings for edit in setting.lines}
    lines = (line for line in parse(text, str(environment.fstab)) if line.text in planned)
    line = next((line for line in lines if "noauto" not in line.options), None)
    if (
        not environment.is_running_system
        or line is None
        or not line.mount_point.startswith("/")
        or mounts.mounted_at(line.mount_point)
    ):
        return t("{device} can be mounted now.", device=device)
    try:
        options = ",".join(line.options) or "defaults"
        site.command(("mount", "-t", "ext4", "-o", options, device, line.mount_point))
    except Failed as error:
        return t("{device} is not mounted: {why}", device=device, why=error)
    return MOUNTED(device=device, mount_point=line.mount_point)


KEEPING = "keeping"
"""File in a run's folder: keeping has begun, so undo is impossible."""


def migrate(site: MigratingSite) -> job.Outcome:
    """Run the remaining steps of a conversion. Return the last event and message. Raises DiskwrightError."""
    run, migration = site.run, site.migration
    if migration.way.converts:
        if commit.phase_of(run) in commit.TO_REHEARSE:
            if ended := rehearse(site):
                return ended
            # Rehearsing can take hours.
            guard.drive_now(migration)
        with _committer(site) as committer:
            committer.commit(noting(run))
            written = Sentence("{device} contains the result checked on the scratch copy.")
            if not committer.is_as_put:
                written = Sentence("{device} was written to after the result of the scratch copy.")
        site.journal.add(Event.COMMAND, written(device=migration.device))
    total = len(migration.steps)
    edits = (
        (number, step.sentence, partial(do, step.operation, _system(site)))
        for number, step in enumerate(migration.steps, 1)
        if isinstance(step.operation, Setting)
    )
    if ended := job.carry_steps(site, total, edits, lambda: reached(run)):
        return ended
    if wrong := site.journal.verify(setting_checks(migration)):
        return Event.FAILED, str(wrong)
    device, name = migration.device, runs.run_argument(run)
    if not migration.way.converts:
        done = t(
            "{device} now mounts as ext4. `diskwright undo {run}` reverts this.", device=device, run=name
        )
        return Event.DONE, done
    shown = t("{device} is ext4 as shown; all checks passed.", device=device)
    window = commit.undo_state(run, migration)
    if window and window.closed:
        return Event.DONE, f"{shown} {window.closed}"
    said = [shown]
    if window and window.back is job.Rollback.OPEN and devices.protect(device):
        said.append(t("Writes are blocked until you keep or undo the conversion, or reboot."))
    said.append(INSPECT_RESULT(device=device))
    said.append(t("Then run `diskwright keep {run}` or `diskwright undo {run}`.", run=name))
    return Event.DONE, str(join(*said))


def _system(site: MigratingSite) -> RunningSystem:
    return system_in(site, site.migration, len(site.migration.steps))


@contextmanager
def _committer(site: MigratingSite) -> Iterator[Committer]:
    """Yield the committer of a run. Raises Refused if the device contains another filesystem, and Failed if
    it is in use."""
    device = site.migration.device
    if not commit.is_filesystem_of(commit.filesystem_of(site.run), device):
        raise process.refused(commit.OTHER_FILESYSTEM(device=device, uuid=site.migration.before.uuid))
    with (
        HeldDrive(device) as medium,
        closing(Committer(site.run, device, medium, site.journal.add)) as committer,
    ):
        yield committer


def reached(run: Path) -> str:
    """Say that a run that ended early wrote nothing. Empty if it did write."""
    try:
        return "" if commit.has_started(run) else str(process.NOTHING_WRITTEN)
    except BadInput as error:
        return str(error)


def check_state(run: Path, purpose: process.Purpose) -> None:
    """Raises Refused if the state or files of a run do not allow this purpose."""
    now, name = journal.state(run), run.name
    if now is journal.RunState.KEPT:
        raise Refused(job.ALREADY(name=name, state=now))
    if purpose is process.Purpose.KEEP and (
        now is journal.RunState.UNDONE or (run / process.UNDOING).exists() or not journal.was_done(run)
    ):
        raise Refused(
            t("Run {name} is {state}: only a completed and verified run can be kept.", name=name, state=now)
        )
    if purpose is not process.Purpose.KEEP and (run / KEEPING).exists():
        # Part of the undo data may be deleted.
        raise Refused(
            t(
                "Keeping run {name} is unfinished. Finish with `diskwright keep {run}`. Nothing was written.",
                name=name,
                run=runs.run_argument(run),
            )
        )


def _undo_conversion(site: MigratingSite) -> job.Outcome:
    """Undo a conversion. Return the last event and message. Raises DiskwrightError.

    The fstab line is restored first, since the ext4 in that line will not exist afterwards.
    """
    migration = site.migration
    # Check before the line changes: with an old line and an ext4, the next boot could not mount it.
    unwritten = (*commit.TO_REHEARSE, Phase.SAVED, Phase.UNDONE, Phase.KEPT)
    if commit.phase_of(site.run) not in unwritten:
        # If the old filesystem was used since, undo only ends the run.
        with _committer(site) as committer, suppress(LeftError):
            committer.check_undo(over=False)
    mark_durably(site.run / process.UNDOING)
    messages = []
    for setting in migration.settings:
        messages.append(str(undo(setting, _system(site))))
        site.journal.add(Event.COMMAND, messages[-1])
    messages.append(str(_restore(site)))
    return Event.UNDONE, " ".join(messages)


def _restore(site: MigratingSite) -> Message:
    """Restore the replaced blocks, and return a result message. Can be repeated. Raises Failed or Refused."""
    run, device, record = site.run, site.migration.device, load_record(site.run)
    if record is None or record.phase in UNTOUCHED or not record.changes:
        if record is not None:
            save_record(run, Record(Phase.UNDONE, waits=False))
            commit.delete_saved(run)
        return t("{device} was not written to.", device=device)
    with _committer(site) as committer:
        committer.undo(noting(run))
        if committer.record.phase is Phase.LEFT or not committer.is_as_put:
            return t(
                "{device} contains the old filesystem without any of the changes. Later "
                "writes prevent a bit-for-bit comparison.",
                device=device,
            )
    return t("{device} is restored. All replaced blocks were read back and match bit for bit.", device=device)


class ConversionRunJob(job.RunJob[Migration]):
    """Runs that convert a filesystem to ext4."""

    kind = kinds.MIGRATION

    def own_drives(
        self, document: Migration, environment: Environment, run: Path | None = None, *, undoing: bool = False
    ) -> Collection[str]:
        check_own(document, environment)
        if run is not None and document.way.converts and commit.has_started(run):
            device, uuid = document.device, document.before.uuid
            clones = [node for node in commit.nodes_holding(uuid) if not is_stacked(node, device)]
            found = tuple(dict.fromkeys((device, *clones)))
            if len(found) > 1:
                twice = Sentence("Filesystem {uuid} is attached {times} times: {devices:list}.")
                raise process.refused(twice(uuid=uuid, times=len(found), devices=found))
        return {document.drive.path}

    def check_requirements(self, document: Migration, how: job.Start) -> None:
        guard.check_migration_tools(document)
        if document.way.converts:
            for doubt in runs.doubts_about(how.folder):
                lasting = t("Without the journal, a half-written drive could not be finished.")
                raise process.refused(f"{doubt} {lasting}")
            if why := obstacle() or blocker(
                runs.existing_above(how.folder), (devices.size_bytes(document.device),)
            ):
                raise Refused(t("Cannot make a scratch copy: {why}. Nothing was written.", why=why))
        situation = guard.situation_of(document.device, how.environment)
        kinds.check_told(doubts_of(situation), document.doubts, f"diskwright migrate {document.device}")

    def room_bytes(self, document: Migration) -> int:
        before = document.before
        files = before.inodes - before.free_inodes if document.manifest else 0
        return document.room_bytes + 2 * ENTRY_BYTES * files

    def check_new(self, document: Migration) -> None:
        guard.check_new(document)

    def located(self, run: Path) -> Migration:
        return commit.migration_now(run)

    def has_begun(self, run: Path) -> bool:
        return commit.has_started(run)

    def check_possible(self, run: Path, asked: job.JobRequest) -> None:
        if asked.purpose is not process.Purpose.KEEP:
            super().check_possible(run, asked)
        check_state(run, asked.purpose)

    def check_continues(self, run: Path, document: Migration, purpose: process.Purpose) -> None:
        match purpose:
            case process.Purpose.APPLY:
                guard.check_migration_tools(document)
                with process.refusing():
                    if commit.has_started(run):
                        guard.check_resumable(document)
                        guard.check_fstab(document, {How.BEFORE, How.AFTER})
                    else:
                        guard.check_new(document)
            case process.Purpose.UNDO:
                guard.check_resumable(document)
                window = commit.undo_state(run, document)
                if window is not None and window.back is not job.Rollback.OPEN:
                    raise process.refused(window.sentence)
            case process.Purpose.KEEP:
                # Undo data of an absent filesystem is not deleted.
                guard.drive_now(document)
                guard.planned_filesystem(document)

    def ask(self, run: Path, purpose: process.Purpose) -> None:
        # Only the quick checks. The device may be mounted read-only.
        self.check_possible(run, job.JobRequest(purpose))
        migration, _ = self.owned(run)
        if purpose is process.Purpose.KEEP:
            self.check_continues(run, migration, purpose)
        else:
            guard.drive_now(migration)

    def apply(self, work: job.RunWork) -> job.Outcome:
        try:
            return self._carry_out(work)
        except Refused:
            raise
        except DiskwrightError as error:
            raise Failed(f"{error} {reached(work.run)}".rstrip()) from None

    def _carry_out(self, work: job.RunWork) -> job.Outcome:
        """Convert, undo or keep with the filesystem writable.

        If that fails, restore the write protection while undo is possible.
        """
        does = {
            process.Purpose.APPLY: migrate,
            process.Purpose.UNDO: _undo_conversion,
            process.Purpose.KEEP: keep,
        }
        run = work.run
        check_state(run, work.purpose)
        migration, _ = self.owned(run)
        site = MigratingSite(run, work.purpose, work.journal, work.drive_locks, migration=migration)
        was_protected = devices.take_writes(migration.device)
        try:
            self.check_continues(run, migration, work.purpose)
            return does[work.purpose](site)
        except DiskwrightError:
            with suppress(BadInput):
                window = commit.undo_state(run, migration)
                if was_protected and window and window.back is job.Rollback.OPEN:
                    devices.protect(migration.device)
            raise

    undo = keep = _carry_out

    def commands(self, run: Path, now: journal.RunState) -> tuple[process.Purpose, ...]:
        if now is not journal.RunState.DONE:
            return super().commands(run, now)
        migration = self.kind.load(run)
        if not migration.way.converts:
            return ()
        window = commit.undo_state(run, migration)
        keep, undo = process.Purpose.KEEP, process.Purpose.UNDO
        return (keep,) if window and window.closed else (keep, undo)

    def rollback(self, run: Path) -> job.RollbackState | None:
        if journal.state(run) in (journal.RunState.RUNNING, journal.RunState.UNDONE, journal.RunState.KEPT):
            return None
        try:
            return commit.undo_state(run, self.kind.load(run))
        except BadInput:
            return None


JOB = ConversionRunJob()
