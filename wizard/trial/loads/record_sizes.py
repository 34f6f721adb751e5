"""IOzone's random reading and writing of one file, by records of 4 KiB to 1 MiB, each size in two phases."""

from wizard.model.units import KIB, MIB
from wizard.trial.loads.drawn import scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.random_io import filled, moves_within
from wizard.trial.loads.script import Draft, phase

FILE_BYTES = 128 * MIB
RECORDS = (
    ("4k", 4 * KIB, 64),
    ("16k", 16 * KIB, 64),
    ("64k", 64 * KIB, 56),
    ("256k", 256 * KIB, 48),
    ("1m", MIB, 32),
)
"""Name, size, and how many: fewer of the larger, so that each phase takes about as long."""
NAME = "file"


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    phases = [phase("fill", Unit.BYTES, filled(draft, NAME, scaled(FILE_BYTES // MIB, scale) * MIB))]
    for label, record_bytes, number in RECORDS:
        count = min(scaled(number, scale), draft.sizes[NAME] // record_bytes)
        for name, writes in (("read", 0.0), ("write", 1.0)):
            script = draft.script(record_bytes)
            script.access(NAME, moves_within(draft, NAME, count, record_bytes, writes))
            phases.append(phase(f"{name}-{label}", Unit.BYTES, script))
    return tuple(phases)


LOAD = Load("record-sizes", _phases)
