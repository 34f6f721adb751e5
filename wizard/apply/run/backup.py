"""Two copies of the small documents of a rehearsed run, so that any two of three files can be lost. A copy is
read if a document is lost, damaged or from another run."""

import json
from hashlib import sha256
from pathlib import Path

from wizard.apply.run import words
from wizard.apply.run.journal import BACKUPS
from wizard.apply.run.vault import read_regular, replace_durably
from wizard.model.errors import Failed
from wizard.model.units import MIB

NAMES = ("plan.json", "run.json", "rehearsed.json", "drives.json")
LARGEST_BYTES = 256 * MIB


def save_backup(run: Path) -> None:
    """Copy the documents as they are now; the copies are on the medium on return. Raises Failed."""
    for file in (run / name for name in BACKUPS):
        try:
            texts = {name: (run / name).read_text("utf-8") for name in NAMES if (run / name).exists()}
            replace_durably(file, json.dumps(texts).encode())
        except (OSError, UnicodeDecodeError) as error:
            raise Failed(words.UNWRITTEN(file=str(file), why=str(error))) from None


def drop_backup(run: Path) -> None:
    """Delete the copies once nothing is left that they could finish or undo."""
    for name in BACKUPS:
        (run / name).unlink(missing_ok=True)


def backed_up(run: Path, name: str) -> str | None:
    """Return the copy of a document, or None if both copies are lost or damaged. A copy whose plan is that of
    the run comes first."""
    copies = [texts for file in BACKUPS if (texts := _read(run / file))]
    try:
        plan = (run / "plan.json").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        plan = None
    copies.sort(key=lambda texts: texts.get("plan.json") != plan)
    return next((texts[name] for texts in copies if name in texts), None)


def _read(file: Path) -> dict[str, str]:
    try:
        texts = json.loads(read_regular(file, LARGEST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(texts, dict):
        return {}
    return {name: text for name, text in texts.items() if isinstance(name, str) and isinstance(text, str)}


def digest_of_text(text: str) -> str:
    """The SHA-256 by which a record names its plan."""
    return sha256(text.encode()).hexdigest()
