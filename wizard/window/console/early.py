"""The names of the drives while Textual still loads: on a slow machine that takes seconds."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from os import terminal_size

from wizard.desk.view import View
from wizard.model.names import printable
from wizard.window.console.terminal import Glyphs, Terminal

SECOND, FIRST = "\x1b[?1049h", "\x1b[?1049l"
"""The screen that Textual draws on, and the one that was there before."""
CLEAR = "\x1b[H\x1b[2J"


@contextmanager
def names_first(view: View, terminal: Terminal, size: terminal_size) -> Iterator[None]:
    """Show them until Textual draws over them. On a slow line nothing is sent twice."""
    if terminal.slow:
        yield
        return
    sys.stderr.write(SECOND + CLEAR + early_frame(view, terminal.glyphs, size))
    sys.stderr.flush()
    try:
        yield
    except BaseException:
        sys.stderr.write(FIRST)
        sys.stderr.flush()
        raise


def early_frame(view: View, glyphs: Glyphs, size: terminal_size) -> str:
    """The program's name, the title and the rows, about where each will stand. Pure."""
    rows = view.rows.rows if view.rows else ()
    told = [" diskwright", "", f"  {view.title}"]
    told += ["  " + "  ".join(str(cell.text) for cell in row.cells if str(cell.text)) for row in rows]
    text = "\r\n".join(printable(one, size.columns - 1) for one in told[: size.lines - 1])
    return text if glyphs is Glyphs.ALL else text.encode("ascii", "replace").decode()
