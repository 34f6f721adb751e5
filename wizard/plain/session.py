"""What one conversation has gathered so far, and how a step of it ends."""

from dataclasses import dataclass
from pathlib import Path

from wizard.layout.planner import Mode
from wizard.layout.wish import Wish
from wizard.model.advice import Advice, Choice
from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, Machine
from wizard.model.plan import Plan
from wizard.model.verdict import Verdict
from wizard.plain.talk import Talk
from wizard.services.contract import Services

STEPS = 9


@dataclass(frozen=True, slots=True)
class Session:
    """Each step gets one and hands on a changed copy; None is what no step has settled yet."""

    machine: Machine | None = None
    drive: Drive | None = None
    diagnosis: Diagnosis | None = None
    workload: str | None = None
    advice: Advice | None = None
    choice: Choice | None = None
    mode: Mode | None = None
    wishes: tuple[Wish, ...] = ()
    plan: Plan | None = None
    verdict: Verdict | None = None
    run: Path | None = None


@dataclass(frozen=True, slots=True)
class Next:
    """On to the next step."""

    session: Session


@dataclass(frozen=True, slots=True)
class Back:
    """Back to the step before; what was answered here is kept."""

    session: Session


@dataclass(frozen=True, slots=True)
class Anew:
    """To the list of drives once more: what was settled about the drive does not hold any longer."""

    session: Session


Outcome = Next | Back | Anew


@dataclass(frozen=True, slots=True)
class Desk:
    """Who is talked to, and who is asked about the drives."""

    talk: Talk
    services: Services

    def heading(self, number: int, title: str) -> None:
        """`Step 3 of 9: Advice`, with an empty line before it."""
        self.talk.say()
        self.talk.say(f"Step {number} of {STEPS}: {title}")
