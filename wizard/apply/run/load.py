"""Load the document of a run."""

from pathlib import Path

from wizard.apply.run.runs import BRING, CHANGES, MIGRATION, MOVE, RunKind, kind_of, load_plan, read_file
from wizard.ext4.check import read_kept_migration
from wizard.model.migration import Migration, Moves
from wizard.plan.changes import Bring, Changes
from wizard.plan.copy import read_bring
from wizard.plan.partition.moves import read_kept_moves
from wizard.plan.settings.tuning import read_kept_changes
from wizard.process.program import remember


def load_changes(run: Path) -> Changes:
    """Load the settings to change. Raises BadInput."""
    return remember(read_kept_changes(read_file(run / CHANGES), str(run / CHANGES)))


def load_migration(run: Path) -> Migration:
    """Load the conversion. Raises BadInput."""
    return remember(read_kept_migration(read_file(run / MIGRATION), str(run / MIGRATION)))


def load_moves(run: Path) -> Moves:
    """Load the moves. Raises BadInput."""
    return remember(read_kept_moves(read_file(run / MOVE), str(run / MOVE)))


def load_bring(run: Path) -> Bring:
    """Load the copy. Raises BadInput."""
    return remember(read_bring(read_file(run / BRING), str(run / BRING)))


def outline(run: Path) -> tuple[tuple[str, ...], int]:
    """Return the devices of a run and its number of steps. Raises BadInput if the document is unreadable.

    Imports only the modules of its kind.
    """
    match kind_of(run):
        case RunKind.CHANGES:
            changes = load_changes(run)
            return (changes.device,), len(changes.steps)
        case RunKind.MIGRATION:
            migration = load_migration(run)
            return (migration.device,), len(migration.steps)
        case RunKind.MOVE:
            from wizard.plan.partition.moves import step_sentences

            moves = load_moves(run)
            return moves.devices, len(step_sentences(moves))
        case RunKind.BRING:
            bring = load_bring(run)
            return (bring.target.device,), len(bring.steps)
        case RunKind.PLAN:
            plan = load_plan(run)
            return plan.paths, len(plan.steps)
