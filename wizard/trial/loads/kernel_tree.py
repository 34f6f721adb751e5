"""The sources of a kernel, as in three of the studies.

They are extracted, copied, made an archive, listed, read and deleted.
"""

from wizard.trial.loads.drawn import scaled, source_size, source_tree
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.script import Draft, phase

FILES = 700
TREE, COPY, ARCHIVE = "linux", "copy", "linux.tar"


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    tree = source_tree(draft.random, scaled(FILES, scale), TREE)
    extract, copy, archive, list_, read, delete = (draft.script() for _ in range(6))
    for folder, files in tree.items():
        extract.make_folder(folder)
        for name in files:
            extract.create(name, source_size(draft.random))
    for folder, files in tree.items():
        # A folder's list of names has an order of its own, which is not that of making them.
        draft.random.shuffle(files)
        copy.make_folder(_copied(folder))
        list_.list_folder(folder)
        for name in files:
            copy.copy(name, _copied(name))
            archive.copy(name, ARCHIVE, append=True)
            list_.look(name)
            read.read(name)
    read.read(ARCHIVE)
    for folder, files in reversed(tree.items()):
        for name in files:
            delete.delete(name)
            delete.delete(_copied(name))
        delete.remove_folder(folder)
        delete.remove_folder(_copied(folder))
    delete.delete(ARCHIVE)
    return (
        phase("extract", Unit.FILES, extract),
        phase("copy", Unit.FILES, copy),
        phase("archive", Unit.FILES, archive),
        phase("list", Unit.FILES, list_),
        phase("read", Unit.FILES, read),
        phase("delete", Unit.FILES, delete),
    )


def _copied(name: str) -> str:
    return COPY + name.removeprefix(TREE)


LOAD = Load("kernel-tree", _phases)
