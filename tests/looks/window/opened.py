"""An open window, controlled by synchronous calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeVar, cast

from textual.events import Key, Paste
from textual.strip import Strip

from tests.looks.window.desks import MadeUpDesk
from wizard.ui.desk import Desk
from wizard.ui.view import View
from wizard.window.app import Window
from wizard.window.terminal import Colours, Glyphs, Terminal

T = TypeVar("T")
MANY = Terminal(Glyphs.ALL, Colours.ANY)
NAMES = {"?": "question_mark", "+": "plus", "-": "minus", "K": "upper_k", "G": "upper_g", " ": "space"}


class Opened:
    """A window on a desk. All calls run in one event loop and one context."""

    def __init__(self, desk: Desk, size: tuple[int, int] = (80, 24), terminal: Terminal = MANY) -> None:
        self._runner = asyncio.Runner()
        self.app = Window(desk, terminal)
        self._test = self.app.run_test(size=size)
        self.pilot = self.run(self._test.__aenter__())
        self.settle()

    def close(self) -> None:
        self.run(self._test.__aexit__(None, None, None))
        self._runner.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end."""
        return self._runner.run(work)

    def settle(self) -> None:
        self.run(self.pilot.pause())
        self.run(self.pilot.pause())
        if self.app._exception is not None:
            raise self.app._exception

    def until(self, holds: Callable[[], bool], seconds: float = 10) -> None:
        """Wait until a condition is true."""
        end = monotonic() + seconds
        while not holds():
            assert monotonic() < end, f"it never came about:\n{self.text()}"
            self.run(self.pilot.pause(0.01))

    def press(self, *keys: str) -> None:
        """Press keys in order, without waiting between them."""
        for key in keys:
            character = " " if key == "space" else key if len(key) == 1 else None
            self.app.post_message(Key(NAMES.get(key, key), character))
        self.settle()

    def paste(self, text: str) -> None:
        self.app.post_message(Paste(text))
        self.settle()

    def click(self, text: str, times: int = 1) -> None:
        """Click on a text on the screen."""
        y, line = next((y, strip.text) for y, strip in enumerate(self.lines()) if text in strip.text)
        self.run(self.pilot.click(offset=(line.index(text) + 1, y), times=times))
        self.settle()

    def resize(self, size: tuple[int, int]) -> None:
        self.run(self.pilot.resize_terminal(*size))
        self.settle()
        self.settle()

    def lines(self) -> list[Strip]:
        """Return the lines on the screen."""
        return self.app.screen._compositor.render_strips()

    def text(self) -> str:
        """Return the screen as plain text."""
        return "\n".join(strip.text for strip in self.lines())

    @property
    def cursor(self) -> str:
        """The row under the cursor."""
        return self.app.state.cursor

    @property
    def values(self) -> dict[str, str]:
        """The values of all fields."""
        return self.app.page.form.values()

    @property
    def focus(self) -> str:
        """The field or part with the focus."""
        return self.app.page.focused_part()

    def top(self, part: str) -> int:
        """Return the first visible line of a part that scrolls."""
        return int(self.app.page.scrolls[part].scroll_y)

    def everything(self) -> Iterator[list[Strip]]:
        """Yield the screen, then each part scrolled to its end, and the cursor on rows and fields."""
        page = self.app.page
        yield self.lines()
        for scroll in page.scrolls.values():
            for top in range(
                0, scroll.max_scroll_y + 1 if scroll.display else 0, max(1, scroll.size.height - 1)
            ):
                scroll.scroll_to(y=top, animate=False, immediate=True)
                self.run(self.pilot.pause())
                yield self.lines()
            if scroll.display and scroll.max_scroll_y:
                scroll.scroll_to(y=scroll.max_scroll_y, animate=False, immediate=True)
                self.settle()
                yield self.lines()
        for rows in (page.pinned, page.rows):
            if rows.display and rows.max_scroll_y:
                keys = [option.id or "" for option in rows.options]
                step = max(1, rows.size.height // LINES_OF_A_ROW)
                for key in (*keys[::step], *keys[-1:]):
                    rows.put_cursor(key)
                    self.settle()
                    yield self.lines()
        for row in page.form.rows() if page.form.max_scroll_y else ():
            self.app.screen.set_focus(row.entry)
            self.settle()
            yield self.lines()


LINES_OF_A_ROW = 8
"""No row of a long list is higher."""


@contextmanager
def opened(
    *views: View, size: tuple[int, int] = (80, 24), terminal: Terminal = MANY
) -> Iterator[tuple[MadeUpDesk, Opened]]:
    """Open a window on made-up views."""
    desk = MadeUpDesk(*views)
    window = Opened(cast(Desk, desk), size, terminal)
    try:
        yield desk, window
    finally:
        window.close()
