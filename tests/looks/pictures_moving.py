"""Pictures of every step to ext4, taken on one walk: the ways and the steps are the rules' own, of a made-up
filesystem."""

from textual.pilot import Pilot

from tests.looks.pictures import Take, pictured
from tests.looks.rehearsal import MODERN, press, shown, step, until
from tests.unit.moving import MovingServices
from wizard.services.session import Session
from wizard.tui.console.terminal import Terminal

NAMES = (
    "ext4-1-drives",
    "ext4-2-ways",
    "ext4-2-help",
    "ext4-3-preview",
    "ext4-4-confirm",
    "ext4-5-running",
    "ext4-6-result",
)


async def walk_moving(columns: int, lines: int, terminal: Terminal = MODERN) -> dict[str, str]:
    """Name and SVG of every picture, in the order of the steps."""
    services = MovingServices()

    async def steps(pilot: Pilot[Session], take: Take) -> None:
        await _plan(pilot, take)
        await _run(pilot, take, services)

    return await pictured(services, (columns, lines), terminal, steps)


async def _plan(pilot: Pilot[Session], take: Take) -> None:
    await step(pilot, 1)
    await until(lambda: "[m] to ext4" in shown(pilot) and "reading .." not in shown(pilot), pilot)
    await take("ext4-1-drives")
    await press(pilot, "m")
    await step(pilot, 2)
    await until(lambda: "> Everything (full)" in shown(pilot), pilot)
    await take("ext4-2-ways")
    await press(pilot, "f1")
    await take("ext4-2-help")
    await press(pilot, "escape", "enter")
    await step(pilot, 3)
    await take("ext4-3-preview")
    await press(pilot, "enter")
    await step(pilot, 4)
    await take("ext4-4-confirm")


async def _run(pilot: Pilot[Session], take: Take, services: MovingServices) -> None:
    await press(pilot, "tab", "=S1", "enter", "enter")
    await step(pilot, 5)
    await until(lambda: "working   4." in shown(pilot) and "47 percent" in shown(pilot), pilot)
    await take("ext4-5-running")
    services.applied.set()
    await until(lambda: "Done: every step" in shown(pilot), pilot)
    await press(pilot, "enter")
    await step(pilot, 6)
    await take("ext4-6-result")
