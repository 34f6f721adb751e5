"""Changes as a document: `diskwright.changes/1`, which crosses to whoever applies it as a plan does."""

from wizard.documents.sealed import Sealed
from wizard.layout.changes.check_changes import check_changes
from wizard.model.changes import Changes

CHANGES = Sealed("diskwright.changes/1", Changes, "changes", "with `diskwright tune`", check_changes)
CHANGES_SCHEMA, render_changes, is_changes, read_changes = (
    CHANGES.schema,
    CHANGES.render,
    CHANGES.is_one,
    CHANGES.read,
)
