"""The wizard by its keys: forth and back, what it refuses, what it asks, and that nothing begins by
accident."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widget import Widget

from tests.looks.rehearsal import (
    CONSOLE,
    Rehearsal,
    flat,
    highlight,
    perform,
    press,
    ready,
    shown,
    step,
    to_step,
    until,
    wizard,
)
from tests.looks.workshop import workshop
from tests.unit.machines import drive as made_up_drive
from wizard.layout.document import read_plan
from wizard.model.machine import Drive, Machine
from wizard.probe.interpret import machine_of
from wizard.services.session import Session
from wizard.tui.widgets.words import para, wrapped


def test_back_goes_to_the_first_step_and_nothing_is_forgotten() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 2)
        await highlight(pilot, "#purposes", "large-media")
        await press(pilot, "enter")
        await step(pilot, 3)
        await highlight(pilot, "#ranking", "btrfs")
        await press(pilot, "enter")
        await step(pilot, 4)
        await press(pilot, "enter")
        await step(pilot, 5)
        for number in (4, 3, 2, 1):
            await press(pilot, "b")
            await step(pilot, number)
        await until(lambda: "> /dev/sda" in shown(pilot), pilot)
        await press(pilot, "b")
        await step(pilot, 1)
        await press(pilot, "enter")
        await step(pilot, 2)
        assert "> Large media files" in shown(pilot)
        await press(pilot, "enter")
        await step(pilot, 3)
        assert "> btrfs" in shown(pilot)

    perform(job)


def test_another_drive_forgets_what_was_decided_for_the_first() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 5)
        for number in (4, 3, 2, 1):
            await press(pilot, "b")
            await step(pilot, number)
        await until(lambda: "> /dev/sda" in shown(pilot), pilot)
        await press(pilot, "down")
        for number in (2, 3, 4, 5):
            await press(pilot, "enter")
            await step(pilot, number)
        assert "/dev/sdb1" in pilot.app.screen.query_one("#preview").plain  # type: ignore[attr-defined]
        assert "/dev/sda" not in pilot.app.screen.query_one("#preview").plain  # type: ignore[attr-defined]

    perform(job)


def test_a_drive_in_use_or_unread_is_not_taken_and_says_why() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await ready(pilot)
        await press(pilot, "enter")
        await until(
            lambda: "Nothing is planned for a drive in use." in "".join(shown(pilot).splitlines()[-4:-2]),
            pilot,
        )
        await press(pilot, "end", "enter")
        await until(lambda: "did not answer within 10 s" in "".join(shown(pilot).splitlines()[-5:-2]), pilot)
        await step(pilot, 1)

    perform(job)


def test_quitting_asks_and_no_is_the_default() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 3)
        await press(pilot, "q")
        await until(lambda: "End the wizard?" in shown(pilot), pilot)
        assert "> [ No, go on ]" in shown(pilot)
        await press(pilot, "enter")
        await step(pilot, 3)
        await press(pilot, "q", "escape")
        await step(pilot, 3)
        assert pilot.app.is_running
        await press(pilot, "q", "right", "enter")

    assert perform(job) is not None


def test_ctrl_c_asks_too() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 2)
        await press(pilot, "ctrl+c")
        await until(lambda: "End the wizard?" in shown(pilot), pilot)
        await press(pilot, "ctrl+c")

    assert perform(job) is not None


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (("9Q", "", ""), "is not a size"),
        (("1K", "", ""), "too small"),
        (("900T", "", ""), "can be used"),
        (("", "a/b", ""), "holds a slash"),
        (("", "seventeen-letters", ""), "longer than the 16 bytes"),
        (("", "", "srv"), "is not an absolute path"),
        (("", "", "/etc/x"), "would hide what the running system needs"),
    ],
)
def test_the_form_says_what_is_wrong_and_stays(fields: tuple[str, str, str], said: str) -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 4)
        await press(pilot, "e")
        await until(lambda: "This volume" in shown(pilot), pilot)
        await press(pilot, f"={fields[0]}", "down", f"={fields[1]}", "down", f"={fields[2]}", "enter")
        await until(lambda: said in flat(pilot), pilot)
        assert "This volume" in shown(pilot)
        await press(pilot, "escape")
        await step(pilot, 4)
        assert "not mounted" in shown(pilot)

    perform(job)


def test_two_volumes_cannot_both_take_the_rest() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 4)
        await press(pilot, "a")
        await until(lambda: "A new volume" in shown(pilot), pilot)
        await press(pilot, "enter")
        await until(lambda: "Only one volume" in shown(pilot), pilot)
        await press(pilot, "=100G", "enter")
        await until(lambda: "100 GiB" in shown(pilot), pilot)
        await press(pilot, "down", "r")
        await until(lambda: "100 GiB" not in shown(pilot), pilot)
        await press(pilot, "r")
        await until(lambda: "The last volume stays" in shown(pilot), pilot)

    perform(job)


def test_the_impossible_way_says_why_and_is_not_taken() -> None:
    services = Rehearsal(machine_of(workshop()))

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 4)
        assert "(*) Use the free space" in shown(pilot)
        await press(pilot, "e")
        await until(lambda: "This volume" in shown(pilot), pilot)
        await press(pilot, "=7T", "enter")
        await press(pilot, "escape", "shift+tab", "up")
        await until(lambda: "(*) Replace everything" in shown(pilot), pilot)
        await press(pilot, "tab", "e")
        await until(lambda: "This volume" in shown(pilot), pilot)
        await press(pilot, "=7T", "enter")
        await until(lambda: "7 TiB" in shown(pilot), pilot)
        assert "not possible: The volume" in shown(pilot)
        await press(pilot, "shift+tab", "down")
        await until(lambda: "Ask for less." in shown(pilot), pilot)
        assert "(*) Replace everything" in shown(pilot)

    perform(job, services)


def test_a_filesystem_with_an_obstacle_is_not_taken() -> None:
    machine = machine_of(workshop())
    without = replace(machine, tools=tuple(tool for tool in machine.tools if tool[0] != "mkfs.btrfs"))

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 3)
        await highlight(pilot, "#ranking", "btrfs")
        await press(pilot, "enter")
        await until(lambda: "btrfs cannot be taken: " in shown(pilot) and "> btrfs" in shown(pilot), pilot)
        await step(pilot, 3)

    perform(job, Rehearsal(without))


def test_the_plan_is_saved_as_it_is_shown_and_no_file_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "p"

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 5)
        for said in ("The plan is saved", "exists already"):
            await press(pilot, "s")
            await until(lambda: "Save the plan" in shown(pilot), pilot)
            await press(pilot, "ctrl+u", "p", "enter")
            await until(lambda said=said: said in flat(pilot), pilot)  # type: ignore[misc]
        screen = pilot.app.screen
        plan = screen.session.plan  # type: ignore[attr-defined]
        assert read_plan(path.read_text(), str(path)) == plan

    perform(job)


class Hotplug(Rehearsal):
    """A machine on which one drive hangs, and another comes and goes."""

    def __init__(self) -> None:
        super().__init__(
            Machine(machine_of(workshop()).kernel, (made_up_drive(path="/dev/sda", serial="A"),))
        )
        self.hang, self.change, self.over = threading.Event(), threading.Event(), threading.Event()
        self.drives: tuple[Drive, ...] = self.machine.drives

    def drive_paths(self) -> tuple[str, ...]:
        return (*(drive.path for drive in self.drives), "/dev/sdz")

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        for drive in self.drives:
            on_drive(drive)
        self.hang.wait(10)
        late = made_up_drive(path="/dev/sdz", serial="Z", model="Late")
        return replace(self.machine, drives=(*self.drives, late))

    def changes(self, stop: threading.Event) -> Iterator[None]:
        while not self.over.is_set() and not stop.is_set():
            if self.change.wait(0.02):
                self.change.clear()
                yield None


def test_a_drive_that_hangs_keeps_no_other_waiting_and_hotplug_is_seen() -> None:
    services = Hotplug()

    async def job(pilot: Pilot[Session]) -> None:
        await until(lambda: "Example HDD 500" in shown(pilot) and "reading .." in shown(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 2)
        await press(pilot, "b")
        await step(pilot, 1)
        services.hang.set()
        await until(lambda: "Late" in shown(pilot), pilot)
        services.drives = (*services.drives, made_up_drive(path="/dev/sdq", serial="Q", model="Plugged in"))
        services.change.set()
        await until(
            lambda: "Plugged in" in shown(pilot) and "/dev/sdq was plugged in." in shown(pilot), pilot
        )
        services.drives = services.drives[:1]
        services.change.set()
        await until(lambda: "Plugged in" not in shown(pilot) and "/dev/sdq has gone." in shown(pilot), pilot)
        services.over.set()

    try:
        perform(job, services)
    finally:
        services.over.set()
        services.hang.set()


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60), (60, 20)])
def test_nothing_is_wider_than_the_screen(size: tuple[int, int]) -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await ready(pilot)
        await press(pilot, "down")
        for number in range(2, 9):
            for widget in pilot.app.screen.walk_children(Widget):
                assert widget.max_scroll_x == 0 or not widget.size, widget
                assert widget.region.right <= size[0], widget
            keys = pilot.app.screen.query_one("#keys")
            assert keys.region.bottom == size[1] and "[q] quit" in keys.plain  # type: ignore[attr-defined]
            if number < 8:
                await press(pilot, "enter")
                await step(pilot, number)

    perform(job, size=size)


def test_foreign_text_is_shown_and_does_nothing() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await ready(pilot)
        await press(pilot, "down", "down", "down")
        await until(lambda: '"?[31m$(reboot)[bold]"' in shown(pilot), pilot)
        assert "\x1b" not in shown(pilot)

    perform(job)


def test_the_cursor_of_the_terminal_follows_the_focus() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await ready(pilot)
        rows = shown(pilot).splitlines()
        await press(pilot, "down")
        await pilot.pause()
        assert "/dev/sda " in rows[pilot.app.cursor_position.y] and pilot.app.cursor_position.x == 1
        await press(pilot, "tab")
        await pilot.pause()
        assert shown(pilot).splitlines()[pilot.app.cursor_position.y].startswith(" Drive:")

    perform(job)


def test_the_console_gets_eight_colours_only() -> None:
    async def run() -> None:
        app = wizard(terminal=CONSOLE)
        async with app.run_test(size=(80, 24)) as pilot:
            await ready(pilot)
            for strip in app.screen._compositor.render_strips():
                for segment in strip:
                    for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                        assert colour is None or colour.number is None or colour.number < 8, segment
                        assert colour is None or colour.triplet is None, segment

    asyncio.run(run())


def test_wide_characters_are_wrapped_by_their_cells() -> None:
    lines = wrapped(para("客" * 30 + " and more", indent=2), 40)
    assert all(cell_len(line.plain) <= 40 for line in lines)
    assert "".join(line.plain for line in lines).replace(" ", "") == "客" * 30 + "andmore"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_the_program_is_said_and_nobody_waits() -> None:
    class Faulty(Rehearsal):
        def __init__(self) -> None:
            super().__init__()
            self.broken = True

        def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
            if self.broken:
                raise KeyError("a fault")
            return super().probe(on_drive)

    services = Faulty()

    async def job(pilot: Pilot[Session]) -> None:
        await until(lambda: "KeyError('a fault')" in flat(pilot), pilot)
        services.broken = False
        await press(pilot, "r")
        await ready(pilot)

    perform(job, services)
