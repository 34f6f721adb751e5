"""A plan on other nodes for a rehearsal: no mention of the drive or of its later device mapper names."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING, UUIDS, plan_for, spec
from wizard.model.machine import Drive, Signature
from wizard.model.said import GIB
from wizard.operations.containers import AddCrypttabLine, MakeContainer, OpenContainer
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.layers import MakeLogicalVolume, MakeVolumeGroup
from wizard.operations.mounts import AddFstabLine, Mount
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.plan.text import needs_word, promise

NODE = "/dev/loop7"


def encrypted() -> Plan:
    return plan_for(
        drive(size_bytes=64 * GIB), replace(spec("ext4"), encrypted=True, mount_point="/srv/secret")
    )


def grouped() -> Plan:
    on, source = machine(drive(size_bytes=64 * GIB), tools=EVERYTHING), iter(UUIDS)
    arranged = Arrangement(grouped=True)
    return make_plan(
        on, (on.drives[0],), NewVolumes((spec("ext4"),), Mode.REPLACE, arranged), lambda: next(source)
    )


@pytest.mark.parametrize("plan", [encrypted(), grouped()], ids=["encrypted", "grouped"])
def test_no_command_of_a_rehearsal_names_the_drive(plan: Plan) -> None:
    there = plan.on_nodes({plan.drive.path: NODE})
    for _, step in there.rehearsed_steps():
        words = [word for argv in step.operation.commands() for word in argv]
        words += step.operation.devices
        assert not [word for word in words if word.startswith(plan.drive.path)]
    assert there.drive.path == NODE


def test_scratch_container_is_never_opened_by_its_final_name() -> None:
    plan = encrypted()
    (container,) = plan.containers
    there = plan.on_nodes({plan.drive.path: NODE})
    (opened,) = there.containers
    assert (opened.device, opened.uuid) == (f"{NODE}p1", container.uuid)
    assert opened.name != container.name and container.uuid in opened.name
    operations = [step.operation for _, step in there.rehearsed_steps()]
    opening = next(one for one in operations if isinstance(one, OpenContainer))
    made = next(one for one in operations if isinstance(one, MakeFilesystem))
    assert opening.opened == made.device == opened.opened == there.volumes[0].path
    assert not [one for one in operations if container.opened in one.devices]


def test_container_is_opened_on_the_scratch_copy_and_again_for_use() -> None:
    plan = encrypted()
    assert plan.direct_reason == ""
    tried, used = (
        [type(step.operation) for _, step in steps(plan)] for steps in (Plan.rehearsed_steps, Plan.use_steps)
    )
    assert {MakeContainer, OpenContainer, MakeFilesystem} <= set(tried)
    assert used == [OpenContainer, AddCrypttabLine, AddFstabLine, Mount]
    assert "`keep` asks for the passphrase" in promise(plan)


@pytest.mark.parametrize(
    "old",
    [
        drive(signatures=(Signature("xfs", "filesystem"),)),
        partitioned(),
        partitioned(partition(1)),
        drive(table=None),
    ],
    ids=["a filesystem without a table", "an empty table", "a partition", "what could not be read"],
)
def test_old_content_needs_a_confirmation_without_loop_devices(old: Drive) -> None:
    at_once, why = "the result is used immediately, without undo", "the kernel gives no loop devices"
    plan = plan_for(old, spec("ext4"), mode=Mode.REPLACE)
    assert needs_word(plan, why) and at_once not in promise(plan)
    blank = plan_for(drive(), spec("ext4"))
    assert not needs_word(blank, why) and at_once in promise(blank)


def test_group_on_the_scratch_partition_has_its_final_name() -> None:
    """The group's name is in its metadata, which is copied to the drive."""
    plan = grouped()
    assert plan.group is not None and plan.direct_reason == ""
    there = plan.on_nodes({plan.drive.path: NODE})
    operations = [step.operation for _, step in there.rehearsed_steps()]
    (group,) = (one for one in operations if isinstance(one, MakeVolumeGroup))
    assert (group.name, group.parts) == (plan.group.name, (f"{NODE}p1",))
    assert there.group is not None and there.group.device == f"{NODE}p1"
    assert [one.device for one in operations if isinstance(one, MakeLogicalVolume)] == [plan.volumes[0].path]
    assert "passphrase" not in promise(plan)
