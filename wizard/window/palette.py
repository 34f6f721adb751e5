"""The command palette: all actions of the screen, also those for which the footer has no room."""

from collections.abc import Callable, Iterator
from functools import partial

from rich.text import Text
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
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


def palette_of(keyboard: Keyboard, done: Callable[[], None]) -> CommandPalette:
    """Return the palette for the current screen. `done` is called after an action.

    Ignores an action of an earlier screen.
    """
    screen = keyboard.desk.screen

    def perform(name: str) -> None:
        if keyboard.desk.screen is screen:
            keyboard.click("action", name, twice=False)
        done()

    class Actions(Provider):
        """Offers the actions of the screen."""

        async def discover(self) -> Hits:
            """Yield all actions."""
            for text, why_not, name in _offers(keyboard):
                yield DiscoveryHit(Text(text), partial(perform, name), text, why_not)

        async def search(self, query: str) -> Hits:
            """Yield the actions whose label or key matches."""
            matcher = self.matcher(query)
            for text, why_not, name in _offers(keyboard):
                if score := matcher.match(text):
                    yield Hit(score, Text(text), partial(perform, name), text, why_not)

    return CommandPalette([Actions], placeholder=str(t("Search for an action")))


def _offers(keyboard: Keyboard) -> Iterator[tuple[str, str | None, str]]:
    view = keyboard.view
    for action in view.actions:
        label = shown(action.label)
        text = f"{label[:1].upper()}{label[1:]}  {key_name(action, typing=bool(view.fields))}"
        yield text, escape(shown(action.why_not)) or None, action.name
