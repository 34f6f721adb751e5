"""Root's end of a plain user's wizard: `python -m wizard.apply.relay`, begun by what `wizard.apply.elevate` found.

Requests come as lines of JSON on standard input, answers go as lines of JSON to standard output; `wizard.apply.elevated` is the other end.
It can look at drives, begin a run, tell of it, and ask it to stop: nothing else. What it is given is a plan's document, as
`diskwright apply` is given a file: its digest, its text and its drives are checked here as they are there, and it is never planned anew.

A run's folder is root's alone, so its journal is told through here rather than read by the face. Asking for root a second time to stop a
run could fail when it is needed; so one process stays, for as long as the run does. It ends when the face has gone and no run of its own
is at work: some programs that give root end everything that was begun under them together with their first process.
"""

import json
import os
import resource
import signal
import stat
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

from wizard.apply.journal import RunState, follow, state
from wizard.apply.start import request_stop, start_run
from wizard.documents.codec import from_json, to_json
from wizard.layout.document import LARGEST_DOCUMENT_CHARACTERS, read_plan
from wizard.model.errors import BadInput, DiskwrightError, ExitCode, Refused
from wizard.model.journal import Entry
from wizard.model.names import printable
from wizard.probe.facts import RawMachine
from wizard.probe.machine import survey

LONGEST_LINE = 4 * LARGEST_DOCUMENT_CHARACTERS
"""Bytes. A document within a line of JSON, each of its quotation marks and line ends written as two characters."""

MOST_WAITING = 16
"""Requests that are kept while a run is told. A face asks one at a time; more than this would only fill root's memory."""

CLEAN = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "USER": "root",
    "LOGNAME": "root",
    "LC_ALL": "C.UTF-8",
    "PYTHONSAFEPATH": "1",
    "PYTHONNOUSERSITE": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""All that is left of the environment: it names folders with profiles, programs and state, and steers the programs that are run."""


class Ask(StrEnum):
    """What the face may ask."""

    LOOK = "look"
    APPLY = "apply"
    STOP = "stop"


class Say(StrEnum):
    """What root's end tells. ROOT is the first line; LOOKED, BEGAN or REFUSED answers a request; ENTRY and ENDED tell of a run."""

    ROOT = "root"
    LOOKED = "looked"
    BEGAN = "began"
    REFUSED = "refused"
    ENTRY = "entry"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Request:
    """One line to root. LOOK: the drives at `paths`, None for all. APPLY: a plan's document, the drives' tokens, a folder for the run,
    and for what is encrypted the passphrase in hexadecimal digits, which goes nowhere but through the pipe.
    """

    ask: Ask
    paths: tuple[str, ...] | None = None
    plan: str = ""
    tokens: tuple[str, ...] = ()
    journal: str | None = None
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """One line from root, with what belongs to its `say`."""

    say: Say
    machine: RawMachine | None = None
    run: str = ""
    entry: Entry | None = None
    state: RunState | None = None
    sentence: str = ""
    code: int = 0


def as_line(message: Request | Answer) -> bytes:
    """A message as it goes through the pipe."""
    return json.dumps(to_json(message)).encode() + b"\n"


def harden() -> None:
    """Let go of everything that a plain user could have prepared: environment, folder, umask, limits, signals, open files."""
    os.environ.clear()
    os.environ.update(CLEAN)
    if sys.pycache_prefix:
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.chdir("/")
    os.umask(0o022)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    for kind in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_DATA, resource.RLIMIT_AS):
        # In a container root may be unable to; then the limits are not a plain user's either.
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Ctrl+C and a closed terminal are for the face; handlers, unlike ignored signals, are not handed on to what is begun from here.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda _number, _frame: None)


class Relay:
    """The conversation. A thread reads, so that a stop is heard while a run is followed."""

    def __init__(self, asked: BinaryIO, told: BinaryIO) -> None:
        self._asked, self._told = asked, told
        self._requests: SimpleQueue[Request | None] = SimpleQueue()
        self._run: Path | None = None

    def serve(self) -> None:
        """Say that root is here, and answer until nobody asks any more."""
        threading.Thread(target=self._read, daemon=True).start()
        self._tell(Answer(Say.ROOT))
        while (request := self._requests.get()) is not None:
            try:
                self._answer(request)
            except DiskwrightError as error:
                self._tell(Answer(Say.REFUSED, sentence=str(error), code=error.exit_code))

    def _read(self) -> None:
        try:
            while self._requests.qsize() < MOST_WAITING and (line := self._asked.readline(LONGEST_LINE)):
                self._hear(from_json(json.loads(line), Request, "the request"))
        except (ValueError, RecursionError, BadInput):
            # Half a line, or none of ours: whoever wrote it has gone.
            pass
        finally:
            # Whatever ends the reading, the other thread must not wait for ever.
            self._requests.put(None)

    def _hear(self, request: Request) -> None:
        if request.ask is not Ask.STOP:
            self._requests.put(request)
        elif self._run is not None:
            request_stop(self._run)

    def _answer(self, request: Request) -> None:
        if request.ask is Ask.LOOK:
            self._tell(Answer(Say.LOOKED, machine=survey(request.paths)))
            return
        plan = read_plan(request.plan, "The plan")
        journal_dir = of_root_alone(request.journal) if request.journal else None
        run = start_run(plan, *request.tokens, journal_dir=journal_dir, secret=_secret(request.secret))
        self._run = run
        self._tell(Answer(Say.BEGAN, run=str(run)))
        for entry in follow(run):
            self._tell(Answer(Say.ENTRY, entry=entry))
        self._tell(Answer(Say.ENDED, state=state(run)))
        self._run = None

    def _tell(self, answer: Answer) -> None:
        # Without a face, or with one that spoilt the pipe, the run is followed to its end all the same.
        with suppress(OSError):
            self._told.write(as_line(answer))
            self._told.flush()


def _secret(digits: str | None) -> bytes | None:
    """The passphrase as bytes; raises BadInput for what no face sends."""
    try:
        return None if digits is None else bytes.fromhex(digits)
    except ValueError:
        raise BadInput("The passphrase did not arrive as it was sent. Nothing was written.") from None


def of_root_alone(journal: str) -> Path:
    """The folder for a run that a plain user named; raises Refused where anybody but root could put another in its place.

    A run is carried out from the plan that lies in its folder: whoever could exchange that would choose what root writes, and where.
    """
    folder = Path(journal)
    try:
        there = next((above for above in (folder, *folder.parents) if os.path.lexists(above)), Path())
        named = folder.is_absolute() and ".." not in folder.parts and b"\0" not in os.fsencode(journal)
        safe = named and Path(os.path.realpath(there)) == there
        safe = safe and all(_is_roots(above, shared=above != there) for above in (there, *there.parents))
    except (OSError, ValueError):
        safe = False
    if not safe:
        raise Refused(
            f"The journal is not kept in {printable(journal, 200)}: others than root could put another folder in its place, or it is not "
            "named by its real path. Nothing was written. Name a folder that is root's alone with --journal DIR."
        )
    return folder


def _is_roots(folder: Path, *, shared: bool) -> bool:
    """Whether only root can exchange what lies in it; in a `shared` one with the sticky bit, as /tmp, root's things stay root's too."""
    status = folder.lstat()
    open_to_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (shared and status.st_mode & stat.S_ISVTX)
    return stat.S_ISDIR(status.st_mode) and status.st_uid in (0, os.geteuid()) and not open_to_others


def main() -> int:
    """Talk with the face on the standard streams; what went wrong here is no business of its screen."""
    harden()
    if os.getuid() != 0 or os.geteuid() != 0:
        sys.stdout.buffer.write(as_line(Answer(Say.REFUSED, sentence=str(Refused("Root was not given.")), code=ExitCode.REFUSED)))
        return ExitCode.REFUSED
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stderr.fileno())
    Relay(sys.stdin.buffer, sys.stdout.buffer).serve()
    return ExitCode.DONE


if __name__ == "__main__":
    sys.exit(main())
