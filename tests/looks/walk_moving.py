"""The way through the screens to ext4, as far as a test needs it."""

from textual.pilot import Pilot

from tests.looks.rehearsal import press, shown, step, until
from tests.unit.moving import MovingServices
from wizard.services.session import Session
from wizard.tui.widgets.lineview import LineView


def said_of_drive(pilot: Pilot[Session]) -> str:
    """All that step 1 says of the marked drive: its findings stand beside its details, or below them."""
    return f"{page(pilot, '#details')} {page(pilot, '#findings')}".strip()


async def to_drives(pilot: Pilot[Session]) -> None:
    await step(pilot, 1)
    await until(lambda: "/dev/sda" in shown(pilot) and "reading .." not in shown(pilot), pilot)


async def to_ways(pilot: Pilot[Session]) -> None:
    await to_drives(pilot)
    await press(pilot, "m")
    await step(pilot, 2)
    await until(lambda: "(full)" in shown(pilot), pilot)


async def to_confirm(pilot: Pilot[Session]) -> None:
    await to_ways(pilot)
    for number in (3, 4):
        await press(pilot, "enter")
        await step(pilot, number)


async def to_run(pilot: Pilot[Session]) -> None:
    await to_confirm(pilot)
    await press(pilot, "tab", "=S1", "enter", "enter")
    await step(pilot, 5)


async def to_result(pilot: Pilot[Session], services: MovingServices) -> None:
    await to_run(pilot)
    services.applied.set()
    await until(lambda: "[Enter] the result" in shown(pilot), pilot)
    await press(pilot, "enter")
    await step(pilot, 6)


def page(pilot: Pilot[Session], name: str) -> str:
    """All that a scrolling text says, in one line."""
    return " ".join(pilot.app.screen.query_one(name, LineView).plain.split())
