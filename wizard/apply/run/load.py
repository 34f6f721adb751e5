"""Read and write the documents of all kinds of runs."""

from pathlib import Path
from typing import TypeVar, cast

from wizard.apply.run.runs import RunKind, kind_of, load_plan, read_file
from wizard.documents.codec import Sealed
from wizard.ext4.check import MIGRATIONS
from wizard.model.migration import Migration, Moves
from wizard.plan.changes import Bring, Changes, RunDocument
from wizard.plan.check import PLANS
from wizard.plan.copy import BRINGS
from wizard.plan.partition.moves import MOVES
from wizard.plan.settings.document import CHANGES
from wizard.process.program import remember

D = TypeVar("D", Changes, Migration, Moves, Bring)

# Each member reads and renders documents of its own class only.
SEALED = cast(
    "dict[RunKind, Sealed[RunDocument]]",
    {
        RunKind.PLAN: PLANS,
        RunKind.CHANGES: CHANGES,
        RunKind.MIGRATION: MIGRATIONS,
        RunKind.MOVE: MOVES,
        RunKind.BRING: BRINGS,
    },
)


def document_kind(document: RunDocument) -> RunKind:
    """Return the kind of run that a document is for."""
    return next(kind for kind, sealed in SEALED.items() if isinstance(document, sealed.kind))


def render_any(document: RunDocument) -> str:
    """Return a document as the text of a file."""
    return SEALED[document_kind(document)].render(document)


def read_any(text: str, where: str) -> RunDocument:
    """Parse a document of any kind. Raises BadInput with `where` (a file)."""
    sealed = next((one for one in SEALED.values() if one.is_one(text)), SEALED[RunKind.PLAN])
    return sealed.read(text, where)


def load(run: Path) -> RunDocument:
    """Load the document of a run. Raises BadInput."""
    kind = kind_of(run)
    if kind is RunKind.PLAN:
        return load_plan(run)
    return remember(SEALED[kind].read_kept(read_file(run / kind), str(run / kind)))


def load_changes(run: Path) -> Changes:
    """Load the settings to change. Raises BadInput."""
    return _load_one(run, CHANGES)


def load_migration(run: Path) -> Migration:
    """Load the conversion. Raises BadInput."""
    return _load_one(run, MIGRATIONS)


def load_moves(run: Path) -> Moves:
    """Load the moves. Raises BadInput."""
    return _load_one(run, MOVES)


def load_bring(run: Path) -> Bring:
    """Load the copy. Raises BadInput."""
    return _load_one(run, BRINGS)


def _load_one(run: Path, sealed: Sealed[D]) -> D:
    kind = next(kind for kind, one in SEALED.items() if one.kind is sealed.kind)
    return remember(sealed.read_kept(read_file(run / kind), str(run / kind)))
