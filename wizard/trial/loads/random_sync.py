"""A small database: one thread reads and writes pages of 8 KiB.

About every fourth access is a write, and the thread waits until that lies on the drive.
"""

from wizard.model.units import KIB, MIB
from wizard.trial.loads.drawn import scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.random_io import filled, moves_within
from wizard.trial.loads.script import Draft, phase

FILE_BYTES = 128 * MIB
ACCESSES = 500
PAGE_BYTES = 8 * KIB
WRITES = 0.25
NAME = "database"


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    fill = filled(draft, NAME, scaled(FILE_BYTES // MIB, scale) * MIB)
    script = draft.script(PAGE_BYTES)
    moves = moves_within(draft, NAME, scaled(ACCESSES, scale), PAGE_BYTES, WRITES)
    script.access(NAME, moves, sync=True)
    return phase("fill", Unit.BYTES, fill), phase("access", Unit.OPERATIONS, script)


LOAD = Load("random-sync", _phases)
