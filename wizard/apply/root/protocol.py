"""What goes through the pipe between a plain user's face and the process that runs as root: requests and
answers, each a line of JSON."""

import json
from dataclasses import dataclass, field
from enum import StrEnum

from wizard.apply.engine.record import Phase
from wizard.apply.run.journal import RunState
from wizard.apply.run.progress import StepProgress
from wizard.documents.codec import to_json
from wizard.documents.sealed import LARGEST_DOCUMENT_CHARACTERS
from wizard.layout.told.promise import WayBackRoom
from wizard.migrate.situation import Situation
from wizard.model.documents.changes import Wanted
from wizard.model.journal import Entry
from wizard.probe.facts import RawMachine

LONGEST_LINE = 4 * LARGEST_DOCUMENT_CHARACTERS
"""Bytes. A document within a line of JSON, each of its quotation marks and line ends written as two
characters."""


class Ask(StrEnum):
    """What the face may ask."""

    LOOK = "look"
    LOOK_AT_EXT = "look-at-ext"
    ROOM = "room"
    APPLY = "apply"
    BEGIN = "begin"
    WORK_OUT = "work-out"
    STOP = "stop"
    KEEP = "keep"
    UNDO = "undo"
    INSTALL = "install"


class Say(StrEnum):
    """What the process that runs as root tells. ROOT is the first line; LOOKED, TRIED, BEGAN, SETTLED or
    REFUSED answers a request; ENTRY, STANDS and ENDED tell of a run. INSTALLED answers, too; LINE is what a
    package manager says before that.
    """

    ROOT = "root"
    LOOKED = "looked"
    TRIED = "tried"
    BEGAN = "began"
    SETTLED = "settled"
    REFUSED = "refused"
    ENTRY = "entry"
    STANDS = "stands"
    ENDED = "ended"
    LINE = "line"
    INSTALLED = "installed"


@dataclass(frozen=True, slots=True)
class Request:
    """One line to root. LOOK: the drives at `paths`, None for all. LOOK_AT_EXT: the filesystem on `device`,
    with the `folder` and the `target` that a migration would use. ROOM: how much room the way back of a
    plan's document takes, with a run in the folder `journal`. APPLY: a plan's document, the drives' tokens, a
    folder for the run, and for what is encrypted the passphrase in hexadecimal digits, which goes nowhere but
    through the pipe. BEGIN: the same with the document of a migration, changes or moves in `plan`.
    WORK_OUT: the changes that bring about what is `wanted` of `device`. KEEP and UNDO mean the run that
    was begun last through this pipe; KEEP takes the passphrase, too. INSTALL: what brings these `programs`.
    """

    ask: Ask
    paths: tuple[str, ...] | None = None
    plan: str = ""
    tokens: tuple[str, ...] = ()
    journal: str | None = None
    secret: str | None = field(default=None, repr=False)
    device: str = ""
    folder: str | None = None
    target: str | None = None
    programs: tuple[str, ...] = ()
    wanted: Wanted | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """One line from root, with what belongs to its `say`. STANDS: how far the present step and a rehearsed
    run are, and what a power cut now would leave. `changes` is their document.
    """

    say: Say
    machine: RawMachine | None = None
    situation: Situation | None = None
    room: WayBackRoom | None = None
    changes: str = ""
    run: str = ""
    entry: Entry | None = None
    state: RunState | None = None
    progress: StepProgress | None = None
    phase: Phase | None = None
    sentence: str = ""
    code: int = 0


def as_line(message: Request | Answer) -> bytes:
    """A message as it goes through the pipe."""
    return json.dumps(to_json(message)).encode() + b"\n"
