"""State of one pass through the wizard, and the results of a step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.advice.request import Taken
    from wizard.benchmark.candidates.compare import TrialVerdict
    from wizard.model.advice import Advice, Choice
    from wizard.model.finding import Diagnosis
    from wizard.model.machine import Drive, Machine
    from wizard.model.migration import Migration, Prospect, Way
    from wizard.model.plan import Plan
    from wizard.model.said import Message
    from wizard.model.verdict import Verdict
    from wizard.plan.planner import Mode
    from wizard.plan.raid.striped import StripeWish
    from wizard.plan.request.volume_request import Arrangement, Wish


@dataclass(frozen=True, slots=True)
class SessionConversion:
    """The filesystem on `device` whose files are kept while it becomes ext4, and what was settled about that.

    `compares`: every file before and after, where the way leaves that open, which takes about
    `comparing_seconds`. `repairs`: damage may be repaired. `folder` is where the room that a way needs is
    taken, `target` the volume for a fresh filesystem; None where that is not said.
    """

    device: str
    prospect: Prospect | None = None
    way: Way | None = None
    compares: bool = True
    repairs: bool = False
    folder: Path | None = None
    target: str | None = None
    comparing_seconds: float = 0.0
    migration: Migration | None = None


class PartChange(StrEnum):
    """What becomes of one partition while the others stay."""

    FORMAT = "format"
    DELETE = "delete"
    GROW = "grow"
    SHRINK = "shrink"


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run that is at work, or waits for a word. `state` is a RunState's, `drives` the devices that it works
    on, `ways` the commands that work on it now: resume, keep, undo; `why_not` if none of them does."""

    run: Path
    state: str
    drives: tuple[str, ...]
    ways: tuple[str, ...] = ()
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """Each step gets one and hands on a changed copy; None is what no step has settled yet. `taken` is what
    was asked for beside what is advised. `part` is the node of the one partition that is formatted while the
    others stay. `moving` is there where files are kept and nothing is set up: other
    steps follow then."""

    machine: Machine | None = None
    drive: Drive | None = None
    diagnosis: Diagnosis | None = None
    workload: str | None = None
    advice: Advice | None = None
    choice: Choice | None = None
    taken: Taken | None = None
    mode: Mode | None = None
    part: str | None = None
    wishes: tuple[Wish, ...] = ()
    arrangement: Arrangement | None = None
    others: tuple[Drive, ...] = ()
    stripe: StripeWish | None = None
    plan: Plan | None = None
    verdict: Verdict | None = None
    trial: TrialVerdict | None = None
    moving: SessionConversion | None = None
    run: Path | None = None

    @property
    def choice_doubts(self) -> tuple[Message | str, ...]:
        """Sentences on options of the choice that were asked for against advice, for each volume that is made
        by it."""
        return self.taken.doubts if self.taken is not None and self.taken.choice == self.choice else ()

    @property
    def drives(self) -> tuple[Drive, ...]:
        """Every drive that was taken, in the order in which they were."""
        return (self.drive, *self.others) if self.drive else ()


@dataclass(frozen=True, slots=True)
class Next:
    """On to the next step."""

    session: Session


@dataclass(frozen=True, slots=True)
class Back:
    """Back to the step before; what was entered here is kept in the session."""

    session: Session


@dataclass(frozen=True, slots=True)
class Gone:
    """What was settled about the drive holds no longer, as when it is not there any more: back to the first
    step. What was entered that fits any drive is kept in the session."""

    session: Session


@dataclass(frozen=True, slots=True)
class Quit:
    """The person ends the wizard."""


Moved = Next | Back | Gone
Outcome = Moved | Quit
