"""Ageing a volume in seconds: files are given room without being written, and half of them deleted again."""

import ctypes
import errno
import os
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

from wizard.trial.loads.drawn import PAGE_BYTES

SHARE = 0.85
"""So much of the room is taken when it is done."""
FILES = 3000
FILLS = 3
SPREAD = 1.6
FILES_A_FOLDER = 75


def aged(root: int, free_bytes: int, seed: int) -> int:
    """Fill the volume to 85 % of its `free_bytes` three times, and delete half of the files in between.

    Free space then lies in pieces between about 3,000 files, whatever the size of the volume. Gives the bytes
    that those take: fewer where the filesystem ran out of room sooner. Raises OSError, with EOPNOTSUPP where
    the filesystem cannot give room to a file without writing it.
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
            if not _reserve(name, size_bytes, root):
                break
            have.append((name, size_bytes))
            left -= size_bytes
    return sum(size_bytes for _, size_bytes in have)


def _sizes(random: Random, count: int, together_bytes: int) -> Sequence[int]:
    """Sizes in whole pages that spread widely and take all of the room."""
    weights = [random.lognormvariate(0, SPREAD) for _ in range(count)]
    unit = together_bytes / sum(weights)
    return [
        int(weight * unit) // PAGE_BYTES * PAGE_BYTES for weight in weights if weight * unit >= PAGE_BYTES
    ]


def _name(number: int, root: int) -> str:
    folder = f"aged{number // FILES_A_FOLDER}"
    if number % FILES_A_FOLDER == 0:
        os.mkdir(folder, dir_fd=root)
    return f"{folder}/{number}"


def _reserve(name: str, size_bytes: int, root: int) -> bool:
    """Whether there was room.

    The C library's posix_fallocate would write zeros where the filesystem cannot do it.
    """
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=root)
    try:
        number = _fallocate(file, size_bytes)
    finally:
        os.close(file)
    if number == 0:
        return True
    os.unlink(name, dir_fd=root)
    if number == errno.ENOSPC:
        return False
    raise OSError(number, os.strerror(number), name)


@cache
def _call() -> Callable[[int, int, int, int], int]:
    """The call that takes 64 bits everywhere: musl has no other one, and no other name for it."""
    library = ctypes.CDLL(None, use_errno=True)
    call = library.fallocate64 if hasattr(library, "fallocate64") else library.fallocate
    call.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    found: Callable[[int, int, int, int], int] = call
    return found


def _fallocate(file: int, size_bytes: int) -> int:
    """fallocate(2) from the file's beginning; gives 0 or the error's number."""
    call = _call()
    while call(file, 0, 0, size_bytes):
        if (number := ctypes.get_errno()) != errno.EINTR:
            return number
    return 0
