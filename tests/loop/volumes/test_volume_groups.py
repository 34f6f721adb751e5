"""Volume groups on a kernel without device mapper: planned, shown and refused before any write. Partially
created groups are resumed and undone. The lab's guests have a device mapper and create whole groups."""

from collections.abc import Sequence
from contextlib import nullcontext
from uuid import uuid4

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, old_gpt, spec, stand_in
from tests.loop.program import (
    MIB,
    PLANS,
    Arrangement,
    ExitCode,
    Failed,
    Refused,
    list_runs,
    probe_machine,
)
from wizard.apply.steps.layers import activate
from wizard.apply.steps.step_context import alone_on
from wizard.apply.system.edited_file import LOADED
from wizard.operations.layers import physical_volume_uuid
from wizard.probe.machine import save_machine, survey
from wizard.process.program import Result


def test_command_plans_a_group_for_a_real_drive(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(256 * MIB)
    work.bench.own(drive)
    file, recording = work.folder / "plan.json", work.folder / "machine.json"
    save_machine(recording, replace(survey([drive]), shown_modules=None))
    volumes = (
        "--volume",
        "workload=mail,fs=ext4,size=50M,label=mail",
        "--volume",
        "workload=nas,fs=ext4,label=files",
    )
    done = diskwright(work, "plan", drive, "--machine", str(recording), "--lvm", *volumes, "-o", str(file))
    assert done.returncode == 0, done.stderr
    sizes = [one.size_bytes for one in PLANS.read(file.read_text(), "the plan").logical_volumes]
    assert sizes[0] == 52 * MIB and sizes[1] % (4 * MIB) == 0
    assert all(f"({size} bytes)" in " ".join(done.stderr.split()) for size in sizes)
    refused = diskwright(work, "plan", drive, "--lvm", "--volume", "workload=mail,fs=ext4,encrypt=luks2")
    assert refused.returncode in (2, 3) and "neither roles nor encryption" in refused.stderr


@pytest.mark.skipif((LOADED / "dm_mod").exists(), reason="this kernel has the device mapper at work already")
def test_kernel_without_device_mapper_prevents_the_start(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(128 * MIB)
    unplanned = diskwright(work, "plan", drive, "--lvm", "--workload", "mail", "--fs", "ext4")
    if probe_machine([]).kernel.lacks("dm_mod"):
        assert unplanned.returncode == ExitCode.REFUSED and "support device mapper" in unplanned.stderr
    plan = work.plan(drive, spec("ext4"), arrangement=Arrangement(grouped=True))
    before = work.digest(drive)
    stand_in(work.folder / "bin", monkeypatch, "modprobe", "exit 1")
    with pytest.raises(Refused, match="dm_mod is neither built in"):
        work.start(plan)
    assert work.digest(drive) == before
    assert not list_runs(work.runs)


def test_group_with_the_same_name_on_another_drive_is_not_activated(
    work: Work, make_drive: MakeDrive
) -> None:
    """Check that the partition contains the planned physical volume. LVM uses names."""
    drive = make_drive(128 * MIB)
    plan = work.plan(drive, spec("ext4"), arrangement=Arrangement(grouped=True))
    group = plan.group
    assert group is not None
    old_gpt(drive, "start=1MiB,name=only\n")
    asked: list[str] = []

    def do(argv: Sequence[str]) -> Result:
        asked.append(argv[0])
        return Result(0, "", "", 0.0)

    for uuid, activated in ((str(uuid4()), False), (group.uuid, True)):
        tool("wipefs", "--all", "--quiet", group.device)
        making = ("pvcreate", "--yes", "--norestorefile", "--uuid", physical_volume_uuid(uuid), group.device)
        tool(*alone_on([drive], making))
        with nullcontext() if activated else pytest.raises(Failed, match=physical_volume_uuid(group.uuid)):
            activate(plan, do)
        assert ("lvchange" in asked) is activated
