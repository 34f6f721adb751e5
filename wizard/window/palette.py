"""Textual's command palette with the actions of the current view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from rich.text import Text
from textual.app import App
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.markup import escape

from wizard.model.said import t
from wizard.ui.desk import Screen
from wizard.ui.view import View
from wizard.window.keys import key_name
from wizard.window.text import shown

PLACEHOLDER = t("Search the actions of this screen")


class PaletteApp(App[None]):
    """The interface of the window that the palette needs."""

    view: View
    shown: Screen

    def action_perform(self, name: str, screen: Screen | None = None) -> None:
        """Do an action of a screen, by default the one that is shown."""
        raise NotImplementedError


class ActionPalette(Provider):
    """Offers every action of the view, including those that the line of keys omits."""

    async def discover(self) -> Hits:
        """Yield all actions."""
        for text, help_text, do in self._offers():
            yield DiscoveryHit(Text(text), do, text, help_text)

    async def search(self, query: str) -> Hits:
        """Yield the actions whose name or key matches."""
        matcher = self.matcher(query)
        for text, help_text, do in self._offers():
            if score := matcher.match(text):
                yield Hit(score, Text(text), do, text, help_text)

    def _offers(self) -> Iterator[tuple[str, str | None, Callable[[], None]]]:
        app = self.app
        assert isinstance(app, PaletteApp)
        for action in app.view.actions:
            label = shown(action.label)
            text = f"{label[:1].upper()}{label[1:]}  {key_name(action, typing=bool(app.view.fields))}"
            reason = escape(shown(action.why_not)) or None
            yield text, reason, partial(app.action_perform, action.name, app.shown)
