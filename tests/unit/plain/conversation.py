"""A conversation with the line-by-line wizard on synthetic or recorded machines, as a transcript."""

from dataclasses import dataclass
from pathlib import Path

from wizard.host.services import Services
from wizard.model.errors import ExitCode
from wizard.model.machine import Machine
from wizard.probe.machine import load_machine

MACHINES = Path(__file__).resolve().parents[2] / "machines"


@dataclass(frozen=True, slots=True)
class Told:
    """The full output with the answers in place, and the exit code."""

    text: str
    code: ExitCode

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @property
    def flat(self) -> str:
        """Output without line breaks."""
        return " ".join(self.text.split())

    def after(self, said: str) -> str:
        """Return the output after a text, without line breaks."""
        assert said in self.flat, self.text
        return self.flat.rpartition(said)[2]


def recorded(machine: Machine) -> Services:
    """Return services for a machine, with constant UUIDs in plans."""
    return Services(machine, "a test", lambda: "11111111-2222-4333-8444-555555555555")


def of_file(name: str) -> Services:
    """Return services for a machine of tests/machines."""
    return recorded(load_machine(MACHINES / f"{name}.json"))
