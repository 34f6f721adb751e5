"""A migration as a document: `diskwright.migration/1`, which crosses to whoever applies it as a plan does."""

from wizard.documents.sealed import Sealed
from wizard.migrate.check import check_migration
from wizard.model.migration import Migration

MIGRATIONS = Sealed(
    "diskwright.migration/1", Migration, "a migration", "with `diskwright migrate`", check_migration
)
MIGRATION_SCHEMA, render_migration, is_migration, read_migration = (
    MIGRATIONS.schema,
    MIGRATIONS.render,
    MIGRATIONS.is_one,
    MIGRATIONS.read,
)
