"""Begin a conversion if it still explains itself as it was worked out."""

from pathlib import Path

from wizard.apply.conversion.guard import preflight_migration, start_migration
from wizard.apply.conversion.look import look_at_ext
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import check_told
from wizard.ext4.carry import NO_TRANSACTION
from wizard.ext4.make import doubts_of
from wizard.model.migration import MakeFresh, Migration
from wizard.model.said import Message


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


def check_explained(migration: Migration, environment: Environment) -> None:
    """Raises Refused where its doubts are not those that the filesystem, as it is found now, gives; and as
    `look_at_ext` does."""
    operations = tuple(step.operation for step in migration.steps)
    situation = look_at_ext(
        migration.device,
        environment,
        store=Path(migration.store) if migration.store else None,
        undo_dir=Path(migration.undo_dir) if migration.undo_dir else None,
        target=next((one.target for one in operations if isinstance(one, MakeFresh)), None),
    )
    wanted = doubts_of(situation, migration.way, migration.means, operations, manifest=migration.manifest)
    again = " ".join(("diskwright", "migrate", migration.device))
    check_told(wanted, migration.doubts, again, _alike)


def _alike(doubt: Message | str) -> Message | str:
    """A folder that could not be used is not named in the migration, so only that there is no transaction is
    compared."""
    none = NO_TRANSACTION
    sentences = dict(doubt.values).get("sentences") if isinstance(doubt, Message) else None
    return none if isinstance(sentences, tuple) and none in sentences else doubt
