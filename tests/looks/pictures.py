"""Pictures of every step, taken on one walk through the rehearsed wizard."""

import re
from collections.abc import Awaitable, Callable

from textual.pilot import Pilot

from tests.looks.rehearsal import MODERN, Rehearsal, highlight, press, ready, shown, step, until, wizard
from wizard.services.contract import Services
from wizard.services.session import Session
from wizard.tui.console.terminal import Terminal
from wizard.tui.widgets.rows import Rows

Take = Callable[[str], Awaitable[None]]


async def walk(columns: int, lines: int, terminal: Terminal = MODERN) -> dict[str, str]:
    """Name and SVG of every picture, in the order of the steps."""
    services = Rehearsal()

    async def steps(pilot: Pilot[Session], take: Take) -> None:
        await _choose(pilot, take)
        await _plan(pilot, take)
        await _measure(pilot, take, services)
        await _apply(pilot, take, services)

    return await pictured(services, (columns, lines), terminal, steps)


async def pictured(
    services: Services,
    size: tuple[int, int],
    terminal: Terminal,
    steps: Callable[[Pilot[Session], Take], Awaitable[None]],
) -> dict[str, str]:
    """Name and SVG of every picture that is taken while someone goes these steps."""
    taken: dict[str, str] = {}
    app = wizard(services, terminal)
    async with app.run_test(size=size) as pilot:

        async def take(name: str) -> None:
            await pilot.pause()
            taken[name] = plain_svg(app.export_screenshot(title="diskwright"))

        await steps(pilot, take)
    return taken


def plain_svg(svg: str) -> str:
    """Without the address of a font on somebody's server."""
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace(
        "font-family: Fira Code, monospace", "font-family: DejaVu Sans Mono, Menlo, Consolas, monospace"
    )
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


async def _choose(pilot: Pilot[Session], take: Take) -> None:
    await ready(pilot)
    await take("1-drives-in-use")
    await press(pilot, "down")
    await take("1-drives")
    await press(pilot, "f1")
    await take("1-help")
    await press(pilot, "escape", "g", *"stripe")
    await take("1-glossary")
    await press(pilot, "escape", "e")
    await take("1-reasons")
    await press(pilot, "escape", "enter")
    await step(pilot, 2)
    await highlight(pilot, "#purposes", "large-media")
    await take("2-purpose")
    await press(pilot, "enter")
    await step(pilot, 3)
    await take("3-advice")
    await press(pilot, "e")
    await take("3-evidence")
    await press(pilot, "escape")
    await step(pilot, 3)
    await open_options(pilot)
    await highlight(pilot, "#offers", "ext4-inode-per-8k")
    await press(pilot, "enter")
    await take("3-options")
    await press(pilot, "enter", "escape")
    await step(pilot, 3)
    await take_danger(pilot, take, "3-danger")
    await press(pilot, "enter")


async def open_options(pilot: Pilot[Session]) -> None:
    """The options of the highlighted filesystem, as soon as they are listed."""
    await press(pilot, "o")
    await until(
        lambda: (
            " Options: " in shown(pilot) and "advised" in pilot.app.screen.query_one("#offers", Rows).plain
        ),
        pilot,
    )


async def take_danger(pilot: Pilot[Session], take: Take, name: str) -> None:
    """The question before a dangerous option of ext4, which is then not taken."""
    chosen = pilot.app.screen.query_one("#ranking", Rows).current
    await highlight(pilot, "#ranking", "ext4")
    await open_options(pilot)
    await highlight(pilot, "#offers", "ext4-no-journal")
    await press(pilot, "enter")
    await until(lambda: "A dangerous option" in shown(pilot), pilot)
    await take(name)
    await press(pilot, "escape")
    await until(lambda: "A dangerous option" not in shown(pilot), pilot)
    await press(pilot, "escape")
    await step(pilot, 3)
    assert chosen is not None
    await highlight(pilot, "#ranking", chosen.key)


async def _plan(pilot: Pilot[Session], take: Take) -> None:
    await step(pilot, 4)
    await take("4-layout-free")
    await press(pilot, "shift+tab", "up", "tab", "e")
    await until(lambda: "This volume" in shown(pilot), pilot)
    await press(pilot, "=5T", "down", "down", "end", "ctrl+u", "=/srv/media", "enter")
    await until(lambda: "This volume" not in shown(pilot), pilot)
    await press(pilot, "a")
    await until(lambda: "A new volume" in shown(pilot), pilot)
    await press(pilot, "up", "up", "right", "right", "down", "down", "=99T", "enter")
    await until(lambda: "needs" in shown(pilot), pilot)
    await take("4-volume")
    await press(pilot, "backspace", "backspace", "backspace", "enter")
    await step(pilot, 4)
    await until(lambda: "rest:" in shown(pilot), pilot)
    await take("4-layout")
    await press(pilot, "enter")
    await step(pilot, 5)
    await take("5-preview")
    await press(pilot, "pagedown")
    await take("5-preview-steps")
    await press(pilot, "enter")


async def _measure(pilot: Pilot[Session], take: Take, services: Rehearsal) -> None:
    await step(pilot, 6)
    await press(pilot, "m")
    await until(lambda: "240 pairs" in shown(pilot), pilot)
    await take("6-measuring")
    services.measured.set()
    await until(lambda: "1.8x faster" in shown(pilot), pilot)
    await take("6-benchmark")
    await press(pilot, "enter")


async def _apply(pilot: Pilot[Session], take: Take, services: Rehearsal) -> None:
    await step(pilot, 7)
    await take("7-confirm")
    await press(pilot, "tab", "=ZCT0A1B2", "enter", "enter")
    await step(pilot, 8)
    await until(lambda: "working   2." in shown(pilot), pilot)
    await take("8-applying")
    services.applied.set()
    await until(lambda: "Enter: keep it or take it back" in shown(pilot), pilot)
    await press(pilot, "enter")
    await step(pilot, 9)
    await take("9-waiting")
    await press(pilot, "u")
    await until(lambda: "Take it back?" in shown(pilot), pilot)
    await take("9-undo")
    await press(pilot, "escape")
    await step(pilot, 9)
    await press(pilot, "k", "y")
    await until(lambda: "Kept." in shown(pilot), pilot)
    await take("9-result")
