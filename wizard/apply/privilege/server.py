"""Root process for an unprivileged wizard: `python -m wizard.apply.privilege.server`.

Requests and answers are lines of JSON on standard input and output. All requests but those in `Ask` are
refused. Documents are checked as `diskwright apply` checks a file, and never planned again. Only root can
read a run's folder, so the journal is relayed. A second request for root could fail, and some programs that
grant root kill all children with the first process. So this process stays until the interface has gone and
the run has ended.
"""

import json
import os
import resource
import signal
import stat
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import BinaryIO

from wizard.advice.missing import missing
from wizard.apply import run_control
from wizard.apply.local_runs import LocalRuns
from wizard.apply.packages import install
from wizard.apply.privilege import ask
from wizard.apply.privilege.ask import Answer, Ask, RootRequest, Say
from wizard.apply.run.backup_store import ANY
from wizard.apply.run.job import JobRequest, Start
from wizard.apply.run.journal import follow, state
from wizard.apply.run.kinds import read_any, render_any
from wizard.apply.run.process import DAMAGED, Purpose, request_stop
from wizard.apply.run.runs import OPEN_JOURNAL
from wizard.documents.codec import from_json
from wizard.model.errors import BadInput, DiskwrightError, ExitCode, Refused, printable
from wizard.model.requests import CopyFiles
from wizard.operations.rules import is_device_path
from wizard.plan.documents import PLANS
from wizard.probe.host.environment import family_of, os_release
from wizard.probe.machine import survey

MOST_WAITING = 16
"""An interface sends one request at a time; more would only use root's memory."""

STANDING_SECONDS = 1.0
"""Between status updates of a run."""

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
"""Other variables could select folders for profiles, programs and state, or affect tools."""


def _harden() -> None:
    """Reset everything that an unprivileged user may have prepared."""
    os.environ.clear()
    os.environ.update(CLEAN)
    if sys.pycache_prefix:
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.chdir("/")
    os.umask(0o022)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    for kind in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_DATA, resource.RLIMIT_AS):
        # In a container, root may lack permission. Then the limits are not an unprivileged user's either.
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Ctrl+C and a closed terminal concern the interface. Handlers, unlike ignored signals, are not inherited.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda _number, _frame: None)


class Relay:
    """A thread reads requests, so a stop request works during a run."""

    def __init__(self, asked: BinaryIO, told: BinaryIO) -> None:
        self._asked, self._told = asked, told
        self._requests: SimpleQueue[RootRequest | None] = SimpleQueue()
        self._run: Path | None = None
        self._last: Path | None = None
        self._sent_entries = 0
        self._status: Answer | None = None
        self._looked = 0.0

    def serve(self) -> None:
        """Announce root, and answer requests until the interface closes the pipe."""
        threading.Thread(target=self._read, daemon=True).start()
        self._send(Answer(Say.ROOT))
        while (request := self._requests.get()) is not None:
            try:
                if answer := self._answer(request):
                    self._send(answer)
            except DiskwrightError as error:
                self._send(Answer(Say.REFUSED, sentence=str(error), code=error.exit_code))

    def _read(self) -> None:
        try:
            while self._requests.qsize() < MOST_WAITING and (line := self._asked.readline(ask.LONGEST_LINE)):
                request = from_json(json.loads(line), RootRequest, "the request")
                if request.ask is not Ask.STOP:
                    self._requests.put(request)
                elif self._run is not None:
                    request_stop(self._run)
        except (ValueError, RecursionError, BadInput):
            # An incomplete or foreign line: the interface has gone.
            pass
        finally:
            # The other thread must not wait forever.
            self._requests.put(None)

    def _answer(self, request: RootRequest) -> Answer | None:
        """Return the last answer, or None if a run was relayed."""
        journal_dir = root_only_folder(request.journal) if request.journal else None
        runs = LocalRuns(ANY, journal_dir)
        match request.ask:
            case Ask.LOOK:
                return Answer(Say.DONE, machine=survey(request.paths))
            case Ask.LOOK_AT_EXT:
                return Answer(Say.DONE, situation=runs.look_at_ext(_device(request)))
            case Ask.ROOM:
                plan = PLANS.read(request.plan, "The plan")
                # Do not rehearse if the drives have changed or are in use.
                run_control.job_for(plan).preflight(plan, Start(journal_dir=journal_dir))
                return Answer(Say.DONE, room=runs.undo_space(plan))
            case Ask.APPLY:
                document = read_any(request.plan, "The document")
                self._relay_run(runs.start(document, request.tokens, _secret(request.secret)))
            case Ask.INSTALL:
                # Packages come from our own table, never from the request.
                packages = missing(request.programs, family_of(os_release()))
                install(packages, lambda line: self._send(Answer(Say.LINE, sentence=printable(line, 400))))
                return Answer(Say.DONE)
            case Ask.WORK_OUT:
                if (wanted := request.wanted) is None:
                    raise BadInput(ask.NO_DEVICE(path=request.device))
                # The source and target of a copy are folders, too.
                device = request.device if isinstance(wanted, CopyFiles) else _device(request)
                return Answer(Say.DONE, document=render_any(runs.work_out(device, wanted)))
            case _:
                return self._settle(request)
        return None

    def _relay_run(self, run: Path) -> None:
        self._run = self._last = run
        self._sent_entries = 0
        self._status = None
        self._send(Answer(Say.BEGAN, run=str(run)))
        self._relay_rest(run)
        self._run = None

    def _relay_rest(self, run: Path) -> None:
        for entry in follow(run, self._sent_entries, partial(self._send_status, run, STANDING_SECONDS)):
            self._send_status(run)
            self._send(Answer(Say.ENTRY, entry=entry))
            self._sent_entries += 1
        self._send_status(run)
        now = LocalRuns(ANY).next_commands(run)
        # No request resumes a run.
        ways = tuple(way for way in now.names if way != Purpose.APPLY)
        self._send(Answer(Say.ENDED, state=state(run), ways=ways, sentence=str(now.why_not)))

    def _settle(self, request: RootRequest) -> Answer:
        """Relays the further journal in any case."""
        if (run := self._last) is None:
            raise Refused(ask.NO_RUN)
        purpose = Purpose(request.ask)
        try:
            seen = run_control.hand_over(run, JobRequest(purpose, _secret(request.secret)))
        finally:
            self._relay_rest(run)
        return Answer(Say.DONE, sentence=run_control.await_end(run, purpose, seen))

    def _send_status(self, run: Path, every_seconds: float = 0.0) -> None:
        if monotonic() >= self._looked + every_seconds:
            self._looked, now = monotonic(), Answer(Say.STANDS, status=LocalRuns(ANY).status(run))
            if now != self._status:
                self._status = now
                self._send(now)

    def _send(self, answer: Answer) -> None:
        # If the interface has gone or broken the pipe, still follow the run to its end.
        with suppress(OSError):
            self._told.write(ask.as_line(answer))
            self._told.flush()


def _device(request: RootRequest) -> str:
    if not is_device_path(request.device):
        raise BadInput(ask.NO_DEVICE(path=request.device))
    return request.device


def _secret(digits: str | None) -> bytes | None:
    try:
        return None if digits is None else bytes.fromhex(digits)
    except ValueError:
        raise BadInput(DAMAGED(place="The passphrase")) from None


def main() -> int:
    """Standard error is discarded, to keep it off the screen."""
    _harden()
    if os.getuid() != 0 or os.geteuid() != 0:
        refused = str(ask.NOT_GIVEN(why=ask.NOT_ALLOWED()))
        sys.stdout.buffer.write(ask.as_line(Answer(Say.REFUSED, sentence=refused, code=ExitCode.REFUSED)))
        return ExitCode.REFUSED
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stderr.fileno())
    Relay(sys.stdin.buffer, sys.stdout.buffer).serve()
    return ExitCode.DONE


def root_only_folder(named: str) -> Path:
    """Raises Refused unless only root could replace a folder that an unprivileged user has named. Root
    executes the plan there and restores from saved data, so another user could choose what root writes, and
    where."""
    folder = Path(named)
    try:
        existing = next((above for above in (folder, *folder.parents) if os.path.lexists(above)), Path())
        is_real = folder.is_absolute() and ".." not in folder.parts and b"\0" not in os.fsencode(named)
        is_safe = is_real and Path(os.path.realpath(existing)) == existing
        is_safe = is_safe and all(
            _is_roots(above, shared=above != existing) for above in (existing, *existing.parents)
        )
    except (OSError, ValueError):
        is_safe = False
    if not is_safe:
        raise Refused(OPEN_JOURNAL(folder=named))
    return folder


def _is_roots(folder: Path, *, shared: bool) -> bool:
    """In a `shared` folder with the sticky bit, such as /tmp, root's entries are safe, too."""
    status = folder.lstat()
    open_to_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (
        shared and status.st_mode & stat.S_ISVTX
    )
    return stat.S_ISDIR(status.st_mode) and status.st_uid in (0, os.geteuid()) and not open_to_others


if __name__ == "__main__":
    sys.exit(main())
