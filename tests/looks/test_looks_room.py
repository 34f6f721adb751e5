"""How much room a way back takes is on the screen as soon as it is known, and finding it out stops nobody."""

import threading

from textual.pilot import Pilot

from tests.looks.rehearsal import Rehearsal, flat, perform, press, step, to_step, until
from tests.looks.workshop import workshop
from wizard.layout.told.promise import ROOM_NOT_YET, WORD, WayBackRoom
from wizard.probe.interpret import machine_of
from wizard.services.recorded import RecordedServices
from wizard.services.session import Session

ENOUGH = WayBackRoom("The way back takes 123 MiB in /srv/runs, where 12 GB are free.")
TOO_LITTLE = WayBackRoom("There is no room for a way back in /srv/runs.", fits=False)


def being_tried_out(room: WayBackRoom) -> tuple[Rehearsal, threading.Event]:
    """Services that find this room, once the event is set."""
    services = Rehearsal()
    services.room = room
    services.tried_out = threading.Event()
    return services, services.tried_out


def page(pilot: Pilot[Session], words: str) -> str:
    return " ".join(pilot.app.screen.query_one(words).plain.split())  # type: ignore[attr-defined]


def test_the_preview_tells_the_room_while_the_plan_is_read() -> None:
    services, tried_out = being_tried_out(ENOUGH)

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 5)
        assert "It is being tried out on a stand-in" in page(pilot, "#preview")
        await press(pilot, "down", "down", "down")
        read = pilot.app.screen.query_one("#preview").scroll_offset.y
        assert read
        tried_out.set()
        await until(lambda: ENOUGH.sentence in page(pilot, "#preview"), pilot)
        assert "being tried out" not in page(pilot, "#preview")
        assert pilot.app.screen.query_one("#preview").scroll_offset.y == read

    perform(job, services)


def test_whoever_does_not_wait_goes_on_and_the_last_question_waits() -> None:
    services, tried_out = being_tried_out(TOO_LITTLE)

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        assert "being tried out" in page(pilot, "#loss")
        await press(pilot, "tab", "=ZCT0A1B2", "enter", "enter")
        tried_out.set()
        await until(lambda: TOO_LITTLE.sentence in page(pilot, "#loss"), pilot)
        await step(pilot, 7)
        assert not services.started and WORD in flat(pilot)

    perform(job, services)


def test_what_is_not_known_yet_is_called_so() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 5)
        assert ROOM_NOT_YET.sentence in page(pilot, "#preview")

    perform(job, RecordedServices(machine_of(workshop()), "recorded.json"))
