"""Where text goes: data to stdout, narration to stderr; colour only on a terminal that wants it."""

import os
import sys
from functools import cache

from rich.console import Console
from rich.text import Text

from wizard.model.finding import Severity
from wizard.model.names import printable

SEVERITY_STYLE = {
    Severity.DANGER: "red",
    Severity.WARNING: "yellow",
    Severity.INFO: "cyan",
    Severity.OK: "green",
}
PIPE_WIDTH = 120


@cache
def out() -> Console:
    """For data. Into a pipe it is plain text of a fixed width."""
    return Console(
        highlight=False,
        markup=False,
        emoji=False,
        width=None if sys.stdout.isatty() else PIPE_WIDTH,
        no_color=_plain(),
    )


@cache
def err() -> Console:
    """For narration, questions and errors."""
    return Console(
        stderr=True,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=not sys.stderr.isatty(),
        no_color=_plain(),
    )


def say(sentence: str) -> None:
    """Narrate one sentence."""
    err().print(Text(printable(sentence, 2000)))


def _plain() -> bool:
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") in ("dumb", "vt220", "vt100")
