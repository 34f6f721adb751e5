"""Hearing what the program itself says: whether anything that is written to the standard streams fits a
pattern."""

import re
import sys
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self, TextIO, cast

LONGEST = 80
"""Characters before what is written next in which a match may have begun."""


class Heard:
    """Looks through all that is written to stdout and stderr while it is open; `found` is whether the pattern
    was there. A match may begin in one stream's text and end in its next."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.found = False
        self._pattern = pattern
        self._streams = (sys.stdout, sys.stderr)

    def __enter__(self) -> Self:
        sys.stdout, sys.stderr = (cast(TextIO, _Stream(one, self._listener())) for one in self._streams)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.stdout, sys.stderr = self._streams

    def _listener(self) -> Callable[[str], None]:
        before = ""

        def hear(text: str) -> None:
            nonlocal before
            if not self.found:
                text = before + text
                self.found = self._pattern.search(text) is not None
                before = text[-LONGEST:]

        return hear


class _Stream:
    """A stream whose text is heard as it is written."""

    def __init__(self, stream: TextIO, hear: Callable[[str], None]) -> None:
        self._stream, self._hear = stream, hear

    def write(self, text: str) -> int:
        self._hear(text)
        return self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)
