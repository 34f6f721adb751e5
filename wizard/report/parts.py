"""The report as a document: drives, advice, plan, measurements and run."""

from msgspec import Struct

from wizard.benchmark.candidates.compare import TrialVerdict
from wizard.benchmark.results import BenchmarkResult
from wizard.documents.codec import render_document
from wizard.model.advice import Advice
from wizard.model.errors import WhereUsed
from wizard.model.finding import Diagnosis, Finding
from wizard.model.machine import Drive, Unread
from wizard.model.moves import Moves
from wizard.model.run import Check, JournalEntry
from wizard.model.verdict import CliffVerdict, DisplacedVerdict, Verdict
from wizard.plan.changes import Bring, Changes, Migration, RunDocument
from wizard.plan.plan import Plan

SCHEMA = "diskwright.report/2"


class Absence(Struct, frozen=True):
    """A part missing from the report, with the reason as a sentence."""

    part: str
    why: str


class Facts(Struct, frozen=True):
    """The drives and their diagnoses, in one order. `origin`: when they were read. `absent`: findings about
    drives not attached."""

    origin: str
    kernel: str
    root: bool
    drives: tuple[Drive, ...]
    diagnoses: tuple[Diagnosis, ...]
    unread: tuple[Unread, ...] = ()
    absent: WhereUsed[tuple[Finding, ...]] = ()


class StepResult(Struct, frozen=True):
    """Result of a step. `state`: done, failed, begun (not finished) or not begun. `seconds`: time of the last
    attempt by the journal's clock, None if not finished. `said`: final message."""

    number: int
    state: str
    started_at: str | None
    seconds: float | None
    said: str


class RunRecord(Struct, frozen=True):
    """A run, from its journal. Times are ISO 8601 in UTC. `power`: effect of a power cut. `commands`: what
    the run waits for."""

    id: str
    state: str
    started_at: str | None
    ended_at: str | None
    ending: str
    steps: tuple[StepResult, ...]
    checks: tuple[Check, ...]
    journal: tuple[JournalEntry, ...]
    power: str = ""
    commands: tuple[str, ...] = ()
    not_yet: bool = False


class Report(Struct, frozen=True, kw_only=True):
    """All parts of the document `diskwright.report/2`. `absent` explains missing parts.

    At most one of `plan`, `changes`, `migration`, `move` and `bring` is present. `anonymous`: everything that
    could identify a drive or person was replaced.
    """

    made_at: str
    diskwright: str
    anonymous: bool
    absent: tuple[Absence, ...]
    facts: Facts | None
    advice: tuple[Advice, ...]
    plan: Plan | None = None
    verdict: Verdict | None = None
    cliff: CliffVerdict | None = None
    run: RunRecord | None
    changes: Changes | None = None
    migration: Migration | None = None
    move: Moves | None = None
    bring: Bring | None = None
    displaced: DisplacedVerdict | None = None
    trial: TrialVerdict | None = None

    @property
    def document(self) -> RunDocument | None:
        """The document that the run executes."""
        return self.plan or self.changes or self.migration or self.move or self.bring

    @property
    def measured(self) -> BenchmarkResult | None:
        """The only benchmark result."""
        return self.verdict or self.cliff or self.displaced or self.trial


def render_report(report: Report) -> str:
    """Return the report as JSON text."""
    return render_document(SCHEMA, report)
