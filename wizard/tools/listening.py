"""Hearing how far a command is while it runs, through a pipe of its own."""

import os
from collections.abc import Callable
from threading import Thread
from types import TracebackType
from typing import Self


class Listener:
    """A pipe that a command writes lines to. `end` is the command's descriptor; each line goes to `on_line`,
    from a thread of its own."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._begin, self.end = os.pipe()
        self._thread = Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.end)
        self._thread.join()

    def _listen(self) -> None:
        with os.fdopen(self._begin, "rb") as lines:
            for line in lines:
                self._on_line(line.decode(errors="replace").rstrip("\n"))
