"""Changes as a document: `diskwright.changes/1`, which crosses to whoever applies it as a plan does."""

from wizard.documents.codec import JSON, from_json, parse_document, render_document, to_json
from wizard.layout.changes_check import check_changes
from wizard.layout.document import LARGEST_DOCUMENT_CHARACTERS, digest_of
from wizard.model.changes import Changes
from wizard.model.errors import BadInput

CHANGES_SCHEMA = "diskwright.changes/1"


def render_changes(changes: Changes) -> str:
    """The changes as text, ending in a newline. The same changes always give the same text."""
    body: JSON = to_json(changes)
    return render_document(CHANGES_SCHEMA, {"digest": digest_of(body, CHANGES_SCHEMA), **body})


def is_changes(text: str) -> bool:
    """Whether a document says at its beginning that it is one of changes."""
    return f'"{CHANGES_SCHEMA.partition("/")[0]}/' in text[:200]


def read_changes(text: str, where: str) -> Changes:
    """The changes in a document; raises BadInput naming `where` (a file) for anything that `diskwright tune` would not have written."""
    if len(text) > LARGEST_DOCUMENT_CHARACTERS:
        raise BadInput(f"{where} is too large to be changes.")
    body = parse_document(text, CHANGES_SCHEMA, where)
    said = body.pop("digest", None)
    if said != digest_of(body, CHANGES_SCHEMA):
        raise BadInput(f"{where} was changed or damaged after it was made: its digest does not fit. Make it again with `diskwright tune`.")
    changes = from_json(body, Changes, where)
    check_changes(changes, where)
    return changes
