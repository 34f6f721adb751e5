"""The probe server: forks children that probe drives, and kills overdue ones. It is itself a fork of the
program, or `python -m wizard.probe.worker`.

A read can block forever. Such a child is killed and abandoned, never waited for. A child that works, on a
slow or busy CPU, gets more time. The server has no threads, so forking is safe, and loads libraries once for
all children.

Input: one JSON line `{"drives": [names], "seconds": limit}`. Output: one JSON line per finished drive, in the
shape of `facts.RawDrive`, then `{"end": true}`. Then the server reads the next request. It exits when its
input closes, because the client exited or cancelled.
"""

import json
import os
import selectors
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NoReturn

from wizard.documents.codec import JSON, to_json
from wizard.model.said import t
from wizard.probe.facts import RawError
from wizard.probe.host import sysfs

Phases = Callable[[str, float], Iterator[object]]
"""Called in a child with the drive's name and a time limit in seconds. Yields updates of the drive's
facts: fields of RawDrive."""

LONGEST_OUTPUT_BYTES = 16 * 1024 * 1024
READ_BYTES = 1 << 20
REAP_SECONDS = 0.5

CHECK_SECONDS = 1.0
"""How long an overdue child is observed before it counts as blocked."""

SILENT_SECONDS = 0.1
"""If no drive answers for this long, the server starts more processes."""

MOST_EXTENSION = 4
"""Longest run of a working child, as a multiple of its limit."""

HANDLED = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD})
"""Signals that the program may handle or ignore, unlike a server."""

MOST_DESCRIPTORS = 1 << 16


class Lines:
    """Splits bytes into lines of JSON objects. `rest` is the incomplete last line."""

    def __init__(self) -> None:
        self.rest = bytearray()

    def add(self, data: bytes) -> Iterator[JSON | None]:
        """Yield the objects in the completed lines, None for an invalid line."""
        self.rest += data
        if b"\n" not in data:
            return
        *lines, self.rest = self.rest.split(b"\n")
        for line in lines:
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            yield value if isinstance(value, dict) else None


class Child:
    """A process that probes one drive after another, with facts and deadline of its current drive."""

    name: str
    seconds: float
    begun: float
    until: float
    cpu_seconds: float | None
    lines: Lines
    facts: JSON
    done: bool
    garbage: bool

    def __init__(self, phases: Phases) -> None:
        requests, self.requests = os.pipe2(os.O_CLOEXEC)
        self.output, inside = os.pipe2(os.O_CLOEXEC)
        self.pid = os.fork()
        if self.pid == 0:
            _be_child(phases, requests, inside)
        os.close(requests)
        os.close(inside)

    def begin(self, name: str, seconds: float) -> None:
        """Have the process probe a drive."""
        self.name, self.seconds = name, seconds
        self.begun = time.monotonic()
        self.until = self.begun + max(0.0, seconds - CHECK_SECONDS)
        self.cpu_seconds = None
        self.lines = Lines()
        self.facts = {"name": name, "path": sysfs.node_of(name)}
        self.done = self.garbage = False
        # A process that has ended gives no answer.
        with suppress(OSError):
            _write(self.requests, {"name": name, "seconds": seconds})

    def hear(self) -> bool:
        """Read the available output. Returns False at the end."""
        data = os.read(self.output, READ_BYTES)
        for update in self.lines.add(data):
            if update is None:
                self.garbage = True
            elif update.get("done") is True:
                self.done = True
            else:
                self.facts.update(update)
        self.garbage = self.garbage or len(self.lines.rest) > LONGEST_OUTPUT_BYTES
        return bool(data) and not self.done and not self.garbage

    def is_over(self) -> bool:
        """Return True if the child exceeded its limit and is blocked. Extends the deadline of a child that
        works: it, or a program that it started, is running or has used CPU time since the last check."""
        if time.monotonic() < self.until:
            return False
        used, is_running = _activity(self.pid)
        observed = self.cpu_seconds is not None
        is_working = is_running or used != self.cpu_seconds
        if observed and not (is_working and self.until < self.begun + MOST_EXTENSION * self.seconds):
            return True
        self.cpu_seconds = used
        self.until = time.monotonic() + CHECK_SECONDS
        return False

    def finish(self) -> JSON:
        """Return the drive's facts, with an error if they are incomplete. Never waits."""
        why = None
        if self.garbage:
            why = t("The drive's probe returned invalid data.")
        elif not self.done and time.monotonic() >= self.until:
            seconds = round(time.monotonic() - self.begun)
            why = t("The drive did not answer within {seconds:g} s.", seconds=seconds)
        elif not self.done:
            from psutil import Error, Process

            code = None
            with suppress(Error):
                # Negative for a signal.
                code = Process(self.pid).wait(REAP_SECONDS)
            status = "?" if code is None else int(code)
            why = t("The drive's probe ended without a result (status {status}).", status=status)
        if why:
            self.facts["errors"] = [*self.facts.get("errors", []), to_json(RawError("drive", why))]
        return self.facts

    def end(self) -> None:
        """Kill the process. Never waits."""
        os.close(self.requests)
        os.close(self.output)
        _kill(self.pid)


def serve(
    names: list[str], seconds: float, phases: Phases, report: Callable[[JSON], None], stop: int
) -> None:
    """Probe all drives. Reports each when done or overdue. `stop` becomes readable when the client has gone.

    Forking costs more than probing a fast drive, so few processes take the drives in turn, and more as long
    as no drive answers.
    """
    left, children, wanted = list(reversed(names)), set[Child](), 2 * len(os.sched_getaffinity(0))
    with selectors.DefaultSelector() as selector:
        selector.register(stop, selectors.EVENT_READ, None)
        try:
            answered = time.monotonic()
            while left or children:
                while left and len(children) < wanted:
                    child = Child(phases)
                    children.add(child)
                    selector.register(child.output, selectors.EVENT_READ, child)
                    child.begin(left.pop(), seconds)
                until = min(child.until for child in children)
                until = min(until, answered + SILENT_SECONDS) if left else until
                ready = [key.data for key, _ in selector.select(max(0.0, until - time.monotonic()))]
                if None in ready:
                    return
                over = [child for child in ready if not child.hear()]
                over += [child for child in children if child not in over and child.is_over()]
                for child in over:
                    report(child.finish())
                    if child.done and left:
                        child.begin(left.pop(), seconds)
                        continue
                    selector.unregister(child.output)
                    children.remove(child)
                    child.end()
                if over or time.monotonic() >= answered + SILENT_SECONDS:
                    wanted *= 1 if over else 2
                    answered = time.monotonic()
        finally:
            for child in children:
                child.end()


def _be_child(phases: Phases, requests: int, output: int) -> NoReturn:
    def probe() -> None:
        while line := _line(0):
            request = json.loads(line)
            for update in phases(request["name"], request["seconds"]):
                _write(3, update)
            _write(3, {"done": True})

    _become(probe, (requests, None, None, output))


def be_server(requests: int, answers: int) -> NoReturn:
    """Serve requests in a forked process until the descriptor `requests` closes."""

    def serve_requests() -> None:
        os.setsid()
        main()

    _become(serve_requests, (requests, answers, None))


def _become(work: Callable[[], None], descriptors: Sequence[int | None]) -> NoReturn:
    """Do work in a forked process and exit. It has these descriptors as 0, 1, 2 and so on, /dev/null for
    None. All others are closed, so that a stuck process keeps none open."""
    status = 1
    try:
        for one in HANDLED:
            signal.signal(one, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        null = os.open(os.devnull, os.O_RDWR)
        for number, descriptor in enumerate(descriptors):
            os.dup2(null if descriptor is None else descriptor, number)
        os.closerange(len(descriptors), MOST_DESCRIPTORS)
        work()
        status = 0
    finally:
        os._exit(status)


def _write(descriptor: int, facts: object) -> None:
    data = json.dumps(to_json(facts)).encode("ascii") + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]


def _activity(pid: int) -> tuple[float, bool]:
    # Imported here because psutil is slow to load, and few drives are overdue.
    import psutil

    used, is_running = 0.0, False
    with suppress(psutil.Error):
        child = psutil.Process(pid)
        for process in (child, *child.children(recursive=True)):
            with suppress(psutil.Error):
                times = process.cpu_times()
                used += times.user + times.system
                is_running = is_running or process.status() == psutil.STATUS_RUNNING
    return used, is_running


def _kill(pid: int) -> None:
    """Reaps the child only if that does not block."""
    try:
        if os.waitpid(pid, os.WNOHANG)[0] == 0:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, os.WNOHANG)
    except (ChildProcessError, ProcessLookupError):
        return


def _drive_phases() -> Phases:
    """Loads all libraries that the children share."""
    from wizard.probe import collect
    from wizard.probe.content import blkid

    assert blkid
    return collect.phases


def main(prepare: Callable[[], Phases] = _drive_phases) -> int:
    """Serve requests until the input closes."""
    phases = prepare()
    while line := _line(0):
        request = json.loads(line)
        serve(request["drives"], float(request["seconds"]), phases, lambda facts: _write(1, facts), stop=0)
        _write(1, {"end": True})
    return 0


def _line(descriptor: int) -> bytes:
    """Read without buffering, so that the selector sees the end of input."""
    read = bytearray()
    while not read.endswith(b"\n"):
        data = os.read(descriptor, 1 << 16)
        if not data:
            break
        read += data
    return bytes(read)


if __name__ == "__main__":
    os.closerange(3, MOST_DESCRIPTORS)
    sys.exit(main())
