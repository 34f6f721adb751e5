"""Resize an ext2, ext3 or ext4.

e2image copies all that e2fsck and resize2fs read: superblocks, descriptors, bitmaps, inodes, folders and the
journal (e2image(8), -r). File data is omitted, except beyond the new end, from where resize2fs moves it.
Filesystems that need another move or a repair are refused before any drive is written.
"""

import re

from wizard.apply.block.extents import merged
from wizard.apply.resize import metadata
from wizard.apply.steps.step_context import StepContext
from wizard.filesystems.ext import CHECK
from wizard.model.machine import Extent
from wizard.model.said import t
from wizard.operations.filesystem import Resize

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
"""Features with which e2image copies everything that e2fsck reads (e2fsprogs, misc/e2image.c). Others have
metadata in files, such as quota limits."""

MOVES = re.compile(r"Begin pass [2-9]|Relocating blocks|Moving inode table")
"""Output of resize2fs when it moves data to make space (resize/resize2fs.c)."""

RECORDS = re.compile(
    r"(?:superblock|Group descriptors|Reserved GDT blocks|bitmap|Inode table) at (\d+)(?:-(\d+))?"
)
FREE = re.compile(r"(?m)^\s+Free blocks: (.*)$")
"""dumpe2fs's lines on the metadata and the free blocks of a group."""


def show(showing: metadata.Showing) -> tuple[Extent, ...]:
    """Copy all metadata, and data beyond the new end. Return the places of metadata and free space. Raises
    Failed."""
    places = writable(showing.asked("dumpe2fs", showing.real), showing.volume)
    if showing.tried(*CHECK, showing.real).status:
        raise metadata.not_clean(showing.real, "e2fsck", "-f")
    moved = showing.moved(places)
    showing.do(("e2image", "-r", showing.real, showing.scratch))
    showing.copy(moved)
    return places


def writable_now(showing: metadata.Showing) -> tuple[Extent, ...]:
    """Return the same places of the scratch copy after resize2fs. Raises Failed."""
    return writable(showing.asked("dumpe2fs", showing.scratch), showing.volume)


def writable(text: str, volume: Extent) -> tuple[Extent, ...]:
    """Parse dumpe2fs, and return where resize2fs may write in the old partition: metadata, free space, and
    space after the filesystem. Sorted and disjoint. Everything else is file data.

    Raises Failed for unsupported filesystems. Pure.
    """
    found = re.search(r"(?m)^Filesystem features:\s+(.*)$", text)
    others = sorted(set(found[1].split()) - FEATURES) if found else ["unknown"]
    if "needs_recovery" in others:
        raise metadata.refused(metadata.CUT_OFF)
    if others:
        raise metadata.refused(
            t("Resizing does not support these features yet: {features:and}.", features=tuple(others))
        )
    numbers = (re.search(rf"(?m)^{name}:\s+(\d+)$", text) for name in ("Block size", "Block count"))
    size, count = (int(found[1]) if found else 0 for found in numbers)
    if not size or not count:
        raise metadata.not_told("dumpe2fs", "Block size", "Block count")
    free = (blocks for line in FREE.findall(text) for blocks in re.split(r",\s*", line.strip()) if blocks)
    runs = [*RECORDS.findall(text), *(blocks.partition("-")[::2] for blocks in free)]
    places = [(int(first) * size, (int(last or first) + 1) * size) for first, last in runs]
    places.append((count * size, max(count * size, volume.size_bytes)))
    return merged(
        (Extent(volume.start_bytes + start, end - start) for start, end in places),
        1,
        volume.end_bytes,
    )


def held_bytes(operation: Resize, said: str, _context: StepContext) -> int:
    """Return the current size in bytes from resize2fs's output. Raises Failed if it moved files in order to
    grow."""
    if operation.grows and MOVES.search(said):
        raise metadata.refused(metadata.MOVES_FILES(program="resize2fs", device=operation.device))
    blocks = re.search(r"is (?:now|already) (\d+) \((\d+)k\) blocks long", said)
    return int(blocks[1]) * int(blocks[2]) * 1024 if blocks else 0
