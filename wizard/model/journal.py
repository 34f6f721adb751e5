"""The record of a run: what was applied, step by step, and where it stands."""

from dataclasses import dataclass, field
from enum import StrEnum

from wizard.model.said import Said
from wizard.model.written import WHERE_USED


class Event(StrEnum):
    """What a journal entry says. A run ends with DONE, FAILED, STOPPED, REFUSED or WAITING, when everything
    is written and a person is to decide; UNDONE may follow, or KEPT, after which there is no way back.
    MAKING: from now on the device may hold a filesystem of the step's kind with a UUID that its maker drew.
    BAD_SECTOR: where something cannot be read, or is zeros since.
    """

    STARTED = "started"
    SAVED = "saved"
    STEP_STARTED = "step-started"
    MAKING = "making"
    COMMAND = "command"
    STEP_DONE = "step-done"
    STEP_FAILED = "step-failed"
    BAD_SECTOR = "bad-sector"
    VERIFIED = "verified"
    NOT_VERIFIED = "not-verified"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    REFUSED = "refused"
    WAITING = "waiting"
    UNDONE = "undone"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Entry:
    """One fsynced line. `step` counts from 1, 0 for the run itself; `output` is what a command printed, cut
    to a sane length. `sentence` is in the language of whoever reads the journal: it is made of what was
    `said`, which entries of older versions, and text of other programs, do not have.
    """

    at: str
    event: Event
    step: int
    sentence: str
    command: tuple[str, ...] = ()
    output: str = ""
    said: Said | None = field(default=None, metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing verified after applying: what was to hold, whether it does, and what was seen."""

    what: str
    holds: bool
    seen: str
