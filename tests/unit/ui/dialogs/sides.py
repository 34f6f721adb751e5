"""A session for one workload and a screen to start at, for tests of dialogs and editors."""

from collections.abc import Callable

from msgspec.structs import replace

from tests.unit.machines import drive, machine
from tests.unit.plan.layouts import EVERYTHING
from tests.unit.ui.person import Person
from wizard.host.services import Services
from wizard.model.advice import Advice
from wizard.model.machine import Drive
from wizard.plan.request.using import with_usual_place
from wizard.plan.request.volume_request import VolumeSpec
from wizard.ui.desk import Desk, Screen
from wizard.ui.session import Session
from wizard.ui.view import ScreenStep, View
from wizard.ui.wizard import Wizard

MEDIA = "large-media"


class Start(Screen):
    """The screen at the start and end of a test. `came` gets every session changed on other screens."""

    step = ScreenStep.PLAN

    def __init__(self, desk: Desk, came: Callable[[Session], object] = lambda _: None) -> None:
        super().__init__(desk)
        self._known, self._came = desk.selected, came

    def entered(self) -> None:
        if self.session is not self._known:
            self._known = self.session
            self._came(self.session)

    def view(self) -> View:
        return View("start", self.step, "start", ())


def recorded(*drives: Drive, tools: tuple[tuple[str, str], ...] = EVERYTHING) -> Services:
    """Return services for a machine with these drives, or with a plain one."""
    known = machine(*(drives or (drive(),)), tools=tools)
    return Services(known, "a test", lambda: "11111111-2222-4333-8444-555555555555")


def session_on(known: Drive) -> Session:
    """Return a session with this drive and no workload."""
    around = machine(known)
    services = recorded(known)
    return Session(services, around, known, services.diagnose(around, known))


def session_for(services: Services, workload: str = MEDIA) -> Session:
    """Return a session with the first drive, a workload, and one usual volume."""
    known = services.machine
    one = known.drives[0]
    diagnosis = services.diagnose(known, one)
    advice = Session(services, known, one, diagnosis).advise(workload)
    session = Session(services, known, one, diagnosis, advice)
    if advice.chosen is None:
        return session
    spec = with_usual_place(
        VolumeSpec(advice.chosen, advice.workload, None, None, None), one, services.usual()
    )
    return replace(session, specs=(spec,))


def advice_of(session: Session) -> Advice:
    assert session.advice is not None
    return session.advice


def person_at(
    services: Services,
    session: Session,
    screen: Callable[[Desk], Screen],
    came: Callable[[Session], object] = lambda _: None,
) -> Person:
    """Return a person at a screen. `came` gets every changed session."""
    desk = Wizard(services)
    desk.session = session
    desk.go(Start(desk, came))
    desk.go(screen(desk))
    return Person(services, desk)
