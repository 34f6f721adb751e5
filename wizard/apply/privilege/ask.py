"""Find a program that grants root to an unprivileged user, and build the command line.

The program starts `wizard.apply.privilege.server` as root, in Python's isolated mode. No part of a plan
appears on the command line. An installed package starts a fixed helper instead, so that polkit's dialog names
the purpose. If diskwright is in a user's own folder, that user can still replace the program, as with
`sudo ./diskwright`. sudo asks on the terminal, although the standard streams are pipes, and then reads no
keys (sudo, src/exec_pty.c). run0 ends all processes with the first one, so the relay never exits before the
run. Tested by tests/media/test_rights.py and packaging/debian/check.sh; run0 by hand (systemd 257).
"""

import json
import os
import stat
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from wizard.apply.run.journal import RunState
from wizard.apply.run.progress_log import RunStatus
from wizard.documents.codec import LARGEST_DOCUMENT_CHARACTERS, to_json
from wizard.ext4.assessment import Situation
from wizard.model.requests import CopyFiles, Wanted
from wizard.model.run import JournalEntry, WithSecret
from wizard.model.said import Sentence, t
from wizard.plan.text import UndoSpace
from wizard.probe.facts import RawMachine
from wizard.process.module import PACKAGE_FOLDER, module_argv
from wizard.process.program import find

LONGEST_LINE = 4 * LARGEST_DOCUMENT_CHARACTERS
"""In bytes, for a document in a line of JSON with escaped characters."""


class Ask(StrEnum):
    """Requests from the interface."""

    LOOK = "look"
    LOOK_AT_EXT = "look-at-ext"
    ROOM = "room"
    APPLY = "apply"
    WORK_OUT = "work-out"
    STOP = "stop"
    KEEP = "keep"
    UNDO = "undo"
    INSTALL = "install"


class Say(StrEnum):
    """Lines from the root process. ROOT comes first. DONE, BEGAN or REFUSED answer a request. ENTRY, STANDS
    and ENDED report on a run. LINE is output of a package manager."""

    ROOT = "root"
    BEGAN = "began"
    DONE = "done"
    REFUSED = "refused"
    ENTRY = "entry"
    STANDS = "stands"
    ENDED = "ended"
    LINE = "line"


class RootRequest(WithSecret, Struct, frozen=True):
    """LOOK: probe the drives at `paths`, or all. ROOM: measure the space for undo of the plan. APPLY: start
    the document `plan`, confirmed by `tokens`, in `journal`. The passphrase in hexadecimal only goes through
    the pipe. WORK_OUT: plan what is `wanted`, on `device` unless files are copied. KEEP and UNDO: the last
    run started through this pipe. INSTALL: the packages of `programs`."""

    ask: Ask
    paths: tuple[str, ...] | None = None
    plan: str = ""
    tokens: tuple[str, ...] = ()
    journal: str | None = None
    secret: str | None = None
    device: str = ""
    programs: tuple[str, ...] = ()
    wanted: Wanted | CopyFiles | None = None


class Answer(Struct, frozen=True):
    """`document`: planned by WORK_OUT. `ways`: commands for the ended run, or `sentence` with a reason."""

    say: Say
    machine: RawMachine | None = None
    situation: Situation | None = None
    room: UndoSpace | None = None
    document: str = ""
    run: str = ""
    entry: JournalEntry | None = None
    state: RunState | None = None
    ways: tuple[str, ...] = ()
    status: RunStatus | None = None
    sentence: str = ""
    code: int = 0


def as_line(message: RootRequest | Answer) -> bytes:
    """Serialise a message for the pipe."""
    return json.dumps(to_json(message)).encode() + b"\n"


PROMPT = t("Setting up a drive needs root. Password of %p: ")
NOT_GIVEN = Sentence("Root access was not granted: {why}. Nothing was written.")
DISMISSED = Sentence("the request was dismissed")
NOT_ALLOWED = Sentence("not authorized, or no way to ask for authorization")


NO_RUN = t("No run was started here, so keep and undo are not possible. Nothing was written.")
NO_DEVICE = Sentence("{path} is not a device below /dev.")
RELAY = "wizard.apply.privilege.server"

HELPER = "as-root"
"""Next to the installed package."""


class RootProgram(Struct, frozen=True):
    """A program that grants root, and the arguments."""

    name: str
    prefix: tuple[str, ...]

    @property
    def argv(self) -> tuple[str, ...]:
        """The whole argument list."""
        return (*self.prefix, *relay_argv())


def relay_argv(folder: Path = PACKAGE_FOLDER) -> tuple[str, ...]:
    """Return the command to start as root: the installed helper in `folder`, if only root could have written
    it, or the module."""
    helper = folder / HELPER
    with suppress(OSError):
        status = helper.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_uid == 0 and not status.st_mode & 0o022:
            return (str(helper),)
    return module_argv(RELAY, writes_bytecode=False)


def find_root_program() -> RootProgram | None:
    """Return the first usable program. sudo asks on the terminal, run0 through the session's polkit agent,
    pkexec through the agent or on the terminal. sudo without a terminal works for users who need no password,
    and comes last."""
    around = _look_around()
    sudo, run0, pkexec = map(find, ("sudo", "run0", "pkexec"))
    if sudo and "terminal" in around:
        # sudo replaces %p with the user whose password is required (sudo(8), --prompt).
        return RootProgram("sudo", (sudo, f"--prompt={PROMPT}", "--"))
    if run0 and around >= {"systemd", "bus", "session"}:
        return RootProgram("run0", (run0, "--background=", "--"))
    if pkexec and "bus" in around and around & {"session", "terminal"}:
        with suppress(OSError):
            if Path(pkexec).stat().st_mode & stat.S_ISUID:
                return RootProgram("pkexec", (pkexec,))
    return RootProgram("sudo", (sudo, "--non-interactive", "--")) if sudo else None


def _look_around() -> set[str]:
    """Return what this process can use to ask for root."""
    signs = {
        "session": os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY"),
        "bus": Path("/run/dbus/system_bus_socket").exists(),
        "systemd": Path("/run/systemd/system").is_dir(),
    }
    found = {name for name, is_there in signs.items() if is_there}
    with suppress(OSError):
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
        found.add("terminal")
    return found
