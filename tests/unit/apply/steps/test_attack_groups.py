"""A volume group that is not the run's, or not as planned, is neither written to nor taken apart. What LVM
says is told here; the lab asks LVM itself."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.apply.steps.test_attack_arrays import Tools, step_of, until
from tests.unit.plan.raid.test_grouped import PLAN
from wizard.apply.plan import drive_digests, resume
from wizard.apply.plan.guard import check_operations
from wizard.apply.plan.resume import check_on_array
from wizard.apply.steps import lvm
from wizard.apply.steps.layers import layer_nodes, own_uses
from wizard.apply.steps.step_context import rows
from wizard.apply.steps.wipe import checking_programs
from wizard.model.errors import Failed, Refused
from wizard.model.geometry import Geometry
from wizard.model.machine import Signature
from wizard.model.operations import MakeFilesystem, MakeLogicalVolume
from wizard.model.plan import WipeSignatures
from wizard.model.said import MIB
from wizard.plan.raid.lvm import EXTENT_BYTES, group_room_bytes, logical_volumes
from wizard.plan.steps.commands import physical_volume_uuid

assert PLAN.group is not None
GROUP = PLAN.group
FIRST, SECOND = (one.device for one in logical_volumes(PLAN))
NAMES = [one.name for one in logical_volumes(PLAN)]
THEIRS = Signature("ext4", "filesystem", "theirs", "6f3b1f5e-0000-4000-8000-00000000aaaa")


def active(monkeypatch: pytest.MonkeyPatch, *nodes: str) -> None:
    monkeypatch.setattr(lvm, "running_volumes", lambda *_: nodes)
    monkeypatch.setattr(resume, "running_layers", lambda *_: tuple((node, node) for node in nodes))
    monkeypatch.setattr(lvm, "open_exclusively", lambda _: None)


def told(**changes: str) -> Tools:
    """LVM's words on the group as planned, but for these fields."""
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
    volumes = [
        {"lv_name": one.name, "lv_size": str(one.size_bytes), "segtype": "linear", "seg_count": "1"}
        for one in logical_volumes(PLAN)
    ]
    volumes = [{**row, **{key: value for key, value in changes.items() if key in row}} for row in volumes]
    says["lvs --reportformat"] = json.dumps({"report": [{"lv": volumes}]})
    return Tools(says)


def test_a_group_as_planned_holds_in_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lvm, "read_geometry", lambda _: Geometry(512, 4096, 0, 4096, 0))
    checks = list(lvm.group_checks(PLAN, GROUP, told()))
    assert len(checks) == 6 and all(check.holds for check in checks), checks


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
def test_a_group_that_lvm_finds_otherwise_is_told(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, str]
) -> None:
    monkeypatch.setattr(lvm, "read_geometry", lambda _: Geometry(512, 4096, 0, 4096, 0))
    wrong = [check for check in lvm.group_checks(PLAN, GROUP, told(**changes)) if not check.holds]
    assert wrong and all(next(iter(changes)) in check.seen for check in wrong)


def test_a_volume_that_the_kernel_finds_misaligned_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lvm, "read_geometry", lambda _: Geometry(512, 4096, 512, 4096, 0))
    wrong = [check for check in lvm.group_checks(PLAN, GROUP, told()) if not check.holds]
    assert [check.seen for check in wrong] == ["offset 512 bytes"] * 2


@pytest.mark.parametrize(
    "text", ["", "[]", '{"report": []}', '{"report": [{"pv": 1}]}', '{"report": [{"pv": ["x"]}]}']
)
def test_words_that_are_no_rows_are_a_failure(text: str) -> None:
    with pytest.raises(Failed, match="not understood"):
        rows("pv", text)


@pytest.mark.parametrize(
    ("physical", "names", "strange"),
    [
        ([], NAMES, None),
        ([], [], None),
        ([("/dev/sdx1", "theirs")], NAMES, "/dev/sdx1"),
        ([], [*NAMES, "theirs"], "theirs"),
    ],
)
def test_a_group_with_anything_of_others_is_not_taken_apart(
    monkeypatch: pytest.MonkeyPatch, physical: list[tuple[str, str]], names: list[str], strange: str | None
) -> None:
    active(monkeypatch)
    listed = [(GROUP.device, physical_volume_uuid(GROUP.uuid)), *physical]
    tools = Tools(
        {
            "pvs": "\n".join(f"  {node} {uuid} {GROUP.name}" for node, uuid in listed),
            "lvs": "\n".join(f"  {GROUP.name} {name}" for name in names),
            "vgchange": "",
            "vgremove": "",
        }
    )
    if strange is None:
        lvm.take_group_apart(PLAN, GROUP, tools)
        assert [call[0] for call in tools.calls][-2:] == ["vgchange", "vgremove"]
    else:
        with pytest.raises(Failed, match=f"not touched: it has {strange},"):
            lvm.take_group_apart(PLAN, GROUP, tools)
        assert "vgremove" not in [call[0] for call in tools.calls]


def test_a_volume_in_use_is_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    active(monkeypatch, FIRST)
    monkeypatch.setattr(lvm, "open_exclusively", lambda _: "somebody has it")
    tools = Tools({})
    with pytest.raises(Failed, match="in use: somebody has it"):
        lvm.take_group_apart(PLAN, GROUP, tools)
    assert not tools.calls


@pytest.mark.parametrize("there", [True, False])
def test_volumes_of_a_step_that_was_only_begun_are_looked_for(there: bool) -> None:
    tools = Tools(
        {"lvs": f"  other {NAMES[0]}\n  {GROUP.name} {NAMES[0] if there else 'theirs'}\n", "lvchange": ""}
    )
    begun = until(PLAN, step_of(PLAN, MakeLogicalVolume))
    lvm.bring_group_back(PLAN, begun, begun - {max(begun)}, tools)
    assert [call[-1] for call in tools.calls if call[0] == "lvchange"] == (
        [f"{GROUP.name}/{NAMES[0]}"] if there else []
    )


@pytest.mark.parametrize(
    ("formatted", "holds", "goes_on"),
    [
        (0, {}, True),
        (0, {FIRST: THEIRS}, False),
        (1, {FIRST: "own"}, True),
        (1, {FIRST: "own", SECOND: THEIRS}, False),
        (1, {}, False),
        (2, {FIRST: "own", SECOND: "own"}, True),
        (2, {FIRST: "own", SECOND: THEIRS}, False),
    ],
)
def test_what_each_volume_holds_is_the_runs_own(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    formatted: int,
    holds: dict[str, Signature | str],
    goes_on: bool,
) -> None:
    active(monkeypatch, FIRST, SECOND)
    own = {
        volume.path: Signature(volume.filesystem, "filesystem", volume.label, volume.uuid)
        for volume in PLAN.volumes
    }
    found = {node: own[node] if isinstance(one, str) else one for node, one in holds.items()}
    monkeypatch.setattr(resume, "signatures_on", lambda node, *_: (found[node],) if node in found else ())
    steps = until(PLAN, step_of(PLAN, MakeFilesystem) - 1 + formatted)
    if goes_on:
        check_on_array(tmp_path, PLAN, steps, steps)
    else:
        why = "did not make" if found else "no longer contains the data from the run"
        with pytest.raises(Refused, match=why):
            check_on_array(tmp_path, PLAN, steps, steps)


def test_each_volume_is_watched_until_it_is_formatted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "exists", lambda _: True)
    making = step_of(PLAN, MakeFilesystem)
    watched = [
        drive_digests._unformatted(PLAN, until(PLAN, last))
        for last in (making - 3, making - 2, making - 1, making, making + 1)
    ]
    assert watched == [[], [FIRST], [FIRST, SECOND], [SECOND], []]


def test_a_grouped_plan_stays_on_its_drive_and_in_its_group(monkeypatch: pytest.MonkeyPatch) -> None:
    check_operations(PLAN, None)
    assert layer_nodes(PLAN) == (FIRST, SECOND)
    foreign = replace(PLAN.steps[0], operation=WipeSignatures("/dev/mapper/theirs", ()))
    with pytest.raises(Refused, match="also names /dev/mapper/theirs"):
        check_operations(replace(PLAN, steps=(*PLAN.steps, foreign)), None)
    active(monkeypatch, FIRST)
    assert own_uses(PLAN, until(PLAN, step_of(PLAN, MakeLogicalVolume)), Tools({})) == {(GROUP.device, FIRST)}
    assert not own_uses(PLAN, frozenset({1}), Tools({}))


def test_the_programs_that_check_a_group_are_asked_for_before() -> None:
    wanted = {program for step in PLAN.steps for program in checking_programs(step.operation)}
    assert {"lvs", "pvs", "vgs", "lvchange", "vgremove"} <= wanted
