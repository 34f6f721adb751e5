"""A volume group on a kernel without the device mapper: planned and shown, and refused before anything is written. The lab's guests have
one, and make groups."""

from pathlib import Path

import pytest

from tests.devices import MakeDrive
from tests.loop.applying import Work, diskwright, stand_in, wish
from wizard.apply.modules import LOADED
from wizard.layout.document import read_plan
from wizard.layout.grouping import logical_volumes
from wizard.layout.wish import Arrangement
from wizard.model.errors import Refused
from wizard.model.units import MIB


def test_the_command_plans_a_group_for_a_real_drive(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(256 * MIB)
    work.bench.own(drive)
    file = work.folder / "plan.json"
    volumes = ("--volume", "workload=mail,fs=ext4,size=50M,label=mail", "--volume", "workload=nas,fs=ext4,label=files")
    done = diskwright(work, "plan", drive, "--lvm", *volumes, "-o", str(file))
    assert done.returncode == 0, done.stderr
    sizes = [one.size_bytes for one in logical_volumes(read_plan(file.read_text(), "the plan"))]
    assert sizes[0] == 52 * MIB and sizes[1] % (4 * MIB) == 0
    assert all(f"({size} bytes)" in " ".join(done.stderr.split()) for size in sizes)
    refused = diskwright(work, "plan", drive, "--lvm", "--volume", "workload=mail,fs=ext4,encrypt=luks2")
    assert refused.returncode in (2, 3) and "nothing is encrypted" in refused.stderr


@pytest.mark.skipif((LOADED / "dm_mod").exists(), reason="this kernel has the device mapper at work already")
def test_where_the_kernel_has_no_device_mapper_nothing_is_begun(work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch) -> None:
    drive = make_drive(128 * MIB)
    plan = work.plan(drive, wish("ext4"), arrangement=Arrangement(grouped=True))
    before = work.digest(drive)
    stand_in(work.folder / "bin", monkeypatch, "modprobe", "exit 1")
    with pytest.raises(Refused, match="it has no device mapper"):
        work.start(plan)
    assert work.digest(drive) == before
    assert not list(Path(work.runs).glob("2*"))
