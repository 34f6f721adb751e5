"""FileBench's webproxy: a cache in one folder that a hundred threads fill and read, and one log."""

from collections.abc import Sequence
from functools import partial

from wizard.model.units import KIB
from wizard.trial.loads.drawn import gamma_size, scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.script import Draft, Script, crowd, phase

FILES = 1500
THREADS = 100
TURNS = 400
PAGE_BYTES = LOG_BYTES = 16 * KIB
READS = 5
FOLDER, LOG = "cache", "weblog"


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    fill = draft.script()
    fill.make_folder(FOLDER)
    pages = [f"{FOLDER}/{number}" for number in range(scaled(FILES, scale, 2))]
    for name in pages:
        fill.create(name, gamma_size(draft.random, PAGE_BYTES))
    scripts = crowd(
        draft,
        FOLDER,
        threads=THREADS,
        turns=scaled(TURNS, scale, 2),
        files=pages,
        turn=partial(_turn, draft, draft.contents.take(LOG_BYTES)),
    )
    return phase("fill", Unit.FILES, fill), phase("serve", Unit.OPERATIONS, *scripts)


def _turn(draft: Draft, entry: Sequence[memoryview], script: Script, have: list[str], new: str) -> None:
    """Delete a page, keep a new one, read five, and log it.

    All entries are alike, since the threads share the log.
    """
    random = draft.random
    script.delete(have.pop(random.randrange(len(have))))
    script.create(new, gamma_size(random, PAGE_BYTES))
    have.append(new)
    for _ in range(READS):
        script.read(random.choice(have))
    script.append(LOG, entry)


LOAD = Load("webproxy", _phases)
