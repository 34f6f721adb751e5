"""Subvolumes of a Btrfs filesystem: valid requests, the steps of the plan, and refused forgeries."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive
from tests.unit.plan.layouts import plan_for, plan_page, rederived, spec, with_operations
from wizard.apply.steps.filesystem import listed, name_differences
from wizard.apply.system.fstab import conflict, parse
from wizard.model.errors import BadInput
from wizard.model.layout import Subvolume
from wizard.model.said import GIB
from wizard.operations.filesystem import MakeSubvolumes
from wizard.operations.mounts import AddFstabLine, Mount
from wizard.plan.check import places_in
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.request.volume_request import parse_subvolume, parse_volume
from wizard.plan.text import inside_sentences
from wizard.probe.host.sysfs import mounts_in

ROOT, HOME, KEPT = Subvolume("@", "/mnt/x"), Subvolume("@home", "/mnt/x/home"), Subvolume("@snapshots")


def plan_with(*subvolumes: Subvolume, mount_point: str | None = None) -> Plan:
    return plan_for(
        drive(), replace(spec("btrfs", label="system", mount_point=mount_point), subvolumes=subvolumes)
    )


def test_command_line_names_subvolumes_with_and_without_a_place() -> None:
    asked = parse_volume(
        "workload=desktop-root,fs=btrfs,subvolume=@:/mnt/x,subvolume=@home:/mnt/x/home,subvolume=@snapshots"
    )
    assert tuple(map(parse_subvolume, asked.subvolume)) == (ROOT, HOME, KEPT)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("../etc", "is invalid: only letters"),
        ("a/../b", "is invalid: only letters"),
        (".", "is invalid: only letters"),
        ("/@", "is invalid"),
        ("", "is invalid"),
        ("a b", "is invalid: only letters"),
        ("-o", "is invalid: only letters"),
        ("a\\040b", "is invalid: only letters"),
        ("a#b", "is invalid: only letters"),
        ("a//b", "is invalid: only letters"),
        ("a\n", "is invalid: only letters"),
        ("x" * 256, "is too long"),
        ("@:srv", "not an absolute path"),
        ("@:", "not an absolute path"),
        ("@:/etc/x", "running system"),
    ],
)
def test_impossible_subvolume_is_reported(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        parse_volume(f"workload=nas,subvolume={text}")


@pytest.mark.parametrize(
    ("subvolumes", "says"),
    [
        ((KEPT, KEPT), "twice"),
        ((Subvolume("a/b"),), "not an earlier subvolume"),
        ((Subvolume("a/b"), Subvolume("a")), "not an earlier subvolume"),
        ((ROOT, Subvolume("@two", "/mnt/x")), "Two volumes have the mount point"),
        ((HOME, ROOT), "would hide"),
        ((Subvolume("@", "none"),), "is not an absolute path"),
        (tuple(Subvolume(f"s{number}") for number in range(65)), "the maximum is 64"),
    ],
)
def test_contradicting_subvolumes_are_refused(subvolumes: tuple[Subvolume, ...], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        plan_with(*subvolumes)


def test_filesystem_without_subvolumes_gets_none() -> None:
    with pytest.raises(BadInput, match="cannot have subvolumes: ext4"):
        plan_for(drive(), replace(spec("ext4"), subvolumes=(ROOT,)))


def test_subvolumes_are_created_once_and_mounted_by_separate_lines() -> None:
    plan = plan_with(ROOT, HOME, KEPT)
    (volume,) = plan.volumes
    operations = [step.operation for step in plan.steps]
    assert [one.kind for one in operations[-6:]] == [
        "make-filesystem",
        "make-subvolumes",
        *["add-fstab-line", "mount"] * 2,
    ][-6:]
    place = f"/run/diskwright/{volume.uuid}"
    (making,) = (step for step in plan.steps if isinstance(step.operation, MakeSubvolumes))
    assert making.commands == (
        ("mount", "-t", "btrfs", "/dev/sda1", place),
        *(("btrfs", "subvolume", "create", f"{place}/{name}") for name in ("@", "@home", "@snapshots")),
        ("umount", place),
    )
    assert [one.line for one in operations if isinstance(one, AddFstabLine)] == [
        f"UUID={volume.uuid} /mnt/x btrfs noatime,subvol=/@,nofail 0 0",
        f"UUID={volume.uuid} /mnt/x/home btrfs noatime,subvol=/@home,nofail 0 0",
    ]
    assert [(one.mount_point, one.options) for one in operations if isinstance(one, Mount)] == [
        ("/mnt/x", ("noatime", "subvol=/@")),
        ("/mnt/x/home", ("noatime", "subvol=/@home")),
    ]
    assert PLANS.read(PLANS.render(plan), "plan.json") == plan


def test_top_level_is_mounted_first_if_it_has_a_mount_point() -> None:
    plan = plan_with(ROOT, mount_point="/mnt/top")
    assert [step.operation.mount_point for step in plan.steps if isinstance(step.operation, Mount)] == [
        "/mnt/top",
        "/mnt/x",
    ]
    with pytest.raises(BadInput, match="Two volumes"):
        plan_with(ROOT, mount_point="/mnt/x")


def test_preview_lists_the_subvolumes() -> None:
    plan = plan_with(ROOT, KEPT)
    (sentence,) = inside_sentences(plan)
    assert (
        sentence == 'Subvolumes of "system", sharing the space: @ mounted at /mnt/x, @snapshots not mounted.'
    )
    assert "@snapshots not mounted" in " ".join(" ".join(plan_page(plan)).split())
    assert not inside_sentences(plan_for(drive(), spec("btrfs", size_bytes=5 * GIB)))


def test_forged_subvolume_is_refused() -> None:
    plan = plan_with(ROOT, HOME)
    PLANS.check(plan)
    (volume,) = plan.volumes
    for subvolumes in (
        (),
        (ROOT,),
        (HOME, ROOT),
        (Subvolume("../../etc", "/mnt/x"), HOME),
        (ROOT, Subvolume("@home", "/etc")),
    ):
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(replace(plan, volumes=(replace(volume, subvolumes=subvolumes),)))
    operations = tuple(step.operation for step in plan.steps)
    making = next(at for at, one in enumerate(operations) if isinstance(one, MakeSubvolumes))
    made = operations[making]
    assert isinstance(made, MakeSubvolumes)
    for other in (
        replace(made, device="/dev/sdx1"),
        replace(made, uuid="../../etc"),
        replace(made, names=("@",)),
        replace(made, others=("/dev/sdx1",)),
    ):
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(with_operations(plan, (*operations[:making], other, *operations[making + 1 :])))
    with pytest.raises(BadInput, match="is inconsistent"):
        PLANS.check(with_operations(plan, operations[:making] + operations[making + 1 :]))


@pytest.mark.parametrize("name", ["../../etc", "/@", "a,b", "a b", ".."])
def test_consistently_forged_plan_is_refused(name: str) -> None:
    """Every operation and text follows from a volume that the planner would not make."""
    plan = plan_with(ROOT)
    (volume,) = plan.volumes
    forged = replace(volume, subvolumes=(Subvolume(name, "/mnt/x"),))
    made = rederived(replace(plan, volumes=(forged,)), places_in(plan))
    with pytest.raises(BadInput, match="subvolumes"):
        PLANS.check(made)


def test_fstab_may_have_one_line_for_each_subvolume() -> None:
    lines = parse("UUID=ab /mnt/x btrfs noatime,subvol=/@ 0 0\n", "fstab")
    home = AddFstabLine("ab", "/mnt/x/home", "btrfs", ("subvol=/@home",), 0)
    assert conflict(lines, home) is None
    assert conflict(lines, replace(home, options=("subvol=/@",))) is not None
    assert conflict(lines, replace(home, mount_point="/mnt/x")) is not None
    assert (
        conflict(parse("UUID=ab /mnt/x btrfs noatime 0 0\n", "fstab"), replace(home, options=())) is not None
    )


def test_mount_shows_its_subvolume() -> None:
    line = "36 25 0:45 /@home /mnt/x/home rw,noatime shared:1 - btrfs /dev/sda1 rw,subvolid=257,subvol=/@home"
    assert [entry.root for entry in mounts_in(line)] == ["/@home"]


def test_btrfs_lists_them_with_their_paths() -> None:
    said = "ID 256 gen 8 top level 5 path @\nID 257 gen 9 top level 256 path @/with a space\n"
    assert listed(said) == ("@", "@/with a space")
    differences = name_differences(("@", "@home"), ("@", "x"))
    assert [*map(str, differences)] == ["@home is missing", "x was not planned"]
    assert not name_differences(("@", "@home"), ("@home", "@"))
