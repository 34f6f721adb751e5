"""The log of `--debug`, as it comes about: every process of a run appends to one file, which
`wizard.report.debug` makes fit to be shown.

Nothing here says what a command was given on its input: that is where passphrases go.
"""

import os
from contextlib import suppress
from time import strftime
from typing import TypeVar

from wizard.model.names import printable

T = TypeVar("T")

VARIABLE = "DISKWRIGHT_DEBUG_LOG"
"""Names the file to the processes that we start. The command line forgets what it finds there: nobody else
names a file for us."""

MOST_BYTES = 160_000
KEPT_BYTES = 20_000
"""What is kept of the file for how it ended."""

LONGEST_LINE = 2000
COMMAND, PROBE, EXCEPTION, END = "command", "probe", "exception", "end"

seen: list[object] = []
"""Facts that this process worked with: they know which words of the log name a drive or a person."""


def note(kind: str, text: str) -> None:
    """Append what happened, with the time and the process; nothing where no log was asked for, or it cannot
    be written."""
    file = os.environ.get(VARIABLE)
    if file is None:
        return
    lines = "\n    ".join(printable(line, LONGEST_LINE) for line in text.splitlines())
    data = f"{strftime('%H:%M:%S')} {os.getpid()} {kind}: {lines}\n".encode(errors="replace")
    room = MOST_BYTES if kind in (EXCEPTION, END) else MOST_BYTES - KEPT_BYTES
    # It is gone when the log is finished, and what goes on without us makes no new one.
    with suppress(OSError):
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            left = room - os.fstat(descriptor).st_size
            if left > 0:
                os.write(
                    descriptor,
                    data if len(data) <= left else data[:left] + b"\n(From here on lines are left out.)\n",
                )
        finally:
            os.close(descriptor)


def note_exception() -> None:
    """Append the exception that is being handled."""
    if VARIABLE in os.environ:
        from traceback import format_exc

        note(EXCEPTION, format_exc())


def remember(facts: T) -> T:
    """The same facts, kept until the log is finished."""
    if VARIABLE in os.environ:
        seen.append(facts)
    return facts
