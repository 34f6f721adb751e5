"""Where text goes: data to stdout, narration to stderr; colour only on a terminal that wants it."""

import os
import sys
from collections.abc import Iterable
from functools import cache

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from wizard.faces.showing.lines import harmless
from wizard.model.finding import Severity
from wizard.model.names import printable
from wizard.model.said import Said

SEVERITY_STYLE = {
    Severity.DANGER: "red",
    Severity.WARNING: "yellow",
    Severity.INFO: "cyan",
    Severity.OK: "green",
}
PIPE_WIDTH = 120


class SafeConsole(Console):
    """Prints what is to be read, and nothing that a terminal would obey: of that only rich itself writes."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The same segments with `?` for characters that no terminal prints."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(harmless(text, "\n\t"), style)


@cache
def out() -> Console:
    """For data. Into a pipe it is plain text of a fixed width."""
    return SafeConsole(
        highlight=False,
        markup=False,
        emoji=False,
        width=None if sys.stdout.isatty() else PIPE_WIDTH,
        no_color=_plain(),
    )


@cache
def err() -> Console:
    """For narration, questions and errors."""
    return SafeConsole(
        stderr=True,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=not sys.stderr.isatty(),
        no_color=_plain(),
    )


def say(sentence: Said | str) -> None:
    """Narrate one sentence."""
    err().print(Text(printable(str(sentence), 2000)))


def _plain() -> bool:
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") in ("dumb", "vt220", "vt100")
