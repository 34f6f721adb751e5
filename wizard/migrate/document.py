"""A migration as a document: `diskwright.migration/1`, which crosses to whoever applies it as a plan does."""

from wizard.documents.codec import JSON, from_json, parse_document, render_document, to_json
from wizard.layout.document import LARGEST_DOCUMENT_CHARACTERS, digest_of
from wizard.migrate.check import check_migration
from wizard.model.errors import BadInput
from wizard.model.migration import Migration

MIGRATION_SCHEMA = "diskwright.migration/1"


def render_migration(migration: Migration) -> str:
    """The migration as text, ending in a newline. The same migration always gives the same text."""
    body: JSON = to_json(migration)
    return render_document(MIGRATION_SCHEMA, {"digest": digest_of(body, MIGRATION_SCHEMA), **body})


def is_migration(text: str) -> bool:
    """Whether a document says at its beginning that it is a migration."""
    return f'"{MIGRATION_SCHEMA.partition("/")[0]}/' in text[:200]


def read_migration(text: str, where: str) -> Migration:
    """The migration in a document; raises BadInput naming `where` (a file) for anything that was not written so."""
    if len(text) > LARGEST_DOCUMENT_CHARACTERS:
        raise BadInput(f"{where} is too large to be a migration.")
    body = parse_document(text, MIGRATION_SCHEMA, where)
    said = body.pop("digest", None)
    if said != digest_of(body, MIGRATION_SCHEMA):
        raise BadInput(
            f"{where} was changed or damaged after it was made: its digest does not fit. Make it again with `diskwright migrate`."
        )
    migration = from_json(body, Migration, where)
    check_migration(migration, where)
    return migration
