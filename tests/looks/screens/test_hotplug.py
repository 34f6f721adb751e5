"""A drive is unplugged during a step: a message, then the list. Another drive at its node is not mistaken
for it."""

import queue
import threading
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from tests.looks.rehearsal import (
    Hand,
    Rehearsal,
    app_of,
    come,
    flat,
    highlight,
    perform,
    place,
    press,
    ready,
    rows,
    shown,
    until,
)
from tests.unit.machines import drive as made_up_drive
from wizard.model.machine import Drive, Machine

KEPT = made_up_drive(path="/dev/sda", serial="A", model="Stays", diskseq=1)
PULLED = made_up_drive(path="/dev/sdb", serial="B", model="Pulled", diskseq=2)
OTHER = made_up_drive(path="/dev/sdb", serial="C", model="Other", diskseq=3)


class Plugs(Rehearsal):
    """Drives that stay attached until a test changes them."""

    def __init__(self) -> None:
        super().__init__()
        self.drives: tuple[Drive, ...] = (KEPT, PULLED)
        self.listeners: list[queue.SimpleQueue[bool]] = []
        self.answering = threading.Event()
        self.answering.set()

    def become(self, *drives: Drive) -> None:
        """Attach exactly these drives, and report the change."""
        self.drives = drives
        for listener in self.listeners:
            listener.put(True)

    def drive_paths(self) -> tuple[str, ...]:
        return tuple(drive.path for drive in self.drives)

    def probe(self, on_drive: Callable[[Machine], None]) -> Machine:
        self.answering.wait(10)
        for drive in self.drives:
            on_drive(replace(self.machine, drives=(drive,)))
        return replace(self.machine, drives=self.drives)

    def is_attached(self, drive: Drive) -> bool:
        return drive in self.drives

    def changes(self, stop: threading.Event) -> Iterator[None]:
        heard: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.listeners.append(heard)

        def wait() -> Iterator[None]:
            while heard.get() and not stop.is_set():
                yield None

        return wait()

    def end(self) -> None:
        """End the listening threads."""
        for listener in self.listeners:
            listener.put(False)


WAY = ("purpose", "plan", "review")


async def to(pilot: Hand, name: str) -> None:
    """Go to a screen with the drive to be unplugged."""
    await ready(pilot)
    await highlight(pilot, PULLED.path)
    for then in WAY[: WAY.index(name) + 1] if name in WAY else ():
        await press(pilot, "enter")
        await come(pilot, then)


@pytest.fixture
def services() -> Iterator[Plugs]:
    made = Plugs()
    yield made
    made.answering.set()
    made.measured.set()
    made.end()


@pytest.mark.parametrize("name", WAY)
def test_every_screen_returns_to_the_list_when_its_drive_is_removed(services: Plugs, name: str) -> None:
    async def job(pilot: Hand) -> None:
        await to(pilot, name)
        services.become(KEPT)
        await until(lambda: "Pulled" in flat(pilot) and place(pilot) == "drives", pilot)
        assert "plan was discarded" in flat(pilot)
        await until(lambda: [row.key for row in rows(pilot)] == [KEPT.path], pilot)

    perform(job, services)


@pytest.mark.parametrize(
    ("key", "name"), [("e", "volume"), ("f", "filesystem"), ("v", "page"), ("q", "question")]
)
def test_pages_opened_over_it_close_too(services: Plugs, key: str, name: str) -> None:
    async def job(pilot: Hand) -> None:
        await to(pilot, "plan")
        await press(pilot, key)
        await come(pilot, name)
        services.become(KEPT)
        await come(pilot, "drives")
        assert "plan was discarded" in flat(pilot) and app_of(pilot).is_running

    perform(job, services)


def test_other_drives_may_come_and_go(services: Plugs) -> None:
    async def job(pilot: Hand) -> None:
        await to(pilot, "plan")
        services.become(PULLED)
        services.become(PULLED, KEPT)
        await pilot.pause(0.1)
        await press(pilot, "enter")
        await come(pilot, "review")

    perform(job, services)


def test_attached_drive_has_the_cursor(services: Plugs) -> None:
    async def job(pilot: Hand) -> None:
        await ready(pilot)
        services.become(KEPT)
        await until(lambda: "Pulled" not in shown(pilot), pilot)
        services.become(KEPT, OTHER)
        await until(lambda: "Other" in shown(pilot), pilot)
        assert app_of(pilot).keyboard.state.cursor == OTHER.path
        await press(pilot, "enter")
        await come(pilot, "purpose")

    perform(job, services)


def test_another_drive_at_the_same_node_is_never_shown_as_the_old_one(services: Plugs) -> None:
    async def job(pilot: Hand) -> None:
        await ready(pilot)
        await highlight(pilot, PULLED.path)
        services.answering.clear()
        services.become(KEPT, OTHER)
        await until(lambda: "Pulled" not in shown(pilot), pilot)
        await press(pilot, "enter", "s")
        assert place(pilot) == "drives"
        services.answering.set()
        await until(lambda: "Other" in shown(pilot), pilot)

    perform(job, services)
