"""How far a copy is, on the medium of the run: what of the list is copied for good, and what may be half
there.

The list is the manifest of the source, which has an order. So two numbers tell all: what comes before `done`
is on the target's medium, what comes before `begun` may be there, and behind that nothing was made. `begun`
is on the medium before the first of its files is made.
"""

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from wizard.apply.run.progress import FILE as PROGRESS
from wizard.apply.run.vault import read_kept, replace_document
from wizard.documents.codec import from_json, parse_document
from wizard.model.written import WHERE_USED

FILE, SCHEMA = "copied.json", "diskwright.copied/1"
AGAIN, AGAIN_SCHEMA = "again.json", "diskwright.again/1"
RESULT = "expected.manifest"
"""The manifest of what the copy is to be, once everything was caught up with."""


@dataclass(frozen=True, slots=True)
class Copied:
    """How far the copy in `folder` is. `names` are what was taken from the source's top, as the system names
    files. From when
    it is undone on, `written_ns` is when the copy was last written to, in ns since 1970."""

    folder: str
    names: tuple[str, ...]
    begun: int = 0
    done: int = 0
    written_ns: int = field(default=0, metadata=WHERE_USED)

    @property
    def top(self) -> frozenset[bytes]:
        """The names as bytes."""
        return frozenset(map(os.fsencode, self.names))


@dataclass(frozen=True, slots=True)
class Again:
    """What changed while it was copied: the `paths` that are copied once more, or were, and those that still
    change. `new` came to the source's top meanwhile."""

    paths: tuple[str, ...]
    unsteady: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


def load_copied(run: Path) -> Copied | None:
    """None where nothing was begun; raises BadInput."""
    text = read_kept(run / FILE)
    return None if text is None else from_json(parse_document(text, SCHEMA, FILE), Copied, str(run / FILE))


def save_copied(run: Path, copied: Copied) -> None:
    """On the medium on return. Raises Failed."""
    replace_document(run / FILE, SCHEMA, copied)


def load_again(run: Path) -> Again:
    """Nothing where it has not come so far; raises BadInput."""
    text = read_kept(run / AGAIN)
    if text is None:
        return Again(())
    return from_json(parse_document(text, AGAIN_SCHEMA, AGAIN), Again, str(run / AGAIN))


def save_again(run: Path, again: Again) -> None:
    """On the medium on return. Raises Failed."""
    replace_document(run / AGAIN, AGAIN_SCHEMA, again)


def written_ns(run: Path) -> int:
    """Return when the run last noted how far its copy is, in ns since 1970; 0 if it never did. Raises
    BadInput."""
    copied = load_copied(run)
    if copied is not None and copied.written_ns:
        return copied.written_ns
    times = [0]
    for name in (PROGRESS, FILE, AGAIN):
        with suppress(OSError):
            times.append((run / name).stat().st_mtime_ns)
    return max(times)
