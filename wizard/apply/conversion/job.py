"""The conversion job: start, resume, keep and undo."""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from wizard.apply.block.devices import facts_on, protect, size_bytes, take_writes
from wizard.apply.conversion.guard import (
    check_explained,
    check_migration_tools,
    check_new,
    drive_now,
    manifests_bytes,
    planned_filesystem,
)
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
from wizard.apply.conversion.state import (
    can_be_undone,
    drop_folder,
    has_started,
    migration_now,
    saved_in,
    why_closed,
    window_of,
)
from wizard.apply.engine.record import Phase, load_record, save_record
from wizard.apply.engine.scratch_copies import blocker
from wizard.apply.engine.writable_copy import obstacle
from wizard.apply.run import kinds, runs
from wizard.apply.run.backup_store import Environment, mark_durably
from wizard.apply.run.job import JobRequest, Outcome, RollbackState, RunJob, RunWork, Start
from wizard.apply.run.journal import RunState
from wizard.apply.run.process import NOTHING_WRITTEN, Purpose
from wizard.apply.settings.guard import check_own
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import parse
from wizard.apply.system.mounts import is_mount_of, mounted_at, read_mounts
from wizard.model.errors import DiskwrightError, Failed, Refused, printable
from wizard.model.run import Event
from wizard.model.said import KERNEL_SECTOR_BYTES, Message, Sentence, join, t
from wizard.plan.conversion import Migration

NOT_MOUNTED = t("Not mounted:")
CAN_BE_MOUNTED = Sentence("{device} can be mounted now.")
MOUNT_FAILED = Sentence("Cannot mount {device} at {place}:")

NOT_AT_BOOT = frozenset({"noauto"})


def check_held(migration: Migration) -> None:
    """Raises Refused unless the device contains the filesystem of the conversion. Undo data of an absent
    filesystem is not deleted."""
    drive_now(migration)
    planned_filesystem(migration, NOTHING_WRITTEN)


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
    folder = saved_in(run)
    freed = sum(file.stat().st_blocks * KERNEL_SECTOR_BYTES for file in folder.glob("*"))
    if record.phase is Phase.RELEASED:
        save_record(run, replace(record, phase=Phase.KEPT))
    drop_folder(folder)
    return t("Deleted the undo data and freed {freed:exact}.", freed=freed)


def _mount(site: MigratingSite) -> Message | str:
    """Mount the filesystem as at the next boot. Return a message, also if that fails."""
    device, environment, uuid = (
        site.migration.device,
        runs.load_environment(site.run),
        site.migration.before.uuid,
    )
    try:
        if facts_on(device).uuid != uuid:
            return t(
                "{device} now contains a filesystem other than {uuid} and was not mounted.",
                device=device,
                uuid=uuid,
            )
    except Failed as error:
        return f"{NOT_MOUNTED} {error}"
    if mounted := next((one for one in read_mounts() if is_mount_of(one, device)), None):
        place = printable(mounted.mount_point, 200)
        if "ro" in mounted.options:
            return t(
                "{device} is mounted read-only at {place}. For write access, run `umount "
                "{place}` and mount again.",
                device=device,
                place=place,
            )
        message = t("{device} is mounted at {place}.", device=device, place=place)
        return message if mounted.filesystem == "ext4" else join(message, t("The next mount uses ext4."))
    if not environment.is_running_system:
        return CAN_BE_MOUNTED(device=device)
    text = read_text(environment.fstab)
    # Other lines may have been added above.
    numbers = [
        number
        for number, line in enumerate(text.split("\n"), 1)
        if line in {edit.new for setting in site.migration.settings for edit in setting.lines}
    ]
    lines = parse(text, str(environment.fstab))
    line = next(
        (line for line in lines if line.number in numbers and not NOT_AT_BOOT & {*line.options}), None
    )
    if line is None or not line.mount_point.startswith("/") or mounted_at(line.mount_point):
        return CAN_BE_MOUNTED(device=device)
    result = site.command(
        ("mount", "-t", "ext4", "-o", ",".join(line.options) or "defaults", device, line.mount_point),
        accept=range(256),
    )
    place = printable(line.mount_point, 200)
    if result.status:
        return f"{MOUNT_FAILED(device=device, place=place)} {result.last_words}"
    return t(
        "{device} is mounted at {place} with the options from {fstab}.",
        device=device,
        place=place,
        fstab=str(environment.fstab),
    )


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
        if run is not None:
            check_one(run, document)
        return {document.drive.path}

    def check_place(self, document: Migration, how: Start) -> None:
        """Check the tools, that the journal lasts, and that a scratch copy is possible."""
        check_migration_tools(document)
        if document.way.converts:
            runs.check_lasts(how.folder)
            existing = next(above for above in (how.folder, *how.folder.parents) if above.exists())
            if why := obstacle() or blocker(existing, (size_bytes(document.device),)):
                raise Refused(t("Cannot make a scratch copy: {why}. Nothing was written.", why=why))

    def room_bytes(self, document: Migration) -> int:
        """Count the undo data and the manifests."""
        return document.room_bytes + manifests_bytes(document)

    def check_new(self, document: Migration) -> None:
        """Check the filesystem."""
        check_new(document)

    def check_explained(self, document: Migration, environment: Environment) -> None:
        """Work out the document again."""
        check_explained(document, environment)

    def located(self, run: Path) -> Migration:
        """Find an unfinished change by its filesystem."""
        return migration_now(run)

    def has_begun(self, run: Path) -> bool:
        """Judge by the record, too."""
        return has_started(run)

    def check_possible(self, run: Path, asked: JobRequest) -> None:
        """Check the files of a run, too."""
        super().check_possible(run, asked)
        check_state(run, asked.purpose)

    def check_continues(self, run: Path, document: Migration, purpose: Purpose) -> None:
        """Check the filesystem, and what an earlier process left."""
        match purpose:
            case Purpose.APPLY:
                check_migration_tools(document)
                check_can_start(run, document)
            case Purpose.UNDO:
                check_untouched(run, document)
            case Purpose.KEEP:
                check_held(document)

    def ask(self, run: Path, purpose: Purpose) -> None:
        """Run the quick checks of a command. The device may be mounted read-only."""
        self.check_possible(run, JobRequest(purpose))
        migration = self._identified(run)
        if purpose is Purpose.KEEP:
            check_held(migration)
        else:
            drive_now(migration)

    def apply(self, work: RunWork) -> Outcome:
        """Convert the filesystem."""
        return self._carry_out(work, migrate)

    def undo(self, work: RunWork) -> Outcome:
        """Restore the old filesystem."""
        return self._carry_out(work, undo_conversion)

    def keep(self, work: RunWork) -> Outcome:
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
        self._identified(work.run)
        site = site_of(work)
        was_protected = take_writes(site.migration.device)
        try:
            return does(site)
        except DiskwrightError:
            if was_protected and can_be_undone(work.run, site.migration):
                protect(site.migration.device)
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
        return ("keep",) if why_closed(run, migration) else ("keep", "undo")

    def rollback(self, run: Path) -> RollbackState | None:
        """Compare the superblock."""
        return window_of(run)


JOB = ConversionRunJob()
