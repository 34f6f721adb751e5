"""The kinds of runs, with the documents and the job of each."""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Generic, TypeVar, cast

from msgspec import Struct

from wizard.apply.run import runs
from wizard.apply.run.backup_store import read_file
from wizard.apply.run.process import refused
from wizard.documents.codec import Sealed
from wizard.model.moves import Moves
from wizard.model.said import Message, t
from wizard.plan.changes import Bring, Changes, Migration, RunDocument
from wizard.plan.plan import Plan
from wizard.process.program import remember

D = TypeVar("D")


class RunKind(Struct, Generic[D], frozen=True):
    """A kind of run: the file name of the document in a run's folder, the name of the documents in `wizard/`,
    and the module in `wizard/apply/` with the `JOB`. Both are imported only when needed."""

    file: str
    sealed: str
    module: str

    @property
    def documents(self) -> Sealed[D]:
        """How documents of the kind are read, checked and rendered."""
        module, _, name = self.sealed.partition(":")
        return cast("Sealed[D]", getattr(import_module(f"wizard.{module}"), name))

    def load(self, run: Path) -> D:
        """Load the document of a run. Raises BadInput."""
        file = run / self.file
        return remember(self.documents.read_kept(read_file(file), str(file), own=runs.is_trusted(run)))

    def found(self, journal_dir: Path | None = None) -> tuple[Path, ...]:
        """Return all runs of this kind, oldest first. Raises as `list_runs` does."""
        return tuple(run for run in runs.list_runs(journal_dir) if kind_of(run).file == self.file)

    @property
    def job(self) -> object:
        """The job of the kind, a `RunJob`."""
        job: object = import_module(f"wizard.apply.{self.module}").JOB
        return job


class PlanKind(RunKind[Plan], frozen=True):
    """Runs of plans, whose files are backed up and whose drives may have been found under other names."""

    def load(self, run: Path) -> Plan:
        """Load the plan of a run as `load_plan` does."""
        return runs.load_plan(run)


CHANGES = RunKind[Changes](runs.CHANGES, "plan.changes:SETTINGS", "settings.run")
MIGRATION = RunKind[Migration](runs.MIGRATION, "ext4.document:MIGRATIONS", "conversion.job")
MOVE = RunKind[Moves](runs.MOVE, "plan.partition.moves:MOVES", "move.run")
BRING = RunKind[Bring](runs.BRING, "plan.copy:BRINGS", "copy.job")
PLAN = PlanKind(runs.PLAN, "plan.documents:PLANS", "plan.job")

# Each kind reads and renders documents of its own class only.
KINDS = cast("tuple[RunKind[RunDocument], ...]", (CHANGES, MIGRATION, MOVE, BRING, PLAN))


def kind_of(run: Path) -> RunKind[RunDocument]:
    """Return the kind of a run. A run without a document counts as a plan, whose backup may be intact."""
    return next((kind for kind in KINDS if (run / kind.file).exists()), KINDS[-1])


def kind_for(document: RunDocument) -> RunKind[RunDocument]:
    """Return the kind of run that a document is for."""
    return next(kind for kind in KINDS if isinstance(document, kind.documents.kind))


def render_any(document: RunDocument) -> str:
    """Return a document as the text of a file."""
    return kind_for(document).documents.render(document)


def read_any(text: str, where: str) -> RunDocument:
    """Parse a document of any kind. Raises BadInput with `where` (a file)."""
    return next((kind for kind in KINDS if kind.documents.is_one(text)), KINDS[-1]).documents.read(
        text, where
    )


def load(run: Path) -> RunDocument:
    """Load the document of a run. Raises BadInput."""
    return kind_of(run).load(run)


def check_told(wanted: Iterable[Message | str], told: Iterable[Message | str], again: str) -> None:
    """Raises Refused unless a document contains exactly the expected sentences, in any order and language.
    `again` is the command that renews the document."""
    expected, found = set(wanted), set(told)
    if different := next(iter((expected - found) or (found - expected)), None):
        raise refused(
            t(
                "The document's explanations differ from the current ones: '{sentence}'. Make a new "
                "one with `{again}`.",
                sentence=different,
                again=again,
            )
        )
