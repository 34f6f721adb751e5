"""Age a volume in seconds: allocate files without writing their data, and delete half of them again."""

import ctypes
import errno
import os
from collections.abc import Sequence
from random import Random

from wizard.benchmark.loads.script import BLOCK_BYTES

SHARE = 0.85
"""Used share of the free space at the end."""
FILES = 3000
FILLS = 3
SPREAD = 1.6
AGED_A_FOLDER = 75


def aged(root: int, free_bytes: int, seed: int) -> int:
    """Fill 85 % of `free_bytes` three times, deleting half in between, so that free space is fragmented
    between about 3,000 files. Returns their bytes. Raises OSError, with EOPNOTSUPP if the filesystem cannot
    allocate without writing."""
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
            folder = f"aged{made // AGED_A_FOLDER}"
            if made % AGED_A_FOLDER == 0:
                os.mkdir(folder, dir_fd=root)
            name = f"{folder}/{made}"
            made += 1
            if not _allocate(name, size_bytes, root):
                break
            have.append((name, size_bytes))
            left -= size_bytes
    return sum(size_bytes for _, size_bytes in have)


def _sizes(random: Random, count: int, together_bytes: int) -> Sequence[int]:
    weights = [random.lognormvariate(0, SPREAD) for _ in range(count)]
    unit = together_bytes / sum(weights)
    return [
        int(weight * unit) // BLOCK_BYTES * BLOCK_BYTES for weight in weights if weight * unit >= BLOCK_BYTES
    ]


def _allocate(name: str, size_bytes: int, root: int) -> bool:
    """Return False without space. posix_fallocate would write zeros if the filesystem cannot allocate."""
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


def _fallocate(file: int, size_bytes: int) -> int:
    """Return 0 or an errno of the 64-bit fallocate(2)."""
    library = ctypes.CDLL(None, use_errno=True)
    # musl has only this variant, under the plain name.
    call = library.fallocate64 if hasattr(library, "fallocate64") else library.fallocate
    while call(file, 0, ctypes.c_int64(0), ctypes.c_int64(size_bytes)):
        if (error := ctypes.get_errno()) != errno.EINTR:
            return error
    return 0
