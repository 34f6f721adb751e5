"""FileBench's varmail: letters that are delivered, read, answered and deleted, each write waited for."""

from functools import partial

from wizard.model.units import KIB
from wizard.trial.loads.drawn import gamma_size, scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.script import Draft, Script, crowd, phase

FILES = 1000
THREADS = 16
TURNS = 320
LETTER_BYTES = 16 * KIB
FOLDER = "mail"


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    fill = draft.script()
    fill.make_folder(FOLDER)
    letters = [f"{FOLDER}/{number}" for number in range(scaled(FILES, scale, 2))]
    for name in letters:
        fill.create(name, gamma_size(draft.random, LETTER_BYTES))
    scripts = crowd(
        draft,
        FOLDER,
        threads=THREADS,
        turns=scaled(TURNS, scale, 2),
        files=letters,
        turn=partial(_turn, draft),
    )
    return phase("fill", Unit.FILES, fill), phase("serve", Unit.OPERATIONS, *scripts)


def _turn(draft: Draft, script: Script, have: list[str], new: str) -> None:
    """Delete; deliver; read and append; read."""
    random = draft.random
    script.delete(have.pop(random.randrange(len(have))))
    script.create(new, gamma_size(random, LETTER_BYTES), sync=True)
    have.append(new)
    answered = random.choice(have)
    script.read(answered)
    script.append(answered, draft.contents.take(gamma_size(random, LETTER_BYTES)), sync=True)
    script.read(random.choice(have))


LOAD = Load("varmail", _phases)
