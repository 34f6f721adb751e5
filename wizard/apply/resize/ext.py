"""Resize an ext2, ext3 or ext4.

e2image copies all that e2fsck and resize2fs read: superblocks, descriptors, bitmaps, inodes, folders and the
journal (e2image(8), -r). File data is omitted, except beyond the new end, from where resize2fs moves it.
Filesystems that need another move or a repair are refused before any drive is written.
"""

import re
from collections.abc import Iterator

from wizard.apply.block.extents import merged
from wizard.apply.resize.showing import CUT_OFF, MOVES_FILES, NOT_CLEAN, NOT_TOLD, Showing, refusal
from wizard.apply.steps.step_context import StepContext
from wizard.filesystems.ext import CHECK
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.plan import GrowFilesystem, Resizing
from wizard.model.said import t
from wizard.process.program import run

FEATURES = frozenset(
    {
        *("has_journal", "ext_attr", "resize_inode", "dir_index", "filetype", "extent", "64bit", "flex_bg"),
        *(
            "sparse_super",
            "large_file",
            "huge_file",
            "dir_nlink",
            "extra_isize",
            "metadata_csum",
            "uninit_bg",
        ),
        *("metadata_csum_seed", "large_dir", "dir_prealloc", "sparse_super2", "orphan_file"),
    }
)
"""Features with which e2image shows everything that e2fsck reads (e2fsprogs, misc/e2image.c). Others keep
records in files of their own, such as quota's limits."""

MOVES = re.compile(r"Begin pass [2-9]|Relocating blocks|Moving inode table")
"""What resize2fs says where it moves something to make room (resize/resize2fs.c)."""

RECORDS = re.compile(
    r"(?:superblock|Group descriptors|Reserved GDT blocks|bitmap|Inode table) at (\d+)(?:-(\d+))?"
)
FREE = re.compile(r"(?m)^\s+Free blocks: (.*)$")
"""How dumpe2fs tells where a group's records lie, and what is free in it."""


def show(showing: Showing) -> tuple[Extent, ...]:
    """Show every record, and all that lies behind the new end; the places are records and what is free.
    Raises Failed."""
    places = writable(showing.asked("dumpe2fs", showing.real), showing.volume)
    if run((*CHECK, showing.real), seconds=showing.seconds, accept=range(256)).status:
        raise Failed(refusal(NOT_CLEAN(device=showing.real, command=f"e2fsck -f {showing.real}")))
    moved = showing.moved(places)
    showing.do(("e2image", "-r", showing.real, showing.stand_in))
    showing.copy(moved)
    return places


def writable_now(showing: Showing) -> tuple[Extent, ...]:
    """The same of the stand-in, once resize2fs has been at it. Raises Failed."""
    return writable(showing.asked("dumpe2fs", showing.stand_in), showing.volume)


def writable(text: str, volume: Extent) -> tuple[Extent, ...]:
    """Where in its old place resize2fs may write by dumpe2fs's words: to records, to what is free, and behind
    the filesystem's end; in order and apart. All else is in files. Raises Failed for a filesystem that cannot
    be resized so. Pure."""
    _refuse_features(text)
    numbers = (re.search(rf"(?m)^{name}:\s+(\d+)$", text) for name in ("Block size", "Block count"))
    size, count = (int(found[1]) if found else 0 for found in numbers)
    if not size or not count:
        raise Failed(refusal(NOT_TOLD(program="dumpe2fs", what=("Block size", "Block count"))))
    runs = [*RECORDS.findall(text), *_free(text)]
    places = [(int(first) * size, (int(last or first) + 1) * size) for first, last in runs]
    places.append((count * size, max(count * size, volume.size_bytes)))
    return merged(
        (Extent(volume.start_bytes + start, end - start) for start, end in places),
        1,
        volume.end_bytes,
    )


def _free(text: str) -> Iterator[tuple[str, str]]:
    for line in FREE.findall(text):
        for blocks in filter(None, re.split(r",\s*", line.strip())):
            first, _, last = blocks.partition("-")
            yield first, last


def held_bytes(operation: Resizing, said: str, _site: StepContext) -> int:
    """How many bytes it has now, by what resize2fs said. Raises Failed where that moved files to grow."""
    if isinstance(operation, GrowFilesystem) and MOVES.search(said):
        raise Failed(refusal(MOVES_FILES(program="resize2fs", device=operation.device)))
    blocks = re.search(r"is (?:now|already) (\d+) \((\d+)k\) blocks long", said)
    return int(blocks[1]) * int(blocks[2]) * 1024 if blocks else 0


def _refuse_features(text: str) -> None:
    found = re.search(r"(?m)^Filesystem features:\s+(.*)$", text)
    others = sorted(set(found[1].split()) - FEATURES) if found else ["unknown"]
    if "needs_recovery" in others:
        raise Failed(refusal(CUT_OFF))
    if others:
        raise Failed(
            refusal(
                t(
                    "Resizing does not support these features yet: {features:and}.",
                    features=tuple(map(str, others)),
                )
            )
        )
