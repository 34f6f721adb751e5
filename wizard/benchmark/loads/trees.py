"""Loads on folder trees, and ageing a volume in seconds. Ageing allocates files without writing their data,
and deletes half of them again."""

import ctypes
import errno
import math
import os
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

from wizard.benchmark.loads.script import BLOCK_BYTES, Draft, LoadPhase, Script, Unit, phase
from wizard.model.said import KIB

SHARE = 0.85
"""Used share of the free space at the end."""
FILES = 3000
FILLS = 3
SPREAD = 1.6
AGED_A_FOLDER = 75


def aged(root: int, free_bytes: int, seed: int) -> int:
    """Fill 85 % of `free_bytes` three times, and delete half of the files in between.

    Free space is then fragmented between about 3,000 files, whatever the size of the volume. Returns the
    bytes in these files, fewer if the filesystem ran out of space earlier. Raises OSError, with EOPNOTSUPP if
    the filesystem cannot allocate without writing.
    """
    random = Random(seed)
    left = int(free_bytes * SHARE)
    have: list[tuple[str, int]] = []
    made = 0
    for fill in range(FILLS):
        if fill:
            random.shuffle(have)
            for name, size_bytes in have[: len(have) // 2]:
                os.unlink(name, dir_fd=root)
                left += size_bytes
            del have[: len(have) // 2]
        for size_bytes in _sizes(random, FILES - len(have), left):
            name = _name(made, root)
            made += 1
            if not _allocate(name, size_bytes, root):
                break
            have.append((name, size_bytes))
            left -= size_bytes
    return sum(size_bytes for _, size_bytes in have)


def _sizes(random: Random, count: int, together_bytes: int) -> Sequence[int]:
    """Return widely spread sizes in whole pages that add up to the space."""
    weights = [random.lognormvariate(0, SPREAD) for _ in range(count)]
    unit = together_bytes / sum(weights)
    return [
        int(weight * unit) // BLOCK_BYTES * BLOCK_BYTES for weight in weights if weight * unit >= BLOCK_BYTES
    ]


def _name(number: int, root: int) -> str:
    folder = f"aged{number // AGED_A_FOLDER}"
    if number % AGED_A_FOLDER == 0:
        os.mkdir(folder, dir_fd=root)
    return f"{folder}/{number}"


def _allocate(name: str, size_bytes: int, root: int) -> bool:
    """Allocate a file. Returns False without enough space. posix_fallocate is no alternative: the C library
    writes zeros if the filesystem cannot allocate."""
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=root)
    try:
        error = _fallocate(file, size_bytes)
    finally:
        os.close(file)
    if error == 0:
        return True
    os.unlink(name, dir_fd=root)
    if error == errno.ENOSPC:
        return False
    raise OSError(error, os.strerror(error), name)


@cache
def _library_fallocate() -> Callable[[int, int, int, int], int]:
    """Return the 64-bit fallocate. musl has only this variant, under the plain name."""
    library = ctypes.CDLL(None, use_errno=True)
    call = library.fallocate64 if hasattr(library, "fallocate64") else library.fallocate
    call.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    found: Callable[[int, int, int, int], int] = call
    return found


def _fallocate(file: int, size_bytes: int) -> int:
    """Call fallocate(2) from the start of the file. Returns 0 or an errno."""
    call = _library_fallocate()
    while call(file, 0, 0, size_bytes):
        if (error := ctypes.get_errno()) != errno.EINTR:
            return error
    return 0


SOURCE_MEDIAN_BYTES, SOURCE_SPREAD, SOURCE_MOST_BYTES = 5000, 1.2, 200_000
FILES_A_FOLDER = 18
"""A kernel tree of 2.6.33 has about 31,500 files of 11 kB on average in 2,000 folders."""


def _source_size(random: Random) -> int:
    """Return a random size of a source file."""
    size_bytes = int(random.lognormvariate(math.log(SOURCE_MEDIAN_BYTES), SOURCE_SPREAD))
    return max(1, min(SOURCE_MOST_BYTES, size_bytes))


def _source_tree(random: Random, files: int, base: str) -> dict[str, list[str]]:
    """Return the files by folder, parent folders first."""
    folders = [base]
    for number in range(files // FILES_A_FOLDER):
        folders.append(f"{random.choice(folders)}/d{number}")
    tree: dict[str, list[str]] = {folder: [] for folder in folders}
    for number in range(files):
        folder = random.choice(folders)
        tree[folder].append(f"{folder}/f{number}.c")
    return tree


def _phases(**scripts: Script) -> tuple[LoadPhase, ...]:
    return tuple(phase(name, Unit.FILES, script) for name, script in scripts.items())


TREE, COPY, ARCHIVE = "linux", "copy", "linux.tar"


def kernel_tree(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose work on kernel sources with tar, cp, find and rm."""
    tree = _source_tree(draft.random, draft.count(700), TREE)
    extract, copy, archive, list_, read, delete = (draft.script() for _ in range(6))
    for folder, files in tree.items():
        extract.make_folder(folder)
        for name in files:
            extract.create(name, _source_size(draft.random))
    for folder, files in tree.items():
        # Directory order differs from creation order.
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
    return _phases(extract=extract, copy=copy, archive=archive, list=list_, read=read, delete=delete)


def _copied(name: str) -> str:
    return COPY + name.removeprefix(TREE)


def many_files(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose creating, copying, listing and deleting many files of 1 KiB in one folder."""
    numbers = list(range(draft.count(1800)))
    create, copy, look, delete = (draft.script() for _ in range(4))
    create.make_folder("many")
    copy.make_folder(COPY)
    look.list_folder("many")
    for number in numbers:
        create.create(f"many/{number}", KIB)
    # Directory order differs from creation order.
    draft.random.shuffle(numbers)
    for number in numbers:
        copy.copy(f"many/{number}", f"{COPY}/{number}")
        look.look(f"many/{number}")
    draft.random.shuffle(numbers)
    for number in numbers:
        for folder in ("many", COPY):
            delete.delete(f"{folder}/{number}")
    for folder in ("many", COPY):
        delete.remove_folder(folder)
    return _phases(create=create, copy=copy, list=look, delete=delete)


CHANGED = 10
"""One in this many files differs the second time."""


def rsync(draft: Draft) -> tuple[LoadPhase, ...]:
    """Compose the writes of rsync to its target, twice."""
    tree = _source_tree(draft.random, draft.count(3000), "copied")
    copy, again = draft.script(), draft.script()
    for folder, files in tree.items():
        copy.make_folder(folder)
        for name in files:
            _transfer(copy, name, _source_size(draft.random))
    names = [name for files in tree.values() for name in files]
    for name in names:
        again.look(name)
    for name in draft.random.sample(names, -(-len(names) // CHANGED)):
        # rsync compares with the old file.
        again.read(name)
        _transfer(again, name, _source_size(draft.random))
    return phase("copy", Unit.FILES, copy), phase("again", Unit.FILES, again, amount=len(names))


def _transfer(script: Script, name: str, size_bytes: int) -> None:
    folder, _, last = name.rpartition("/")
    temporary = f"{folder}/.{last}.part"
    script.create(temporary, size_bytes)
    script.date(temporary)
    script.rename(temporary, name)
