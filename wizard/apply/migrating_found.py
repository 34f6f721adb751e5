"""A run's migration with the names that its drive and its device have now: a restart can give them others."""

from dataclasses import replace
from pathlib import Path

from wizard.apply.devices import kernel_name
from wizard.apply.migrating_look import drive_of
from wizard.apply.phases import OVER, load_record
from wizard.apply.runs import load_migration
from wizard.apply.transaction import is_filesystem_of, locate
from wizard.model.errors import Refused
from wizard.model.migration import Migration


def migration_now(run: Path) -> Migration:
    """The migration; where it is a transaction that is under way, on the device that has its filesystem, by UUID and size. One that is
    not there keeps its names, and whoever looks at it says so. Raises BadInput where the run cannot be read.
    """
    migration, record = load_migration(run), load_record(run)
    if record is None or record.phase in OVER or is_filesystem_of(record, migration.device):
        return migration
    try:
        device = locate(run)
    except Refused:
        return migration
    return replace(migration, device=device, drive=replace(migration.drive, path=drive_of(kernel_name(device))))
