"""FileBench's videoserver: some videos are watched by many at once, and another one is replaced meanwhile.

FileBench holds its readers to the speed of a film. Here they read as fast as the drive lets them.
"""

from wizard.model.units import KIB, MIB
from wizard.trial.loads.drawn import scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.script import Draft, phase

WATCHED, PASSIVE = 8, 4
READERS = 12
VIDEO_BYTES = 24 * MIB
READ_BYTES, WRITE_BYTES = 256 * KIB, MIB
REPLACED = 2


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    size_bytes = scaled(VIDEO_BYTES // WRITE_BYTES, scale) * WRITE_BYTES
    watched = [f"watched/{number}" for number in range(WATCHED)]
    passive = [f"passive/{number}" for number in range(PASSIVE)]
    fill = draft.script()
    for folder in ("watched", "passive"):
        fill.make_folder(folder)
    for name in (*watched, *passive):
        fill.create(name, size_bytes, WRITE_BYTES)
    readers = [draft.script(READ_BYTES) for _ in range(READERS)]
    for number, reader in enumerate(readers):
        # Every video is watched; who comes later takes any.
        reader.read(watched[number] if number < WATCHED else draft.random.choice(watched))
    writer = draft.script()
    for number in range(REPLACED):
        writer.delete(passive[number])
        writer.create(f"passive/new{number}", size_bytes, WRITE_BYTES)
    return phase("fill", Unit.BYTES, fill), phase("serve", Unit.BYTES, *readers, writer)


LOAD = Load("videoserver", _phases)
