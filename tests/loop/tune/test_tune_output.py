"""`diskwright tune` on a mounted filesystem: its output can be used as a patch, and nothing changes."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright
from tests.loop.program import MIB


@pytest.mark.parametrize("end", ["\n", ""])
def test_fstab_patch_applies_and_tune_writes_no_file(
    work: Work, make_drive: MakeDrive, own: Callable[[str], None], end: str
) -> None:
    drive, place = make_drive(300 * MIB), work.place("media")
    own(drive)
    tool("mkfs.ext4", "-q", "-F", drive)
    place.mkdir(parents=True)
    uuid = tool("blkid", "-p", "-o", "value", "-s", "UUID", drive).strip()
    old = f"# at boot\nUUID={uuid}\t{place} ext4 defaults,barrier=0 0 2{end}"
    work.fstab.write_text(old)
    tool("mount", drive, str(place))
    words = ("tune", drive, "--workload", "large-media", "--fstab", str(work.fstab))
    told = diskwright(work, *words)
    assert told.returncode == 0, told.stderr
    assert "not yet applied" in told.stdout
    assert "mounted without barrier=0" in told.stdout and f"tune2fs -r 0 {drive}" in told.stdout
    assert "The change to barrier takes effect at the next mount." in " ".join(told.stdout.split())
    assert work.fstab.read_text() == old and not (work.folder / "runs").exists()
    tool("umount", str(place))
    assert "not mounted" in diskwright(work, *words).stdout
    subprocess.run(["patch", "-s", "-p1", "-d", "/"], input=told.stdout, text=True, check=True, timeout=20)
    assert work.fstab.read_text() == old.replace("defaults,barrier=0", "noatime")


def test_device_without_a_filesystem_is_reported(work: Work, make_drive: MakeDrive, tmp_path: Path) -> None:
    empty = diskwright(
        work, "tune", make_drive(16 * MIB), "--workload", "large-media", "--fstab", str(work.fstab)
    )
    assert empty.returncode == 2 and "contains no filesystem" in empty.stderr
    file = tmp_path / "file"
    file.touch()
    for device in (str(file), str(tmp_path / "none")):
        wrong = diskwright(work, "tune", device, "--workload", "large-media")
        assert wrong.returncode == 2 and wrong.stderr.startswith("diskwright: ")
