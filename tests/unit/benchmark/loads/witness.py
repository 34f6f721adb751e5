"""Helpers for tests of loads: run a load, list a folder, and record all calls."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Lock
from unittest.mock import patch

from wizard.benchmark.loads.script import LoadPhase


@contextmanager
def root_of(folder: Path) -> Iterator[int]:
    """Yield a file descriptor of the folder."""
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield root
    finally:
        os.close(root)


def act(phase: LoadPhase, folder: Path) -> None:
    with root_of(folder) as root:
        phase.act(root)


def digests(phases: Sequence[LoadPhase], folder: Path) -> list[str]:
    """Return a digest of all names, sizes and contents in the folder after each phase."""
    found = []
    folder.mkdir()
    for phase in phases:
        act(phase, folder)
        found.append(digest(folder))
    return found


def digest(folder: Path) -> str:
    told = sha256()
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        told.update(f"{path.relative_to(folder)} {path.is_dir()} {len(content)} ".encode() + content)
    return told.hexdigest()


CALLS = (
    "open",
    "write",
    "readv",
    "preadv",
    "pwrite",
    "unlink",
    "stat",
    "fsync",
    "fdatasync",
    "replace",
)


class Witness:
    """Records and counts every system call of a load."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.made: list[str] = []
        self.opened: list[str] = []
        self.deleted: list[str] = []
        self.looked: list[str] = []
        self.written_bytes = self.read_bytes = 0
        self.writes_of: Counter[str] = Counter()
        self.read_of: defaultdict[str, int] = defaultdict(int)
        self._names: dict[int, str] = {}
        self._lock = Lock()

    @contextmanager
    def watching(self) -> Iterator["Witness"]:
        """Count calls during this context."""
        with ExitStack() as patches:
            for name in CALLS:
                patches.enter_context(patch.object(os, name, self._watched(name, getattr(os, name))))
            yield self

    def _watched(self, name: str, call: Callable[..., object]) -> Callable[..., object]:
        def watched(*arguments: object, **named: object) -> object:
            result = call(*arguments, **named)
            with self._lock:
                self.calls[name] += 1
                if name == "open":
                    self._opened(str(arguments[0]), arguments[1], result)
                elif isinstance(result, int):
                    self._moved(name, arguments[0], result)
                elif name in ("unlink", "stat"):
                    (self.deleted if name == "unlink" else self.looked).append(str(arguments[0]))
            return result

        return watched

    def _opened(self, name: str, flags: object, file: object) -> None:
        assert isinstance(flags, int) and isinstance(file, int)
        if flags & os.O_DIRECTORY:
            return
        self._names[file] = name
        self.opened.append(name)
        if flags & os.O_EXCL:
            self.made.append(name)

    def _moved(self, call: str, file: object, moved_bytes: int) -> None:
        assert isinstance(file, int)
        if call in ("write", "pwrite"):
            self.written_bytes += moved_bytes
            self.writes_of[self._names[file]] += 1
        else:
            self.read_bytes += moved_bytes
            self.read_of[self._names[file]] += moved_bytes
