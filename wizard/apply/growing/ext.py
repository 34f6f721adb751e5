"""Growing an ext2, ext3 or ext4.

e2image copies what e2fsck and resize2fs read: superblocks, descriptors, bitmaps, inodes, folders, the journal
(e2image(8), -r). What files hold is not there. So nothing may be moved or mended: a filesystem that needs
either is refused, in which case no drive was written to.
"""

import re
from collections.abc import Iterator

from wizard.apply.block.extents import GRAIN_BYTES
from wizard.apply.growing import words
from wizard.apply.growing.showing import Showing
from wizard.apply.growing.words import CUT_OFF, MOVES_FILES, SMALL_BLOCKS, refusal
from wizard.apply.steps.step_context import Site
from wizard.model.errors import Failed
from wizard.model.machine import Extent

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
        *("metadata_csum_seed", "large_dir", "dir_prealloc", "sparse_super2"),
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
    """Show every record; the places are records and what is free. Raises Failed."""
    places = growable(showing.asked("dumpe2fs", showing.real), showing.volume)
    showing.do(("e2image", "-r", showing.real, showing.stand_in))
    return places


def growable(text: str, volume: Extent) -> tuple[Extent, ...]:
    """Where in its old place growing may write by dumpe2fs's words: to records, and to what is free. All else
    is in files. Raises Failed for a filesystem that cannot be grown so. Pure."""
    _refuse_features(text)
    found = re.search(r"(?m)^Block size:\s+(\d+)$", text)
    size = int(found[1]) if found else 0
    if not size or size % GRAIN_BYTES or volume.start_bytes % GRAIN_BYTES:
        raise Failed(refusal(SMALL_BLOCKS(block=size, start=volume.start_bytes, page=GRAIN_BYTES)))
    runs = [*RECORDS.findall(text), *_free(text)]
    return tuple(
        Extent(volume.start_bytes + int(first) * size, (int(last or first) - int(first) + 1) * size)
        for first, last in runs
    )


def _free(text: str) -> Iterator[tuple[str, str]]:
    for line in FREE.findall(text):
        for run in filter(None, re.split(r",\s*", line.strip())):
            first, _, last = run.partition("-")
            yield first, last


def held_bytes(device: str, said: str, _site: Site) -> int:
    """How many bytes it has now, by what resize2fs said. Raises Failed where that moved files."""
    if MOVES.search(said):
        raise Failed(refusal(MOVES_FILES(device=device)))
    blocks = re.search(r"is now (\d+) \((\d+)k\) blocks long", said)
    return int(blocks[1]) * int(blocks[2]) * 1024 if blocks else 0


def _refuse_features(text: str) -> None:
    found = re.search(r"(?m)^Filesystem features:\s+(.*)$", text)
    others = sorted(set(found[1].split()) - FEATURES) if found else ["unknown"]
    if "needs_recovery" in others:
        raise Failed(refusal(CUT_OFF()))
    if others:
        raise Failed(refusal(words.FEATURES(features=tuple(map(str, others)))))
