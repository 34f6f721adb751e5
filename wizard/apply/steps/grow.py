"""Growing an ext filesystem on a stand-in that shows its own records, and none of its files.

e2image copies what e2fsck and resize2fs read: superblocks, descriptors, bitmaps, inodes, folders, the journal
(e2image(8), -r). What files hold is not there. So nothing may be moved or mended: a filesystem that needs
either is refused, in which case no drive was written to.
"""

import re
from collections.abc import Iterator

from wizard.apply.block.extents import GRAIN_BYTES
from wizard.apply.steps.step_context import Site
from wizard.layout.steps.commands import commands_of
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.plan import GrowFilesystem
from wizard.tools.program import Result

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

IN_DOUBT = "Nothing was written to the drive."


def shown_by(real: str, stand_in: str) -> tuple[str, ...]:
    """The command that copies the records of the filesystem on `real` to its place on a stand-in."""
    return ("e2image", "-r", real, stand_in)


def growable(text: str, volume: Extent) -> tuple[Extent, ...]:
    """Where in its old place growing may write by dumpe2fs's words: to records, and to what is free. All else
    is in files. Raises Failed for a filesystem that cannot be grown so. Pure."""
    _refuse_features(text)
    found = re.search(r"(?m)^Block size:\s+(\d+)$", text)
    size = int(found[1]) if found else 0
    if not size or size % GRAIN_BYTES or volume.start_bytes % GRAIN_BYTES:
        raise Failed(
            f"It has blocks of {size} bytes from byte {volume.start_bytes} on; only whole pages of "
            f"{GRAIN_BYTES} bytes can be told apart on a stand-in. {IN_DOUBT}"
        )
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


def grow_filesystem(operation: GrowFilesystem, site: Site) -> str:
    """Check it, grow it, check it again; a sentence on what came of it. Raises Failed."""
    device = operation.device
    if not site.rehearsed:
        raise Failed(f"{device} is only grown on a stand-in first.")
    _check_clean(device, site)
    checking, growing = commands_of(operation)
    site.command(checking)
    said = site.command(growing)
    if moved := MOVES.search(said.output + said.errors):
        raise Failed(
            f"resize2fs has to move files in {device} to make room for its records ({moved[0]}), and those "
            f"are not on a stand-in. {IN_DOUBT}"
        )
    _check_clean(device, site)
    blocks = re.search(r"is now (\d+) \((\d+)k\) blocks long", said.output)
    held = int(blocks[1]) * int(blocks[2]) * 1024 if blocks else 0
    if not held or held > operation.size_bytes or held < operation.size_bytes * 9 // 10:
        raise Failed(f"resize2fs did not say that {device} fills its partition. {IN_DOUBT}")
    return f"The filesystem on {device} has {held} bytes now, and its own check finds it clean."


def _refuse_features(text: str) -> None:
    found = re.search(r"(?m)^Filesystem features:\s+(.*)$", text)
    others = sorted(set(found[1].split()) - FEATURES) if found else ["unknown"]
    if "needs_recovery" in others:
        raise Failed(
            f"The filesystem was not unmounted cleanly: mount it and unmount it again first. {IN_DOUBT}"
        )
    if others:
        raise Failed(f"It has features with which nothing is grown so far: {', '.join(others)}. {IN_DOUBT}")


def _check_clean(device: str, site: Site) -> Result:
    result = site.command(("e2fsck", "-f", "-n", device), accept=range(256))
    if result.status:
        raise Failed(f"{device} is not clean: `e2fsck -f {device}` mends it. {IN_DOUBT}")
    return result
