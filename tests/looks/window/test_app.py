"""The window in Textual: redraws, sizes, background work, the mouse and the end."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import cast

from msgspec.structs import replace
from pytest import MonkeyPatch
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.looks.window.desks import MadeUpDesk
from tests.looks.window.extreme_views import CROWDED
from tests.looks.window.made_views import DRIVES, FORM, PLAN, REVIEW
from wizard.ui.desk import Desk
from wizard.ui.view import Piece, View
from wizard.window.app import Window
from wizard.window.run import wants_mouse
from wizard.window.terminal import Colours, Glyphs, Terminal

MANY = Terminal(Glyphs.ALL, Colours.ANY)
SERIAL = Terminal(Glyphs.ASCII, Colours.NONE, slow=True)


def window(desk: MadeUpDesk, terminal: Terminal = MANY) -> Window:
    return Window(cast(Desk, desk), terminal)


def text(app: Window) -> str:
    return "\n".join(line.text for line in app.face.sheet.lines)


def has_rows(app: Window, count: int) -> bool:
    return len(app.face.sheet.lines) == count


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    end = monotonic() + 10
    while not holds():
        assert monotonic() < end, "it never came about"
        await pilot.pause(0.01)


def test_change_from_a_thread_is_drawn() -> None:
    async def job() -> None:
        desk = MadeUpDesk(DRIVES)
        app = window(desk)
        async with app.run_test(size=(80, 24)) as pilot:
            said = replace(DRIVES, said=Piece("sdd was plugged in."))
            threading.Thread(target=lambda: desk.become(said)).start()
            await until(pilot, lambda: "sdd was plugged in." in text(app))

    asyncio.run(job())


def test_keys_reach_the_desk_in_order() -> None:
    async def job() -> None:
        desk = MadeUpDesk(PLAN, FORM)
        app = window(desk)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("x", "down", "down", "7", "down", "p", "enter")
            assert desk.told[-1] == (
                "act",
                "take",
                "",
                {"label": "mediax", "filesystem": "ext4", "size": "7", "secret": "p"},
            )
            assert "mediax" in text(app) and "7" in text(app)

    asyncio.run(job())


def test_secret_is_not_shown() -> None:
    async def job() -> None:
        desk = MadeUpDesk(PLAN, FORM)
        app = window(desk)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("down", "down", "down", *"geheim")
            assert "geheim" not in text(app)
            assert "••••••" in text(app)

    asyncio.run(job())


def test_paste_is_typed() -> None:
    async def job() -> None:
        app = window(MadeUpDesk(REVIEW))
        async with app.run_test(size=(80, 24)) as pilot:
            app.post_message(Paste("XYZ0\r\n"))
            await until(pilot, lambda: app.keyboard.state.value("token") == "XYZ0")

    asyncio.run(job())


def test_another_size_is_another_layout() -> None:
    async def job() -> None:
        app = window(MadeUpDesk(CROWDED))
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("end")
            for size in ((120, 36), (60, 16), (40, 10), (80, 24)):
                await pilot.resize_terminal(*size)
                await until(pilot, partial(has_rows, app, size[1]))
                assert all(line.cell_length == size[0] for line in app.face.sheet.lines)
                shown = "partition-127" in text(app)
                assert shown if size != (40, 10) else f"{size[0]} columns" in text(app)

    asyncio.run(job())


def test_errand_runs_once_and_the_screen_is_redrawn() -> None:
    async def job() -> None:
        desk = MadeUpDesk(DRIVES)
        app = window(desk)
        done: list[str] = []

        def errand() -> None:
            desk.errand = None
            done.append("asked")
            desk.become(replace(DRIVES, about="now as root"))

        async with app.run_test(size=(80, 24)) as pilot:
            desk.does["why"] = lambda: setattr(desk, "errand", errand)
            await pilot.press("w")
            await until(pilot, lambda: "now as root" in text(app))
            assert done == ["asked"]

    asyncio.run(job())


def test_app_ends_when_the_desk_is_over() -> None:
    async def job() -> None:
        desk = MadeUpDesk(DRIVES)
        desk.does["quit"] = lambda: setattr(desk, "over", True)
        app = window(desk)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("q")
            await until(pilot, lambda: not app.is_running or app._exit)

    asyncio.run(job())


def test_slow_line_is_drawn_promptly_only_for_keys() -> None:
    async def job() -> None:
        desk = MadeUpDesk(DRIVES)
        app = window(desk, SERIAL)
        drawn: list[View] = []
        async with app.run_test(size=(80, 24)) as pilot:
            draw = app._draw

            def noted() -> None:
                drawn.append(app.keyboard.view)
                draw()

            app._draw = noted  # type: ignore[method-assign]
            for number in range(20):
                desk.become(replace(DRIVES, about=f"change {number}"))
                await pilot.pause(0.005)
            assert len(drawn) <= 1
            await pilot.press("down")
            assert len(drawn) <= 2
            await until(pilot, lambda: "change 19" in text(app))

    asyncio.run(job())


def test_mouse_does_the_same_as_keys() -> None:
    async def job() -> None:
        desk = MadeUpDesk(DRIVES)
        app = window(desk)
        async with app.run_test(size=(80, 24)) as pilot:
            spots = {spot.name: spot for spot in app.face.sheet.spots}
            await pilot.click(offset=(spots["sdb"].x + 5, spots["sdb"].y))
            assert app.keyboard.state.cursor == "sdb"
            await pilot.click(offset=(spots["why"].x + 1, spots["why"].y))
            assert desk.told[-1] == ("act", "why", "sdb", {})
            await pilot.click(offset=(spots["sda"].x + 5, spots["sda"].y), times=2)
            assert desk.told[-1] == ("act", "actions", "sda", {})

    asyncio.run(job())


def test_palette_offers_every_action_and_acts_on_the_same_screen() -> None:
    async def job() -> None:
        desk = MadeUpDesk(PLAN)
        app = window(desk)
        async with app.run_test(size=(80, 24)) as pilot:

            def offered() -> list[str]:
                lists = app.screen.query(OptionList)
                return [str(one.prompt) for found in lists for one in found.options]

            await pilot.press("ctrl+p")
            await until(pilot, lambda: len(offered()) == len(PLAN.actions))
            assert any("It is a recorded machine." in one for one in offered())
            await pilot.press(*"fsys")
            await until(pilot, lambda: len(offered()) == 1 and "Filesystem  f" in offered()[0])
            await pilot.press("enter")
            await until(pilot, lambda: ("act", "filesystem", "media", {}) in desk.told)
            desk.told.clear()
            await pilot.press("ctrl+p")
            await until(pilot, lambda: len(offered()) == len(PLAN.actions))
            desk.go(replace(PLAN, title="Another plan"))
            await pilot.press("enter")
            await until(pilot, lambda: "Another plan" in text(app))
            assert not [one for one in desk.told if one[0] == "act"], "the action of a screen that is gone"
            await pilot.press("ctrl+p")
            await until(pilot, lambda: app.screen.is_modal)
            await pilot.click(offset=(2, 1))
            await pilot.press("ctrl+c")
            await until(pilot, lambda: not app.screen.is_modal)
            assert [one[1] for one in desk.told if one[0] == "act"] == ["quit"]

    asyncio.run(job())


def test_mouse_is_enabled_if_present(monkeypatch: MonkeyPatch) -> None:
    monkeypatch.delenv("DISKWRIGHT_MOUSE", raising=False)
    assert wants_mouse(MANY)
    assert not wants_mouse(SERIAL)
    assert not wants_mouse(Terminal(Glyphs.CONSOLE, Colours.EIGHT))
    monkeypatch.setenv("DISKWRIGHT_MOUSE", "0")
    assert not wants_mouse(MANY)
