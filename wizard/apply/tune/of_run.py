"""The changes that a run carries out."""

from pathlib import Path

from wizard.apply.run.runs import CHANGES, read_file
from wizard.layout.changes.changes_document import read_kept_changes
from wizard.model.documents.changes import Changes
from wizard.tools.debuglog import remember


def load_changes(run: Path) -> Changes:
    """As the run's own file has them; raises BadInput where it cannot be read."""
    return remember(read_kept_changes(read_file(run / CHANGES), str(run / CHANGES)))
