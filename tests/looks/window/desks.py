"""An artificial desk, whose views the window draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wizard.ui.desk import Screen
from wizard.ui.view import View


class MadeUpScreen(Screen):
    """A screen without function."""

    def __init__(self) -> None:
        """Create it without a desk."""


class MadeUpDesk:
    """Shows a stack of views, and records the calls."""

    def __init__(self, *views: View) -> None:
        self.views = list(views)
        self.screens = [MadeUpScreen() for _ in views]
        self.told: list[tuple[object, ...]] = []
        self.does: dict[str, Callable[[], None]] = {}
        self.errand: Callable[[], None] | None = None
        self.over = self.interrupted = False
        self.changed: Callable[[], None] = lambda: None

    @property
    def view(self) -> View:
        return self.views[-1]

    @property
    def below(self) -> View | None:
        return next((view for view in reversed(self.views[:-1]) if not view.over), None)

    @property
    def screen(self) -> MadeUpScreen:
        return self.screens[-1]

    def shown(self) -> tuple[MadeUpScreen, View]:
        return self.screen, self.view

    def go(self, view: View) -> None:
        self.views.append(view)
        self.screens.append(MadeUpScreen())

    def back(self) -> None:
        self.views.pop()
        self.screens.pop()

    def become(self, view: View) -> None:
        self.views[-1] = view
        self.changed()

    def act(self, name: str, row: str = "", values: Mapping[str, str] | None = None) -> None:
        self.told.append(("act", name, row, dict(values or {})))
        self.does.get(name, lambda: None)()
        self.changed()

    def moved(self, row: str) -> None:
        self.told.append(("moved", row))

    def turned(self, field: str, values: Mapping[str, str]) -> None:
        self.told.append(("turned", field, dict(values)))
