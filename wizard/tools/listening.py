"""Hearing what a command says while it runs, line by line."""

import os
from collections.abc import Callable
from threading import Thread
from types import TracebackType
from typing import Self

OnLine = Callable[[str], bool]
"""Is handed a line without its end, from a thread of its own; says whether it belongs to the output. How far a command is does not."""


class Listener:
    """A pipe for a command's output. `end` is the command's; with the block left, `heard` is what belongs to the output."""

    def __init__(self, on_line: OnLine) -> None:
        self._on_line = on_line
        self._kept: list[bytes] = []
        begin, self.end = os.pipe()
        self._thread = Thread(target=self._listen, args=(begin,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self.end)
        self._thread.join()

    @property
    def heard(self) -> bytes:
        """The lines that were not about how far it is."""
        return b"".join(self._kept)

    def _listen(self, begin: int) -> None:
        with os.fdopen(begin, "rb") as lines:
            for line in lines:
                if self._on_line(line.decode(errors="replace").rstrip("\n")):
                    self._kept.append(line)
