"""The Textual app: shows the desk's views and forwards keys to the desk."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from time import monotonic
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary

from rich.console import RenderableType
from textual._compositor import CompositorUpdate
from textual.app import ComposeResult, SuspendNotSupported
from textual.command import CommandPalette
from textual.driver import Driver
from textual.events import Event, Key, Paste, Resize
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import ModalScreen
from textual.screen import Screen as TextualScreen

from wizard.model.said import t
from wizard.ui.desk import Screen as DeskScreen
from wizard.ui.view import Action, ScreenStep, View
from wizard.window.cells import ClearingDriver, SerialDriver, Shown, filters_of
from wizard.window.keys import SEARCH, ActionPalette, PaletteApp, action_of
from wizard.window.look import CSS, look_of, theme_of
from wizard.window.page import InputState, ViewPage
from wizard.window.terminal import Colours, Glyphs, Terminal, serial_baud, terminal_of
from wizard.window.widgets import ChoiceField, Entry, Scroll

if TYPE_CHECKING:
    from wizard.ui.desk import Desk

ROOT = t("diskwright asks for root access, then returns to the wizard.")

SELDOM = 1.0
"""Seconds between unrequested redraws on a slow line."""

PAGES = ("pageup", "pagedown")
QUITTING = ("ctrl+c", "ctrl+q")


class DialogScreen(ModalScreen[None]):
    """A dialog over the page, which is dimmed if the colours allow."""

    AUTO_FOCUS = ""

    def __init__(self) -> None:
        super().__init__()
        self.page = ViewPage(over=True)

    def compose(self) -> ComposeResult:
        """Yield the only widget."""
        yield self.page


class Window(PaletteApp):
    """Shows the desk's view.

    Keys are handled here one after the other, each in the view that results from the one before. Textual
    would queue them for the focused widget; then a key typed ahead could act on an outdated screen.
    """

    CSS = CSS
    TITLE = "diskwright"
    AUTO_FOCUS = ""
    ALLOW_SELECT = False
    COMMANDS: ClassVar = {ActionPalette}

    class Changed(Message):
        """The desk changed in the background."""

    class Chosen(Message):
        """The person chose an action by mouse or in the palette."""

        def __init__(self, screen: DeskScreen, name: str) -> None:
            super().__init__()
            self.screen, self.name = screen, name

    def __init__(self, desk: Desk, terminal: Terminal | None = None) -> None:
        self.terminal = terminal or terminal_of(os.environ, serial_baud(sys.stderr.fileno()))
        few = self.terminal.colours is not Colours.ANY
        super().__init__(driver_class=_driver(self.terminal), ansi_color=few)
        self.desk, self.look = desk, look_of(self.terminal)
        self.view = View("", ScreenStep.DRIVES, "", ())
        self.shown = desk.screen
        self.whole = ViewPage(over=False)
        self.dialog: DialogScreen | None = None
        self.animation_level = "none"
        self.no_color = self.terminal.colours is Colours.NONE
        theme = theme_of(self.look)
        self.register_theme(theme)
        self.theme = theme.name
        self._own_filters = filters_of(self.terminal)
        self._states: WeakKeyDictionary[DeskScreen, InputState] = WeakKeyDictionary()
        self._under = InputState()
        self._on_terminal = Shown()
        self._ending: DeskScreen | None = None
        self._due = self._busy = self._acts = False
        self._drawn_at = 0.0

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return Textual's filters and those for this terminal."""
        return [*super().get_line_filters(), *self._own_filters]

    def compose(self) -> ComposeResult:
        """Yield the page that fills the screen."""
        yield self.whole

    @property
    def page(self) -> ViewPage:
        """The page with the focus."""
        return self.dialog.page if self.dialog is not None else self.whole

    @property
    def state(self) -> InputState:
        """The cursor and typed values of the screen on top."""
        return self._states.setdefault(self.desk.screen, InputState())

    async def on_mount(self) -> None:
        """Draw the view and watch for changes."""
        self.desk.changed = self._changed
        self.app_resume_signal.subscribe(self, lambda _: self._on_terminal.forget())
        await self._update(asked=True)

    def _changed(self) -> None:
        """Schedule a redraw, from any thread. Merges changes until then. After an action the view is read
        anyway."""
        is_acting = self._acts and threading.get_ident() == self._thread_id
        if not self._due and not is_acting and self.is_running:
            self._due = True
            self.post_message(self.Changed())

    async def on_window_changed(self) -> None:
        """Redraw, but seldom on a slow line."""
        wait = SELDOM - (monotonic() - self._drawn_at) if self.terminal.slow else 0.0
        if wait > 0:
            self.set_timer(wait, self._redraw)
        else:
            await self._redraw()

    async def _redraw(self) -> None:
        self._due = False
        await self._update(asked=False)

    async def _update(self, *, asked: bool) -> None:
        """Show the desk's view, after input or a change by itself."""
        if self._busy:
            return
        self._request_root()
        if self.desk.over:
            self.exit()
        if self.desk.over or isinstance(self.screen, CommandPalette):
            return
        self._heed_cursor()
        self._heed_choices()
        screen = self.desk.screen
        self.view = self.desk.view
        if screen is not self.desk.screen:
            screen, self.view = self.desk.screen, self.desk.view
        if self.state.meet(self.view, asked=asked):
            self.desk.moved(self.state.cursor)
            self.view = self.desk.view
            self.state.meet(self.view, asked=False)
        self.shown = screen
        await self._show()

    def _heed_cursor(self) -> None:
        """Report a cursor moved in a list to the desk."""
        page = self.page
        if page.state is self.state and page.cursor not in ("", self.state.cursor):
            self.state.cursor, self.state.has_moved = page.cursor, True
            if page.scrolls["right"].scroll_y:
                page.scrolls["right"].scroll_home(animate=False)
            self.desk.moved(page.cursor)

    def _heed_choices(self) -> None:
        """Report changed selections to the desk."""
        page = self.page
        if page.state is self.state:
            for key in page.form.turned(self.state.values):
                self.state.values = page.form.values()
                self.desk.turned(key, self.state.values)

    async def _show(self) -> None:
        below = self.desk.below if self.view.over else None
        if not self.view.over:
            self._under = self.state
            if self.dialog is not None:
                await self.pop_screen()
                self.dialog = None
        if below is not None or not self.view.over:
            await self.whole.show(below or self.view, self._under, self.look, self.size)
        if self.view.over:
            if self.dialog is None:
                self.dialog = DialogScreen()
                await self.push_screen(self.dialog)
            await self.dialog.page.show(self.view, self.state, self.look, self.size)
        self._drawn_at = monotonic()

    def _request_root(self) -> None:
        """Ask for a password with the terminal restored to its state before the window."""
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

    async def on_resize(self, event: Resize) -> None:
        """Arrange everything anew, once Textual knows the new size. Not in the screen's own task, which could
        not close the screen."""
        self.call_after_refresh(self.post_message, self.Changed())

    async def on_event(self, event: Event) -> None:
        """Handle keys here in order, except keys for an open list or palette."""
        if isinstance(event, Key) and event.key in QUITTING:
            await self._close()
        if not isinstance(event, (Key, Paste)) or self._is_open:
            await super().on_event(event)
        elif isinstance(event, Key):
            await self._press(event.key, event.character)
        else:
            await self._paste(event.text)

    def _display(self, screen: TextualScreen[object], renderable: RenderableType | None) -> None:
        """Send only changed cells, and place the terminal's cursor."""
        self.cursor_position = self.page.cursor_offset or self.cursor_position
        if isinstance(renderable, CompositorUpdate) and not self.is_headless:
            renderable = self._on_terminal.difference(renderable)
        super()._display(screen, renderable)

    @property
    def _is_open(self) -> bool:
        """True while the palette or the list of a selection is open."""
        return isinstance(self.screen, CommandPalette) or any(
            choice.expanded for choice in self.page.query(ChoiceField)
        )

    async def _close(self) -> None:
        """Close the palette and the list of a selection."""
        if isinstance(self.screen, CommandPalette):
            await self.pop_screen()
        for choice in self.page.query(ChoiceField):
            choice.expanded = False

    async def _press(self, key: str, character: str | None) -> None:
        if self._due:
            await self._update(asked=False)
        self.desk.interrupted = key == "ctrl+c"
        if key in QUITTING:
            self._quit()
        elif self.page.is_small:
            return
        elif key == SEARCH.key:
            self._search()
        elif self.view.fields:
            await self._press_in_fields(key, character)
        else:
            await self._press_in_list(key, character)
        await self._update(asked=True)

    def _quit(self) -> None:
        """Quit. A second Ctrl+C confirms the question about quitting, but no other question."""
        confirming = self._ending is not None and self.desk.screen is self._ending
        name = "yes" if confirming and self.view.action("yes") else "quit"
        action = self.view.action(name)
        if action is not None:
            self._act(action)

    def _act(self, action: Action) -> None:
        """Do an action at the cursor."""
        before = self.desk.screen
        self._acts = True
        row = self.state.cursor if self.view.rows is not None else ""
        self.desk.act(action.name, row, self.page.form.values() if self.view.fields else {})
        self._acts = False
        if action.name == "quit" and self.desk.screen is not before:
            self._ending = self.desk.screen

    async def _press_in_list(self, key: str, character: str | None) -> None:
        if key.startswith(("alt+", "ctrl+")):
            character = None
        action = action_of(self.view, key, character)
        if key in ("left", "right"):
            action = action or self.view.action("open" if key == "right" else "close")
        scrolling = isinstance(self.focused, Scroll)
        if action is not None and not (scrolling and key in PAGES):
            self._act(action)
        else:
            if self.focused is None or not self.focused.allow_focus():
                self.page.focus_main()
            await self._run_binding(key)

    async def _press_in_fields(self, key: str, character: str | None) -> None:
        focused, row = self.focused, self.page.form.focused_row()
        self.state.focus = row.field.key if row is not None else self.state.focus
        action = action_of(self.view, key, character)
        is_text = character is not None and character.isprintable() and not key.startswith(("alt+", "ctrl+"))
        if key == "enter" and isinstance(focused, Scroll):
            self.page.focus_main()
        elif key == "enter":
            if action is not None:
                self._act(action)
        elif is_text and not isinstance(focused, ChoiceField):
            self._type(str(character))
        elif not await self._run_binding(key) and action is not None:
            self._act(action)

    async def _run_binding(self, key: str) -> bool:
        """Run the focused widget's binding of a key. Returns False for other keys."""
        bound = self.screen.active_bindings.get(key)
        return bound is not None and bound.enabled and await self.run_action(bound.binding.action, bound.node)

    def _type(self, text: str) -> None:
        """Type into the field, also while a pane has the focus."""
        if self.page.form.focused_row() is None:
            self.page.focus_main()
        if isinstance(self.focused, Entry):
            self.focused.enter(text)

    async def _paste(self, text: str) -> None:
        """Type the first line of pasted text."""
        await self._update(asked=True)
        if self.view.fields and text.strip():
            self._type(text.strip().splitlines()[0])
            await self._update(asked=True)

    def _search(self) -> None:
        """Open the palette."""
        self.push_screen(CommandPalette(placeholder=str(SEARCH.label)))

    async def on_command_palette_closed(self) -> None:
        """Show changes of the desk."""
        self.call_later(self._update, asked=False)

    def action_perform(self, name: str, screen: DeskScreen | None = None) -> None:
        """Do an action of a screen, clicked or chosen from the palette."""
        self.post_message(self.Chosen(screen or self.shown, name))

    async def on_window_chosen(self, event: Chosen) -> None:
        """Do an action, unless the screen has changed."""
        await self._update(asked=True)
        action = self.view.action(event.name)
        if event.name == SEARCH.name:
            self._search()
        elif action is not None and event.screen is self.shown:
            self._act(action)
            await self._update(asked=True)

    async def on_option_list_option_highlighted(self) -> None:
        """Follow the mouse in a list."""
        if self.page.cursor != self.state.cursor:
            await self._update(asked=True)

    async def on_option_list_option_selected(self) -> None:
        """Do what Enter does, after a double click."""
        await self._update(asked=True)
        if (action := action_of(self.view, "enter", None)) is not None:
            self._act(action)
            await self._update(asked=True)

    async def on_select_changed(self) -> None:
        """Report a selection to the desk."""
        await self._update(asked=True)


def _driver(terminal: Terminal) -> type[Driver] | None:
    """Return a driver for a slow line or the console, or None for Textual's own."""
    if terminal.slow:
        return SerialDriver
    return ClearingDriver if terminal.glyphs is Glyphs.CONSOLE else None
