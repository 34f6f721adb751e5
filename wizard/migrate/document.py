"""A migration as a document: `diskwright.migration/2`, which crosses to whoever applies it as a plan does."""

from wizard.documents.codec import JSON
from wizard.documents.sealed import Sealed, without_texts
from wizard.migrate.check import check_migration, told_anew
from wizard.model.documents.migration import Migration
from wizard.model.said import t


def _from_first(body: JSON) -> JSON:
    """Of schema 1, what is not worked out anew."""
    derived = ("gains", "room_bytes")
    return {name: value for name, value in without_texts(body).items() if name not in derived}


MIGRATIONS = Sealed(
    "diskwright.migration/2",
    Migration,
    t("Make it again with `diskwright migrate`."),
    check_migration,
    told_anew,
    {"diskwright.migration/1": _from_first},
)
MIGRATION_SCHEMA, render_migration, is_migration, read_migration, read_kept_migration = (
    MIGRATIONS.schema,
    MIGRATIONS.render,
    MIGRATIONS.is_one,
    MIGRATIONS.read,
    MIGRATIONS.read_kept,
)
