"""A conversation with the line-by-line wizard on made-up or recorded machines, as a transcript."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path

from wizard.host.contract import Services
from wizard.host.recorded import RecordedServices
from wizard.model.errors import ExitCode
from wizard.model.machine import Machine
from wizard.plain.app import Lines
from wizard.plain.prompt import Talk
from wizard.probe.machine import load_machine
from wizard.ui.desk import Desk

MACHINES = Path(__file__).resolve().parents[2] / "machines"


@dataclass(frozen=True, slots=True)
class Told:
    """All that was said, with the answers where they were given, and the exit code."""

    text: str
    code: ExitCode

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @property
    def flat(self) -> str:
        """Without the breaks between lines."""
        return " ".join(self.text.split())

    def after(self, said: str) -> str:
        """What was said after something, without the breaks between lines."""
        assert said in self.flat, self.text
        return self.flat.rpartition(said)[2]


def converse_with(
    services: Services, answers: Sequence[str], *, width: int = 78, ascii_only: bool = True
) -> Told:
    """Give these answers, one a line, and then no more."""
    said = StringIO()
    talk = Talk(
        BytesIO("".join(f"{answer}\n" for answer in answers).encode()),
        said,
        width=width,
        ascii_only=ascii_only,
        echo=True,
    )
    desk = Desk(services)
    lines = Lines(desk, talk)
    desk.begin()
    code = lines.converse()
    return Told(said.getvalue(), code)


def recorded(machine: Machine) -> RecordedServices:
    """A machine whose plans have UUIDs that are always the same."""
    return RecordedServices(machine, "a test", lambda: "11111111-2222-4333-8444-555555555555")


def of_file(name: str) -> RecordedServices:
    """A machine of tests/machines."""
    return recorded(load_machine(MACHINES / f"{name}.json"))
