"""What is asked of a run whatever it does: go on, keep, undo, and what a power cut would leave. Only its own
kind's room is imported."""

from pathlib import Path

from wizard.apply.engine.record import Phase, load_record, power_sentence
from wizard.apply.run.journal import read_entries
from wizard.apply.run.runs import Kind, kind_of, outline
from wizard.model.errors import BadInput, Refused


def resume(run: Path, secret: bytes | None = None) -> None:
    """Go on with a run that ended early; `secret` is the passphrase of what a plan encrypts. Raises Refused
    where that is not safe."""
    match kind_of(run):
        case Kind.PLAN:
            from wizard.apply.plan.start import resume_run

            resume_run(run, secret)
        case Kind.CHANGES:
            from wizard.apply.tune.start import resume_tuning

            resume_tuning(run)
        case Kind.MIGRATION:
            from wizard.apply.migration.start import resume_migration

            resume_migration(run)


def keep(run: Path) -> str:
    """Put to use what a run made, and give up the way back; a sentence on that. Raises Refused where there is
    nothing to keep, and Failed where it did not work.
    """
    match kind_of(run):
        case Kind.PLAN:
            from wizard.apply.plan.start import keep_run

            return keep_run(run)
        case Kind.CHANGES:
            raise Refused(
                f"The run {run.name} changed a filesystem in use: there is nothing to keep. Nothing was "
                "written."
            )
        case Kind.MIGRATION:
            from wizard.apply.migration.start import keep_migration

            return keep_migration(run)


def undo(run: Path, *, over_changes: bool = False) -> str:
    """Put back what a run changed, and return when that is proven; a sentence on that. Raises Refused where
    it cannot be, Failed where it did not work. With `over_changes` also over what another program wrote to
    the drive since.
    """
    match kind_of(run):
        case Kind.PLAN:
            from wizard.apply.plan.undo import undo_run

            undo_run(run, over_changes=over_changes)
        case _ if over_changes:
            raise Refused(
                f"The run {run.name} is no `apply`: it is not undone over what changed since. Nothing was "
                "written."
            )
        case Kind.CHANGES:
            from wizard.apply.tune.start import undo_tuning

            undo_tuning(run)
        case Kind.MIGRATION:
            from wizard.apply.migration.start import undo_migration

            undo_migration(run)
    return read_entries(run)[-1].sentence


def power_now(run: Path) -> str:
    """What a power cut now would leave, by how far the run is; empty where nothing tells, or it is over.
    Raises BadInput."""
    if kind_of(run) is Kind.MIGRATION:
        from wizard.apply.transaction.phases import power_now as of_transaction

        return of_transaction(run)
    phase = phase_now(run)
    return "" if phase is None else power_sentence(phase, ", ".join(outline(run)[0]))


def phase_now(run: Path) -> Phase | None:
    """How far a rehearsed run is; None for every other run. Raises BadInput."""
    record = load_record(run)
    return None if record is None else record.phase


def power_told(run: Path) -> str:
    """As `power_now`, for whoever only watches; empty, too, where what tells is damaged."""
    try:
        return power_now(run)
    except BadInput:
        return ""


def phase_told(run: Path) -> Phase | None:
    """As `phase_now`, for whoever only watches; None, too, where the record is damaged."""
    try:
        return phase_now(run)
    except BadInput:
        return None
