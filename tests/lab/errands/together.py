"""Run commands in parallel, each in its own process, so that failures are independent. The output of each
stays together."""

import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import BinaryIO

GRACE_SECONDS = 20.0
"""What a process that is ended early has to clean up. Whoever ends the lab waits for 30 s (tests/run)."""


@dataclass(frozen=True, slots=True)
class Task:
    """A command with a time limit in seconds. `argv` gets one more argument: the descriptor for its
    result."""

    name: str
    argv: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a task: exit status (negative for a signal), output to its descriptor, and True if the
    time limit was exceeded."""

    task: Task
    status: int
    result: bytes
    late: bool


class _Worker:
    """A running task. `words` stores its output until the end; None prints it directly."""

    def __init__(self, task: Task, words: BinaryIO | None) -> None:
        self.task = task
        self.limit = monotonic() + task.seconds
        self._words = words
        self._result = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        told = self._result.fileno()
        # Killed without a word, this process takes its workers with it, and they have the time to clean up.
        # Ctrl+C reaches this process alone, which then ends them.
        self._process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "--", *task.argv, str(told)],
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=subprocess.STDOUT if words is not None else None,
            pass_fds=(told,),
            start_new_session=True,
        )
        self.pidfd = os.pidfd_open(self._process.pid)

    def end(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def wait(self, limit: float) -> None:
        """Wait for the end. Kills it after `limit` (monotonic time)."""
        try:
            self._process.wait(max(limit - monotonic(), 0))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def outcome(self, *, late: bool) -> Outcome:
        """Return the outcome of a finished task, and print its output."""
        status = self._process.wait()
        if self._words is not None:
            self._words.seek(0)
            sys.stdout.flush()
            shutil.copyfileobj(self._words, sys.stdout.buffer)
            sys.stdout.flush()
        self._result.seek(0)
        return Outcome(self.task, status, self._result.read(), late)

    def close(self) -> None:
        os.close(self.pidfd)
        self._result.close()
        if self._words is not None:
            self._words.close()


def run_together(tasks: Sequence[Task], at_once: int, ended: Callable[[Outcome], None]) -> None:
    """Run all tasks in order, this many at a time. `ended` is called for each finished one and may raise
    to stop. No task continues after this function."""
    waiting = deque(tasks)
    running: list[_Worker] = []
    # One that is alone can be watched as it goes.
    quiet = len(tasks) > 1 and at_once > 1
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                # Closed with the worker.
                output = tempfile.TemporaryFile() if quiet else None  # noqa: SIM115
                running.append(_Worker(waiting.popleft(), output))
            for worker, late in _over(running):
                running.remove(worker)
                try:
                    ended(worker.outcome(late=late))
                finally:
                    worker.close()
    finally:
        _end_all(running)


def _over(running: Sequence[_Worker]) -> list[tuple[_Worker, bool]]:
    """Wait for the first tasks to finish or exceed their limit. Returns them, with True for exceeded."""
    first = min(worker.limit for worker in running)
    over, _, _ = select.select([worker.pidfd for worker in running], [], [], max(first - monotonic(), 0))
    late = [worker for worker in running if worker.pidfd not in over and worker.limit <= monotonic()]
    for worker in late:
        worker.end()
    for worker in late:
        worker.wait(monotonic() + GRACE_SECONDS)
    return [(worker, worker in late) for worker in running if worker in late or worker.pidfd in over]


def _end_all(running: Sequence[_Worker]) -> None:
    """End all tasks immediately."""
    for worker in running:
        worker.end()
    limit = monotonic() + GRACE_SECONDS
    for worker in running:
        worker.wait(limit)
        worker.close()
