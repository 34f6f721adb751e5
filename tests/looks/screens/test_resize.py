"""A terminal that is too small, or changes its size during a question or a run: no crash, no key acts
unseen, and the content returns."""

from collections.abc import Sequence
from pathlib import Path

from tests.looks.rehearsal import (
    Hand,
    Rehearsal,
    app_of,
    come,
    flat,
    perform,
    place,
    press,
    ready,
    shown,
    to_place,
    until,
)
from wizard.plan.changes import RunDocument


async def shaken(pilot: Hand) -> None:
    """Change to very small and very large sizes and back. The same screen is there, drawn to its last
    line."""
    here, before = place(pilot), shown(pilot)
    await pilot.resize_terminal(200, 60)
    await until(lambda: len(shown(pilot).splitlines()) == 60, pilot)
    assert place(pilot) == here
    await pilot.resize_terminal(40, 10)
    await until(lambda: "40 columns" in flat(pilot) and "10 lines" in flat(pilot), pilot)
    await press(pilot, "enter", "y", "q", "escape", "U", "K", "S")
    await pilot.resize_terminal(9, 2)
    await until(lambda: len(shown(pilot).splitlines()) == 2, pilot)
    await pilot.resize_terminal(60, 16)
    await until(lambda: len(shown(pilot).splitlines()) == 16 and place(pilot) == here, pilot)
    assert all(len(line) <= 60 for line in shown(pilot).splitlines())
    await pilot.resize_terminal(80, 24)
    await until(lambda: shown(pilot).splitlines()[-2:] == before.splitlines()[-2:], pilot)
    assert place(pilot) == here and app_of(pilot).is_running


def test_walk_from_the_drives_to_the_result() -> None:
    services = Rehearsal()

    async def job(pilot: Hand) -> None:
        await ready(pilot)
        await shaken(pilot)
        await press(pilot, "s")
        for name in ("purpose", "plan", "review"):
            await come(pilot, name)
            await shaken(pilot)
            if name != "review":
                await press(pilot, "enter")
        await press(pilot, "=A1B2", "enter")
        await come(pilot, "work")
        await shaken(pilot)
        services.applied.set()
        await come(pilot, "result")
        await shaken(pilot)
        await press(pilot, "U")
        await come(pilot, "question")
        await shaken(pilot)
        assert services.settled is None

    perform(job, services)


def test_input_survives_a_resize() -> None:
    async def job(pilot: Hand) -> None:
        await to_place(pilot, "review")
        await press(pilot, *"A1")
        await shaken(pilot)
        await press(pilot, "B", "2", "enter")
        await come(pilot, "result")

    services = Rehearsal()
    services.applied.set()
    perform(job, services)


def test_initially_small_screen_continues_when_enlarged() -> None:
    async def job(pilot: Hand) -> None:
        await until(lambda: "60" in flat(pilot) and "16" in flat(pilot), pilot)
        await pilot.resize_terminal(80, 24)
        await ready(pilot)
        assert "Drives" in flat(pilot)

    perform(job, size=(50, 12))


def test_run_started_under_an_open_page_is_not_hidden() -> None:
    class Slow(Rehearsal):
        """Starting waits until the test continues."""

        def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
            self.measured.wait(10)
            return super().start(document, tokens)

    services = Slow()

    async def job(pilot: Hand) -> None:
        await to_place(pilot, "review")
        await press(pilot, "=A1B2", "enter")
        await press(pilot, "f1")
        services.measured.set()
        await come(pilot, "work")
        services.applied.set()

    perform(job, services)
