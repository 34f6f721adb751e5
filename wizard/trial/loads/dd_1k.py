"""One large file as dd writes and reads it, a kilobyte at a time."""

from collections.abc import Callable
from functools import partial

from wizard.model.units import KIB, MIB
from wizard.trial.loads.drawn import scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.script import Draft, phase

FILE_BYTES = 512 * MIB
NAME = "file"


def by_records(record_bytes: int) -> Callable[[float, int], tuple[Phase, ...]]:
    """The phases of a load that handles its file in records of this size."""
    return partial(_phases, record_bytes)


def _phases(record_bytes: int, scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    write, read = draft.script(), draft.script(record_bytes)
    write.create(NAME, scaled(FILE_BYTES // MIB, scale) * MIB, record_bytes)
    read.read(NAME)
    return phase("write", Unit.BYTES, write), phase("read", Unit.BYTES, read)


LOAD = Load("dd-1k", by_records(KIB))
