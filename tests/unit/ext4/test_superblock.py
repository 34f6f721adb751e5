"""Values from an ext superblock match those of dumpe2fs."""

import subprocess
from pathlib import Path

import pytest

from tests.unit.ext4.extimages import EXT3, debugfs, dumped, facts, made, superblock
from wizard.ext4.superblock import RESIZED_OR_MARKED, read_ext
from wizard.model.said import MIB

NUMBERS = {
    "Block size": "block_bytes",
    "Block count": "blocks",
    "Free blocks": "free_blocks",
    "Reserved block count": "reserved_blocks",
    "Inode count": "inodes",
    "Free inodes": "free_inodes",
    "Inode size": "inode_bytes",
    "Blocks per group": "blocks_per_group",
    "Inodes per group": "inodes_per_group",
    "Mount count": "mounts",
}


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (("-t", "ext2", "-b", "1024", "-O", "none"), "ext2"),
        (("-t", "ext2", "-r", "0"), "ext2"),
        ((*EXT3, "-L", "films"), "ext3"),
        (("-t", "ext3", "-b", "2048", "-I", "256", "-O", "^resize_inode,^dir_index", "-m", "12"), "ext3"),
        (("-t", "ext4", "-O", "64bit,metadata_csum,metadata_csum_seed"), "ext4"),
        (
            (
                "-t",
                "ext4",
                "-b",
                "1024",
                "-O",
                "bigalloc,quota,project,inline_data,encrypt,large_dir,mmp,sparse_super2,^resize_inode",
            ),
            "ext4",
        ),
    ],
)
def test_superblock_matches_dumpe2fs(tmp_path: Path, options: tuple[str, ...], kind: str) -> None:
    image = made(tmp_path, *options, size_bytes=32 * MIB)
    found = facts(image)
    assert found.kind == kind
    assert [getattr(found, name) for name in NUMBERS.values()] == [
        int(number) for number in dumped(image, *NUMBERS)
    ]
    features, uuid, label = dumped(image, "Filesystem features", "Filesystem UUID", "Filesystem volume name")
    assert (
        found.features == {*features.split()} - {"(none)"}
        and found.uuid == uuid
        and found.label == label.replace("<none>", "")
    )
    assert found.clean and not found.has_errors and not found.half_done
    assert found.desc_bytes == (64 if "64bit" in found.features else 32)


@pytest.mark.parametrize(
    ("commands", "told"),
    [
        (("ssv state 0",), "clean"),
        (("ssv state 2", "ssv error_count 7"), "has_errors"),
        (("ssv state 3",), "half_done"),
        (("ssv feature_incompat 0x6",), "needs_recovery"),
        (("ssv journal_inum 0", "ssv journal_dev 2049"), "journal_device"),
    ],
)
def test_abnormal_state_is_reported(tmp_path: Path, commands: tuple[str, ...], told: str) -> None:
    image = made(tmp_path)
    before = bool(getattr(facts(image), told))
    debugfs(image, *commands)
    assert bool(getattr(facts(image), told)) is not before
    assert facts(image).recorded_errors == (7 if told == "has_errors" else 0)


def test_killed_resize_is_reported(tmp_path: Path) -> None:
    image = made(tmp_path, *EXT3, "-N", "20000", size_bytes=64 * MIB)
    # resize2fs marks the filesystem before it moves anything, and takes the mark away when it is done.
    debugfs(image, "ssv state 3")
    assert facts(image).half_done == RESIZED_OR_MARKED
    subprocess.run(["e2fsck", "-fy", str(image)], capture_output=True, check=False, timeout=60)
    assert not facts(image).half_done


@pytest.mark.parametrize(
    "harm", [(0x38, b"\0\0"), (0x18, b"\x07\0\0\0"), (0x20, bytes(4)), (0x28, bytes(4)), (0x04, bytes(4))]
)
def test_impossible_superblock_is_rejected(tmp_path: Path, harm: tuple[int, bytes]) -> None:
    whole = superblock(made(tmp_path))
    place, data = harm
    assert read_ext(whole) is not None
    assert read_ext(whole[:place] + data + whole[place + len(data) :]) is None
    assert read_ext(whole[:-1]) is None
