"""Services on a recorded machine: inspect and plan, no changes."""

from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

from wizard.host.services import Services
from wizard.model.errors import printable
from wizard.model.machine import Drive, Machine
from wizard.model.said import t


class RecordedServices(Services):
    """Services on a recorded machine, for viewing and planning. Measuring and applying are refused."""

    def __init__(
        self, machine: Machine, where: str, draw_uuid: Callable[[], str] = lambda: str(uuid4())
    ) -> None:
        super().__init__(draw_uuid)
        self.machine = machine
        self._where = printable(where, 80)

    @property
    def obstacle(self) -> str:
        """Always a recording."""
        return str(
            t(
                "These drives are a recording ({file}). Plans can be made and saved, but not "
                "applied, and drives cannot be measured.",
                file=self._where,
            )
        )

    def drive_paths(self) -> tuple[str, ...]:
        """Return the recorded nodes."""
        return tuple(drive.path for drive in self.machine.drives)

    def surroundings(self) -> Machine:
        """Return the recorded machine without drives."""
        return replace(self.machine, drives=())

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """Report the recorded drives immediately."""
        for drive in self.machine.drives:
            on_drive(drive)
        return self.machine
