"""Random accesses as Randomio made them: ten threads, 2 KiB each, a quarter of them writes.

Randomio waited for one write in a hundred, and went past the page cache. This load waits for none, and goes
through the cache, as most programs do.
"""

from wizard.model.units import KIB, MIB
from wizard.trial.loads.actions import Move
from wizard.trial.loads.drawn import scaled, shares
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.script import Draft, Script, phase

FILE_BYTES = 128 * MIB
THREADS = 10
ACCESSES = 1000
ACCESS_BYTES = 2 * KIB
WRITES = 0.25
NAME = "file"


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    fill = filled(draft, NAME, scaled(FILE_BYTES // MIB, scale) * MIB)
    count = scaled(ACCESSES, scale)
    moves = moves_within(draft, NAME, count, ACCESS_BYTES, WRITES)
    scripts = []
    for mine in shares(count, min(THREADS, count)):
        script = draft.script(ACCESS_BYTES)
        script.access(NAME, moves[:mine])
        del moves[:mine]
        scripts.append(script)
    return phase("fill", Unit.BYTES, fill), phase("access", Unit.OPERATIONS, *scripts)


def filled(draft: Draft, name: str, size_bytes: int) -> Script:
    """A script that writes one large file."""
    script = draft.script()
    script.create(name, size_bytes, MIB)
    return script


def moves_within(draft: Draft, name: str, count: int, access_bytes: int, writes: float) -> list[Move]:
    """Accesses to a file, of which this share writes.

    Each has a place of its own, so that the order of threads does not change the result.
    """
    places = draft.random.sample(range(draft.sizes[name] // access_bytes), count)
    return [
        Move(
            place * access_bytes,
            draft.contents.take(access_bytes, access_bytes)[0] if draft.random.random() < writes else None,
        )
        for place in places
    ]


LOAD = Load("random-io", _phases)
