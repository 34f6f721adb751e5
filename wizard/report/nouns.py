"""The report itself: the nouns of every room, joined, and what is missing with the reason."""

from dataclasses import dataclass

from wizard.model.advice import Advice
from wizard.model.displaced import DisplacedVerdict
from wizard.model.documents.changes import Changes
from wizard.model.documents.migration import Migration
from wizard.model.documents.move import Moves
from wizard.model.finding import Diagnosis
from wizard.model.journal import Check, Entry
from wizard.model.machine import Drive, Unread
from wizard.model.plan import Plan
from wizard.model.verdict import CliffVerdict, Verdict
from wizard.trial.candidates.result import TrialVerdict


@dataclass(frozen=True, slots=True)
class Absence:
    """A part that this report does not have: its name, and why, in a sentence."""

    part: str
    why: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The drives concerned and what was concluded about each, in the same order. `origin` says where and when
    they were read."""

    origin: str
    kernel: str
    root: bool
    drives: tuple[Drive, ...]
    diagnoses: tuple[Diagnosis, ...]
    unread: tuple[Unread, ...] = ()


@dataclass(frozen=True, slots=True)
class StepResult:
    """What became of a step of the plan. `state`: done, failed, begun (and not ended) or not begun.

    `seconds` is what its last attempt took by the journal's clock, None where it did not end; `said` what it
    said at its end.
    """

    number: int
    state: str
    started_at: str | None
    seconds: float | None
    said: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run by its journal. `state` is its state in a word, `ending` the last sentence of the journal; times
    are ISO 8601 in UTC.

    `power` is what a power cut would leave, empty where that is over; `commands` are those that the run waits
    for. `not_yet` where what it made is not in use yet.
    """

    id: str
    state: str
    started_at: str | None
    ended_at: str | None
    ending: str
    steps: tuple[StepResult, ...]
    checks: tuple[Check, ...]
    journal: tuple[Entry, ...]
    power: str = ""
    commands: tuple[str, ...] = ()
    not_yet: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is known, the document `diskwright.report/2`. What is None or empty is named in
    `absent`.

    At most one of `plan`, `changes` and `migration` is there: what the run carries out. `anonymous` where
    serial numbers and everything else that could name a drive or a person were replaced.
    """

    made_at: str
    diskwright: str
    anonymous: bool
    absent: tuple[Absence, ...]
    facts: Facts | None
    advice: tuple[Advice, ...]
    plan: Plan | None
    verdict: Verdict | None
    cliff: CliffVerdict | None
    run: RunRecord | None
    changes: Changes | None = None
    migration: Migration | None = None
    move: Moves | None = None
    displaced: DisplacedVerdict | None = None
    trial: TrialVerdict | None = None

    @property
    def document(self) -> Plan | Changes | Migration | Moves | None:
        """What is to be done, or was."""
        return self.plan or self.changes or self.migration or self.move
