"""Contents of a folder after a power cut: watch the program's real system calls, and create every possible
state.

The model is the minimum that POSIX promises: file contents survive after fsync of the file, and names after
fsync of the folder. Any part of the rest may be lost. The calls themselves are real.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

Files = Mapping[str, bytes]
"""The files of a folder and those below, by their paths in it."""

MOST_STATES = 256
"""More are not laid out for one moment: a test that meets as many asks too much at once."""
_OPEN = os.open
CHANGING = (
    "open",
    "fsync",
    "fdatasync",
    "rename",
    "replace",
    "unlink",
    "pwritev",
    "pwrite",
    "write",
    "ftruncate",
    "mkdir",
)
"""The calls around which the power may go."""


@dataclass
class LastingFolder:
    """A watched folder. `names`: inodes that survive, by path. `contents`: their contents that survive."""

    folder: Path
    names: dict[str, int] = field(default_factory=dict)
    contents: dict[int, bytes] = field(default_factory=dict)
    _open: dict[int, int] = field(default_factory=dict)
    """Held open, so that no number of an inode is given away a second time."""

    def __post_init__(self) -> None:
        # What lies there when the watching begins is taken for old.
        for name, inode in self._names_now().items():
            self.names[name] = inode
            self.contents[inode] = (self.folder / name).read_bytes()

    def synced(self, descriptor: int) -> None:
        """Handle fsync of a file or folder."""
        status = os.fstat(descriptor)
        place = Path(f"/proc/self/fd/{descriptor}").readlink()
        if not place.is_relative_to(self.folder):
            return
        if stat.S_ISDIR(status.st_mode):
            inside = "" if place == self.folder else f"{place.relative_to(self.folder)}/"
            now = self._names_now()
            mine = {
                name
                for name in {*now, *self.names}
                if name.startswith(inside) and "/" not in name[len(inside) :]
            }
            for name in mine:
                if name in now:
                    self.names[name] = now[name]
                else:
                    self.names.pop(name, None)
        else:
            self.contents[status.st_ino] = place.read_bytes()

    def states(self) -> Iterator[Files]:
        """Yield each possible state of the folder after a power cut now, once."""
        now = self._names_now()
        holds = {inode: (self.folder / name).read_bytes() for name, inode in now.items()}
        choices: list[list[tuple[str, bytes | None]]] = []
        for name in sorted({*now, *self.names}):
            inodes = dict.fromkeys((self.names.get(name), now.get(name)))
            found: dict[bytes | None, None] = {}
            for inode in inodes:
                found.update(dict.fromkeys([None] if inode is None else self._held(inode, holds)))
            choices.append([(name, data) for data in found])
        for number, chosen in enumerate(itertools.product(*choices)):
            assert number < MOST_STATES, [name for name, *others in choices if others]
            yield {name: data for name, data in chosen if data is not None}

    def _held(self, inode: int, holds: Mapping[int, bytes]) -> list[bytes]:
        """Yield possible contents of a file: as synced, as now, or with the first half of what was
        appended."""
        old = self.contents.get(inode, b"")
        new = holds.get(inode, old)
        torn = [new[: (len(old) + len(new)) // 2]] if new.startswith(old) else []
        return [old, *torn, new]

    def _names_now(self) -> dict[str, int]:
        found = {
            str(file.relative_to(self.folder)): file.stat().st_ino
            for file in self.folder.rglob("*")
            if file.is_file()
        }
        for name, inode in found.items():
            if inode not in self._open:
                self._open[inode] = _OPEN(self.folder / name, os.O_RDONLY | os.O_CLOEXEC)
        return found

    def close(self) -> None:
        """Close the files."""
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()


def watch(
    patched: pytest.MonkeyPatch, lasting: LastingFolder, moment: Callable[[str, tuple[Any, ...]], None]
) -> None:
    """Report every sync to the folder from now on, and call `moment` after each system call with a change,
    with its arguments."""

    def heard(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - any call of the system
            answer = real(*given, **named)
            if name in ("fsync", "fdatasync"):
                lasting.synced(given[0])
            moment(name, given)
            return answer

        return call

    for name in CHANGING:
        patched.setattr(os, name, heard(name, getattr(os, name)))


def states_during(
    patched: pytest.MonkeyPatch, folder: Path, work: Callable[[], object]
) -> tuple[list[Files], list[Files]]:
    """Yield every state that a power cut during or just after the work can leave."""
    lasting = LastingFolder(folder)
    during: list[Files] = []

    def moment(_name: str, _given: tuple[Any, ...]) -> None:
        during.extend(state for state in lasting.states() if state not in during)

    try:
        with patched.context() as inner:
            watch(inner, lasting, moment)
            work()
        return during, list(lasting.states())
    finally:
        lasting.close()
