"""A foreign or unexpected volume group is neither changed nor removed. LVM's output is simulated here; the
lab uses LVM."""

import json
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from tests.unit.apply.steps.test_attack_arrays import Tools
from tests.unit.plan.raid.test_grouped import PLAN
from wizard.apply.plan.guard import check_operations
from wizard.apply.run.backup_store import Environment
from wizard.apply.steps import arrays, layers
from wizard.apply.steps.layers import active_layers, layer_nodes
from wizard.apply.steps.step_context import StepContext, asked
from wizard.model.errors import Failed, Refused
from wizard.model.geometry import Geometry
from wizard.model.run import Check
from wizard.model.said import MIB
from wizard.operations.layers import EXTENT_BYTES, MakeVolumeGroup, physical_volume_uuid
from wizard.operations.table import WipeSignatures
from wizard.plan.raid.striping import group_room_bytes

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
