"""The migration that a run carries out."""

from pathlib import Path

from wizard.apply.run.runs import MIGRATION, read_file
from wizard.migrate.document import read_kept_migration
from wizard.model.documents.migration import Migration
from wizard.tools.debuglog import remember


def load_migration(run: Path) -> Migration:
    """As the run's own file has it; raises BadInput where it cannot be read."""
    return remember(read_kept_migration(read_file(run / MIGRATION), str(run / MIGRATION)))
