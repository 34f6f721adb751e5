"""A filesystem in use: the ways say so, and w writes one of them down for a rescue medium that tells what to
do there."""

from pathlib import Path

from textual.pilot import Pilot

from tests.looks.rehearsal import flat, highlight, perform, press, shown, step, until
from tests.unit.migrations import EXT3, situation
from tests.unit.moving import MovingServices
from wizard.migrate.carried_document import read_carried
from wizard.model.migration import Way
from wizard.services.session import Session
from wizard.tui.widgets.lineview import LineView


async def to_ways(pilot: Pilot[Session]) -> None:
    await step(pilot, 1)
    await until(lambda: "/dev/sda" in shown(pilot) and "reading .." not in shown(pilot), pilot)
    await press(pilot, "m")
    await step(pilot, 2)
    await until(lambda: "(full)" in shown(pilot), pilot)


def test_the_way_for_the_running_root_is_written_down(tmp_path: Path) -> None:
    found = situation(is_root=True, mounts=("/",), device_bytes=EXT3.size_bytes)
    services, plan = MovingServices(found), tmp_path / "carry.json"

    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        assert "[w] carry" in flat(pilot)
        await highlight(pilot, "#moving-ways", "mount")
        await press(pilot, "w")
        await until(lambda: "Only the ways light and full can be carried" in flat(pilot), pilot)
        await highlight(pilot, "#moving-ways", "full")
        await press(pilot, "w")
        await until(lambda: "Save the plan to be carried" in shown(pilot), pilot)
        await press(pilot, "ctrl+u", f"={plan}", "enter")
        await until(lambda: "What to do with the plan" in shown(pilot), pilot)
        told = " ".join(pilot.app.screen.query_one("#said", LineView).plain.split())
        assert "Start the computer from a rescue medium" in told and "sudo diskwright keep" in told

    perform(job, services)
    assert read_carried(plan.read_text(), "carry.json").way is Way.FULL and not services.begun


def test_what_nobody_uses_is_not_carried() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        assert "[w]" not in flat(pilot)
        await press(pilot, "w")
        assert "Save the plan" not in shown(pilot)

    perform(job, MovingServices())
