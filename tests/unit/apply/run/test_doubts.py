"""Durability of a journal after a power cut, by the mount that contains its folder."""

from pathlib import Path

import pytest

from wizard.apply.run.runs import doubts_about
from wizard.probe.host import sysfs

ROOT_IN_MEMORY = "31 1 0:25 / / rw - overlay root rw\n"
RUNS_ON_A_DRIVE = "37 31 259:1 /runs /var/lib/diskwright/runs rw - ext4 /dev/nvme0n1p1 rw\n"


@pytest.mark.parametrize(("mounts", "doubts"), [(ROOT_IN_MEMORY, 1), (ROOT_IN_MEMORY + RUNS_ON_A_DRIVE, 0)])
def test_folder_that_is_a_mount_point_belongs_to_that_mount(
    mounts: str, doubts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysfs, "text", lambda _: mounts)
    assert len(doubts_about(Path("/var/lib/diskwright/runs"))) == doubts


def test_folder_with_a_longer_name_is_different(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysfs, "text", lambda _: ROOT_IN_MEMORY + RUNS_ON_A_DRIVE)
    assert len(doubts_about(Path("/var/lib/diskwright/runs-of-others"))) == 1
