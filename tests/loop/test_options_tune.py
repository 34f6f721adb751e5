"""`diskwright tune` on a mounted filesystem: what it prints can be patched in, and nothing is changed by it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright
from wizard.model.units import MIB


def side(difference: list[str], sign: str) -> str:
    """The old or the new text of a small file, from a difference that shows all of it, read as patch(1) reads it."""
    assert [line[:4] for line in difference[:3]] == ["--- ", "+++ ", "@@ -"]
    found = ""
    taken = False
    for line in difference[3:]:
        if line.startswith("\\"):
            found = found.removesuffix("\n") if taken else found
            continue
        taken = line[0] in (" ", sign)
        found += f"{line[1:]}\n" if taken else ""
    return found


@pytest.mark.parametrize("end", ["\n", ""])
def test_the_difference_of_fstab_fits_and_nothing_is_written(
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
    assert "no command of diskwright does it yet" in " ".join(told.stdout.split())
    assert "mounted without barrier=0" in told.stdout and f"# tune2fs -m 0 {drive}" in told.stdout
    assert work.fstab.read_text() == old
    document = json.loads(diskwright(work, *words, "--json").stdout)
    assert document["existing"]["mount_point"] == str(place) and document["options"] == ["noatime"]
    assert document["existing"]["reserved_bytes"] > 5 * MIB
    assert side(document["fstab_diff"], "-") == old
    assert side(document["fstab_diff"], "+") == old.replace("defaults,barrier=0", "noatime")
    tool("umount", str(place))
    assert "not mounted" in diskwright(work, *words).stdout


def test_what_holds_no_filesystem_is_said_so(work: Work, make_drive: MakeDrive, tmp_path: Path) -> None:
    empty = diskwright(work, "tune", make_drive(16 * MIB), "--workload", "large-media", "--fstab", str(work.fstab))
    assert empty.returncode == 2 and "holds nothing that is recognised" in empty.stderr
    file = tmp_path / "file"
    file.touch()
    for device in (str(file), str(tmp_path / "none")):
        wrong = diskwright(work, "tune", device, "--workload", "large-media")
        assert wrong.returncode == 2 and wrong.stderr.startswith("diskwright: ")
