"""Find later runs on the drives of a run. Its saved bytes must never overwrite their result."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from wizard.apply.engine.record import UNTOUCHED, Phase, load_record
from wizard.apply.plan.same_drive import tells_who_it_is
from wizard.apply.run.journal import begun_steps, read_entries
from wizard.apply.run.runs import Kind, kind_of, list_runs, load_plan
from wizard.model.errors import BadInput
from wizard.model.identity import Identity
from wizard.model.said import Said, t

TAKEN_BACK = UNTOUCHED | {Phase.UNDONE, Phase.LEFT}


def later_runs(run: Path) -> tuple[Path, ...]:
    """Return the later plans of the same folder that wrote to a drive of this run and were not undone."""
    runs = tuple(list_runs(run.parent))
    return tuple(_that_wrote(run, runs[runs.index(run) + 1 :])) if run in runs else ()


def over_later(run: Path) -> Said | None:
    """Why nothing may be put back over whatever was written since; None if no later run made that."""
    later = next(iter(later_runs(run)), None)
    return (
        t(
            "Run {later} set up the drive after {run}. Putting back what {run} saved "
            "would destroy what {later} made. The saved bytes stay in {folder}.",
            run=run.name,
            later=later.name,
            folder=str(run),
        )
        if later
        else None
    )


def _that_wrote(run: Path, later: tuple[Path, ...]) -> Iterator[Path]:
    drives = _drives(run)
    for one in later:
        if _has_written(one) and any(_is_same(known, other) for known in drives for other in _drives(one)):
            yield one


def _drives(run: Path) -> tuple[Identity, ...]:
    """The drives of a plan's run; none of another kind, or one that cannot be read."""
    with suppress(BadInput):
        if kind_of(run) is Kind.PLAN:
            return tuple(member.drive for member in load_plan(run).members)
    return ()


def _has_written(run: Path) -> bool:
    with suppress(BadInput):
        record = load_record(run)
        return record.phase not in TAKEN_BACK if record else bool(begun_steps(read_entries(run)))
    return False


def _is_same(one: Identity, other: Identity) -> bool:
    """Whether two runs name one drive. A dock may hide that they are two: then too much is refused."""
    if tells_who_it_is(one) and tells_who_it_is(other):
        return (one.serial, one.wwn, one.size_bytes) == (other.serial, other.wwn, other.size_bytes)
    return (one.boot_id, one.diskseq, one.path) == (other.boot_id, other.diskseq, other.path)
