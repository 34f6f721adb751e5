"""Full and light conversions of small real filesystems: files survive, and all promised features are
active."""

import os
import re
from pathlib import Path

import pytest

from tests.unit.ext4.extimages import EXT3, debugfs, facts, made
from tests.unit.probe.superblocks import Bytes
from wizard.ext4 import operations as words
from wizard.ext4.operations import (
    last_group_blocks,
    operations_for,
    spare_blocks,
    widening_blocker,
    widening_blocks,
    widening_fault,
)
from wizard.model.ext import ExtFacts
from wizard.model.machine import Signature
from wizard.model.said import KIB, MIB
from wizard.operations.ext4 import (
    AddChecksums,
    CheckFiles,
    ConvertFiles,
    OnDevice,
    SetFeatures,
    WidenBlockNumbers,
    WidenInodes,
    accepted,
    proof,
)
from wizard.plan.changes import Way
from wizard.probe.content.superblocks import read_inside
from wizard.process.program import run

MOVES = re.compile(r"Begin pass [2-9]|Relocating blocks|Moving inode table")
"""Output of resize2fs when it moves data to make space (resize/resize2fs.c)."""

WHOLE = {
    "has_journal",
    "extent",
    "huge_file",
    "dir_nlink",
    "large_file",
    "dir_index",
    "64bit",
    "metadata_csum",
}


def tree(folder: Path) -> Path:
    """Create deep and wide folders, small and large files, a sparse file, and a non-UTF-8 name."""
    (folder / "deep/er/and/deeper").mkdir(parents=True)
    (folder / "wide").mkdir()
    for number in range(300):
        (folder / f"wide/name-{number:04}").write_bytes(b"x" * (number % 7))
    # A folder that fills its block of 1 KiB to the last byte, so that its checksum has no place until it is
    # packed anew.
    (folder / "brim").mkdir()
    for number in range(50):
        (folder / f"brim/of-a-block{number:02}").touch()
    (folder / "deep/er/large").write_bytes(bytes(range(256)) * 4 * 300)
    with (folder / "deep/holes").open("wb") as file:
        for place in range(0, 40, 2):
            file.seek(place * 5000)
            file.write(b"between holes")
    Path(str(folder), "deep/er/and/caf\udce9").write_bytes(b"coffee")
    return folder


def held(image: Path, folder: Path) -> dict[str, bytes]:
    """Return every file in the image by name."""
    folder.mkdir()
    run(["debugfs", "-R", f"rdump / {folder}", str(image)], seconds=60)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def carried_out(image: Path, operations: tuple[OnDevice, ...]) -> ExtFacts:
    for operation in operations:
        for argv in operation.commands(str(image)):
            run(argv, seconds=60, accept=accepted(argv))
    run(proof(str(image)), seconds=60)
    return facts(image)


@pytest.mark.parametrize(
    ("options", "size_mib"),
    [
        (EXT3, 32),
        ((*EXT3, "-b", "1024", "-O", "^resize_inode,^dir_index,^large_file"), 32),
        ((*EXT3, "-b", "2048", "-O", "^filetype,^ext_attr", "-g", "8192"), 48),
        (("-t", "ext3", "-I", "256", "-b", "1024", "-O", "^sparse_super,^resize_inode"), 24),
        (("-t", "ext2", "-I", "128", "-b", "1024", "-O", "none"), 32),
        (("-t", "ext2", "-I", "128", "-m", "20", "-O", "^dir_index"), 32),
        ((*EXT3, "-O", "meta_bg,^resize_inode", "-J", "size=4"), 64),
        (("-t", "ext4", "-I", "128", "-O", "^flex_bg,^64bit,^metadata_csum,uninit_bg"), 32),
        (("-t", "ext4", "-I", "128", "-O", "^64bit,^metadata_csum"), 32),
        (("-t", "ext4", "-O", "^64bit,^metadata_csum,uninit_bg,quota,project,large_dir"), 32),
        (("-t", "ext4", "-b", "1024", "-O", "^64bit,^metadata_csum,bigalloc"), 64),
    ],
)
def test_every_file_is_preserved_and_every_feature_added(
    tmp_path: Path, options: tuple[str, ...], size_mib: int
) -> None:
    image = made(tmp_path, *options, "-d", str(tree(tmp_path / "tree")), size_bytes=size_mib * MIB)
    before, files = facts(image), held(image, tmp_path / "before")
    # mke2fs fills a filesystem with quotas without counting what it puts there.
    operations = operations_for(Way.FULL, before, repairs="quota" in before.features)
    after = carried_out(image, operations)
    assert after.features >= WHOLE - ({"64bit"} if "bigalloc" in before.features else set())
    assert after.inode_bytes == 256 or widening_fault(before)
    assert (WidenInodes() in operations) is (before.inode_bytes < after.inode_bytes)
    assert held(image, tmp_path / "after") == files and len(files) == 353
    assert not operations_for(Way.FULL, after) and not operations_for(Way.LIGHT, after)
    assert (after.uuid, after.inodes) == (before.uuid, before.inodes)


def test_light_conversion_keeps_files_unchanged_and_full_one_finishes(tmp_path: Path) -> None:
    image = made(tmp_path, *EXT3, "-d", str(tree(tmp_path / "tree")))
    light = operations_for(Way.LIGHT, facts(image))
    after = carried_out(image, light)
    assert [type(operation) for operation in light[1:]] == [SetFeatures]
    assert "extent" in after.features and after.inode_bytes == 128 and "extra_isize" not in after.features
    assert "EXTENTS" not in run(["debugfs", "-R", "stat deep/er/large", str(image)], seconds=60).output
    rest = operations_for(Way.FULL, after)
    assert ConvertFiles() in rest and WidenBlockNumbers() in rest
    carried_out(image, rest)
    assert "EXTENTS" in run(["debugfs", "-R", "stat deep/er/large", str(image)], seconds=60).output


def test_filesystem_with_every_feature_and_old_files_is_finished(tmp_path: Path) -> None:
    """Like a filesystem after half of a manual conversion."""
    image = made(tmp_path, *EXT3, "-d", str(tree(tmp_path / "tree")))
    half = (SetFeatures(("extent", "huge_file", "dir_nlink")), WidenBlockNumbers(), AddChecksums())
    assert not facts(image).unconverted
    after = carried_out(image, half)
    assert after.unconverted and after.features >= WHOLE
    rest = operations_for(Way.FULL, after)
    assert rest == (CheckFiles(), ConvertFiles()), (
        "inodes are not widened: tune2fs damages one with checksums"
    )
    assert not carried_out(image, rest).unconverted
    assert "EXTENTS" in run(["debugfs", "-R", "stat deep/er/large", str(image)], seconds=60).output
    assert not operations_for(Way.FULL, facts(image))


def test_tune2fs_widens_no_inodes_with_checksums(tmp_path: Path) -> None:
    """tune2fs gives no warning, and e2fsck cannot read the result."""
    image = made(tmp_path, "-t", "ext4", "-I", "128", "-O", "^flex_bg,metadata_csum")
    assert widening_fault(facts(image)) == words.CHECKSUMS
    run(["tune2fs", "-I", "256", str(image)], seconds=60, accept=range(256))
    assert run(["e2fsck", "-fn", str(image)], seconds=60, accept=range(256)).status != 0


def test_inodes_are_not_widened_if_the_last_group_is_too_short(tmp_path: Path) -> None:
    """tune2fs fails too late and leaves an unreadable filesystem."""
    widened = {}
    for behind in (1100, 1300):
        image = made(
            tmp_path,
            *EXT3,
            "-b",
            "1024",
            "-N",
            "16384",
            size_bytes=(1 + 3 * 8192 + behind) * KIB,
            name=f"{behind}.img",
        )
        before = facts(image)
        assert before.groups == 4 and behind - 8 <= last_group_blocks(before) <= behind
        widened[behind] = WidenInodes() in operations_for(Way.FULL, before)
        assert run(["tune2fs", "-I", "256", str(image)], seconds=60, accept=range(256)).status == (
            0 if widened[behind] else 1
        )
    assert widened == {1100: False, 1300: True}


def test_inodes_are_widened_exactly_if_space_suffices(tmp_path: Path) -> None:
    image = made(tmp_path, *EXT3, "-b", "1024", "-i", "4096")
    before = facts(image)
    most = before.free_blocks - widening_blocks(before) - spare_blocks(before)
    (tmp_path / "filler").write_bytes(b"f" * (most - most // 200) * KIB)
    debugfs(image, f"write {tmp_path / 'filler'} filler")
    full = facts(image)
    assert widening_fault(full) is None and full.free_blocks - widening_blocks(full) < spare_blocks(full) + 64
    carried_out(image, operations_for(Way.FULL, full))
    (tmp_path / "more").write_bytes(b"f" * 600 * KIB)
    other = made(tmp_path, *EXT3, "-b", "1024", "-i", "4096", name="other.img")
    debugfs(other, f"write {tmp_path / 'filler'} filler", f"write {tmp_path / 'more'} more")
    assert widening_fault(facts(other)) and not widening_blocker(facts(other))
    assert WidenInodes() not in operations_for(Way.FULL, facts(other))


def test_revision_0_of_ext2_is_unchanged(tmp_path: Path) -> None:
    assert facts(made(tmp_path, "-t", "ext2", "-r", "0")).revision == 0


@pytest.mark.parametrize(
    "options",
    [
        ("-t", "ext4", "-b", "4096", "-I", "256"),
        ("-t", "ext4", "-b", "1024", "-O", "^64bit"),
        ("-t", "ext3", "-b", "2048", "-E", "resize=2000000"),
        ("-t", "ext4", "-b", "4096", "-O", "^resize_inode"),
    ],
)
def test_resize2fs_reaches_the_largest_size_without_moving_data(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    for beyond in (0, 64 * MIB):
        image = made(tmp_path, *options, size_bytes=200 * MIB)
        data = image.read_bytes()
        mark = Signature("ext4", "filesystem")
        most = read_inside(mark, Bytes(len(data), {0: data}).read, len(data)).most_bytes
        assert most is not None
        os.truncate(image, most + beyond)
        grown = run(["resize2fs", "-p", str(image)], seconds=60, accept=range(256))
        assert bool(MOVES.search(grown.output)) is bool(beyond), grown
        image.unlink()
