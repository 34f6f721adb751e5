"""No forged plan of a striped volume passes: only operations, drives and names as made by the planner."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.documents.test_plan import redigested
from tests.unit.machines import E512, KN4
from tests.unit.plan.layouts import UUIDS, with_operations
from tests.unit.plan.raid.stripes import BTRFS, MD, MIRROR, TWICE
from wizard.model.errors import BadInput
from wizard.model.said import KIB, MIB
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.layers import MakeArray, MakeLogicalVolume, MakeVolumeGroup
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.operations.table import ResetZones, WipeSignatures, WriteTable
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan, PlanOperation

MADE = (MD, BTRFS, MIRROR, TWICE)
NAMES = ("md", "btrfs", "md's mirror", "btrfs's mirror")


@pytest.mark.parametrize("plan", MADE, ids=NAMES)
def test_operations_of_a_striped_plan_cannot_be_forged(plan: Plan) -> None:
    operations = tuple(step.operation for step in plan.steps)
    PLANS.check(with_operations(plan, operations))
    attempts = [
        *(operations[:at] + operations[at + 1 :] for at in range(len(operations))),
        *(
            (*operations[:at], other, *operations[at:])
            for at in range(len(operations) + 1)
            for other in _hostile()
        ),
        *(
            (*operations[:at], other, *operations[at + 1 :])
            for at in range(len(operations))
            for other in _hostile()
        ),
        operations[::-1],
        (*operations[:1], *operations),
    ]
    for attempt in attempts:
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(with_operations(plan, attempt))


def _hostile() -> tuple[PlanOperation, ...]:
    return (
        WipeSignatures("/dev/sdx", ()),
        WipeSignatures("/dev/sda9", ()),
        ResetZones("/dev/sda"),
        MakeArray("/dev/md3", "x", UUIDS[5], 64 * KIB, ("/dev/sda1", "/dev/sdx1")),
        MakeArray("/dev/md3", "x", UUIDS[5], 0, ("/dev/sda1", "/dev/sdx1"), level="raid1"),
        MakeVolumeGroup("x", ("/dev/sdx1",), (UUIDS[5],)),
        MakeLogicalVolume("/dev/mapper/x-x", "x", "x", 64 * MIB),
        MakeFilesystem("/dev/sdx1", "ext4", UUIDS[5], "x", ()),
        Mount("/dev/sdx1", "/srv/x", "ext4", ()),
        AddFstabLine(UUIDS[5], "/srv/x", "ext4", (), 0),
        WriteTable("/dev/sdx", "gpt", True, ()),
        TurnOnSwap("/dev/sda1"),
    )


@pytest.mark.parametrize("plan", MADE, ids=NAMES)
@pytest.mark.parametrize(
    "changes",
    [
        {"device": "/dev/sda"},
        {"device": "/dev/sdx"},
        {"device": "/dev/md/../sdx"},
        {"device": "/dev/mapper/root"},
        {"name": "--force"},
        {"name": "other"},
        {"chunk_bytes": 48 * KIB},
        {"chunk_bytes": 1 << 40},
        {"chunk_bytes": -1},
        {"uuids": ()},
        {"uuids": ("$(id)",)},
        {"uuids": (UUIDS[6],) * 3},
        {"metadata": "raid5"},
        {"level": "raid0"},
        {"level": "raid1"},
        {"kind": "md"},
        {"kind": "btrfs"},
    ],
    ids=str,
)
def test_stripe_the_planner_would_not_make_is_refused(plan: Plan, changes: dict[str, Any]) -> None:
    assert plan.stripe is not None
    stripe = replace(plan.stripe, **changes)
    if stripe == plan.stripe:
        return
    with pytest.raises(BadInput, match="is inconsistent"):
        PLANS.check(replace(plan, stripe=stripe))


@pytest.mark.parametrize("plan", MADE, ids=NAMES)
def test_other_drives_are_refused(plan: Plan) -> None:
    two, three = plan.others
    for others in (
        (),
        (two, two),
        (two, replace(three, drive=replace(three.drive, path="/dev/sdx"))),
        (two, replace(three, drive=replace(three.drive, path="/dev/sda1"))),
        (two, replace(three, drive=replace(three.drive, path="/dev/../etc/passwd"))),
        (two, replace(three, drive=replace(three.drive, serial="Sa"))),
        (two, replace(three, drive=replace(three.drive, size_bytes=10 * MIB))),
        (two, replace(three, drive=replace(three.drive, geometry=replace(E512, logical_block_bytes=0)))),
        (two, replace(three, drive=replace(three.drive, geometry=KN4))),
        (two, replace(three, after=two.before)),
    ):
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(replace(plan, others=others))
    on_drives = plan.stripe is not None and plan.stripe.kind == "btrfs"
    says = "others" if on_drives else "volumes.1.path"
    with pytest.raises(BadInput, match=says):
        PLANS.check(replace(plan, stripe=None))


@pytest.mark.parametrize("plan", (MD, MIRROR), ids=("md", "md's mirror"))
def test_data_loss_of_another_previous_layout_is_listed(plan: Plan) -> None:
    """The layout is compared with the drive later, under the drive's lock and before the first write."""
    two, three = plan.others
    forged = replace(plan, others=(two, replace(three, before=three.after)))
    read = PLANS.read(PLANS.render(forged), "plan.json")
    lost = {step.destroys for step in read.steps} - {step.destroys for step in plan.steps}
    assert any("The old data on /dev/sdc: partition 1" in destroys for destroys in lost)


def test_document_with_several_drives_is_checked_completely() -> None:
    for where in ("drive", "before", "after"):

        def forget(body: dict[str, Any], where: str = where) -> None:
            del body["others"][0][where]

        with pytest.raises(BadInput, match=r"plan\.json"):
            PLANS.read(redigested(MD, forget), "plan.json")

    def lie(body: dict[str, Any]) -> None:
        body["steps"][-3]["commands"] = []

    with pytest.raises(BadInput, match="is not a known key"):
        PLANS.read(redigested(MD, lie), "plan.json")


def test_striped_lvm_plan_is_refused_in_favour_of_md() -> None:
    """As written by an earlier version."""

    def by_lvm(body: dict[str, Any]) -> None:
        body["stripe"] |= {"kind": "lvm", "device": "/dev/mapper/films_1-films", "name": "films_1"}
        body["steps"][6]["operation"] = {"kind": "make-striped-volume", "device": "/dev/mapper/films_1-films"}

    for read in (PLANS.read, PLANS.read_kept):
        with pytest.raises(BadInput) as error:
            read(redigested(MD, by_lvm), "plan.json")
        assert str(error.value).startswith("plan.json: ") and "--stripe md" in str(error.value)


def test_commands_of_a_striped_plan_name_only_its_devices() -> None:
    for plan in MADE:
        own = {
            *plan.devices,
            *(f"{path}1" for path in plan.devices),
            plan.stripe.device if plan.stripe else "",
        }
        for step in plan.steps:
            assert {word for argv in step.commands for word in argv if word.startswith("/dev/")} <= own
            assert set(step.operation.devices) <= own
