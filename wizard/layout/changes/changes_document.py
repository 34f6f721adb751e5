"""Changes as a document: `diskwright.changes/2`, which crosses to whoever applies it as a plan does."""

from wizard.documents.sealed import Sealed, without_texts
from wizard.layout.changes.check_changes import check_changes
from wizard.layout.changes.steps_of import told_anew
from wizard.model.documents.changes import Changes
from wizard.model.said import t

CHANGES = Sealed(
    "diskwright.changes/2",
    Changes,
    t("Make it again with `diskwright tune`."),
    check_changes,
    told_anew,
    {"diskwright.changes/1": without_texts},
)
CHANGES_SCHEMA, render_changes, is_changes, read_changes, read_kept_changes = (
    CHANGES.schema,
    CHANGES.render,
    CHANGES.is_one,
    CHANGES.read,
    CHANGES.read_kept,
)
