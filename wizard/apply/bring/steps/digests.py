"""What the copied files hold, noted while they are copied: the list of the source is made without reading
them, so that each is read from its drive once.

A line for each, by its number in the list. What was noted is on the medium before the run's record says that
the files are copied for good; what was noted behind that is forgotten when the run goes on.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from types import TracebackType

from wizard.apply.manifest.content import Content
from wizard.apply.manifest.entry import Entry, Kind
from wizard.model.errors import Failed
from wizard.model.said import Sentence

NOT_NOTED = Sentence("{file} cannot be used: {why}.")

FILE = "digests"


class Digests:
    """Notes go behind those of the entries before `done`."""

    def __init__(self, run: Path, done: int) -> None:
        self._path = run / FILE
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._file = os.fdopen(fd, "r+b")
            kept = sum(map(len, takewhile(lambda line: _is_before(line, done), self._file)))
            self._file.truncate(kept)
            self._file.seek(kept)
        except OSError as error:
            raise self._lost(error) from None

    def __enter__(self) -> "Digests":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def note(self, number: int, content: Content) -> None:
        """What entry `number` holds. Raises Failed."""
        try:
            self._file.write("\t".join((str(number), *content)).encode() + b"\n")
        except OSError as error:
            raise self._lost(error) from None

    def sync(self) -> None:
        """Have all of it on the medium. Raises Failed."""
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._lost(error) from None

    def _lost(self, error: OSError) -> Failed:
        return Failed(NOT_NOTED(file=str(self._path), why=str(error.strerror)))


def _is_before(line: bytes, done: int) -> bool:
    """Whether it is a whole line of an entry before `done`; they come in order. What was not on the medium
    yet can be anything after a power cut."""
    number = line.partition(b"\t")[0]
    return line.endswith(b"\n") and number.isdigit() and int(number) < done


def with_digests(run: Path, entries: Iterator[Entry]) -> Iterator[Entry]:
    """The list's entries with what was noted of them; those that have it already, as a run of an older
    version lists them, stay as they are. Further names of a file hold what its first one does."""
    noted = _noted(run / FILE)
    held = next(noted, None)
    several: dict[bytes, Entry] = {}
    for number, entry in enumerate(entries):
        while held is not None and held[0] < number:
            held = next(noted, None)
        if entry.kind is not Kind.FILE or entry.digest:
            yield entry
            continue
        first = several.get(entry.same_as) if entry.same_as else None
        if first is not None:
            full = replace(entry, digest=first.digest, data=first.data, wide_data=first.wide_data)
        elif held is not None and held[0] == number:
            digest, data, wide = held[1]
            full = replace(entry, digest=digest, data=data, wide_data=wide)
        else:
            full = entry
        if entry.links > 1 and not entry.same_as:
            several[entry.path] = full
        yield full


def _noted(file: Path) -> Iterator[tuple[int, Content]]:
    try:
        with file.open("rb") as lines:
            for line in lines:
                number, digest, data, wide = line.decode().rstrip("\n").split("\t")
                yield int(number), (digest, data, wide)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise Failed(NOT_NOTED(file=str(file), why=str(error))) from None
