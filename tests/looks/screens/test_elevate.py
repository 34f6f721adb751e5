"""An ordinary user at the last question: text, request for root, and the return to the question after a
refusal."""

from collections.abc import Sequence

from msgspec.structs import replace

from tests.looks.rehearsal import (
    Hand,
    Rehearsal,
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
from tests.unit.ext4.moving import MovingServices
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Drive, Machine
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import Request

NOT_GIVEN = "Root access was not granted: sudo ended with status 1. Nothing was written."


class PlainUser(Rehearsal):
    """Root is granted at the second request. `unread`: only root can read the drives."""

    def __init__(self, *, unread: bool = False) -> None:
        super().__init__()
        self.unread, self.given = unread, False
        self.asked: list[bool] = []

    @property
    def obstacle(self) -> str:
        return "Only root can measure and write drives."

    @property
    def apply_obstacle(self) -> str:
        return ""

    @property
    def needs_root(self) -> bool:
        return True

    @property
    def asks_for_root(self) -> bool:
        return not self.given

    def obtain_root(self) -> None:
        self.asked.append(True)
        if len(self.asked) == 1:
            raise Refused(NOT_GIVEN)
        self.given = True

    def plan(self, machine: Machine, drives: Sequence[Drive], request: Request) -> Plan:
        plan = super().plan(machine, drives, request)
        return (
            replace(plan, drive=replace(plan.drive, content_digest=None))
            if self.unread and not self.given
            else plan
        )


def test_apply_asks_for_root_and_a_refusal_returns_to_the_question() -> None:
    services = PlainUser()

    async def job(pilot: Hand) -> None:
        await to_place(pilot, "review")
        assert "You are not root" in flat(pilot) and not services.asked
        await press(pilot, "=A1B2", "enter")
        await until(lambda: NOT_GIVEN in flat(pilot), pilot)
        assert len(services.asked) == 1 and not services.started and place(pilot) == "review"
        await press(pilot, "enter")
        await come(pilot, "work")
        services.applied.set()

    perform(job, services)
    assert len(services.asked) == 2 and len(services.started) == 1


def test_unread_drive_is_read_as_root_before_it_is_applied() -> None:
    services = PlainUser(unread=True)

    async def job(pilot: Hand) -> None:
        await to_place(pilot, "review")
        assert "Serial" not in shown(pilot)
        await press(pilot, "enter")
        await until(lambda: NOT_GIVEN in flat(pilot), pilot)
        assert place(pilot) == "review" and not services.started
        await press(pilot, "enter")
        await until(lambda: place(pilot) in ("plan", "drives"), pilot)
        assert services.given and not services.started

    perform(job, services)


def test_unheard_stop_is_not_promised() -> None:
    class Deaf(PlainUser):
        def request_stop(self, run: object) -> None:
            raise Failed("The root process ended before receiving a request.")

    services = Deaf()
    services.given = True

    async def job(pilot: Hand) -> None:
        await to_place(pilot, "review")
        await press(pilot, "=A1B2", "enter")
        await come(pilot, "work")
        await press(pilot, "S")
        await come(pilot, "question")
        await press(pilot, "y")
        await until(lambda: "root process ended" in flat(pilot), pilot)
        assert "Stopping as soon" not in flat(pilot)
        services.applied.set()

    perform(job, services)


class PlainUserMoving(MovingServices):
    """Root is requested when needed, and refused the first time."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[bool] = []

    @property
    def needs_root(self) -> bool:
        return True

    @property
    def asks_for_root(self) -> bool:
        return not any(self.answers)

    def obtain_root(self) -> None:
        self.answers.append(bool(self.answers))
        if not self.answers[-1]:
            raise Refused(NOT_GIVEN)


def test_ways_to_ext4_ask_for_root_first_and_report_a_refusal() -> None:
    services = PlainUserMoving()

    async def job(pilot: Hand) -> None:
        await ready(pilot)
        await press(pilot, "m")
        await until(lambda: NOT_GIVEN in flat(pilot), pilot)
        assert not services.asked
        if place(pilot) != "drives":
            await press(pilot, "escape")
            await come(pilot, "drives")
        await press(pilot, "m")
        await come(pilot, "ways")
        await until(lambda: "Everything" in flat(pilot), pilot)

    perform(job, services)
    assert services.answers == [False, True]
