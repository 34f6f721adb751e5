"""A drive that goes while a step is about it: a sentence, and back to the list; and another drive at its node
is not taken for it."""

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from tests.looks.rehearsal import Rehearsal, flat, perform, press, shown, step, until
from tests.unit.machines import drive as made_up_drive
from wizard.model.machine import Drive, Machine
from wizard.services.session import Session

KEPT = made_up_drive(path="/dev/sda", serial="A", model="Stays", diskseq=1)
PULLED = made_up_drive(path="/dev/sdb", serial="B", model="Pulled", diskseq=2)
OTHER = made_up_drive(path="/dev/sdb", serial="C", model="Other", diskseq=3)


class Plugs(Rehearsal):
    """Drives that are there until a test says otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.drives: tuple[Drive, ...] = (KEPT, PULLED)
        self.listeners: list[queue.SimpleQueue[bool]] = []
        self.answering = threading.Event()
        self.answering.set()

    def become(self, *drives: Drive) -> None:
        """These are attached now, and everybody hears of it."""
        self.drives = drives
        for listener in self.listeners:
            listener.put(True)

    def drive_paths(self) -> tuple[str, ...]:
        return tuple(drive.path for drive in self.drives)

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        self.answering.wait(10)
        for drive in self.drives:
            on_drive(drive)
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
        """Let the listening threads go."""
        for listener in self.listeners:
            listener.put(False)


async def to(pilot: Pilot[Session], number: int) -> None:
    """To a step, with the drive that will be pulled."""
    await until(lambda: "Pulled" in shown(pilot) and "reading .." not in shown(pilot), pilot)
    await press(pilot, "down")
    for next_step in range(2, number + 1):
        await press(pilot, "enter")
        await step(pilot, next_step)


@pytest.mark.parametrize("number", range(2, 8))
def test_every_step_says_that_its_drive_has_gone_and_leads_back_to_the_list(number: int) -> None:
    services = Plugs()

    async def job(pilot: Pilot[Session]) -> None:
        await to(pilot, number)
        services.become(KEPT)
        await until(lambda: "/dev/sdb (Pulled) is not attached any more" in flat(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 1)
        await until(lambda: "> /dev/sda" in shown(pilot) and "/dev/sdb" not in shown(pilot), pilot)

    try:
        perform(job, services)
    finally:
        services.end()


def test_other_drives_may_come_and_go() -> None:
    services = Plugs()

    async def job(pilot: Pilot[Session]) -> None:
        await to(pilot, 3)
        services.become(PULLED)
        services.become(PULLED, KEPT)
        await pilot.pause(0.1)
        await press(pilot, "enter")
        await step(pilot, 4)

    try:
        perform(job, services)
    finally:
        services.end()


def test_it_is_said_once_an_open_question_is_answered() -> None:
    services = Plugs()

    async def job(pilot: Pilot[Session]) -> None:
        await to(pilot, 2)
        await press(pilot, "q")
        await until(lambda: "End the wizard?" in shown(pilot), pilot)
        services.become(KEPT)
        await pilot.pause(0.1)
        assert "not attached" not in flat(pilot)
        await press(pilot, "enter")
        await until(lambda: "is not attached any more" in flat(pilot), pilot)

    try:
        perform(job, services)
    finally:
        services.end()


def test_a_drive_that_goes_while_it_is_measured_ends_that() -> None:
    services = Plugs()

    async def job(pilot: Pilot[Session]) -> None:
        await to(pilot, 6)
        await press(pilot, "m")
        await until(lambda: services.writes == [False], pilot)
        services.become(KEPT)
        await until(lambda: "is not attached any more" in flat(pilot), pilot)
        await press(pilot, "escape")
        await step(pilot, 1)

    try:
        perform(job, services)
    finally:
        services.end()


def test_another_drive_at_the_same_node_is_never_shown_as_the_old_one() -> None:
    services = Plugs()

    async def job(pilot: Pilot[Session]) -> None:
        await to(pilot, 1)
        services.answering.clear()
        services.become(KEPT, OTHER)
        await until(lambda: "/dev/sdb is another drive now." in flat(pilot), pilot)
        assert "Pulled" not in shown(pilot)
        await press(pilot, "enter")
        await until(lambda: "has not answered yet" in flat(pilot), pilot)
        services.answering.set()
        await until(lambda: "Other" in shown(pilot), pilot)

    try:
        perform(job, services)
    finally:
        services.answering.set()
        services.end()
