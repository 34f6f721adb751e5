"""The conversion job: start, resume, keep and undo."""

from collections.abc import Callable, Collection
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block import devices
from wizard.apply.block.devices import size_bytes
from wizard.apply.conversion import guard, state
from wizard.apply.conversion.rehearsal import MigratingSite
from wizard.apply.conversion.run import (
    KEEPING,
    check_can_start,
    check_state,
    check_untouched,
    migrate,
    reached,
    undo_conversion,
)
from wizard.apply.engine.record import Phase, load_record, save_record
from wizard.apply.engine.scratch_copies import blocker
from wizard.apply.engine.writable_copy import obstacle
from wizard.apply.run import job, kinds, process, runs
from wizard.apply.run.backup_store import Environment, mark_durably
from wizard.apply.run.job import JobRequest, Outcome, RunJob, RunWork, Start
from wizard.apply.run.journal import RunState
from wizard.apply.run.journal import state as job_state
from wizard.apply.run.process import Purpose
from wizard.apply.settings.guard import check_own, is_stacked
from wizard.apply.system import mounts
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import parse
from wizard.ext4.document import doubts_of
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.run import Event
from wizard.model.said import KERNEL_SECTOR_BYTES, Message, Sentence, join, t
from wizard.plan.changes import Migration

ENTRY_BYTES = 160
"""Maximum for a packed entry of a manifest. The files of a system needed 67."""

NOT_MOUNTED = t("Not mounted:")
MOUNTED = Sentence("{device} is mounted at {place}.")


def check_held(migration: Migration) -> None:
    """Raises Refused unless the device contains the filesystem of the conversion. Undo data of an absent
    filesystem is not deleted."""
    guard.drive_now(migration)
    guard.planned_filesystem(migration, process.NOTHING_WRITTEN)


def keep(site: MigratingSite) -> tuple[Event, str]:
    """Delete the undo data and mount the filesystem. Return the last event and message. Raises
    DiskwrightError."""
    check_held(site.migration)
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
    folder = state.saved_in(run)
    freed = sum(file.stat().st_blocks * KERNEL_SECTOR_BYTES for file in folder.glob("*"))
    if record.phase is Phase.RELEASED:
        save_record(run, replace(record, phase=Phase.KEPT))
    state.drop_folder(folder)
    return t("Deleted the undo data and freed {freed:exact}.", freed=freed)


def _mount(site: MigratingSite) -> Message | str:
    """Mount the filesystem as at the next boot. Return a message, also if that fails."""
    device, environment, uuid = (
        site.migration.device,
        runs.load_environment(site.run),
        site.migration.before.uuid,
    )
    try:
        if devices.facts_on(device).uuid != uuid:
            return f"{NOT_MOUNTED} {state.OTHER_FILESYSTEM(device=device, uuid=uuid)}"
    except Failed as error:
        return f"{NOT_MOUNTED} {error}"
    if mounted := next((one for one in mounts.read_mounts() if mounts.is_mount_of(one, device)), None):
        place = mounted.mount_point
        if "ro" in mounted.options:
            return t(
                "{device} is mounted read-only at {place}. For write access, run `umount {place}` and mount "
                "again.",
                device=device,
                place=place,
            )
        message = MOUNTED(device=device, place=place)
        return message if mounted.filesystem == "ext4" else join(message, t("The next mount uses ext4."))
    text = read_text(environment.fstab)
    # Other lines may have been added above.
    planned = {edit.new for setting in site.migration.settings for edit in setting.lines}
    numbers = {number for number, line in enumerate(text.split("\n"), 1) if line in planned}
    lines = (line for line in parse(text, str(environment.fstab)) if line.number in numbers)
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
        return f"{NOT_MOUNTED} {error}"
    return MOUNTED(device=device, place=line.mount_point)


class ConversionRunJob(RunJob[Migration]):
    """Runs that convert a filesystem to ext4."""

    kind = kinds.MIGRATION
    keeps = True
    explains = True

    def own_drives(
        self, document: Migration, environment: Environment, run: Path | None = None, *, undoing: bool = False
    ) -> Collection[str]:
        """Check that the device is not off limits, and that no copy is attached."""
        check_own(document, environment)
        if run is not None and document.way.converts and state.has_started(run):
            device, uuid = document.device, document.before.uuid
            clones = [node for node in state.nodes_holding(uuid) if not is_stacked(node, device)]
            found = tuple(dict.fromkeys((device, *clones)))
            if len(found) > 1:
                raise Refused(state.THERE_TWICE(uuid=uuid, times=len(found), devices=found))
        return {document.drive.path}

    def check_place(self, document: Migration, how: Start) -> None:
        """Check the tools, that the journal lasts, and that a scratch copy is possible."""
        guard.check_migration_tools(document)
        if document.way.converts:
            runs.check_lasts(how.folder)
            existing = next(above for above in (how.folder, *how.folder.parents) if above.exists())
            if why := obstacle() or blocker(existing, (size_bytes(document.device),)):
                raise Refused(t("Cannot make a scratch copy: {why}. Nothing was written.", why=why))

    def room_bytes(self, document: Migration) -> int:
        """Count the undo data and the manifests."""
        before = document.before
        files = before.inodes - before.free_inodes if document.manifest else 0
        return document.room_bytes + 2 * ENTRY_BYTES * files

    def check_new(self, document: Migration) -> None:
        """Check the filesystem."""
        guard.check_new(document)

    def check_explained(self, document: Migration, environment: Environment) -> None:
        """Compare the warnings with those for the filesystem as it is now. Raises like `look_at_ext`, too."""
        situation = guard.look_at_ext(document.device, environment)
        wanted = tuple(doubts_of(situation, document.way, manifest=document.manifest))
        again = " ".join(("diskwright", "migrate", document.device))
        kinds.check_told(wanted, document.doubts, again)

    def located(self, run: Path) -> Migration:
        """Find an unfinished change by the filesystem."""
        return state.migration_now(run)

    def has_begun(self, run: Path) -> bool:
        """Judge by the record, too."""
        return state.has_started(run)

    def check_possible(self, run: Path, asked: JobRequest) -> None:
        """Check the files of a run, too."""
        super().check_possible(run, asked)
        check_state(run, asked.purpose)

    def check_continues(self, run: Path, document: Migration, purpose: Purpose) -> None:
        """Check the filesystem, and what an earlier process left."""
        match purpose:
            case Purpose.APPLY:
                guard.check_migration_tools(document)
                check_can_start(run, document)
            case Purpose.UNDO:
                check_untouched(run, document)
            case Purpose.KEEP:
                check_held(document)

    def ask(self, run: Path, purpose: process.Purpose) -> None:
        """Run the quick checks of a command. The device may be mounted read-only."""
        self.check_possible(run, JobRequest(purpose))
        migration = self._identified(run)
        if purpose is Purpose.KEEP:
            check_held(migration)
        else:
            guard.drive_now(migration)

    def apply(self, work: job.RunWork) -> job.Outcome:
        """Convert the filesystem."""
        return self._carry_out(work, migrate)

    def undo(self, work: job.RunWork) -> job.Outcome:
        """Restore the old filesystem."""
        return self._carry_out(work, undo_conversion)

    def keep(self, work: job.RunWork) -> job.Outcome:
        """Keep the new filesystem, and delete the undo data."""
        return self._carry_out(work, keep)

    def _identified(self, run: Path) -> Migration:
        migration = self.located(run)
        self.own_drives(migration, runs.load_environment(run), run)
        return migration

    def _carry_out(self, work: RunWork, does: Callable[[MigratingSite], Outcome]) -> Outcome:
        """Run `does` with the filesystem writable.

        If that fails, restore the write protection while undo is possible.
        """
        check_state(work.run, work.purpose)
        run = work.run
        site = MigratingSite(
            run,
            self._identified(run),
            0,
            work.journal,
            work.drive_locks,
            runs.load_environment(run).patience_seconds,
        )
        was_protected = devices.take_writes(site.migration.device)
        try:
            return does(site)
        except DiskwrightError:
            if was_protected and state.can_be_undone(work.run, site.migration):
                devices.protect(site.migration.device)
            raise

    def describe_error(self, run: Path, error: DiskwrightError) -> str:
        """Add how far the conversion got."""
        return f"{error} {reached(run)}".rstrip()

    def commands(self, run: Path, now: RunState) -> tuple[str, ...]:
        """Return keep and undo for a finished run, until the filesystem is used."""
        if now is not RunState.DONE:
            return super().commands(run, now)
        migration = self.kind.load(run)
        if not migration.way.converts:
            return ()
        return ("keep",) if state.why_closed(run, migration) else ("keep", "undo")

    def rollback(self, run: Path) -> job.RollbackState | None:
        """Compare the superblock. A missing drive is not an error."""
        if job_state(run) in (RunState.RUNNING, RunState.UNDONE, RunState.KEPT):
            return None
        try:
            return state.undo_state(run, self.kind.load(run))
        except BadInput:
            return None


JOB = ConversionRunJob()
