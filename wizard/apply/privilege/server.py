"""Root process for an unprivileged wizard: `python -m wizard.apply.privilege.server`.

It is started by the program that `wizard.apply.privilege.ask` found. Requests are lines of JSON on standard
input, answers are lines of JSON on standard output. The client is `wizard.apply.privilege.client`. The
process can inspect drives and ext filesystems, rehearse a plan, and start, follow, stop, keep or undo a run.
It can also install packages that diskwright knows. All other requests are refused. It accepts the document of
a plan, conversion, changes or moves, as `diskwright apply` accepts a file. Digest, text and drives are
checked in the same way, and the document is never planned again.

Only root can read a run's folder, so the journal is relayed here. A second request for root could fail when a
run must be stopped. So one process stays as long as the run. It exits after the interface has gone and the
run has ended. Some programs that grant root kill all children when the first process exits.
"""

import json
import os
import resource
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

from wizard.advice.missing import missing
from wizard.apply.conversion.guard import start_told
from wizard.apply.conversion.look import look_at_ext
from wizard.apply.move.recover import start_moves
from wizard.apply.packages import install
from wizard.apply.plan.job import way_back_room
from wizard.apply.plan.start import preflight, start_run
from wizard.apply.privilege import ask
from wizard.apply.privilege.ask import LONGEST_LINE, Answer, Ask, RootRequest, Say, as_line
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import request_stop
from wizard.apply.run.journal import follow, state
from wizard.apply.run.progress_log import read_progress
from wizard.apply.run.runs import runs_folder
from wizard.apply.run_control import keep, phase_told, power_told, undo
from wizard.apply.settings import start as tune
from wizard.apply.settings.start import changes_for
from wizard.documents.codec import from_json
from wizard.ext4.assessment import Situation
from wizard.ext4.check import read_migration
from wizard.model.errors import BadInput, DiskwrightError, ExitCode, Refused, printable
from wizard.model.said import Sentence
from wizard.plan.check import read_plan
from wizard.plan.partition.moves import MOVES, read_moves
from wizard.plan.rules import is_device_path
from wizard.plan.settings.tuning import is_changes, read_changes, render_changes
from wizard.plan.undo_policy import WORD, WayBackRoom
from wizard.probe.host.environment import family_of, os_release
from wizard.probe.machine import survey

MOST_WAITING = 16
"""Requests that are kept while a run is told. A face asks one at a time; more than this would only fill
root's memory."""

STANDING_SECONDS = 1.0
"""Between two looks at how a run stands."""

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
"""All that is left of the environment: it names folders with profiles, programs and state, and steers the
programs that are run."""


def harden() -> None:
    """Let go of everything that a plain user could have prepared: environment, folder, umask, limits,
    signals, open files."""
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
    # Ctrl+C and a closed terminal are for the face; handlers, unlike ignored signals, are not handed on to
    # what is begun from here.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda _number, _frame: None)


class Relay:
    """The conversation. A thread reads, so that a stop is heard while a run is followed."""

    def __init__(self, asked: BinaryIO, told: BinaryIO) -> None:
        self._asked, self._told = asked, told
        self._requests: SimpleQueue[RootRequest | None] = SimpleQueue()
        self._run: Path | None = None
        self._last: Path | None = None
        self._told_entries = 0
        self._stands: Answer | None = None
        self._one_stands_at_a_time = threading.Lock()
        self._one_line_at_a_time = threading.Lock()

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
                self._hear(from_json(json.loads(line), RootRequest, "the request"))
        except (ValueError, RecursionError, BadInput):
            # Half a line, or none of ours: whoever wrote it has gone.
            pass
        finally:
            # Whatever ends the reading, the other thread must not wait for ever.
            self._requests.put(None)

    def _hear(self, request: RootRequest) -> None:
        if request.ask is not Ask.STOP:
            self._requests.put(request)
        elif self._run is not None:
            request_stop(self._run)

    def _answer(self, request: RootRequest) -> None:
        match request.ask:
            case Ask.LOOK:
                self._tell(Answer(Say.LOOKED, machine=survey(request.paths)))
            case Ask.LOOK_AT_EXT:
                self._tell(Answer(Say.LOOKED, situation=_look_at_ext(request)))
            case Ask.ROOM:
                self._tell(Answer(Say.TRIED, room=_way_back_room(request)))
            case Ask.APPLY:
                plan = read_plan(request.plan, "The plan")
                self._tell_run(
                    start_run(
                        plan,
                        *request.tokens,
                        journal_dir=_journal_dir(request),
                        secret=_secret(request.secret),
                    )
                )
            case Ask.INSTALL:
                # Which packages that are is root's own table's to say.
                lacks = missing(request.programs, family_of(os_release()))
                install(lacks, lambda line: self._tell(Answer(Say.LINE, sentence=printable(line, 400))))
                self._tell(Answer(Say.INSTALLED))
            case Ask.BEGIN:
                self._tell_run(_begun(request))
            case Ask.WORK_OUT:
                self._tell(Answer(Say.LOOKED, changes=_worked_out(request)))
            case _:
                self._settle(request)

    def _tell_run(self, run: Path) -> None:
        self._run = self._last = run
        self._told_entries = 0
        self._stands = None
        self._tell(Answer(Say.BEGAN, run=str(run)))
        self._tell_rest(run)
        self._run = None

    def _tell_rest(self, run: Path) -> None:
        """What was not told of a run's journal yet, until it has ended."""
        with self._standing_told(run):
            for entry in follow(run, self._told_entries):
                self._tell_standing(run)
                self._tell(Answer(Say.ENTRY, entry=entry))
                self._told_entries += 1
        self._tell_standing(run)
        self._tell(Answer(Say.ENDED, state=state(run)))

    def _settle(self, request: RootRequest) -> None:
        """Keep or undo the run that was begun here; its journal has more to tell then, however that went."""
        if (run := self._last) is None:
            raise Refused(ask.NO_RUN)
        try:
            with self._standing_told(run):
                sentence = keep(run, _secret(request.secret)) if request.ask is Ask.KEEP else undo(run)
        finally:
            self._tell_rest(run)
        self._tell(Answer(Say.SETTLED, sentence=sentence))

    @contextmanager
    def _standing_told(self, run: Path) -> Iterator[None]:
        """Meanwhile it is told how the run stands, whenever that changes."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(STANDING_SECONDS):
                self._tell_standing(run)

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _tell_standing(self, run: Path) -> None:
        with self._one_stands_at_a_time:
            now = Answer(
                Say.STANDS, progress=read_progress(run), phase=phase_told(run), sentence=power_told(run)
            )
            if now != self._stands:
                self._stands = now
                self._tell(now)

    def _tell(self, answer: Answer) -> None:
        # Without a face, or with one that spoilt the pipe, the run is followed to its end all the same.
        with self._one_line_at_a_time, suppress(OSError):
            self._told.write(as_line(answer))
            self._told.flush()


def _look_at_ext(request: RootRequest) -> Situation:
    """How an ext filesystem stands, with room looked for in the folder that was named; raises as
    `look_at_ext` does."""
    for path in filter(None, (request.device, request.target)):
        if not is_device_path(path):
            raise BadInput(ask.NO_DEVICE(path=printable(path, 200)))
    folder = of_root_alone(request.folder, ask.OPEN_ROOM) if request.folder else None
    return look_at_ext(
        request.device,
        Environment(),
        store=folder,
        undo_dir=folder,
        target=request.target,
        journal_dir=_journal_dir(request),
    )


def _way_back_room(request: RootRequest) -> WayBackRoom:
    """How much room the way back takes, of a plan that could be begun; raises as `preflight` and
    `way_back_room` do."""
    plan, journal_dir = read_plan(request.plan, "The plan"), _journal_dir(request)
    # Its drives may have changed since, or be in use: nothing is tried out then.
    preflight(plan, *plan.tokens, WORD, journal_dir=journal_dir)
    return way_back_room(plan, runs_folder(journal_dir), Environment())


def _begun(request: RootRequest) -> Path:
    """The run's folder; raises as beginning each kind of document does, and Refused where others than root
    could exchange what it would rely on."""
    token = request.tokens[0] if len(request.tokens) == 1 else ""
    journal_dir, place = _journal_dir(request), Environment()
    if is_changes(request.plan):
        changes = read_changes(request.plan, "The document")
        return tune.start_told(changes, token, journal_dir=journal_dir, environment=place)
    if MOVES.is_one(request.plan):
        moves = read_moves(request.plan, "The document")
        return start_moves(moves, token, journal_dir=journal_dir, environment=place)
    migration = read_migration(request.plan, "The migration")
    for folder in filter(None, (migration.store, migration.undo_dir)):
        of_root_alone(folder, ask.OPEN_ROOM)
    return start_told(migration, token, journal_dir=journal_dir, environment=place)


def _worked_out(request: RootRequest) -> str:
    """The document of the changes; raises as `changes_for` does."""
    if not is_device_path(request.device) or request.wanted is None:
        raise BadInput(ask.NO_DEVICE(path=printable(request.device, 200)))
    return render_changes(changes_for(request.device, request.wanted, Environment()))


def _journal_dir(request: RootRequest) -> Path | None:
    return of_root_alone(request.journal) if request.journal else None


def _secret(digits: str | None) -> bytes | None:
    """The passphrase as bytes; raises BadInput for what no face sends."""
    try:
        return None if digits is None else bytes.fromhex(digits)
    except ValueError:
        raise BadInput(ask.NO_SECRET) from None


def main() -> int:
    """Talk with the face on the standard streams; what went wrong here is no business of its screen."""
    harden()
    if os.getuid() != 0 or os.geteuid() != 0:
        sys.stdout.buffer.write(
            as_line(Answer(Say.REFUSED, sentence=str(ask.NO_ROOT), code=ExitCode.REFUSED))
        )
        return ExitCode.REFUSED
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stderr.fileno())
    Relay(sys.stdin.buffer, sys.stdout.buffer).serve()
    return ExitCode.DONE


def of_root_alone(named: str, refusal: Sentence = ask.OPEN_JOURNAL) -> Path:
    """The folder that a plain user named; raises Refused, with the `refusal` for what it is for, where
    anybody but root could put another in its place.

    A run is carried out from the plan that lies in its folder, and taken back by what was kept of its
    filesystem: whoever could exchange that would choose what root writes, and where.
    """
    folder = Path(named)
    try:
        there = next((above for above in (folder, *folder.parents) if os.path.lexists(above)), Path())
        real = folder.is_absolute() and ".." not in folder.parts and b"\0" not in os.fsencode(named)
        safe = real and Path(os.path.realpath(there)) == there
        safe = safe and all(_is_roots(above, shared=above != there) for above in (there, *there.parents))
    except (OSError, ValueError):
        safe = False
    if not safe:
        raise Refused(refusal(folder=printable(named, 200)))
    return folder


def _is_roots(folder: Path, *, shared: bool) -> bool:
    """Whether only root can exchange what lies in it; in a `shared` one with the sticky bit, as /tmp, root's
    things stay root's too."""
    status = folder.lstat()
    open_to_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (
        shared and status.st_mode & stat.S_ISVTX
    )
    return stat.S_ISDIR(status.st_mode) and status.st_uid in (0, os.geteuid()) and not open_to_others


if __name__ == "__main__":
    sys.exit(main())
