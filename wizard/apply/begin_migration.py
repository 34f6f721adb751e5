"""Beginning a migration, for every face: one that tells all that would be told of it now."""

from pathlib import Path

from wizard.apply.migration.start import preflight_migration, start_migration
from wizard.apply.migration.told import check_explained
from wizard.apply.run.environment import Environment
from wizard.model.documents.migration import Migration


def preflight_told(migration: Migration, *, journal_dir: Path | None, environment: Environment) -> None:
    """Raises as `preflight_migration` does, and Refused where the migration explains itself otherwise than it
    is worked out now."""
    preflight_migration(migration, journal_dir=journal_dir, environment=environment)
    check_explained(migration, environment)


def start_told(
    migration: Migration, token: str, *, journal_dir: Path | None, environment: Environment
) -> Path:
    """Begin the run and give its folder; raises as `start_migration` and `preflight_told` do."""
    preflight_told(migration, journal_dir=journal_dir, environment=environment)
    return start_migration(migration, token, journal_dir=journal_dir, environment=environment)
