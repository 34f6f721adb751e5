"""Volumes in an LVM volume group: sizes in whole extents, the steps of the plan, and refused forgeries."""

from itertools import cycle

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, gpt, machine, mbr, partition
from tests.unit.plan.layouts import (
    EVERYTHING,
    GEOMETRIES,
    UUIDS,
    kinds_of,
    plan_page,
    rederived,
    spec,
    with_operations,
)
from wizard.filesystems import partition_types
from wizard.model.errors import BadInput, Refused
from wizard.model.layout import Group, Subvolume
from wizard.model.machine import Drive
from wizard.model.said import GIB, MIB
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.layers import EXTENT_BYTES, MakeLogicalVolume, MakeVolumeGroup, physical_volume_uuid
from wizard.operations.operation import NO_UNDO, UNTIL_KEPT
from wizard.operations.table import WriteTable
from wizard.plan.check import places_in
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.raid.striping import logical_names
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.plan.text import inside_sentences


def grouped(
    on: Drive, *specs: VolumeSpec, mode: Mode | None = None, arrangement: Arrangement | None = None
) -> Plan:
    source = cycle(UUIDS)
    tools = machine(on, tools=EVERYTHING)
    return make_plan(
        tools, (on,), NewVolumes(specs, mode, arrangement or Arrangement(grouped=True)), lambda: next(source)
    )


TWO = (
    spec("ext4", size_bytes=301 * MIB, label="mail", mount_point="/srv/mail"),
    spec("xfs", label="films", mount_point="/srv/films"),
)


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_sizes_are_whole_extents_and_the_rest_goes_to_the_last(geometry: object) -> None:
    plan = grouped(drive(geometry=geometry, size_bytes=100 * GIB), *TWO)
    PLANS.check(plan)
    (slot,) = plan.after.partitions
    first, rest = plan.logical_volumes
    assert first.size_bytes == 304 * MIB
    room = slot.size_bytes - MIB
    assert rest.size_bytes % EXTENT_BYTES == 0
    assert 0 <= room - first.size_bytes - rest.size_bytes < EXTENT_BYTES
    assert plan.drive.geometry.misalignment_bytes(slot.start_bytes + MIB) == 0
    assert slot.type == partition_types.LVM_GPT and slot.filesystem == "LVM2_member"


def test_all_volumes_exist_before_the_first_is_formatted() -> None:
    plan = grouped(drive(), *TWO)
    assert kinds_of(plan) == [
        *(
            "write-table",
            "wipe-signatures",
            "make-volume-group",
            "make-logical-volume",
            "make-logical-volume",
        ),
        *("make-filesystem", "make-filesystem", "add-fstab-line", "mount", "add-fstab-line", "mount"),
    ]
    assert plan.group is not None
    group = plan.group.name
    assert [volume.path for volume in plan.volumes] == [
        f"/dev/mapper/{group}-mail",
        f"/dev/mapper/{group}-films",
    ]
    making, first = plan.steps[2], plan.steps[3]
    assert making.commands == (
        (
            "pvcreate",
            "--yes",
            "--norestorefile",
            "--uuid",
            physical_volume_uuid(plan.group.uuid),
            "--dataalignment",
            "1m",
            "/dev/sda1",
        ),
        ("vgcreate", "--physicalextentsize", "4m", group, "/dev/sda1"),
    )
    (words,) = first.commands
    assert words[:2] == ("lvcreate", "--yes") and words[-1] == group
    assert words[words.index("--size") + 1] == f"{304 * MIB}b" and words[words.index("--name") + 1] == "mail"
    assert making.undo == str(UNTIL_KEPT)
    direct = plan.with_undo_text(NO_UNDO)
    assert direct.steps[2].undo.startswith("Cannot be undone")
    assert PLANS.read(PLANS.render(plan), "plan.json") == plan


def test_old_signatures_on_a_logical_volume_are_erased_on_creation() -> None:
    for step in grouped(drive(), *TWO).steps:
        if isinstance(step.operation, MakeFilesystem):
            assert step.commands[0] == ("wipefs", "--all", "--quiet", step.operation.device)


def test_preview_shows_every_volume_with_its_exact_size_and_the_rest() -> None:
    plan = grouped(
        drive(size_bytes=10 * GIB),
        spec("ext4", size_bytes=GIB, label="mail", mount_point="/srv/mail"),
        spec("swap", size_bytes=GIB),
    )
    said = inside_sentences(plan)
    assert any(f"({GIB} bytes), mounted at /srv/mail." in sentence for sentence in said)
    assert any("swap" in sentence and "not mounted" in sentence for sentence in said)
    (left,) = (sentence for sentence in said if "remains for snapshots" in sentence)
    (slot,) = plan.after.partitions
    assert f"({(slot.size_bytes - MIB) // EXTENT_BYTES * EXTENT_BYTES - 2 * GIB} bytes)" in left
    assert str(plan.volumes[0].path) in " ".join(plan_page(plan))


def test_equal_names_from_labels_are_made_unique() -> None:
    assert logical_names(["a b", "a_b", "a-b"]) == ("a_b", "a_b_2", "a_b_3")
    assert logical_names(["x" * 30, "x" * 30]) == ("x" * 20, f"{'x' * 17}_2")
    plan = grouped(drive(), spec("ext4", size_bytes=GIB, label="a b"), spec("ext4", label="a-b"))
    assert len({volume.path for volume in plan.volumes}) == 2


@pytest.mark.parametrize("kind", ["gpt", "mbr"])
def test_free_space_of_a_preserved_table_can_contain_a_group(kind: str) -> None:
    size = 100 * GIB
    table = gpt(size, 512) if kind == "gpt" else mbr(size, 512)
    old = partition(
        1, MIB, 10 * GIB, type="0x83" if kind == "mbr" else partition_types.LVM_GPT, filesystem="ext4"
    )
    plan = grouped(drive(size_bytes=size, table=table, partitions=(old,)), *TWO, mode=Mode.USE_FREE)
    PLANS.check(plan)
    kept, new = plan.after.partitions
    assert kept.kept and (kept.start_bytes, kept.size_bytes) == (MIB, 10 * GIB)
    assert (new.number, new.start_bytes) == (2, MIB + 10 * GIB)
    assert new.type == ("0x8e" if kind == "mbr" else partition_types.LVM_GPT)


def test_new_mbr_can_contain_a_group() -> None:
    plan = grouped(drive(size_bytes=100 * GIB), *TWO, arrangement=Arrangement("mbr", grouped=True))
    PLANS.check(plan)
    assert [(slot.number, slot.type) for slot in plan.after.partitions] == [(1, "0x8e")]


def test_shares_refer_to_the_allocatable_size_of_the_group() -> None:
    plan = grouped(
        drive(size_bytes=100 * GIB),
        replace(spec("ext4", label="mail"), percent=25),
        spec("xfs", label="films"),
    )
    PLANS.check(plan)
    (slot,) = plan.after.partitions
    first, _ = plan.logical_volumes
    assert (
        first.size_bytes
        == (slot.size_bytes - MIB) // EXTENT_BYTES * EXTENT_BYTES // 4 // EXTENT_BYTES * EXTENT_BYTES
    )


def test_subvolumes_work_in_a_group() -> None:
    plan = grouped(drive(), replace(spec("btrfs", label="system"), subvolumes=(Subvolume("@", "/mnt/x"),)))
    PLANS.check(plan)
    assert kinds_of(plan)[-3:] == ["make-subvolumes", "add-fstab-line", "mount"]


@pytest.mark.parametrize(
    ("specs", "arrangement", "says"),
    [
        ((spec("ext4", size_bytes=99 * GIB), spec("xfs", size_bytes=2 * GIB)), None, "needs "),
        ((spec("ext4", size_bytes=100 * GIB - 20 * MIB), spec("xfs")), None, "needs "),
        ((spec("xfs", size_bytes=8 * MIB),), None, "is too small. The minimum is"),
        ((replace(spec("ext4"), encrypted=True),), None, "neither roles nor encryption"),
        (
            (replace(spec("ext4"), role="home"),),
            None,
            "neither roles nor encryption",
        ),
    ],
)
def test_impossible_group_is_reported(
    specs: tuple[VolumeSpec, ...], arrangement: Arrangement | None, says: str
) -> None:
    with pytest.raises((BadInput, Refused), match=says) as caught:
        grouped(drive(size_bytes=100 * GIB), *specs, arrangement=arrangement)
    assert str(caught.value).endswith(".")


def test_host_managed_drive_and_machine_without_lvm_are_refused() -> None:
    with pytest.raises(Refused, match="cannot be partitioned"):
        grouped(drive(zoned="host-managed"), *TWO)
    source = cycle(UUIDS)
    tools = tuple((name, path) for name, path in EVERYTHING if name != "pvcreate")
    with pytest.raises(Refused, match="the package lvm2"):
        make_plan(
            machine(drive(), tools=tools),
            (drive(),),
            NewVolumes(TWO, None, Arrangement(grouped=True)),
            lambda: next(source),
        )


PLAN = grouped(drive(), *TWO)


def test_operations_of_a_grouped_plan_cannot_be_forged() -> None:
    operations = tuple(step.operation for step in PLAN.steps)
    PLANS.check(with_operations(PLAN, operations))
    foreign = (
        MakeLogicalVolume("/dev/mapper/x-x", "x", "x", EXTENT_BYTES),
        MakeVolumeGroup("x", ("/dev/sdx1",), (UUIDS[5],)),
        MakeFilesystem("/dev/sdx1", "ext4", UUIDS[5], "x", ()),
    )
    attempts = [
        *(operations[:at] + operations[at + 1 :] for at in range(len(operations))),
        *(
            (*operations[:at], other, *operations[at:])
            for at in range(len(operations) + 1)
            for other in foreign
        ),
        *(
            (*operations[:at], other, *operations[at + 1 :])
            for at in range(len(operations))
            for other in foreign
        ),
        operations[::-1],
    ]
    for attempt in attempts:
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(with_operations(PLAN, attempt))


@pytest.mark.parametrize(
    ("size_bytes", "says"),
    [
        *((size, "steps") for size in (0, -EXTENT_BYTES, EXTENT_BYTES, 200 * MIB + 512)),
        (1 << 50, "steps"),
    ],
)
def test_size_beyond_the_group_is_refused(size_bytes: int, says: str) -> None:
    operations = [step.operation for step in PLAN.steps]
    at = next(at for at, one in enumerate(operations) if isinstance(one, MakeLogicalVolume))
    made = operations[at]
    assert isinstance(made, MakeLogicalVolume)
    forged = (*operations[:at], replace(made, size_bytes=size_bytes), *operations[at + 1 :])
    with pytest.raises(BadInput, match=says):
        PLANS.check(with_operations(PLAN, forged))


def test_smaller_volume_than_requested_is_no_forgery() -> None:
    """A plan defines the sizes, and shows them as made."""
    operations = [step.operation for step in PLAN.steps]
    smaller = [
        replace(one, size_bytes=400 * MIB) if isinstance(one, MakeLogicalVolume) else one
        for one in operations
    ]
    PLANS.check(with_operations(PLAN, tuple(smaller)))


@pytest.mark.parametrize(
    "group",
    [
        Group("/dev/sdx1", PLAN.group.name, PLAN.group.uuid) if PLAN.group else None,
        Group("/dev/sda2", PLAN.group.name, PLAN.group.uuid) if PLAN.group else None,
        Group("/dev/sda1", "--force", PLAN.group.uuid) if PLAN.group else None,
        Group("/dev/sda1", PLAN.group.name, "$(id)") if PLAN.group else None,
        Group("/dev/sda1", PLAN.group.name, PLAN.volumes[0].uuid) if PLAN.group else None,
        None,
    ],
    ids=str,
)
def test_group_the_planner_would_not_make_is_refused(group: Group | None) -> None:
    with pytest.raises(BadInput, match="is inconsistent"):
        PLANS.check(replace(PLAN, group=group))


def test_volume_or_table_of_another_plan_is_refused() -> None:
    first, second = PLAN.volumes
    for volumes in (
        (first,),
        (second, first),
        (replace(first, path="/dev/mapper/root"), second),
        (replace(first, path="/dev/sda1"), second),
        (replace(first, partition=2), second),
        (replace(first, role="root"), second),
    ):
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(replace(PLAN, volumes=volumes))
    operations = [step.operation for step in PLAN.steps]
    table = next(one for one in operations if isinstance(one, WriteTable))
    (entry,) = table.entries
    for other in (
        replace(entry, type="0fc63daf-8483-4772-8e79-3d69d8477de4"),
        replace(entry, start_bytes=entry.start_bytes + 512),
    ):
        forged = replace(table, entries=(other,))
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(with_operations(PLAN, tuple(forged if one == table else one for one in operations)))


def forged(group: Group, paths: tuple[str, ...], name: str | None = None) -> Plan:
    """Return a plan derived from this group, these nodes and this partition name."""
    volumes = tuple(replace(volume, path=path) for volume, path in zip(PLAN.volumes, paths, strict=True))
    made = rederived(replace(PLAN, group=group, volumes=volumes), places_in(PLAN))
    operations = tuple(step.operation for step in made.steps)
    if name is not None:
        table = next(one for one in operations if isinstance(one, WriteTable))
        other = replace(table, entries=(replace(table.entries[0], name=name),))
        operations = tuple(other if one == table else one for one in operations)
    return with_operations(made, operations)


def test_consistently_forged_plan_is_refused() -> None:
    assert PLAN.group is not None
    paths = tuple(volume.path for volume in PLAN.volumes)
    PLANS.check(forged(PLAN.group, paths))
    for group in (replace(PLAN.group, name="--force"), replace(PLAN.group, device="/dev/sdx1")):
        with pytest.raises(BadInput, match="invalid group"):
            PLANS.check(forged(group, paths))
    with pytest.raises(BadInput, match="invalid group"):
        PLANS.check(forged(PLAN.group, ("/dev/mapper/root", paths[1])))
    with pytest.raises(BadInput, match="invalid steps"):
        PLANS.check(forged(PLAN.group, paths, name="EFI system"))
