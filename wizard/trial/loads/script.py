"""How a load is written down: scripts of operations, one for each thread, with a count of what they do.

Everything is drawn and listed here. What runs later goes through a list and looks at no clock.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from threading import Thread

from wizard.trial.loads import actions
from wizard.trial.loads.actions import APPEND, NEW, Move, Pieces
from wizard.trial.loads.drawn import CHUNK_BYTES, Contents, shares
from wizard.trial.loads.load import Phase, Unit

Step = Callable[[int], None]


class Draft:
    """A load in the making: its seed's draws, and the files that the volume will hold by then."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.contents = Contents(seed)
        self.sizes: dict[str, int] = {}

    def script(self, buffer_bytes: int = CHUNK_BYTES) -> "Script":
        """An empty script that reads so much at a time."""
        return Script(self, buffer_bytes)


class Script:
    """Operations in their order, and the sums of them. Each script has a buffer of its own to read into."""

    def __init__(self, draft: Draft, buffer_bytes: int) -> None:
        self.steps: list[Step] = []
        self.files = self.operations = self.read_bytes = self.written_bytes = 0
        self._draft = draft
        self._buffer = memoryview(bytearray(buffer_bytes))

    def make_folder(self, name: str) -> None:
        """An empty folder; folders are not counted."""
        self.steps.append(partial(actions.make_folder, name))

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        self.steps.append(partial(actions.remove_folder, name))

    def sync_folder(self, name: str) -> None:
        """Wait for what was renamed in it."""
        self.steps.append(partial(actions.sync_folder, name))

    def create(
        self, name: str, size_bytes: int, record_bytes: int = CHUNK_BYTES, *, sync: bool = False
    ) -> None:
        """Write a new file, so much at a time."""
        self._write(name, NEW, self._draft.contents.take(size_bytes, record_bytes), sync=sync)

    def append(self, name: str, pieces: Pieces, *, sync: bool = False) -> None:
        """Write at the end of a file, which is made where it is missing."""
        self._write(name, APPEND, pieces, sync=sync)

    def read(self, name: str) -> None:
        """Read all of a file."""
        size_bytes = self._draft.sizes[name]
        self._count(actions.read, name, size_bytes, self._buffer, files=1, read_bytes=size_bytes)

    def copy(self, source: str, target: str, *, append: bool = False) -> None:
        """Copy a file, or add it to the end of another."""
        sizes, flags = self._draft.sizes, APPEND if append else NEW
        size_bytes = sizes[source]
        sizes[target] = sizes.get(target, 0) + size_bytes
        sums = {"files": 1, "read_bytes": size_bytes, "written_bytes": size_bytes}
        self._count(actions.copy, source, target, flags, size_bytes, self._buffer, **sums)

    def access(self, name: str, moves: Sequence[Move], *, sync: bool = False) -> None:
        """Read and write within a file; reads take as much as the script reads at a time."""
        written = sum(len(move.piece) for move in moves if move.piece is not None)
        read = sum(move.piece is None for move in moves) * len(self._buffer)
        self._count(
            actions.access, name, tuple(moves), sync, self._buffer, written_bytes=written, read_bytes=read
        )
        self.operations += len(moves) - 1

    def list_folder(self, name: str) -> None:
        """Read all names in a folder; folders are not counted."""
        self.steps.append(partial(actions.list_folder, name))

    def look(self, name: str) -> None:
        """Ask for a file's size and times."""
        self._count(actions.look, name, files=1)

    def date(self, name: str) -> None:
        """Set a file's times."""
        self._count(actions.date, name)

    def rename(self, old: str, new: str) -> None:
        """Put a file in the place of another."""
        self._draft.sizes[new] = self._draft.sizes.pop(old)
        self._count(actions.rename, old, new)

    def delete(self, name: str) -> None:
        """Delete a file."""
        del self._draft.sizes[name]
        self._count(actions.delete, name, files=1)

    def _write(self, name: str, flags: int, pieces: Pieces, *, sync: bool) -> None:
        written = sum(map(len, pieces))
        sizes = self._draft.sizes
        sizes[name] = sizes.get(name, 0) + written
        self._count(actions.write, name, flags, pieces, sync, files=1, written_bytes=written)

    def _count(
        self,
        action: Callable[..., None],
        *arguments: object,
        files: int = 0,
        read_bytes: int = 0,
        written_bytes: int = 0,
    ) -> None:
        self.steps.append(partial(action, *arguments))
        self.operations += 1
        self.files += files
        self.read_bytes += read_bytes
        self.written_bytes += written_bytes


def phase(name: str, unit: Unit, *scripts: Script, amount: int | None = None) -> Phase:
    """The scripts run at the same time, and `amount` is all that they do unless another one is given."""
    written = sum(script.written_bytes for script in scripts)
    if amount is None:
        amount = {
            Unit.BYTES: written + sum(script.read_bytes for script in scripts),
            Unit.FILES: sum(script.files for script in scripts),
            Unit.OPERATIONS: sum(script.operations for script in scripts),
        }[unit]
    lists = tuple(tuple(script.steps) for script in scripts)
    return Phase(name, unit, amount, partial(_run_all, lists), writes_bytes=written)


Turn = Callable[[Script, list[str], str], None]
"""One turn of a thread: it uses and keeps up the list of its files, and makes a new one by the name given."""


def crowd(
    draft: Draft, folder: str, *, threads: int, turns: int, files: Sequence[str], turn: Turn
) -> list[Script]:
    """Scripts that share a folder. Each thread keeps to files of its own, so that every run does the same."""
    threads = min(threads, turns, len(files))
    scripts = []
    for thread, mine in enumerate(shares(turns, threads)):
        script, have = draft.script(), list(files[thread::threads])
        for number in range(mine):
            turn(script, have, f"{folder}/t{thread}-{number}")
        scripts.append(script)
    return scripts


def _run_all(lists: Sequence[Sequence[Step]], root: int) -> None:
    with _no_collecting():
        if len(lists) == 1:
            _run(lists[0], root, [])
            return
        failed: list[OSError] = []
        threads = [Thread(target=_run_beside, args=(steps, root, failed)) for steps in lists]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]


def _run(steps: Sequence[Step], root: int, failed: list[OSError]) -> None:
    for step in steps:
        if failed:
            return
        step(root)


def _run_beside(steps: Sequence[Step], root: int, failed: list[OSError]) -> None:
    """A failure is handed to whoever waits; the other threads stop at their next operation."""
    try:
        _run(steps, root, failed)
    except OSError as error:
        failed.append(error)


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Python's collector of garbage stays out of the measurement."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
