"""What rsync does to the drive that it copies to: temporary names, times and renames.

The second time it looks at every file, and brings those again that changed.
"""

from wizard.trial.loads.drawn import scaled, source_size, source_tree
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.script import Draft, Script, phase

FILES = 3000
CHANGED = 10
"""One file in so many differs at the second time."""


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    tree = source_tree(draft.random, scaled(FILES, scale), "copied")
    copy, again = draft.script(), draft.script()
    for folder, files in tree.items():
        copy.make_folder(folder)
        for name in files:
            _bring(copy, name, source_size(draft.random))
    files = [name for names in tree.values() for name in names]
    for name in files:
        again.look(name)
    for name in draft.random.sample(files, -(-len(files) // CHANGED)):
        # The old file tells which parts need not be sent.
        again.read(name)
        _bring(again, name, source_size(draft.random))
    return phase("copy", Unit.FILES, copy), phase("again", Unit.FILES, again, amount=len(files))


def _bring(script: Script, name: str, size_bytes: int) -> None:
    folder, _, last = name.rpartition("/")
    temporary = f"{folder}/.{last}.part"
    script.create(temporary, size_bytes)
    script.date(temporary)
    script.rename(temporary, name)


LOAD = Load("rsync", _phases)
