"""An existing volume group or md array, compared with the desired one."""

import pytest
from msgspec.structs import replace

from tests.planned import plan_requested
from tests.unit.machines import drive, machine
from tests.unit.plan.desired_state.test_ensured import HEAD, VOLUME, holding
from tests.unit.plan.desired_state.test_several import made
from tests.unit.plan.layouts import EVERYTHING
from wizard.apply.ensure.layers import layers_of
from wizard.model.layout import Volume
from wizard.model.machine import Drive, Layer, Signature
from wizard.plan.desired_state import differences
from wizard.plan.desired_state.differences import as_it_is, layout_differences, shape_of, shapes_wanted
from wizard.plan.desired_state.document import read_wanted
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import Arrangement, NewVolumes
from wizard.plan.request.using import Usual

MAIL = '[[drive.volume]]\nworkload = "mail"\nsize = "1G"\nfs = "ext4"\nlabel = "mail"\n'
GROUPED = HEAD + "lvm = true\n" + MAIL + VOLUME + 'fs = "xfs"\nlabel = "films"\n'


def grouped() -> tuple[Plan, Drive]:
    """Return the plan for two volumes in a group, and the drive after that plan, active, with the group
    renamed."""
    blank = drive(serial="A")
    (wanted,) = read_wanted(GROUPED, "w.toml").drive
    plan = plan_requested(
        machine(blank, tools=EVERYTHING),
        (blank,),
        NewVolumes((), None, Arrangement("gpt", grouped=wanted.lvm)),
        wanted.volume,
        Usual(),
        (),
        lambda: "u" * 36,
    )
    there = holding(plan, blank)
    (part,) = there.partitions
    mark = replace(part.signatures[0], group="my-group", devices=1)
    there = replace(there, partitions=(replace(part, signatures=(mark,)),))
    assert plan.group
    layers = tuple(
        Layer(
            "LVM",
            f"/dev/mapper/my--group-{one.name}",
            plan.group.device,
            size_bytes=one.size_bytes,
            signatures=(Signature(volume.filesystem, "filesystem", label=volume.label),),
        )
        for one, volume in zip(plan.logical_volumes, plan.volumes, strict=True)
    )
    return plan, replace(there, layers=layers)


def content_differences(of: Volume, layer: Layer) -> str:
    found = differences.held_differences(layer.path, layer.signatures, of.filesystem, of.label)
    return " ".join(map(str, found))


def test_group_made_from_the_request_has_no_differences() -> None:
    plan, there = grouped()
    assert layout_differences(plan, there) == ()
    layers = layers_of(plan, [there])
    assert [layer and layer.path for layer in layers] == [
        "/dev/mapper/my--group-mail",
        "/dev/mapper/my--group-films",
    ]
    for volume, layer in zip(plan.volumes, layers, strict=True):
        assert layer and content_differences(volume, layer) == ""
    before, (after,) = shape_of(there, {}), shapes_wanted(plan)
    assert [(one.size_bytes, one.filesystem, one.label) for one in before.volumes] == [
        (one.size_bytes, one.filesystem, one.label) for one in after.volumes
    ]


def test_content_of_another_logical_volume_is_ignored() -> None:
    plan, there = grouped()
    first, second = there.layers
    for other in (
        replace(first, path="/dev/mapper/my--group-e--mail"),
        replace(first, path="/dev/mapper/my--group-email"),
        replace(first, below="/dev/sda2"),
        replace(first, kind="LUKS"),
    ):
        assert layers_of(plan, [replace(there, layers=(other, second))])[0] is None, other
    assert layers_of(plan, [replace(there, layers=())]) == (None, None)
    label = replace(first, signatures=(Signature("ext4", "filesystem", label="post"),))
    assert "post instead of mail" in content_differences(plan.volumes[0], label)
    assert content_differences(plan.volumes[0], replace(first, signatures=()))


def test_unnamed_filesystem_in_a_group_is_the_present_one() -> None:
    plan, there = grouped()
    wanted = read_wanted(GROUPED.replace('fs = "xfs"\n', ""), "w.toml").drive[0]
    asked = as_it_is(wanted.volume, there, layers_of(plan, [there]))
    assert [one.fs for one in asked] == ["ext4", "xfs"]


@pytest.mark.parametrize(("how", "level"), [("md", "raid1"), ("md", "raid0")])
def test_members_made_from_the_request_have_no_differences(how: str, level: str) -> None:
    plan, there = made(how, level)
    assert layout_differences(plan, *there) == ()
    # What the array is called stands in each member, and is no label of the volume.
    named = [
        replace(
            one,
            partitions=(
                replace(one.partitions[0], signatures=(replace(_held(one), label="host:media", uuid="x"),)),
            ),
        )
        for one in there
    ]
    assert layout_differences(plan, *named) == ()
    assert layers_of(plan, there) == (None,)


def _held(of: Drive) -> Signature:
    return of.partitions[0].signatures[0]
