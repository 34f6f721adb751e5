"""Client of `wizard.apply.privilege.server`: request root once, then read drives, start a run and follow the
journal. Received entries are cached, so a run can be read repeatedly from the beginning."""

import json
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from wizard.advice.missing import Missing
from wizard.apply.local_runs import LocalRuns
from wizard.apply.privilege import ask
from wizard.apply.privilege.ask import Answer, Ask, RootRequest, Say
from wizard.apply.run import journal
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import NextCommands
from wizard.apply.run.kinds import read_any, render_any
from wizard.apply.run.progress_log import RunStatus
from wizard.apply.run_control import left_alone
from wizard.documents.codec import from_json
from wizard.ext4.assessment import Situation
from wizard.model.errors import BadInput, DiskwrightError, ExitCode, Failed, Refused
from wizard.model.requests import CopyFiles, Wanted
from wizard.model.run import JournalEntry
from wizard.model.said import t
from wizard.plan.changes import RunDocument
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.text import UndoSpace
from wizard.probe.facts import RawMachine

NO_ANSWER = t(
    "The root process ended without an answer; `sudo diskwright status` shows any run that started."
)
T = TypeVar("T")

DISMISSED = {("pkexec", 126): ask.DISMISSED, ("pkexec", 127): ask.NOT_ALLOWED}
"""pkexec(1). sudo and run0 report errors on the terminal themselves."""


class Elevated(LocalRuns):
    """A connection to the root process, which knows only the runs started here. Raises Refused without
    root. `gone`: the process has ended."""

    def __init__(self, way: ask.RootProgram, journal_dir: Path | None = None) -> None:
        super().__init__(Environment(), journal_dir.absolute() if journal_dir else None)
        self._journal = str(self._journal_dir) if journal_dir else None
        self._process = _start_root(way)
        self._replies: SimpleQueue[Answer | None] = SimpleQueue()
        self._entries: list[JournalEntry] = []
        self._state: journal.RunState | None = None
        self._commands = NextCommands()
        self._status = RunStatus()
        self.gone = False
        self._run = Path()
        self._on_line: Callable[[str], None] = lambda _line: None
        self._changed = threading.Condition()
        self._one_at_a_time = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()

    def look(self, paths: Sequence[str] | None) -> RawMachine:
        """Raises as `survey` does."""
        answer = self._request(RootRequest(Ask.LOOK, paths=None if paths is None else tuple(paths)))
        return _given(answer.machine)

    def look_at_ext(self, device: str) -> Situation:
        """Raises as the function of that name does."""
        answer = self._request(RootRequest(Ask.LOOK_AT_EXT, device=device))
        return _given(answer.situation)

    def undo_space(self, plan: Plan) -> UndoSpace:
        """Raises as `preflight` and the function of that name do."""
        request = RootRequest(Ask.ROOM, plan=PLANS.render(plan), journal=self._journal)
        return _given(self._request(request).room)

    def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
        """Raises as `packages.install` does."""
        self._on_line = on_line
        self._request(RootRequest(Ask.INSTALL, programs=tuple(missing.programs)))

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """Raises as `RunJob.start` does."""
        request = RootRequest(
            Ask.APPLY,
            plan=render_any(document),
            tokens=tuple(tokens),
            journal=self._journal,
            secret=None if secret is None else secret.hex(),
        )
        self._run = Path(self._request(request).run)
        return self._run

    def work_out(self, device: str, wanted: Wanted | CopyFiles) -> RunDocument:
        """Raises as `act` or `survey.work_out` do."""
        answer = self._request(RootRequest(Ask.WORK_OUT, device=device, wanted=wanted))
        return read_any(answer.document, "The document")

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """Raises as `run_control.keep` does."""
        request = RootRequest(Ask.KEEP, secret=None if secret is None else secret.hex())
        return self._settle(request).sentence

    def undo(self, run: Path) -> None:
        """Raises as `run_control.undo` does."""
        self._settle(RootRequest(Ask.UNDO))

    def _settle(self, asked: RootRequest) -> Answer:
        try:
            return self._request(asked)
        except KeyboardInterrupt:
            raise left_alone(self._run) from None

    def follow(self, run: Path) -> Iterator[JournalEntry]:
        """Raises Failed if the connection is lost."""
        seen = 0
        while True:
            with self._changed:
                if len(self._entries) <= seen and self._state is None and not self.gone:
                    self._changed.wait(journal.POLL_SECONDS)
                fresh, ended, gone = self._entries[seen:], self._state is not None, self.gone
            yield from fresh
            seen += len(fresh)
            if ended:
                return
            if gone:
                raise Failed(left_alone(run).said)

    def state(self, run: Path) -> journal.RunState:
        """As last known."""
        return self._state or journal.RunState.RUNNING

    def status(self, run: Path) -> RunStatus:
        """As last reported."""
        return self._status

    def next_commands(self, run: Path) -> NextCommands:
        """As reported at the end."""
        return self._commands

    def closed(self, run: Path) -> str:
        """Empty: undo reports the reason."""
        return ""

    def request_stop(self, run: Path) -> None:
        """Raises Failed if the connection is lost."""
        self._send(RootRequest(Ask.STOP))

    def _send(self, request: RootRequest) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(ask.as_line(request))
            self._process.stdin.flush()
        except OSError:
            raise Failed(NO_ANSWER) from None

    def _request(self, request: RootRequest) -> Answer:
        with self._one_at_a_time:
            self._send(request)
            answer = self._replies.get()
        if answer is None:
            raise Failed(NO_ANSWER)
        if answer.say is Say.REFUSED:
            # The same error as in the root process.
            kinds: dict[int, type[DiskwrightError]] = {ExitCode.REFUSED: Refused, ExitCode.USAGE: BadInput}
            raise kinds.get(answer.code, Failed)(answer.sentence)
        return answer

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = _read(line)
            if answer is None:
                break
            with self._changed:
                match answer.say:
                    case Say.ENTRY if answer.entry is not None:
                        self._entries.append(journal.in_own_words(answer.entry))
                    case Say.STANDS if answer.status is not None:
                        self._status = answer.status
                    case Say.ENDED:
                        self._state = answer.state
                        self._commands = NextCommands(answer.ways, answer.sentence)
                    case Say.LINE:
                        self._on_line(answer.sentence)
                    case Say.BEGAN:
                        self._entries.clear()
                        self._state, self._status = None, RunStatus()
                        self._replies.put(answer)
                    case _:
                        self._replies.put(answer)
                self._changed.notify_all()
        with self._changed:
            self.gone = True
            self._changed.notify_all()
        self._replies.put(None)


def _given(value: T | None) -> T:
    if value is None:
        raise Failed(NO_ANSWER)
    return value


def _start_root(way: ask.RootProgram) -> subprocess.Popen[bytes]:
    """The root process's standard error, and so the password prompt, is ours."""
    with _ignoring_interrupt():
        try:
            process = subprocess.Popen(way.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            why = t("{program} did not start: {why}", program=way.name, why=error)
            raise Refused(ask.NOT_GIVEN(why=why)) from None
        assert process.stdin is not None and process.stdout is not None
        first = _read(process.stdout.readline())
        if first is not None and first.say is Say.ROOT:
            return process
        with suppress(OSError):
            process.stdin.close()
        status = process.wait()
    known = DISMISSED.get((way.name, status))
    ended = t("{program} ended with status {status}", program=way.name, status=status)
    raise Refused(ask.NOT_GIVEN(why=known() if known else ended))


@contextmanager
def _ignoring_interrupt() -> Iterator[None]:
    """Ctrl+C cancels the password prompt instead. Only possible, and needed, in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _read(line: bytes) -> Answer | None:
    """Return None for other output of the granting program."""
    try:
        return from_json(json.loads(line), Answer, "the answer")
    except (ValueError, BadInput):
        return None
