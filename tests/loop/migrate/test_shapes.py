"""Convert old filesystems of every shape with every method: files stay the same, and undo restores all
changes bit for bit."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import cycle, product
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, carry_out, said, story
from tests.loop.migrate.migrating import NO_JOURNAL, old_filesystem
from tests.loop.program import MIB, Event, Purpose, Refused, RunState, Way, state
from wizard.apply.block.devices import facts_on

EVERY = "DISKWRIGHT_EVERY_FILESYSTEM"
"""Set to anything, as `tests/run loop --full` does, all shapes are tested instead of those that hold every
pair."""

SHAPES: tuple[tuple[str, ...], ...] = (
    ("-b", "2048", "-I", "256", "-O", "^resize_inode,^sparse_super", "-J", "size=4"),
    ("-b", "4096", "-I", "128", "-O", "^large_file", "-J", "size=12"),
    ("-b", "1024", "-I", "128", "-O", "^dir_index,^resize_inode,^has_journal"),
    ("-b", "4096", "-I", "256", "-O", "^dir_index,^large_file,^resize_inode", "-J", "size=4"),
    ("-b", "1024", "-I", "256", "-O", "^dir_index,^large_file,^resize_inode,^sparse_super", "-J", "size=12"),
    ("-b", "2048", "-I", "256", "-O", "^dir_index,^large_file,^has_journal"),
    ("-b", "4096", "-I", "128", "-O", "^resize_inode,^sparse_super,^has_journal"),
    ("-b", "1024", "-I", "128", "-J", "size=4"),
    ("-b", "2048", "-I", "128", "-O", "^resize_inode", "-J", "size=12"),
)
"""Every pair of what is chosen stands in one of them, but for copies of the superblock everywhere together
with room to grow."""


def all_shapes() -> tuple[tuple[str, ...], ...]:
    if not os.environ.get(EVERY):
        return SHAPES
    features = ("dir_index", "large_file", "resize_inode", "sparse_super")
    chosen = [
        ",".join(f"^{name}" for bit, name in enumerate(features) if bits >> bit & 1) for bits in range(16)
    ]
    # mke2fs gives no superblock's copies only together with no room to grow.
    allowed = [words for words in chosen if "sparse_super" not in words or "resize_inode" in words]
    journals = ("", "size=4", "size=12")
    return tuple(
        ("-b", block, "-I", inode, *_features(words, journal), *(("-J", journal) if journal else ()))
        for block in ("1024", "2048", "4096")
        for inode in ("128", "256")
        for words in allowed
        for journal in journals
    )


def _features(words: str, journal: str) -> tuple[str, ...]:
    """Return the -O option. mke2fs uses only the last one."""
    joined = ",".join(filter(None, (words, "" if journal else NO_JOURNAL)))
    return ("-O", joined) if joined else ()


def cases() -> tuple[tuple[Sequence[str], Way], ...]:
    """Return a full conversion for every shape, and one other method per shape, or all of them."""
    shapes, others = all_shapes(), (Way.LIGHT, Way.MOUNT)
    if os.environ.get(EVERY):
        return tuple(product(shapes, Way))
    return (*((shape, Way.FULL) for shape in shapes), *zip(shapes, cycle(others), strict=False))


@pytest.mark.parametrize(
    ("shape", "way"), cases(), ids=lambda one: one.value if isinstance(one, Way) else " ".join(one)
)
def test_every_shape_keeps_its_files_and_undo_is_bit_for_bit(
    shape: Sequence[str], way: Way, work: Work, make_drive: MakeDrive
) -> None:
    old = old_filesystem(work, make_drive, shape)
    before, lines, files, was = old.digest, old.fstab, old.files(old.line.split()[2]), facts_on(old.drive)
    run = old.begin(old.migration(way))
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and not said(run, Event.NOT_VERIFIED), story(run)
    now = facts_on(old.drive)
    match way:
        case Way.FULL:
            assert {"extent", "has_journal", "metadata_csum"} <= now.features and now.inode_bytes == 256
        case Way.LIGHT:
            assert {"extent", "has_journal"} <= now.features and now.inode_bytes == was.inode_bytes
        case Way.MOUNT:
            assert old.digest == before and old.fstab != lines
    assert old.files("ext4") == files
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest, old.fstab) == (RunState.UNDONE, before, lines), story(run)


def full_of_blocks(place: Path) -> None:
    for size in (MIB, 1024):
        with suppress(OSError), (place / f"filled by {size}").open("wb", buffering=0) as file:
            while file.write(os.urandom(size)) == size:
                pass


def full_of_names(place: Path) -> None:
    with suppress(OSError):
        for number in range(100_000):
            (place / f"name {number}").touch()


SIZES = tuple(product(("1024", "2048", "4096"), ("128", "256")))
"""Of a block and of an inode."""


@pytest.mark.parametrize(("block", "inode"), SIZES if os.environ.get(EVERY) else SIZES[:1])
@pytest.mark.parametrize("fill", [full_of_blocks, full_of_names])
def test_full_filesystem_is_converted_if_possible_or_refused(
    work: Work, make_drive: MakeDrive, fill: Callable[[Path], None], block: str, inode: str
) -> None:
    old = old_filesystem(work, make_drive, ("-I", inode, "-b", block, "-N", "2048", "-m", "0"), 16 * MIB)
    place = old.mount()
    fill(place)
    tool("umount", str(place))
    before, files = old.digest, old.files("ext3")
    try:
        migration = old.migration()
    except Refused as refused:
        assert "free" in str(refused) or "full" in str(refused)
        migration = old.migration(Way.LIGHT)
    run = old.begin(migration)
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and old.files("ext4") == files, story(run)
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before, story(run)


def test_crowded_folder_and_a_file_of_almost_two_tib(work: Work, make_drive: MakeDrive) -> None:
    old = old_filesystem(work, make_drive, ("-I", "128", "-b", "4096", "-N", "4000"), 192 * MIB)
    place = old.mount()
    crowded = place / "crowded"
    crowded.mkdir()
    # An ext3 allows a file 32,000 names; files of their own would only take time.
    for first in (crowded / "first 0", crowded / "first 1"):
        first.touch()
        for number in range(30_000):
            os.link(first, f"{first} again {number:08}")
    with (place / "huge").open("wb") as file:
        for offset in (0, 10**9, 10**12, 2 * 10**12):
            file.seek(offset)
            file.write(b"triple-indirect" * 333)
        file.truncate(2_196 * 10**9)
    tool("umount", str(place))
    before = old.digest
    run = old.migrate_here(manifest=True)
    assert state(run) is RunState.DONE and any(
        "entries match" in one.output for one in said(run, Event.VERIFIED)
    ), story(run)
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before, story(run)
