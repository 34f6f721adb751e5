"""Very many small files in one folder: made, copied, listed, and deleted in another order.

The study of 2010 did so with a million, and Bonnie++ with empty ones.
"""

from wizard.model.units import KIB
from wizard.trial.loads.drawn import scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.script import Draft, phase

FILES = 1800
FILE_BYTES = KIB
FOLDER, COPY = "many", "copy"


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    numbers = list(range(scaled(FILES, scale)))
    create, copy, look, delete = (draft.script() for _ in range(4))
    create.make_folder(FOLDER)
    copy.make_folder(COPY)
    look.list_folder(FOLDER)
    for number in numbers:
        create.create(f"{FOLDER}/{number}", FILE_BYTES)
    # A folder's list of names has an order of its own, which is not that of making them.
    draft.random.shuffle(numbers)
    for number in numbers:
        copy.copy(f"{FOLDER}/{number}", f"{COPY}/{number}")
        look.look(f"{FOLDER}/{number}")
    draft.random.shuffle(numbers)
    for number in numbers:
        for folder in (FOLDER, COPY):
            delete.delete(f"{folder}/{number}")
    for folder in (FOLDER, COPY):
        delete.remove_folder(folder)
    return (
        phase("create", Unit.FILES, create),
        phase("copy", Unit.FILES, copy),
        phase("list", Unit.FILES, look),
        phase("delete", Unit.FILES, delete),
    )


LOAD = Load("many-files", _phases)
