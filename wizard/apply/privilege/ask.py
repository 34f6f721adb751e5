"""Find a program that grants root to an unprivileged user, and build the command line.

The program starts this package with this interpreter as root, in Python's isolated mode. That runs
`wizard.apply.privilege.server`, which first drops all inherited state, then serves requests from standard
input. No part of a plan appears on the command line.

An installed distribution package starts a fixed helper program without arguments instead. The fixed path
gives polkit an action, so the dialog names the purpose.

If diskwright is in a user's own folder, that user can still replace the program. `sudo ./diskwright` has the
same limit.

sudo asks on the terminal, regardless of the standard streams. These are pipes here, so sudo runs the command
in the background. It then reads no keys, even if the command gets a separate terminal (sudo, src/exec_pty.c).
The wizard still receives all keys.

sudo and pkexec are tested with the single file (tests/media/test_rights.py). pkexec is also tested with the
installed package (packaging/debian/check.sh). run0 needs a running systemd, so it was tested by hand: with
the single file in a Debian 13 container (systemd 257). run0 runs the command as a service, whose processes
end with the first one. So the relay never exits before the run.
"""

import json
import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from wizard.apply.engine.record import Phase
from wizard.apply.run.journal import RunState
from wizard.apply.run.module import PACKAGE_FOLDER
from wizard.apply.run.process import module_argv
from wizard.apply.run.progress_log import StepProgress
from wizard.documents.codec import LARGEST_DOCUMENT_CHARACTERS, to_json
from wizard.ext4.assessment import Situation
from wizard.model.changes import Wanted
from wizard.model.ext import JournalEntry
from wizard.model.said import Sentence, t
from wizard.plan.undo_policy import WayBackRoom
from wizard.probe.facts import RawMachine
from wizard.process.program import find

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
class RootRequest:
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
    entry: JournalEntry | None = None
    state: RunState | None = None
    progress: StepProgress | None = None
    phase: Phase | None = None
    sentence: str = ""
    code: int = 0


def as_line(message: RootRequest | Answer) -> bytes:
    """A message as it goes through the pipe."""
    return json.dumps(to_json(message)).encode() + b"\n"


PROMPT = t("Setting up a drive needs root. Password of %p: ")
NO_ROOT = t("Root access was not granted.")
NOT_GIVEN = Sentence("Root access was not granted: {why}. Nothing was written.")
NOT_STARTED = Sentence("{program} did not start: {why}")
DISMISSED = Sentence("the request was dismissed")
NOT_ALLOWED = Sentence("not authorized, or no way to ask for authorization")

# What does not arrive.
NO_DRIVES = t("No drive data arrived from the root process.")
NO_FILESYSTEM = t("No filesystem data arrived from the root process.")
NO_ANSWER = t("No result arrived from the root process.")
WORKED_OUT = t("The root process's result")
NO_SECRET = t("The passphrase arrived damaged. Nothing was written.")
NOT_HEARD = Sentence(
    "The root process no longer responds. The run does not depend on this "
    "process: `sudo diskwright status {run}` shows the progress."
)
NOT_ASKED = t("The root process ended before receiving a request.")
WENT_AWAY = t(
    "The root process ended without an answer; `sudo diskwright status` shows any run that started."
)

# What the process that runs as root refuses.
NO_RUN = t("No run was started here, so keep and undo are not possible. Nothing was written.")
NO_DEVICE = Sentence("{path} is not a device below /dev.")
OPEN_JOURNAL = Sentence(
    "The journal cannot be in {folder}: users other than root could replace it, or its "
    "path is not real. Nothing was written. Name a folder only root can write to with "
    "--journal DIR."
)
OPEN_ROOM = Sentence(
    "Replaced data cannot be saved in {folder}: users other than root could replace it, or "
    "its path is not real. Nothing was written. Name a folder only root can write to."
)


RELAY = "wizard.apply.privilege.server"

HELPER = "as-root"
"""The program that is started as root, beside the package of an installed copy."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What decides whether a program can ask: a terminal of this process, a graphical session, and the
    system's message bus."""

    terminal: bool
    session: bool
    bus: bool
    systemd: bool


@dataclass(frozen=True, slots=True)
class RootProgram:
    """A program that gives root, and how it is begun."""

    name: str
    prefix: tuple[str, ...]

    @property
    def argv(self) -> tuple[str, ...]:
        """The whole argument list."""
        return (*self.prefix, *relay_argv())


def relay_argv(folder: Path = PACKAGE_FOLDER) -> tuple[str, ...]:
    """What is started as root: the fixed program of an installed copy, whose package lies in `folder`, or
    else the module itself. One that others than root could have put there is none.
    """
    helper = folder / HELPER
    with suppress(OSError):
        status = helper.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_uid == 0 and not status.st_mode & 0o022:
            return (str(helper),)
    return module_argv(RELAY, writes_bytecode=False)


def way_to_root(
    find_program: Callable[[str], str | None] = find, around: Surroundings | None = None
) -> RootProgram | None:
    """sudo, run0 or pkexec, the first that is here and has something to ask by; None where there is none.

    sudo asks on the terminal. run0 leaves asking to the session's polkit agent, as its standard input is not
    the terminal here. pkexec asks through the agent, too, or else on the terminal. sudo without a terminal
    works for those who need no password; it comes last.
    """
    now = around or look_around(os.environ)
    sudo, run0, pkexec = (find_program(name) for name in ("sudo", "run0", "pkexec"))
    if sudo and now.terminal:
        # It puts the name of whose password it wants for %p (sudo(8), --prompt).
        return RootProgram("sudo", (sudo, f"--prompt={PROMPT}", "--"))
    if run0 and now.systemd and now.bus and now.session:
        return RootProgram("run0", (run0, "--background=", "--"))
    if pkexec and now.bus and (now.session or now.terminal) and _is_setuid(pkexec):
        return RootProgram("pkexec", (pkexec,))
    return RootProgram("sudo", (sudo, "--non-interactive", "--")) if sudo else None


def look_around(environ: Mapping[str, str]) -> Surroundings:
    """What this process has to ask by."""
    return Surroundings(
        terminal=_has_terminal(),
        session=bool(environ.get("WAYLAND_DISPLAY") or environ.get("DISPLAY")),
        bus=Path("/run/dbus/system_bus_socket").exists(),
        systemd=Path("/run/systemd/system").is_dir(),
    )


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _is_setuid(program: str) -> bool:
    with suppress(OSError):
        return bool(Path(program).stat().st_mode & stat.S_ISUID)
    return False
