"""Client of the probe server: facts as they arrive, with a time limit. Reuses the server."""

import json
import os
import select
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wizard.probe import unread as words
from wizard.probe.host.sysfs import SYS, drive_names, name_of, node_of, text
from wizard.probe.unread import unread
from wizard.process import program

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
    program.note(
        program.PROBE,
        f"{facts['name']}: {time.monotonic() - begun:.3f} s, not read: {facts.get('errors') or 'nothing'}",
    )


def _facts(line: bytes) -> Facts:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


LOOK_SECONDS = 0.5
Seen = frozenset[tuple[str, str | None, str | None]]


def watch_drives(
    stop: threading.Event, look_seconds: float = LOOK_SECONDS, sys: Path = SYS
) -> Iterator[None]:
    """Yield each time the set of drives has changed since this call, until `stop` is set: one was plugged,
    unplugged, attached, detached or resized. Whoever calls this before reading the list of drives misses
    none.
    """
    return _changes(_look(sys), stop, look_seconds, sys)


def is_attached(path: str, diskseq: int | None, sys: Path = SYS) -> bool:
    """Whether the drive that had this number of attachment is still at its node, with its medium. Other
    drives may get the node's name.

    True without a number where anything is there: kernels before 5.15 count none.
    """
    number, size = _state(sys / "block" / name_of(path))
    return size not in (None, "0") and (diskseq is None or number in (None, str(diskseq)))


def _changes(seen: Seen, stop: threading.Event, look_seconds: float, sys: Path) -> Iterator[None]:
    monitor = _monitor()
    while not stop.is_set():
        now = _look(sys)
        if now != seen:
            seen = now
            yield None
        _wait(monitor, stop, look_seconds)


def _look(sys: Path) -> Seen:
    """Each drive with its number of attachment and its size. Neither changes when a drive is opened."""
    return frozenset(
        (name, *_state(sys / "block" / name)) for name in drive_names(all_devices=False, sys=sys)
    )


def _state(folder: Path) -> tuple[str | None, str | None]:
    return text(folder / "diskseq"), text(folder / "size")


def _monitor() -> Any:  # noqa: ANN401 - pyudev has no types
    """A listener for the kernel's block events; None where there can be none, and looking has to do."""
    try:
        import pyudev

        monitor = pyudev.Monitor.from_netlink(pyudev.Context(), source="kernel")
        monitor.filter_by(subsystem="block")
        monitor.start()
    except (ImportError, OSError):
        return None
    return monitor


def _wait(monitor: Any, stop: threading.Event, seconds: float) -> None:  # noqa: ANN401
    """Until a disk comes or goes as the kernel says, or the time is over."""
    if monitor is None:
        stop.wait(seconds)
        return
    if select.select([monitor.fileno()], [], [], seconds)[0]:
        while monitor.poll(timeout=0) is not None:
            continue
