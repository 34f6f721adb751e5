"""The conversion job: start, resume, keep and undo."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from wizard.apply.block import devices
from wizard.apply.conversion import guard, state
from wizard.apply.conversion.rehearsal import MigratingSite
from wizard.apply.conversion.run import (
    KEEPING,
    check_can_start,
    check_one,
    check_state,
    check_untouched,
    migrate,
    reached,
    site_of,
    undo_conversion,
)
from wizard.apply.engine.record import Phase, load_record, save_record
from wizard.apply.run import job, process
from wizard.apply.run.backup_store import Environment, mark_durably
from wizard.apply.run.journal import RunState
from wizard.apply.run.load import load_migration
from wizard.apply.run.runs import load_environment
from wizard.apply.settings.guard import check_own
from wizard.apply.system import mounts
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import parse
from wizard.model.errors import DiskwrightError, Failed
from wizard.model.run import Event
from wizard.model.said import KERNEL_SECTOR_BYTES, Message, Sentence, join, t, tn
from wizard.plan.changes import Migration

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
    device, environment, uuid = site.migration.device, load_environment(site.run), site.migration.before.uuid
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
    try:
        if devices.facts_on(device).uuid != uuid:
            return f"{NOT_MOUNTED} {state.OTHER_FILESYSTEM(device=device, uuid=uuid)}"
        if (
            not environment.is_running_system
            or line is None
            or not line.mount_point.startswith("/")
            or mounts.mounted_at(line.mount_point)
        ):
            return t("{device} can be mounted now.", device=device)
        options = ",".join(line.options) or "defaults"
        site.command(("mount", "-t", "ext4", "-o", options, device, line.mount_point))
    except Failed as error:
        return f"{NOT_MOUNTED} {error}"
    return MOUNTED(device=device, place=line.mount_point)


def _check_resumes(run: Path, migration: Migration) -> None:
    guard.check_migration_tools(migration)
    check_can_start(run, migration)


ACTIONS: Mapping[process.Purpose, tuple[Sentence, Callable[[Path, Migration], None]]] = {
    process.Purpose.APPLY: (Sentence("Resuming the conversion of {device}."), _check_resumes),
    process.Purpose.UNDO: (Sentence("Undoing the conversion of {device}."), check_untouched),
    process.Purpose.KEEP: (
        Sentence("Keeping the conversion of {device}."),
        lambda _, migration: check_held(migration),
    ),
}
"""First journal sentence, and check under the drive's lock, by purpose."""


def _identified(run: Path) -> Migration:
    """Return the run's conversion. Raises Refused if the device is off limits, or a copy is attached."""
    migration = state.migration_now(run)
    check_own(migration, load_environment(run))
    check_one(run, migration)
    return migration


class ConversionRunJob(job.RunJob[Migration]):
    """Runs that convert a filesystem to ext4."""

    keeps = True
    explains = True

    def lock_new(self, document: Migration, how: job.Start, *, make: bool) -> job.Locks:
        """Check the filesystem."""
        return guard.lock_checked(document, how, make=make)

    def begun(self, document: Migration) -> Message:
        """Count the steps."""
        return tn(
            "Converting {device} in one step.",
            "Converting {device} in {count} steps.",
            device=document.device,
            count=len(document.steps),
        )

    def check_explained(self, document: Migration, environment: Environment) -> None:
        """Work out the document again."""
        guard.check_explained(document, environment)

    def check_possible(self, run: Path, asked: job.JobRequest) -> None:
        """Check the files of a run, too."""
        super().check_possible(run, asked)
        check_state(run, asked.purpose)

    def prepare(self, run: Path, asked: job.JobRequest) -> job.Prepared:
        """Check the filesystem, and what an earlier process left."""
        migration = _identified(run)
        title, check = ACTIONS[asked.purpose]
        return job.Prepared(
            title(device=migration.device),
            partial(process.lock_drives, {migration.drive.path}),
            partial(check, run, migration),
        )

    def ask(self, run: Path, purpose: process.Purpose) -> None:
        """Run the quick checks of a command. The device may be mounted read-only."""
        self.check_possible(run, job.JobRequest(purpose))
        migration = _identified(run)
        if purpose is process.Purpose.KEEP:
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

    def _carry_out(self, work: job.RunWork, does: Callable[[MigratingSite], job.Outcome]) -> job.Outcome:
        """Run `does` with the filesystem writable.

        If that fails, restore the write protection while undo is possible.
        """
        check_state(work.run, work.purpose)
        _identified(work.run)
        site = site_of(work)
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
        migration = load_migration(run)
        if not migration.way.converts:
            return ()
        return ("keep",) if state.why_closed(run, migration) else ("keep", "undo")

    def rollback(self, run: Path) -> job.RollbackState | None:
        """Compare the superblock."""
        return state.window_of(run)


JOB = ConversionRunJob()
