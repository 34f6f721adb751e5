"""The window in Textual: redraws, sizes, background work, the mouse and the end."""

import threading
from dataclasses import replace

from pytest import MonkeyPatch

from tests.looks.window.made_views import DRIVES, FORM, PLAN, REVIEW
from tests.looks.window.opened import MANY, opened
from wizard.ui.view import Piece, View
from wizard.window.run import wants_mouse
from wizard.window.terminal import Colours, Glyphs, Terminal

SERIAL = Terminal(Glyphs.ASCII, Colours.NONE, slow=True)


def test_change_from_a_thread_is_drawn() -> None:
    with opened(DRIVES) as (desk, window):
        said = replace(DRIVES, said=Piece("sdd was plugged in."))
        threading.Thread(target=lambda: desk.become(said)).start()
        window.until(lambda: "sdd was plugged in." in window.text())


def test_enter_typed_ahead_acts_on_the_next_screen() -> None:
    with opened(DRIVES) as (desk, window):
        desk.does["actions"] = lambda: desk.go(PLAN)
        desk.does["review"] = lambda: desk.go(REVIEW)
        window.press("enter", "enter", "enter")
        assert [told[1] for told in desk.told if told[0] == "act"] == ["actions", "review", "apply"]


def test_secret_is_not_shown() -> None:
    with opened(PLAN, FORM) as (_, window):
        window.press("down", "down", "down", *"geheim")
        assert "geheim" not in window.text()
        assert "••••••" in window.text()


def test_errand_runs_once_and_the_screen_is_redrawn() -> None:
    with opened(DRIVES) as (desk, window):
        done: list[str] = []

        def errand() -> None:
            desk.errand = None
            done.append("asked")
            desk.become(replace(DRIVES, about="now as root"))

        desk.does["why"] = lambda: setattr(desk, "errand", errand)
        window.press("w")
        window.until(lambda: "now as root" in window.text())
        assert done == ["asked"]


def test_app_ends_when_the_desk_is_over() -> None:
    with opened(DRIVES) as (desk, window):
        desk.does["quit"] = lambda: setattr(desk, "over", True)
        window.press("q")
        window.until(lambda: not window.app.is_running or window.app._exit)


def test_slow_line_is_drawn_promptly_only_for_keys() -> None:
    with opened(DRIVES, terminal=SERIAL) as (desk, window):
        drawn: list[View] = []
        show = window.app._show

        async def noted() -> None:
            drawn.append(window.app.view)
            await show()

        window.app._show = noted  # type: ignore[method-assign]
        for number in range(20):
            desk.become(replace(DRIVES, about=f"change {number}"))
            window.run(window.pilot.pause(0.005))
        assert len(drawn) <= 1
        window.press("down")
        assert 1 <= len(drawn) <= 3
        window.until(lambda: "change 19" in window.text())


def test_mouse_is_enabled_if_present(monkeypatch: MonkeyPatch) -> None:
    monkeypatch.delenv("DISKWRIGHT_MOUSE", raising=False)
    assert wants_mouse(MANY)
    assert not wants_mouse(SERIAL)
    assert not wants_mouse(Terminal(Glyphs.CONSOLE, Colours.EIGHT))
    monkeypatch.setenv("DISKWRIGHT_MOUSE", "0")
    assert not wants_mouse(MANY)
