"""Filesystems in the middle of a commit: neither the kernel nor e2fsprogs mounts or repairs them."""

import hashlib
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile

import pytest

from tests.devices import MakeDrive, tool
from tests.exchanging import Power, PowerCut, differing, save_chunks, unheard
from tests.loop.program import MIB, Phase, load_record
from wizard.apply.block.devices import forget_caches, read_bytes, write_bytes
from wizard.apply.block.extents import DeviceMedium, HeldDrive
from wizard.apply.conversion.commit import Committer
from wizard.ext4.assessment import FIRST_BYTES, block_mounting
from wizard.model.errors import Refused
from wizard.operations.ext4 import (
    AddChecksums,
    CheckFiles,
    ConvertFiles,
    OnDevice,
    SetFeatures,
    WidenBlockNumbers,
    WidenInodes,
)

EXT3 = "has_journal,^extent,^64bit,^metadata_csum,^flex_bg,^huge_file,^dir_nlink,^extra_isize"
EXT4 = "has_journal,extent,metadata_csum"
FULL: tuple[OnDevice, ...] = (
    CheckFiles(),
    WidenInodes(),
    SetFeatures(("extent", "huge_file", "dir_nlink", "extra_isize")),
    ConvertFiles(),
    WidenBlockNumbers(),
    AddChecksums(),
)
WAYS_TO_MOUNT = [
    ("-t", kind, "-o", options)
    for kind in ("ext4", "ext3", "ext2")
    for options in ("rw", "ro", "ro,noload")
    if (kind, options) != ("ext2", "ro,noload")
]


def digest(path: str | Path) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def mounts(node: str, place: Path, *words: str) -> bool:
    if subprocess.run(("mount", *words, node, str(place)), capture_output=True, check=False).returncode:
        return False
    tool("umount", str(place))
    return True


@pytest.mark.parametrize(
    ("features", "block_bytes", "logical"), [(EXT3, 1024, 512), (EXT4, 1024, 512), (EXT4, 4096, 4096)]
)
def test_hidden_filesystem_is_not_mounted_or_repaired(
    make_drive: MakeDrive,
    own: Callable[[str], None],
    tmp_path: Path,
    features: str,
    block_bytes: int,
    logical: int,
) -> None:
    node = make_drive(32 * MIB, logical)
    own(node)
    tool("mkfs.ext4", "-q", "-F", "-O", features, "-b", str(block_bytes), node)
    assert mounts(node, tmp_path)
    first = read_bytes(node, 0, FIRST_BYTES)
    uuid = tool("blkid", "-p", "-s", "UUID", "-o", "value", node)
    write_bytes(node, 0, block_mounting(first))
    forget_caches(node)
    before = digest(node)
    assert not [words for words in ((), *WAYS_TO_MOUNT) if mounts(node, tmp_path, *words)]
    for words in (("-p",), ("-y",), ("-f", "-y"), ("-f", "-n")):
        done = subprocess.run(("e2fsck", *words, node), capture_output=True, text=True, check=False)
        assert done.returncode == 8 and "unsupported feature" in done.stdout + done.stderr
    assert digest(node) == before
    assert tool("blkid", "-p", "-s", "UUID", "-o", "value", node) == uuid
    write_bytes(node, 0, first)
    forget_caches(node)
    assert mounts(node, tmp_path)


class CutDevice(HeldDrive):
    """A loop device without writes after a chosen moment."""

    def __init__(self, node: str, power: Power) -> None:
        super().__init__(node)
        self.power = power

    def write(self, offset_bytes: int, data: bytes) -> None:
        self.power.moment()
        super().write(offset_bytes, data)


@dataclass
class Migrated:
    """A saved change from ext3 to ext4 on a test drive, with images of both."""

    node: str
    run: Path
    old: Path
    new: Path

    def commit(self, goes_at: int | None = None) -> int:
        """Return the number of writes."""
        power = Power(goes_at)
        try:
            with CutDevice(self.node, power) as medium:
                Committer(self.run, self.node, medium, unheard).commit(lambda share: None)
        except PowerCut:
            pass
        forget_caches(self.node)
        return power.moments

    @property
    def finished(self) -> bool:
        record = load_record(self.run)
        return record is not None and record.phase is Phase.RELEASED


def migrated(node: str, image: Path, folder: Path, block_bytes: int) -> Migrated:
    """Convert a copy, and save the differences."""
    tool(
        "mkfs.ext3",
        "-q",
        "-F",
        "-I",
        "128",
        "-b",
        str(block_bytes),
        "-O",
        EXT3,
        "-d",
        str(Path(__file__).parents[2]),
        node,
    )
    forget_caches(node)
    old, new, run = (folder / name for name in ("old.img", "new.img", "run"))
    copyfile(image, old)
    copyfile(image, new)
    for operation in FULL:
        for argv in operation.commands(str(new)):
            subprocess.run(argv, capture_output=True, check=False)
    tool("e2fsck", "-f", "-n", str(new))
    run.mkdir()
    with DeviceMedium(node) as medium:
        save_chunks(run, node, medium, differing(old.read_bytes(), new.read_bytes()))
    return Migrated(node, run, old, new)


@pytest.mark.parametrize(("block_bytes", "logical"), [(1024, 512), (4096, 4096)])
def test_half_committed_filesystem_cannot_be_mounted_and_resumes(
    make_drive: MakeDrive,
    own: Callable[[str], None],
    image_of: Callable[[str], Path],
    tmp_path: Path,
    block_bytes: int,
    logical: int,
) -> None:
    node = make_drive(16 * MIB, logical)
    own(node)
    place = tmp_path / "place"
    place.mkdir()
    case = migrated(node, image_of(node), tmp_path, block_bytes)
    # Before the bar nothing has changed; then each write leaves it barred until the last.
    case.commit(0)
    assert digest(node) == digest(case.old) and mounts(node, place, "-o", "ro")
    cuts = 0
    for _ in range(100):
        # What is there is not written again: each goes one write further.
        case.commit(1)
        if case.finished:
            break
        cuts += 1
        found = digest(node)
        assert found not in (digest(case.old), digest(case.new))
        assert not mounts(node, place, "-o", "ro,noload") and not mounts(node, place)
        assert subprocess.run(("e2fsck", "-f", "-y", node), capture_output=True, check=False).returncode == 8
        assert digest(node) == found
    assert case.finished and cuts > 5
    assert digest(node) == digest(case.new)
    tool("e2fsck", "-f", "-n", node)
    assert mounts(node, place, "-o", "ro", "-t", "ext4")
    # A mount for reading leaves the way back open; one for writing closes it.
    with HeldDrive(node) as medium:
        Committer(case.run, node, medium, unheard).undo(lambda share: None)
    forget_caches(node)
    assert digest(node) == digest(case.old)
    assert mounts(node, place, "-t", "ext3")


def test_writable_mount_ends_undo(
    make_drive: MakeDrive, own: Callable[[str], None], image_of: Callable[[str], Path], tmp_path: Path
) -> None:
    node = make_drive(16 * MIB)
    own(node)
    place = tmp_path / "place"
    place.mkdir()
    case = migrated(node, image_of(node), tmp_path, 1024)
    case.commit()
    with DeviceMedium(node) as medium:
        Committer(case.run, node, medium, unheard).check_undo(over=False)
    assert mounts(node, place)
    forget_caches(node)
    with DeviceMedium(node) as medium, pytest.raises(Refused, match="was modified after"):
        Committer(case.run, node, medium, unheard).check_undo(over=False)
