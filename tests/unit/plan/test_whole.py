"""Plans for a whole drive without a table, on host-managed zoned drives."""

from itertools import cycle
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.machines import KN4, drive, machine, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING, UUIDS, choice, kinds_of, plan_page, spec, with_operations
from wizard.model.errors import BadInput, Refused
from wizard.model.machine import Drive
from wizard.model.said import MIB
from wizard.operations.table import ResetZones
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec

ZONED = drive(zoned="host-managed", geometry=KN4)
ZONED_WORDS = ("-O", "zoned", "-d", "single", "-m", "single")


def zoned_spec(
    filesystem: str = "btrfs",
    words: tuple[str, ...] = ZONED_WORDS,
    **changes: Any,  # noqa: ANN401
) -> VolumeSpec:
    return replace(
        spec(filesystem, label="zones", mount_point="/srv/zones"), choice=choice(filesystem, words), **changes
    )


def zoned_plan(
    on: Drive = ZONED,
    *specs: VolumeSpec,
    mode: Mode | None = None,
    **changes: Any,  # noqa: ANN401
) -> Plan:
    source = cycle(UUIDS)
    return make_plan(
        machine(on, **{"tools": EVERYTHING, **changes}),
        (on,),
        NewVolumes(specs or (zoned_spec(),), mode),
        lambda: next(source),
    )


def test_host_managed_drive_gets_one_filesystem_and_no_table() -> None:
    plan = zoned_plan()
    PLANS.check(plan)
    assert PLANS.read(PLANS.render(plan), "plan.json") == plan
    assert kinds_of(plan) == ["reset-zones", "make-filesystem", "add-fstab-line", "mount"]
    assert [argv for step in plan.steps for argv in step.commands][:3] == [
        ("blkzone", "reset", "/dev/sda"),
        ("wipefs", "--all", "--quiet", "/dev/sda"),
        ("mkfs.btrfs", "-q", "-f", "-U", UUIDS[0], "-L", "zones", *ZONED_WORDS, "/dev/sda"),
    ]
    reset = plan.steps[0]
    assert reset.undo.startswith("Cannot be undone") and reset.destroys.startswith("Everything on /dev/sda")
    text = "\n".join(plan_page(plan, 90))
    assert "Then: zones btrfs 500 GB (new)." in text and "\n####" in text


def test_content_of_a_host_managed_drive_is_named_and_confirmed() -> None:
    held = partitioned(partition(1, filesystem="btrfs"), zoned="host-managed", geometry=KN4)
    with pytest.raises(Refused, match="--replace"):
        zoned_plan(held)
    plan = zoned_plan(held, mode=Mode.REPLACE)
    PLANS.check(plan)
    assert (
        plan.steps[0].destroys
        == "Everything on /dev/sda, immediately. The old data on /dev/sda: partition 1 (btrfs, "
        "used space unknown, 1.1 GB)."
    )


@pytest.mark.parametrize(
    ("specs", "mode", "says"),
    [
        ((zoned_spec("ext4", ()),), None, "Only btrfs in zoned mode"),
        ((zoned_spec("btrfs", ()),), None, "Only btrfs in zoned mode"),
        ((zoned_spec("btrfs", ("-O", "quota")),), None, "Only btrfs in zoned mode"),
        ((zoned_spec(size_bytes=MIB),), None, "without size or role"),
        (
            (zoned_spec(size_bytes=MIB), zoned_spec(label="b", mount_point=None)),
            None,
            "Request one unencrypted volume",
        ),
        ((zoned_spec(),), Mode.USE_FREE, "cannot be partitioned"),
    ],
)
def test_unsupported_settings_on_a_host_managed_drive(
    specs: tuple[VolumeSpec, ...], mode: Mode | None, says: str
) -> None:
    with pytest.raises((Refused, BadInput), match=says):
        zoned_plan(ZONED, *specs, mode=mode)


def test_zones_cannot_be_reset_without_the_tool() -> None:
    with pytest.raises(Refused, match="the package util-linux"):
        zoned_plan(tools=tuple(tool for tool in EVERYTHING if tool[0] != "blkzone"))


def test_forged_plan_for_a_whole_drive_is_refused() -> None:
    plan = zoned_plan()
    (volume,) = plan.volumes
    for other in (
        replace(volume, partition=1),
        replace(volume, path="/dev/sdx"),
        replace(volume, filesystem="ext4", mkfs_options=()),
        replace(volume, mkfs_options=("-m", "single")),
        replace(volume, label="other"),
    ):
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(replace(plan, volumes=(other,)))
    operations = tuple(step.operation for step in plan.steps)
    for at in range(len(operations)):
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(with_operations(plan, operations[:at] + operations[at + 1 :]))
    with pytest.raises(BadInput, match="is inconsistent"):
        PLANS.check(with_operations(plan, (ResetZones("/dev/sdx"), *operations[1:])))
