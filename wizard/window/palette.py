"""The command palette: all actions of the screen, also those for which the footer has no room."""

from collections.abc import Callable
from functools import partial

from textual.app import App
from textual.markup import escape

from wizard.model.said import t
from wizard.window.canvas import key_name, shown
from wizard.window.keyboard import Keyboard

CSS = """/**/
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


def open_palette(app: App[None], keyboard: Keyboard, done: Callable[[], None]) -> None:
    """Open the palette for the current screen. `done` is called after an action.

    Ignores an action of an earlier screen.
    """
    screen, view = keyboard.desk.screen, keyboard.view

    def perform(name: str) -> None:
        if keyboard.desk.screen is screen:
            keyboard.click("action", name, twice=False)
        done()

    offers: list[tuple[str, Callable[[], None], str | None]] = []
    for action in view.actions:
        label = shown(action.label)
        text = f"{label[:1].upper()}{label[1:]}  {key_name(action, typing=bool(view.fields))}"
        why_not = escape(shown(action.why_not)) or None
        offers.append((escape(text), partial(perform, action.name), why_not))
    app.search_commands(offers, str(t("Search for an action")))
