"""The starter's side of the probe's server: raw facts as they arrive, never a wait beyond the limit, and a
server kept for the next."""

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wizard.probe.host.sysfs import node_of
from wizard.probe.reasons import unread
from wizard.probe.words import unread as words
from wizard.tools import debuglog

Facts = dict[str, Any]

SERVER = (sys.executable, "-P", "-m", "wizard.probe.worker")
GRACE_SECONDS = 3.0
"""For the server to start, and to report what it ended."""

TURN_SECONDS = 1.0
"""Of a CPU that a drive's probe may take, most of it smartctl's start: several times what a slow one took."""

END_SECONDS = 0.5
ROOT = Path(__file__).resolve().parents[2]


_idle: dict[tuple[str, ...], list["Pool"]] = {}
"""Servers that wait for a request, by their commands. A list's own methods are safe among threads."""


@contextmanager
def borrowed(server: tuple[str, ...] = SERVER) -> Iterator["Pool"]:
    """A server that waits already, or a new one. It is kept for the next, unless it still owes an answer."""
    pool = _waiting(server) or Pool(server)
    try:
        yield pool
    finally:
        if pool.busy:
            pool.close()
        else:
            _idle.setdefault(server, []).append(pool)


def allowed_seconds(drives: int, seconds: float, cpus: int | None = None) -> float:
    """What each of so many drives may take that are probed side by side. They share the CPUs, and a healthy
    one must not be called silent because it had to wait for its turn."""
    shared = max(0.0, drives / (cpus or len(os.sched_getaffinity(0))) - 1)
    return seconds + shared * TURN_SECONDS


def begin() -> None:
    """Start a server ahead of the first request, so that it loads while whoever asks does."""
    with borrowed():
        pass


def _waiting(server: tuple[str, ...]) -> "Pool | None":
    """One that waits and still lives."""
    with suppress(KeyError, IndexError):
        while True:
            pool = _idle[server].pop()
            if pool.process.poll() is None:
                return pool
            pool.close()
    return None


class Pool:
    """A server that may be started before it is known which drives will be asked for, so that it loads while
    the rest is read.

    It is `busy` from a request until the last answer to it.
    """

    def __init__(self, server: Sequence[str] = SERVER) -> None:
        self.busy = False
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            list(server),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )

    def probe(self, names: Sequence[str], seconds: float) -> Generator[Facts, None, None]:
        """One RawDrive as plain data for each name, as they finish. Those that nothing is heard of get an
        error in its place. `seconds` is what one may take that has a CPU for itself."""
        seconds = allowed_seconds(len(names), seconds)
        left = dict.fromkeys(names)
        begun = time.monotonic()
        until = begun + seconds + GRACE_SECONDS
        try:
            for facts in self._conversation(names, seconds, until):
                if facts.get("name") in left:
                    del left[facts["name"]]
                    _note(facts, begun)
                    yield facts
        finally:
            if self.busy:
                self.close()
        for name in left:
            late = time.monotonic() >= until
            why = words.NO_ANSWER(seconds=seconds) if late else words.NO_TURN
            facts = {"name": name, "path": node_of(name), "errors": [unread("drive", why)]}
            _note(facts, begun)
            yield facts

    def _conversation(self, names: Sequence[str], seconds: float, until: float) -> Iterator[Facts]:
        asking, answering = self.process.stdin, self.process.stdout
        assert asking is not None and answering is not None
        self.busy = True
        try:
            os.write(
                asking.fileno(),
                json.dumps({"drives": list(names), "seconds": seconds}).encode("ascii") + b"\n",
            )
        except OSError:
            return
        buffer = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(answering, selectors.EVENT_READ)
            while selector.select(max(0.0, until - time.monotonic())):
                data = os.read(answering.fileno(), 1 << 20)
                if not data:
                    return
                buffer += data
                *lines, rest = buffer.split(b"\n")
                buffer = bytearray(rest)
                for line in lines:
                    facts = _facts(bytes(line))
                    if facts.get("end") is True:
                        self.busy = False
                        return
                    yield facts

    def close(self) -> None:
        """Let the server go: it ends by itself when its input closes; one that does not is killed, and not
        waited for."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(END_SECONDS)


def _note(facts: Facts, begun: float) -> None:
    debuglog.note(
        debuglog.PROBE,
        f"{facts['name']}: {time.monotonic() - begun:.3f} s, not read: {facts.get('errors') or 'nothing'}",
    )


def _facts(line: bytes) -> Facts:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
