"""A terminal that changes its size at any moment, over any step and any dialog: nothing crashes, and a small
one says so."""

from collections.abc import Sequence
from pathlib import Path

from textual.pilot import Pilot

from tests.looks.rehearsal import Rehearsal, flat, perform, press, shown, step, to_step, until
from wizard.model.plan import Plan
from wizard.services.session import Session
from wizard.tui.dialogs.questions import TooSmall


async def shaken(pilot: Pilot[Session]) -> None:
    """To sizes far too small and very large, and back: the same screen is there, drawn to its last line."""
    screen = pilot.app.screen
    before = shown(pilot)
    await pilot.resize_terminal(200, 60)
    await until(lambda: len(shown(pilot).splitlines()) == 60, pilot)
    assert pilot.app.screen is screen
    await pilot.resize_terminal(40, 10)
    await until(lambda: "This terminal has 40 columns and 10 lines" in flat(pilot), pilot)
    await press(pilot, "enter", "y", "q", "escape", "ctrl+c")
    await pilot.resize_terminal(9, 2)
    await until(lambda: isinstance(pilot.app.screen, TooSmall) and len(shown(pilot).splitlines()) == 2, pilot)
    await pilot.resize_terminal(60, 16)
    await until(lambda: pilot.app.screen is screen, pilot)
    assert all(len(line) <= 60 for line in shown(pilot).splitlines())
    await pilot.resize_terminal(80, 24)
    await until(lambda: shown(pilot).splitlines()[-2:] == before.splitlines()[-2:], pilot)


def test_steps() -> None:
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 1)
        for number in range(1, 10):
            await step(pilot, number)
            if number == 6:
                await press(pilot, "m")
                await until(lambda: "240 pairs" in shown(pilot), pilot)
                await shaken(pilot)
                services.measured.set()
                await until(lambda: "1.8x faster" in shown(pilot), pilot)
            await shaken(pilot)
            if number == 7:
                await press(pilot, "tab", "=ZCT0A1B2", "enter", "enter")
            elif number == 8:
                services.applied.set()
                await until(lambda: "Done, not yet in use" in shown(pilot), pilot)
                await press(pilot, "enter")
            elif number < 9:
                await press(pilot, "enter")

    perform(job, services)


def test_dialogs() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 4)
        for key, words in (
            ("f1", "Help: "),
            ("g", "Search: ["),
            ("a", "A new volume"),
            ("q", "End the wizard?"),
        ):
            await press(pilot, key)
            await until(lambda words=words: words in shown(pilot), pilot)  # type: ignore[misc]
            await shaken(pilot)
            await press(pilot, "escape")
            await step(pilot, 4)
        await press(pilot, "enter")
        await step(pilot, 5)
        for key, words in (("s", "Save the plan"), ("e", "Reasons of the steps")):
            await press(pilot, key)
            await until(lambda words=words: words in shown(pilot), pilot)  # type: ignore[misc]
            await shaken(pilot)
            await press(pilot, "escape")
            await step(pilot, 5)

    perform(job)


def test_one_that_is_small_from_the_start_goes_on_when_it_is_larger() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await until(lambda: "diskwright needs 60 and 16" in flat(pilot), pilot)
        await pilot.resize_terminal(80, 24)
        await step(pilot, 1)

    perform(job, size=(50, 12))


def test_a_run_that_begins_under_an_open_page_takes_the_page_away() -> None:
    class Slow(Rehearsal):
        """Starting waits until a test lets it."""

        def start(self, plan: Plan, tokens: Sequence[str], secret: bytes | None = None) -> Path:
            self.measured.wait(10)
            return super().start(plan, tokens)

    services = Slow()

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        await press(pilot, "tab", "=ZCT0A1B2", "enter", "enter")
        await until(lambda: "Looking at the drive once more" in shown(pilot), pilot)
        await press(pilot, "f1")
        await until(lambda: "Help: Confirm" in shown(pilot), pilot)
        services.measured.set()
        await step(pilot, 8)
        assert [type(screen).__name__ for screen in pilot.app.screen_stack[1:]] == ["ApplyingScreen"]
        services.applied.set()

    perform(job, services)
