"""Arrays, groups and striped filesystems of plans and of others. The lab asks the tools themselves."""

import json
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from tests.unit.machines import E512, drive
from tests.unit.plan.layouts import plan_for, spec
from tests.unit.plan.raid.stripes import BTRFS, MD, MIRROR, TWICE
from tests.unit.plan.raid.test_grouped import PLAN
from wizard.apply.block import devices
from wizard.apply.plan.guard import check_operations
from wizard.apply.plan.job import JOB
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import check_tokens
from wizard.apply.steps import arrays, layers
from wizard.apply.steps.arrays import check_free_array, examined_chunk, exported, kernel_check, stop_own_array
from wizard.apply.steps.layers import active_layers, layer_nodes
from wizard.apply.steps.step_context import StepContext, asked
from wizard.filesystems import ext, xfs
from wizard.model.errors import Failed, Refused
from wizard.model.geometry import Geometry
from wizard.model.machine import Striping
from wizard.model.run import Check
from wizard.model.said import KIB, MIB
from wizard.operations.layers import EXTENT_BYTES, MakeVolumeGroup, array_uuid, physical_volume_uuid
from wizard.operations.table import WipeSignatures
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import group_room_bytes
from wizard.process.program import Result

STRIPING = Striping(64 * KIB, 192 * KIB)
DUMPE2FS = """Filesystem volume name:   striped
Block size:               4096
Fragment size:            4096
RAID stride:              16
RAID stripe width:        48
Flex block group size:    16
"""


def test_ext4_stripe_in_bytes() -> None:
    assert ext.striping_in(DUMPE2FS) == STRIPING
    assert ext.striping_in(DUMPE2FS.replace("RAID stride", "Other")) is None
    assert ext.striping_in("") is None


def test_xfs_stripe_in_bytes() -> None:
    assert xfs.striping_in("blocksize = 4096\nunit = 16\nwidth = 48\n") == STRIPING
    assert xfs.striping_in("blocksize = 4096\nunit = 0\nwidth = 0\n") is None
    assert xfs.striping_in("xfs_db: cannot init perag data") is None


def test_mdadm_output_is_parsed() -> None:
    said = "MD_LEVEL=raid0\nMD_DEVICES=3\nMD_NAME=any:striped\nMD_UUID=01234567:89abcdef:01234567:89abcdef\n"
    assert exported(said)["MD_UUID"] == "01234567:89abcdef:01234567:89abcdef"
    assert examined_chunk("     Chunk Size : 512K\n") == 512 * KIB
    assert examined_chunk("     Chunk Size : 1M\n") == MIB
    assert examined_chunk("     Raid Level : raid0\n") is None


@pytest.mark.parametrize(
    ("seen", "drives", "holds"),
    [
        (Geometry(512, 4096, 0, 64 * KIB, 192 * KIB), E512, True),
        (Geometry(512, 4096, 0, 32 * KIB, 192 * KIB), E512, False),
        (Geometry(512, 4096, 0, 64 * KIB, 128 * KIB), E512, False),
        (Geometry(512, 4096, 0, 64 * KIB, 0), E512, False),
        (Geometry(512, 4096, -1, 64 * KIB, 192 * KIB), E512, False),
        (Geometry(512, 4096, 512, 64 * KIB, 192 * KIB), E512, False),
        # A drive that itself advises 128 KiB at best, or more at least than the chunk.
        (Geometry(512, 4096, 0, 64 * KIB, 384 * KIB), replace(E512, optimal_io_bytes=128 * KIB), True),
        (Geometry(512, 4096, 0, 64 * KIB, 128 * KIB), replace(E512, optimal_io_bytes=128 * KIB), False),
        (Geometry(512, 4096, 0, 128 * KIB, 192 * KIB), replace(E512, minimum_io_bytes=128 * KIB), True),
        # 0xFFFF blocks cannot be meant, and what the kernel makes of it tells nothing.
        (Geometry(512, 4096, -1, 64 * KIB, 0), replace(E512, optimal_io_bytes=33553920), True),
    ],
)
def test_expected_kernel_values_of_an_array(seen: Geometry, drives: Geometry, holds: bool) -> None:
    check = kernel_check(seen, STRIPING, [drives, E512, E512])
    assert check.holds is holds, check


@pytest.mark.parametrize("plan", [MD, BTRFS, MIRROR, TWICE])
def test_striped_plan_stays_on_its_drives_and_array(plan: Plan) -> None:
    check_operations(plan, Environment())
    check_operations(plan, Environment(only=frozenset({*plan.devices, "/dev/other"})))
    for left_out in plan.devices:
        with pytest.raises(Refused, match=f"may not touch {left_out}"):
            check_operations(plan, Environment(only=frozenset(plan.devices) - {left_out}))
    foreign = replace(plan.steps[0], operation=WipeSignatures("/dev/md9", ()))
    with pytest.raises(Refused, match="also names /dev/md9"):
        check_operations(replace(plan, steps=(*plan.steps, foreign)), Environment())


def test_tokens_of_all_drives_once_in_any_order() -> None:
    for right in (("Sa", "Sb", "Sc"), ("Sc", "Sa", "Sb")):
        check_tokens(MD, right)
    for wrong in (
        (),
        ("Sa",),
        ("Sa", "Sb"),
        ("Sa", "Sb", "Sb"),
        ("Sa", "Sb", "Sc", "Sc"),
        ("Sa", "Sb", "sc"),
        ("Sa Sb Sc",),
    ):
        with pytest.raises(Refused, match="--confirm Sa --confirm Sb --confirm Sc"):
            check_tokens(MD, wrong)
    single = plan_for(drive(), spec("ext4"))
    check_tokens(single, ("S1",))
    with pytest.raises(Refused, match="each exactly once"):
        check_tokens(single, ("S2",))


def test_space_is_reserved_for_old_content_of_all_members() -> None:
    assert JOB.room_bytes(plan_for(drive(), spec("ext4"))) == 2 * MIB * (1 + 1 + 1)
    assert JOB.room_bytes(MD) == 2 * MIB * (3 + 3 + 4 + 1)
    assert JOB.room_bytes(BTRFS) == 2 * MIB * (3 + 3 + 3)


def test_tools_that_check_a_stripe_are_required_first() -> None:
    wanted = {program for plan in (MD, BTRFS) for step in plan.steps for program in step.operation.programs}
    assert {"mdadm", "dumpe2fs", "e2fsck", "btrfs"} <= wanted
    assert MD.arrays[0].parts == ("/dev/sda1", "/dev/sdb1", "/dev/sdc1")


class Tools:
    """Stand-ins for tools, with fixed output or a failure. Records all calls."""

    def __init__(self, says: Mapping[str, str]) -> None:
        self.says = says
        self.calls: list[tuple[str, ...]] = []

    def __call__(self, argv: Sequence[str], **_: object) -> Result:
        self.calls.append(tuple(argv))
        words = " ".join(argv)
        said = next((text for start, text in self.says.items() if words.startswith(start)), None)
        if said is None:
            raise Failed(f"{argv[0]} ended with status 1")
        return Result(0, said, "", 0.0)


def running(monkeypatch: pytest.MonkeyPatch, *nodes: str) -> None:
    monkeypatch.setattr(arrays, "layers_on", lambda _: nodes)
    monkeypatch.setattr(devices, "open_exclusively", lambda _: None)


def detail() -> dict[str, str]:
    return {"mdadm --detail": f"MD_UUID={MD.arrays[0].mdadm_uuid}\n"}


def test_uuid_of_a_running_array_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MD.stripe is not None
    uuid = array_uuid(MD.stripe.uuids[0])
    for scanned, other in (
        (f"ARRAY /dev/md/0 metadata=1.2 name=any:films UUID={uuid}\n", True),
        ("ARRAY /dev/md/0 UUID=1:2:3:4\n", False),
    ):
        monkeypatch.setattr(arrays, "run", Tools({"mdadm --detail --scan": scanned}))
        if other:
            with pytest.raises(Refused, match="UUID="):
                check_free_array(MD.arrays[0])
        else:
            check_free_array(MD.arrays[0])


def test_array_of_a_failed_run_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    running(monkeypatch, "/dev/md127")
    tools = Tools({"mdadm --stop": "", **detail()})
    stop_own_array(MD.arrays[0], tools)
    assert tools.calls[1:] == [("mdadm", "--stop", "/dev/md127")]


def test_foreign_array_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    running(monkeypatch, "/dev/md127")
    tools = Tools({"mdadm --stop": "", "mdadm --detail": "MD_UUID=1:2:3:4\n"})
    with pytest.raises(Failed, match="this run did not make it"):
        stop_own_array(MD.arrays[0], tools)
    assert len(tools.calls) == 1


def test_array_in_use_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    running(monkeypatch, "/dev/md127")
    monkeypatch.setattr(devices, "open_exclusively", lambda _: "somebody has it")
    with pytest.raises(Failed, match="in use: somebody has it"):
        stop_own_array(MD.arrays[0], Tools(detail()))


assert PLAN.group is not None
GROUP = PLAN.group
FIRST, SECOND = (one.device for one in PLAN.logical_volumes)


def active(monkeypatch: pytest.MonkeyPatch, *nodes: str) -> None:
    monkeypatch.setattr(layers, "running_volumes", lambda *_: nodes)


def told(**changes: str) -> Tools:
    """Return tools that report the planned group, except for these fields."""
    (slot,) = PLAN.after.partitions
    room = str(group_room_bytes(slot.size_bytes))
    of = {
        "pvs": {"pv_uuid": physical_volume_uuid(GROUP.uuid), "vg_name": GROUP.name, "pe_start": str(MIB)},
        "vgs": {"pv_count": "1", "vg_extent_size": str(EXTENT_BYTES), "vg_size": room},
    }
    says = {
        f"{kind} --reportformat": json.dumps(
            {"report": [{kind[:2]: [{**row, **{k: v for k, v in changes.items() if k in row}}]}]}
        )
        for kind, row in of.items()
    }
    for one in PLAN.logical_volumes:
        row = {"lv_size": str(one.size_bytes), "segtype": "linear", "seg_count": "1"}
        row |= {key: value for key, value in changes.items() if key in row}
        query = (
            f"lvs --reportformat json --units b --nosuffix --options {','.join(row)} {one.group}/{one.name}"
        )
        says[query] = json.dumps({"report": [{"lv": [row]}]})
    return Tools(says)


def group_checks(tools: Tools) -> tuple[Check, ...]:
    context = cast(StepContext, SimpleNamespace(plan=PLAN, do=tools))
    (group,) = (step.operation for step in PLAN.steps if isinstance(step.operation, MakeVolumeGroup))
    volumes = (check for one in PLAN.logical_volumes for check in layers.volume_checks(one, context))
    return (*layers.group_checks(group, context), *volumes)


def test_group_as_planned_passes_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "read_geometry", lambda _: Geometry(512, 4096, 0, 4096, 0))
    checks = list(group_checks(told()))
    assert len(checks) == 5 and all(check.holds for check in checks), checks


@pytest.mark.parametrize(
    "changes",
    [
        {"pe_start": str(2 * MIB)},
        {"pv_uuid": "other"},
        {"vg_name": "other"},
        {"pv_count": "2"},
        {"vg_extent_size": str(MIB)},
        {"vg_size": "1"},
        {"lv_size": str(EXTENT_BYTES)},
        {"segtype": "striped"},
        {"seg_count": "2"},
    ],
    ids=str,
)
def test_differing_group_is_reported(monkeypatch: pytest.MonkeyPatch, changes: dict[str, str]) -> None:
    monkeypatch.setattr(arrays, "read_geometry", lambda _: Geometry(512, 4096, 0, 4096, 0))
    wrong = [check for check in group_checks(told(**changes)) if not check.holds]
    assert wrong and all(next(iter(changes)) in check.seen for check in wrong)


def test_volume_misaligned_for_the_kernel_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "read_geometry", lambda _: Geometry(512, 4096, 512, 4096, 0))
    wrong = [check for check in group_checks(told()) if not check.holds]
    assert ["512" in check.seen for check in wrong] == [True] * 2


@pytest.mark.parametrize(
    "text", ["", "[]", '{"report": []}', '{"report": [{"pv": 1}]}', '{"report": [{"pv": ["x"]}]}']
)
def test_malformed_rows_are_a_failure(text: str) -> None:
    with pytest.raises(Failed, match="not understood"):
        asked("pvs", ("pv_uuid",), "/dev/sda1", Tools({"pvs": text}))


def test_grouped_plan_stays_on_its_drive_and_in_its_group(monkeypatch: pytest.MonkeyPatch) -> None:
    check_operations(PLAN, Environment())
    assert layer_nodes(PLAN) == (FIRST, SECOND)
    foreign = replace(PLAN.steps[0], operation=WipeSignatures("/dev/mapper/theirs", ()))
    with pytest.raises(Refused, match="also names /dev/mapper/theirs"):
        check_operations(replace(PLAN, steps=(*PLAN.steps, foreign)), Environment())
    active(monkeypatch, FIRST)
    assert active_layers(PLAN) == {FIRST: (GROUP.device,)}


def test_tools_that_check_a_group_are_required_first() -> None:
    wanted = {program for step in PLAN.steps for program in step.operation.programs}
    assert {"lvs", "pvs", "vgs", "lvchange"} <= wanted
