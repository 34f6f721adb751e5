"""Faults of a drive, a record, a journal and a run's files during one command."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from tests.exchanging import Power
from tests.simulator.drives import SimulatedDrive
from wizard.model.errors import Failed

FOR_GOOD = 1000
"""Moments: longer than any command."""


class Fault(StrEnum):
    """A fault."""

    NONE = "none"
    CUT = "power cut"
    KILL = "killed"
    READ = "the drive cannot be read"
    WRITE = "the drive cannot be written"
    FLUSH = "the drive does not take what was written"
    RECORD = "no room for the record"
    JOURNAL = "no room for the journal"
    LIE = "the drive says that it wrote, and did not"
    GONE = "the drive is unplugged"


class Killed(BaseException):
    """The program was killed; data that it passed to the kernel survives."""


@dataclass
class Life(Power):
    """Power and process during a command, ending at the moment `goes_at`; `fault` names the cause. Other
    faults begin there and last for `lasts` moments. `unread` counts failed reads. `beside` is called at
    each moment."""

    fault: Fault = Fault.NONE
    lasts: int = 1
    unread: int = 0
    beside: Callable[[], None] | None = None

    def moment(self) -> None:
        self.moments += 1
        if self.beside is not None:
            beside, self.beside = self.beside, None
            beside()
        if self.moments - 1 != self.goes_at:
            return
        if self.fault is Fault.CUT:
            self.go()
        if self.fault is Fault.KILL:
            raise Killed

    def fails(self, fault: Fault) -> bool:
        """Return True if this fails now."""
        return (
            self.fault is fault
            and self.goes_at is not None
            and self.goes_at <= self.moments <= self.goes_at + self.lasts
        )


@dataclass
class FaultyDrive(SimulatedDrive):
    """A drive that returns errors as planned by `Life`."""

    life: Life = field(default_factory=Life)

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        if self.life.fails(Fault.READ):
            self.life.unread += 1
            raise Failed(f"The drive could not be read at byte {offset_bytes}: Input/output error.")
        return super().read(offset_bytes, length_bytes)

    def write(self, offset_bytes: int, data: bytes) -> None:
        if self.life.fails(Fault.WRITE):
            # A part of it may have arrived.
            super().write(offset_bytes, data[: self.logical_block_bytes])
            raise Failed(f"The drive could not be written at byte {offset_bytes}: Input/output error.")
        if self.life.fails(Fault.LIE):
            data = self.read(offset_bytes, len(data))
        super().write(offset_bytes, data)

    def flush(self) -> None:
        if self.life.fails(Fault.FLUSH):
            # As Linux does it: told once, and then forgotten. What was not taken is lost.
            self._lose()
            self.power.moments += self.life.lasts + 1
            raise Failed("The drive did not take what was written: Input/output error.")
        super().flush()


def drawn(dice: Random) -> Life:
    """Draw the fault of the next command, mostly one."""
    fault = dice.choice((*Fault, Fault.CUT, Fault.CUT, Fault.KILL, Fault.NONE))
    goes_at = None if fault in (Fault.NONE, Fault.GONE) else dice.randrange(dice.choice((8, 30, 120)))
    return Life(goes_at, fault=fault, lasts=dice.choice((0, 3, FOR_GOOD)))
