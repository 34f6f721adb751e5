"""A run's migration as it is found: whether it was begun, and the names that its drive and its device have
now."""

from dataclasses import replace
from pathlib import Path

from wizard.apply.block.devices import kernel_name
from wizard.apply.engine.record import Phase
from wizard.apply.migration.looking.look import drive_of
from wizard.apply.migration.of_run import load_migration
from wizard.apply.migration.on_device import record
from wizard.apply.run.journal import begun_steps, read_entries
from wizard.apply.transaction.snapshotted import load_snapshotted, phase_of
from wizard.apply.transaction.transaction import is_filesystem_of, locate
from wizard.model.documents.migration import Migration
from wizard.model.errors import Refused


def has_begun(run: Path) -> bool:
    """Whether a step was begun: so says the journal, or what is kept beside it to take the step back, should
    the journal be cut off."""
    direct = record.load_record(run)
    return bool(begun_steps(read_entries(run)) or (direct and direct.marks) or load_snapshotted(run))


def migration_now(run: Path) -> Migration:
    """The migration; where it is a transaction that is under way, or was given up and can be begun again, on
    the device that has its filesystem, by UUID and size. One that is not there keeps its names, and whoever
    looks at it says so. Raises BadInput where the run cannot be read.
    """
    migration, snapshotted = load_migration(run), load_snapshotted(run)
    if (
        snapshotted is None
        or phase_of(run) in (Phase.UNDONE, Phase.KEPT)
        or is_filesystem_of(snapshotted, migration.device)
    ):
        return migration
    try:
        device = locate(run)
    except Refused:
        return migration
    return replace(
        migration, device=device, drive=replace(migration.drive, path=drive_of(kernel_name(device)))
    )
