"""Read and write the documents of all kinds of runs."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar, cast

from wizard.apply.run.runs import BRING, CHANGES, MIGRATION, MOVE, PLAN, kind_of, load_plan, read_file
from wizard.documents.codec import Sealed
from wizard.ext4.document import MIGRATIONS
from wizard.model.errors import Refused
from wizard.model.moves import Moves
from wizard.model.said import Message, t
from wizard.plan.changes import Bring, Changes, Migration, RunDocument
from wizard.plan.check import PLANS
from wizard.plan.copy import BRINGS
from wizard.plan.partition.moves import MOVES
from wizard.plan.settings.document import SETTINGS
from wizard.process.program import remember

D = TypeVar("D")

# Each member reads and renders documents of its own class only.
SEALED = cast(
    "dict[str, Sealed[RunDocument]]",
    {PLAN: PLANS, CHANGES: SETTINGS, MIGRATION: MIGRATIONS, MOVE: MOVES, BRING: BRINGS},
)
"""Documents by kind of run."""


def kind_for(document: RunDocument) -> str:
    """Return the kind of run that a document is for."""
    return next(kind for kind, sealed in SEALED.items() if isinstance(document, sealed.kind))


def render_any(document: RunDocument) -> str:
    """Return a document as the text of a file."""
    return SEALED[kind_for(document)].render(document)


def read_any(text: str, where: str) -> RunDocument:
    """Parse a document of any kind. Raises BadInput with `where` (a file)."""
    sealed = next((one for one in SEALED.values() if one.is_one(text)), SEALED[PLAN])
    return sealed.read(text, where)


def load(run: Path) -> RunDocument:
    """Load the document of a run. Raises BadInput."""
    kind = kind_of(run)
    if kind == PLAN:
        return load_plan(run)
    return _load_one(run, kind, SEALED[kind])


def load_changes(run: Path) -> Changes:
    """Load the settings to change. Raises BadInput."""
    return _load_one(run, CHANGES, SETTINGS)


def load_migration(run: Path) -> Migration:
    """Load the conversion. Raises BadInput."""
    return _load_one(run, MIGRATION, MIGRATIONS)


def load_moves(run: Path) -> Moves:
    """Load the moves. Raises BadInput."""
    return _load_one(run, MOVE, MOVES)


def load_bring(run: Path) -> Bring:
    """Load the copy. Raises BadInput."""
    return _load_one(run, BRING, BRINGS)


def _load_one(run: Path, kind: str, sealed: Sealed[D]) -> D:
    return remember(sealed.read_kept(read_file(run / kind), str(run / kind)))


def check_told(
    wanted: Iterable[Message | str],
    told: Iterable[Message | str],
    again: str,
    alike: Callable[[Message | str], Message | str] = lambda said: said,
) -> None:
    """Raises Refused unless a document contains the expected sentences, in any order and language.

    `again` is the command that renews the document. `alike` normalises sentences before the comparison, if
    parts of them may differ.
    """
    expected, found = {alike(one): one for one in wanted}, {alike(one): one for one in told}
    if missing := next((one for key, one in expected.items() if key not in found), None):
        fault = t('it lacks the expected text "{sentence}"', sentence=missing)
    elif foreign := next((one for key, one in found.items() if key not in expected), None):
        fault = t('it has the unexpected text "{sentence}"', sentence=foreign)
    else:
        return
    raise Refused(
        t(
            "The document's explanations differ from the current ones: {fault}. Make a "
            "new one with `{again}`. Nothing was written.",
            fault=fault,
            again=again,
        )
    )
