"""A second copy of the small documents of a rehearsed run. It is read if one of them is lost, damaged or from
another run."""

import json
from hashlib import sha256
from pathlib import Path

from wizard.apply.run import words
from wizard.apply.run.vault import read_regular, replace_durably
from wizard.model.errors import Failed
from wizard.model.units import MIB

FILE = "backup.json"
NAMES = ("plan.json", "run.json", "rehearsed.json", "drives.json")
LARGEST_BYTES = 256 * MIB


def save_backup(run: Path) -> None:
    """Copy the documents as they are now; the copy is on the medium on return. Raises Failed."""
    try:
        texts = {name: (run / name).read_text("utf-8") for name in NAMES if (run / name).exists()}
        replace_durably(run / FILE, json.dumps(texts).encode())
    except (OSError, UnicodeDecodeError) as error:
        raise Failed(words.UNWRITTEN(file=str(run / FILE), why=str(error))) from None


def drop_backup(run: Path) -> None:
    """Delete the copy once nothing is left that it could finish or undo."""
    (run / FILE).unlink(missing_ok=True)


def backed_up(run: Path, name: str) -> str | None:
    """The copy of a document; None if there is none, or the copy is damaged."""
    try:
        texts = json.loads(read_regular(run / FILE, LARGEST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    text = texts.get(name) if isinstance(texts, dict) else None
    return text if isinstance(text, str) else None


def digest_of_text(text: str) -> str:
    """The SHA-256 by which a record names its plan."""
    return sha256(text.encode()).hexdigest()
