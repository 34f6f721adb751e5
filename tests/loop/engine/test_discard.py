"""`keep` never discards blocks of the new filesystem, even if the drive held the same bytes before."""

from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, fill, spec, story
from tests.loop.program import MIB, Mode, RunState


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs"])
def test_filesystem_over_an_equal_one_is_complete(work: Work, make_drive: MakeDrive, filesystem: str) -> None:
    drive = make_drive(512 * MIB)
    fill(drive, work.bench)
    for _ in range(2):
        run, now = work.apply(work.plan(drive, spec(filesystem), mode=Mode.REPLACE))
        assert now is RunState.DONE, story(run)
        assert "of free space in the new volumes" in story(run), "it was told what it may forget"
        checks = {"ext4": ("e2fsck", "-fn"), "xfs": ("xfs_repair", "-n"), "btrfs": ("btrfs", "check")}
        tool(*checks[filesystem], f"{drive}p1")
        place = work.folder / "there"
        place.mkdir(exist_ok=True)
        tool("mount", f"{drive}p1", str(place))
        try:
            (place / "film.bin").write_bytes(bytes(range(256)) * (4 * MIB // 256))
        finally:
            tool("umount", str(place))
    assert Path(drive).is_block_device() and diskwright(work, "status").returncode == 0
