"""A plain user at the last question: what is said, what is asked for, and that a refusal leads back to the
question."""

from dataclasses import replace

from textual.pilot import Pilot

from tests.looks.rehearsal import Rehearsal, flat, perform, press, shown, step, to_step, until
from tests.unit.moving import MovingServices
from wizard.layout.planner import Mode
from wizard.layout.wishes.wish import Arrangement, Wish
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Drive, Machine
from wizard.model.plan import Plan
from wizard.services.session import Session

NOT_GIVEN = "Root was not given: sudo ended with status 1. Nothing was written."


class PlainUser(Rehearsal):
    """Root is given when it is asked for the second time. `unread` while the drives can only be read by
    root."""

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

    def plan(
        self,
        machine: Machine,
        drive: Drive,
        wishes: tuple[Wish, ...],
        mode: Mode | None,
        arrangement: Arrangement | None = None,
    ) -> Plan:
        plan = super().plan(machine, drive, wishes, mode, arrangement)
        return (
            replace(plan, drive=replace(plan.drive, content_digest=None))
            if self.unread and not self.given
            else plan
        )


def test_apply_asks_for_root_and_a_refusal_leads_back_to_the_question() -> None:
    services = PlainUser()

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        assert "Apply asks for root's rights first" in pilot.app.screen.query_one("#loss").plain  # type: ignore[attr-defined]
        assert not services.asked
        await press(pilot, "tab", "=ZCT0A1B2", "enter", "enter")
        await until(lambda: NOT_GIVEN in flat(pilot), pilot)
        assert len(services.asked) == 1 and not services.started
        await press(pilot, "enter")
        await step(pilot, 8)
        services.applied.set()

    perform(job, services)
    assert len(services.asked) == 2 and len(services.started) == 1


def test_a_drive_that_could_not_be_read_is_read_with_roots_rights_before_it_is_applied() -> None:
    services = PlainUser(unread=True)

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        assert "[ Apply ]" not in shown(pilot) and "Read the drive with root's rights" in shown(pilot)
        assert "> [ Back ]" in shown(pilot)
        await press(pilot, "down", "enter")
        await until(lambda: NOT_GIVEN in flat(pilot), pilot)
        await step(pilot, 7)
        await press(pilot, "enter")
        await step(pilot, 1)
        assert not services.started
        await to_step(pilot, 7)
        assert "[ Apply ]" in shown(pilot)

    perform(job, services)


def test_a_stop_that_nobody_hears_is_not_promised() -> None:
    class Deaf(PlainUser):
        def request_stop(self, run: object) -> None:
            raise Failed("Root's end is not there any more: nothing was asked of it.")

    services = Deaf()
    services.given = True

    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 7)
        await press(pilot, "tab", "=ZCT0A1B2", "enter", "enter")
        await step(pilot, 8)
        await press(pilot, "s")
        await until(lambda: "Stop the run?" in shown(pilot), pilot)
        await press(pilot, "y")
        await until(lambda: "Root's end is not there any more" in flat(pilot), pilot)
        assert "It will stop" not in flat(pilot)
        services.applied.set()

    perform(job, services)


class PlainUserMoving(MovingServices):
    """Root is asked for once it is wanted, and at first not given."""

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


def test_the_ways_to_ext4_ask_for_root_first_and_a_refusal_stays_at_the_drives() -> None:
    services = PlainUserMoving()

    async def job(pilot: Pilot[Session]) -> None:
        await step(pilot, 1)
        await until(lambda: "[m] to ext4" in shown(pilot) and "reading .." not in shown(pilot), pilot)
        await press(pilot, "m")
        await until(lambda: NOT_GIVEN in flat(pilot), pilot)
        await step(pilot, 1)
        assert not services.asked
        await press(pilot, "m")
        await step(pilot, 2)
        await until(lambda: "(full)" in shown(pilot), pilot)

    perform(job, services)
    assert services.answers == [False, True]
