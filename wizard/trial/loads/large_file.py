"""One large file, such as a film: copied to the volume, copied within it, and both deleted."""

from wizard.model.units import MIB
from wizard.trial.loads.drawn import CHUNK_BYTES, scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.script import Draft, phase

FILE_BYTES = 320 * MIB
FILE, COPY = "film", "copy"


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    write, copy, delete = draft.script(), draft.script(), draft.script()
    write.create(FILE, scaled(FILE_BYTES // MIB, scale) * MIB, CHUNK_BYTES)
    copy.copy(FILE, COPY)
    delete.delete(FILE)
    delete.delete(COPY)
    return (
        phase("write", Unit.BYTES, write),
        phase("copy", Unit.BYTES, copy),
        phase("delete", Unit.FILES, delete),
    )


LOAD = Load("large-file", _phases)
