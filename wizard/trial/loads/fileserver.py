"""FileBench's fileserver: fifty threads write, append, read, delete and look.

The study of shingled drives ran it, with files ten times as large.
"""

from functools import partial

from wizard.model.units import KIB
from wizard.trial.loads.drawn import gamma_size, scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.script import Draft, Script, crowd, phase

FILES = 700
FILES_A_FOLDER = 20
THREADS = 50
TURNS = 500
FILE_BYTES, APPEND_BYTES = 128 * KIB, 16 * KIB
NEW = "new"


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    fill = draft.script()
    fill.make_folder(NEW)
    files = []
    for number in range(scaled(FILES, scale, 2)):
        folder = f"d{number // FILES_A_FOLDER}"
        if number % FILES_A_FOLDER == 0:
            fill.make_folder(folder)
        files.append(f"{folder}/{number}")
        fill.create(files[-1], gamma_size(draft.random, FILE_BYTES))
    # Neighbours are not for threads that run side by side.
    draft.random.shuffle(files)
    turns = scaled(TURNS, scale, 2)
    scripts = crowd(draft, NEW, threads=THREADS, turns=turns, files=files, turn=partial(_turn, draft))
    return phase("fill", Unit.FILES, fill), phase("serve", Unit.OPERATIONS, *scripts)


def _turn(draft: Draft, script: Script, have: list[str], new: str) -> None:
    random = draft.random
    script.create(new, gamma_size(random, FILE_BYTES))
    have.append(new)
    script.append(random.choice(have), draft.contents.take(gamma_size(random, APPEND_BYTES)))
    script.read(random.choice(have))
    script.delete(have.pop(random.randrange(len(have))))
    script.look(random.choice(have))


LOAD = Load("fileserver", _phases)
