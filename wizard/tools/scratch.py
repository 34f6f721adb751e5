"""A folder for files that are gone when the command ends."""

import os
import tempfile

from wizard.model.errors import Failed
from wizard.model.said import t

SPARE = ("/run", "/dev/shm")
"""Where a medium has all of its own read-only, something may still be written here."""


def scratch_folder() -> str:
    """$TMPDIR or where temporary files usually lie, or else a spare one. Raises Failed where nothing can be
    written anywhere."""
    try:
        return tempfile.gettempdir()
    except FileNotFoundError:
        pass
    for folder in SPARE:
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    raise Failed(t("No folder takes a temporary file: name one that can be written in TMPDIR."))
