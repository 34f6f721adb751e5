"""Client of the probe server, with a time limit. Reuses running servers."""

import json
import os
import select
import signal
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wizard.documents.codec import JSON, to_json
from wizard.model.said import t
from wizard.probe import worker
from wizard.probe.facts import RawError
from wizard.probe.host import sysfs
from wizard.process import program
from wizard.process.module import module_argv

SERVER = module_argv("wizard.probe.worker")
GRACE_SECONDS = 3.0
"""Extra time for the server to start, and to report the drives that it stopped."""

TURN_SECONDS = 1.0
"""CPU time of a drive's probe, mostly smartctl's start. Several times the slowest measured."""

TASKS = Path("/proc/self/task")
END_SECONDS, PAUSE_SECONDS = 0.5, 0.005


_idle: dict[tuple[str, ...], list["Pool"]] = {}
"""Idle servers by command. `list.append` and `list.pop` are thread-safe."""


@contextmanager
def borrowed(server: tuple[str, ...] = SERVER) -> Iterator["Pool"]:
    """Yield an idle server, or a new one. Keeps the server unless an answer is outstanding."""
    pool = None
    with suppress(KeyError, IndexError):
        while pool is None:
            pool = _idle[server].pop()
            if pool.has_ended():
                pool.close()
                pool = None
    pool = pool or Pool(server)
    try:
        yield pool
    finally:
        if pool.busy:
            pool.close()
        else:
            _idle.setdefault(server, []).append(pool)


def allowed_seconds(drives: int, seconds: float, cpus: int | None = None) -> float:
    """Return the time limit per drive. Probes share the CPUs, and a healthy drive must not count as silent
    because its probe waited for one."""
    shared = max(0.0, drives / (cpus or len(os.sched_getaffinity(0))) - 1)
    return seconds + shared * TURN_SECONDS


def begin() -> None:
    """Start a server before the first request, so that its libraries load in the meantime."""
    with borrowed():
        pass


class Pool:
    """Connection to a probe server. `busy` until the last answer."""

    def __init__(self, server: tuple[str, ...] = SERVER) -> None:
        self.busy = False
        input_end, requests = os.pipe()
        answers, output_end = os.pipe()
        self._requests, self._answers = os.fdopen(requests, "wb", 0), os.fdopen(answers, "rb", 0)
        # A handler must not run in the child, where it would unwind a second copy of the program.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, worker.HANDLED)
        try:
            # Forking saves a start of Python, but other threads could hold locks.
            if server == SERVER and len(sysfs.names_in(TASKS)) == 1:
                self.pid = os.fork() or worker.be_server(input_end, output_end)
            else:
                streams = ((os.POSIX_SPAWN_DUP2, input_end, 0), (os.POSIX_SPAWN_DUP2, output_end, 1))
                silent = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
                self.pid = os.posix_spawn(
                    server[0],
                    server,
                    os.environ,
                    file_actions=(*streams, silent),
                    setsid=True,
                    setsigmask=held,
                )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            os.close(input_end)
            os.close(output_end)

    def has_ended(self, seconds: float = 0.0) -> bool:
        """Return True if the server has ended, after waiting for it at most `seconds`."""
        until = time.monotonic() + seconds
        while self.pid:
            with suppress(ChildProcessError):
                if os.waitpid(self.pid, os.WNOHANG) == (0, 0):
                    if time.monotonic() >= until:
                        return False
                    time.sleep(PAUSE_SECONDS)
                    continue
            self.pid = 0
        return True

    def probe(self, names: Sequence[str], seconds: float) -> Generator[JSON, None, None]:
        """Send the request now, and yield a RawDrive as plain JSON for each name, in order of completion. A
        drive that does not answer gets an error. `seconds` is the limit for a probe with a CPU of its own."""
        seconds = allowed_seconds(len(names), seconds)
        request = json.dumps({"drives": list(names), "seconds": seconds})
        self.busy = True
        # A server that has ended gives no answers.
        with suppress(OSError):
            self._requests.write(request.encode("ascii") + b"\n")
        return self._heard(names, time.monotonic(), worker.MOST_EXTENSION * seconds + GRACE_SECONDS)

    def _heard(self, names: Sequence[str], begun: float, limit: float) -> Generator[JSON, None, None]:
        left = dict.fromkeys(names)
        try:
            for facts in self._read(begun + limit):
                if facts.get("name") in left:
                    del left[facts["name"]]
                    _log_facts(facts, begun)
                    yield facts
        finally:
            if self.busy:
                self.close()
        for name in left:
            why = (
                t("The drive did not answer within {seconds:g} s.", seconds=round(limit))
                if time.monotonic() >= begun + limit
                else t("The drive's probe ended without a result (status {status}).", status="?")
            )
            facts = {"name": name, "path": sysfs.node_of(name), "errors": [to_json(RawError("drive", why))]}
            _log_facts(facts, begun)
            yield facts

    def _read(self, until: float) -> Iterator[JSON]:
        lines = worker.Lines()
        while select.select([self._answers], [], [], max(0.0, until - time.monotonic()))[0]:
            data = self._answers.read(1 << 20)
            if not data:
                return
            for facts in filter(None, lines.add(data)):
                if facts.get("end") is True:
                    self.busy = False
                    return
                yield facts

    def close(self) -> None:
        """Close the server's input, which makes it exit. Kill it if overdue, without waiting."""
        self._requests.close()
        self._answers.close()
        if not self.has_ended(END_SECONDS):
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self.has_ended(END_SECONDS)


def _log_facts(facts: JSON, begun: float) -> None:
    program.note(
        program.PROBE,
        f"{facts['name']}: {time.monotonic() - begun:.3f} s, not read: {facts.get('errors') or 'nothing'}",
    )


LOOK_SECONDS = 0.5
Seen = frozenset[tuple[str, str | None, str | None]]


def watch_drives(stop: threading.Event) -> Iterator[None]:
    """Yield each time a drive is attached, detached or resized after this call, until `stop` is set. Call
    before listing the drives."""
    return _changes(_snapshot(), stop)


def is_attached(path: str, diskseq: int | None = None) -> bool:
    """Return True if the drive with this `diskseq` is still at its node, with the medium. Without `diskseq`
    (kernels before 5.15), any drive at the node counts."""
    number, size = _diskseq_and_size(sysfs.name_of(path))
    return size not in (None, "0") and (diskseq is None or number in (None, str(diskseq)))


def _changes(seen: Seen, stop: threading.Event) -> Iterator[None]:
    monitor: Any = None  # pyudev has no types.
    with suppress(ImportError, OSError):
        import pyudev

        listening = pyudev.Monitor.from_netlink(pyudev.Context(), source="kernel")
        listening.filter_by(subsystem="block")
        listening.start()
        monitor = listening
    while not stop.is_set():
        now = _snapshot()
        if now != seen:
            seen = now
            yield None
        if monitor is None:
            stop.wait(LOOK_SECONDS)
        elif select.select([monitor.fileno()], [], [], LOOK_SECONDS)[0]:
            while monitor.poll(timeout=0) is not None:
                continue


def _snapshot() -> Seen:
    """Return names, diskseqs and sizes, which opening a drive does not change."""
    return frozenset((name, *_diskseq_and_size(name)) for name in sysfs.drive_names())


def _diskseq_and_size(name: str) -> tuple[str | None, str | None]:
    folder = sysfs.SYS / "block" / name
    return sysfs.text(folder / "diskseq"), sysfs.text(folder / "size")
