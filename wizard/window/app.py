"""The Textual app: draws views and forwards events."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.color import Color
from textual.driver import Driver
from textual.events import Click, Event, Key, MouseEvent, MouseScrollDown, MouseScrollUp, Paste, Resize
from textual.filter import LineFilter
from textual.geometry import Offset, Region
from textual.markup import escape
from textual.strip import Strip
from textual.widget import Widget

from wizard.model.said import t
from wizard.window import canvas
from wizard.window.keyboard import MAIN, Keyboard
from wizard.window.look import look_of
from wizard.window.page import PALETTE, page
from wizard.window.terminal import CLEAR, Colours, Glyphs, Terminal, translate

if TYPE_CHECKING:
    from wizard.ui.desk import Desk


class TerminalFilter(LineFilter):
    """Replaces characters and colours that the terminal cannot show, and control characters."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__()
        self.terminal = terminal

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        glyphs = self.terminal.glyphs
        return [
            Segment(translate(text, glyphs), self._shown(style or Style.null()), control)
            for text, style, control in segments
        ]

    def _shown(self, style: Style) -> Style:
        """On black, red is too dark unless bold, which terminals draw bright. On white, yellow, cyan and
        green are too bright."""
        if self.terminal.colours is Colours.NONE:
            # Reverse and underline show the cursor.
            return Style(
                reverse=style.reverse or None, underline=style.underline or None, bold=style.bold or None
            )
        has_ground = style.bgcolor is not None and not style.bgcolor.is_default
        if self.terminal.colours is Colours.ANY or has_ground:
            return style
        ink = style.color.number if style.color else None
        if self.terminal.light:
            return style + Style(color=_ON_WHITE[ink]) if ink in _ON_WHITE else style
        if self.terminal.glyphs is Glyphs.ALL:
            # The Linux console is black. A terminal window can have any background.
            style += Style(color=None if ink is not None else "white", bgcolor="black")
        return style + Style(bold=True) if ink == _RED else style


_RED = 1
_ON_WHITE = {2: "blue", 3: "magenta", 6: "blue"}
"""Replacements for green, yellow and cyan."""


ROOT = t("diskwright asks for root access, then returns to the wizard.")

SELDOM = 1.0
"""Seconds between unrequested redraws on a slow line."""

QUITTING = ("ctrl+c", "ctrl+q")

WHEEL = 3
"""Lines per step of the mouse wheel."""


class Face(Widget, can_focus=True):
    """The whole screen, drawn from the view."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet = canvas.Sheet()

    def show(self, sheet: canvas.Sheet, *, whole: bool) -> None:
        """Draw a sheet: the whole, or only what differs from the last one."""
        before, self.sheet = self.sheet.lines, sheet
        if whole or len(before) != len(sheet.lines):
            self.refresh()
        elif changed := [
            Region(cells[0], y, cells[1] - cells[0], 1)
            for y, (old, new) in enumerate(zip(before, sheet.lines, strict=True))
            if (cells := canvas.changed_cells(old, new))
        ]:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        lines = self.sheet.lines
        strip = lines[y] if y < len(lines) else Strip([])
        return canvas.few_styles(strip.adjust_cell_length(self.size.width).apply_style(self.rich_style))


STYLE = """/**/
Screen { background: $background; }
Face { width: 1fr; height: 1fr; }
CommandPalette, CommandPalette:ansi { background: transparent; }
CommandPalette > Vertical {
    margin-top: 2; width: 64; max-width: 100%; height: auto; max-height: 80%;
    visibility: visible; background: $background; border: solid $primary;
}
CommandPalette SearchIcon, CommandPalette LoadingIndicator { display: none; }
CommandPalette #--input, CommandPalette #--input.--list-visible { border: none; }
CommandPalette #--results { overlay: none; }
CommandPalette CommandList { border: none; background: $background; }
CommandPalette CommandInput { border: none; padding: 0 1; height: 1; }
"""


class Window(App[None]):
    """The only screen. Draws the desk's view and forwards input to the desk."""

    CSS = STYLE
    TITLE = "diskwright"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, desk: Desk, terminal: Terminal) -> None:
        self.terminal = terminal
        few = self.terminal.colours is not Colours.ANY
        super().__init__(driver_class=_driver(self.terminal), ansi_color=few)
        self.desk, self.keyboard, self.face = desk, Keyboard(desk), Face()
        self.look = look_of(self.terminal)
        self.animation_level = "none"
        self.no_color = self.terminal.colours is Colours.NONE
        theme = self.look.theme()
        self.register_theme(theme)
        self.theme = theme.name
        self._own_filter = TerminalFilter(self.terminal)
        self._due = self._busy = False
        self._drawn_at = 0.0

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), self._own_filter]

    def compose(self) -> ComposeResult:
        yield self.face

    def on_mount(self) -> None:
        # A full collection would delay one key in twenty by 40 ms.
        gc.freeze()
        self.face.focus()
        self.desk.changed = self._changed
        self._update(asked=True)

    def _changed(self) -> None:
        """Schedule a redraw, from any thread. Merges changes until then."""
        if not self._due:
            self._due = True
            self.call_later(self._redraw_unrequested)

    def _redraw_unrequested(self) -> None:
        wait = self._drawn_at + SELDOM - monotonic()
        if self.terminal.slow and wait > 0:
            self.set_timer(wait, self._redraw_unrequested)
            return
        self._due = False
        self._update(asked=False)

    def _update(self, *, asked: bool) -> None:
        if self._busy:
            return
        self._request_root()
        if self.desk.over:
            self.exit()
            return
        if self._searching:
            return
        self.keyboard.renew(asked=asked)
        self._draw()

    def _draw(self) -> None:
        keyboard = self.keyboard
        size = (self.size.width, self.size.height)
        sheet = page(keyboard.view, keyboard.state, self.look, size, keyboard.below)
        keyboard.drawn(sheet)
        self._drawn_at = monotonic()
        if sheet.cursor is not None:
            self.cursor_position = Offset(*sheet.cursor)
        # The kernel writes messages over the screen of a console.
        self.face.show(sheet, whole=self.terminal.glyphs is Glyphs.CONSOLE)

    def _request_root(self) -> None:
        """Ask for a password with the terminal restored to the state before the window."""
        errand = self.desk.errand
        if errand is None:
            return
        self._busy = True
        try:
            with ExitStack() as stack:
                # Not on a terminal: nothing to suspend.
                with suppress(SuspendNotSupported):
                    stack.enter_context(self.suspend())
                    print(f"\n{ROOT}", flush=True)
                errand()
        finally:
            self._busy = False

    def on_resize(self, event: Resize) -> None:
        self.call_after_refresh(self._draw)

    async def on_event(self, event: Event) -> None:
        """Handle all keys here, to preserve their order."""
        if isinstance(event, Key) and (event.key in QUITTING or not self._searching):
            self._key(event)
        elif isinstance(event, Paste) and not self._searching:
            self.keyboard.paste(event.text)
            self._update(asked=True)
        else:
            await super().on_event(event)

    def _key(self, event: Key) -> None:
        if self._searching:
            self.pop_screen()
        if event.key == "ctrl+l":
            # Repair the screen after output of other programs.
            if self._driver is not None:
                self._driver.write(CLEAR)
            self.face.refresh()
            return
        is_too_small = not self.face.sheet.parts
        if is_too_small and event.key not in QUITTING:
            return
        if event.key == PALETTE.key:
            self._search()
            return
        self.keyboard.press(event.key, event.character)
        self._update(asked=True)

    def on_command_palette_closed(self) -> None:
        self._update(asked=False)

    def _search(self) -> None:
        """Open the command palette: all actions, also those for which the footer has no room. Ignores an
        action of an earlier screen."""
        screen, view = self.desk.screen, self.keyboard.view

        def perform(name: str) -> None:
            if self.desk.screen is screen:
                self.keyboard.act_named(name)
            self._update(asked=True)

        offers: list[tuple[str, Callable[[], None], str | None]] = []
        for action in view.actions:
            label = canvas.shown(action.label)
            key = canvas.key_name(action, typing=bool(view.fields))
            why_not = escape(canvas.shown(action.why_not)) or None
            offers.append(
                (escape(f"{label[:1].upper()}{label[1:]}  {key}"), partial(perform, action.name), why_not)
            )
        self.search_commands(offers, str(t("Search for an action")))

    @property
    def _searching(self) -> bool:
        return len(self.screen_stack) > 1

    def _spots_at(self, event: MouseEvent) -> list[canvas.Spot]:
        x, y = event.screen_x, event.screen_y
        spots = () if self._searching else self.face.sheet.spots
        return [spot for spot in spots if spot.y == y and spot.x <= x < spot.x + spot.width]

    def on_click(self, event: Click) -> None:
        spot = next(iter(self._spots_at(event)), None)
        if spot is not None and spot.name == PALETTE.name:
            self._search()
        elif spot is not None:
            self.keyboard.click(spot.kind, spot.name, twice=event.chain > 1)
            self._update(asked=True)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        self._wheel(event, WHEEL)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        self._wheel(event, -WHEEL)

    def _wheel(self, event: MouseEvent, by: int) -> None:
        if self._searching or not self.face.sheet.spots:
            return
        part = next((spot.name for spot in self._spots_at(event) if spot.kind == "part"), MAIN)
        if part == MAIN:
            self.keyboard.move(by)
        else:
            self.keyboard.scroll(part, by)
        self._update(asked=True)


def _driver(terminal: Terminal) -> type[Driver] | None:
    if not terminal.slow and terminal.glyphs is not Glyphs.CONSOLE:
        return None
    from wizard.window import minimal_output

    return minimal_output.MinimalOutputDriver if terminal.slow else minimal_output.ClearingDriver
