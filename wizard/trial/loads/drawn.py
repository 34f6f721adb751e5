"""What loads draw from their seed: bytes that cannot be compressed, sizes of files, trees of folders."""

import math
from collections.abc import Sequence
from random import Random

from wizard.model.units import KIB, MIB

SPAN_BYTES = 8 * MIB
"""So many bytes are drawn. Longer files repeat them: no filesystem's compression looks back that far."""

PAGE_BYTES = 4 * KIB
CHUNK_BYTES = 128 * KIB
"""What cp and cat handle at a time."""

SOURCE_MEDIAN_BYTES = 5000
SOURCE_SPREAD = 1.2
SOURCE_MOST_BYTES = 200_000
FILES_A_FOLDER = 18
"""A kernel tree of 2.6.33 has about 31,500 files of 11 kB on average in 2,000 folders."""

GAMMA = 1.5
"""The shape of the sizes that FileBench draws around a mean."""


class Contents:
    """The bytes for one file after another."""

    def __init__(self, seed: int) -> None:
        self._all = memoryview(Random(seed).randbytes(SPAN_BYTES))
        self._at = self._laps = 0

    def take(self, size_bytes: int, record_bytes: int = CHUNK_BYTES) -> Sequence[memoryview]:
        """The next `size_bytes` in pieces of `record_bytes`."""
        if size_bytes > SPAN_BYTES:
            return self._long(size_bytes, record_bytes)
        pieces = []
        while size_bytes > 0:
            length = min(size_bytes, record_bytes)
            if self._at + length > SPAN_BYTES:
                self._laps += 1
                # Another start in every lap, so that no two files have the same blocks.
                self._at = self._laps * 1021 % PAGE_BYTES
            pieces.append(self._all[self._at : self._at + length])
            self._at += length
            size_bytes -= length
        return tuple(pieces)

    def _long(self, size_bytes: int, record_bytes: int) -> Sequence[memoryview]:
        """Slices that are used again: a gibibyte by the kilobyte would else be a million objects."""
        once = tuple(self._all[at : at + record_bytes] for at in range(0, SPAN_BYTES, record_bytes))
        whole, rest = divmod(size_bytes, record_bytes)
        pieces = (once * (whole // len(once) + 1))[:whole]
        return (*pieces, self._all[:rest]) if rest else pieces


def scaled(number: float, scale: float, least: int = 1) -> int:
    """So many at this scale."""
    return max(least, round(number * scale))


def source_size(random: Random) -> int:
    """The size of a source file: half are below 5 kB."""
    drawn = int(random.lognormvariate(math.log(SOURCE_MEDIAN_BYTES), SOURCE_SPREAD))
    return max(1, min(SOURCE_MOST_BYTES, drawn))


def gamma_size(random: Random, mean_bytes: int) -> int:
    """A size as FileBench draws it."""
    return max(1, int(random.gammavariate(GAMMA, mean_bytes / GAMMA)))


def source_tree(random: Random, files: int, base: str) -> dict[str, list[str]]:
    """The files of each folder, every folder after the one it lies in."""
    folders = [base]
    for number in range(files // FILES_A_FOLDER):
        folders.append(f"{random.choice(folders)}/d{number}")
    tree: dict[str, list[str]] = {folder: [] for folder in folders}
    for number in range(files):
        folder = random.choice(folders)
        tree[folder].append(f"{folder}/f{number}.c")
    return tree


def shares(total: int, parts: int) -> list[int]:
    """`total` dealt out as evenly as can be."""
    return [total // parts + (part < total % parts) for part in range(parts)]
