"""Plans with roles, shares of the space, the desktop preset and new MBRs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.machines import KN4, SIZE_BYTES, drive, machine, mbr, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING, GEOMETRIES, UUIDS, plan_for, spec
from wizard.filesystems import partition_types
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.finding import Recorded, Recording
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Kernel, Machine
from wizard.model.said import GIB, MIB, TIB
from wizard.operations.table import WriteTable
from wizard.plan.documents import PLANS
from wizard.plan.free_space import aligned_spaces, fresh_bounds
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.plan.request.roles import ROLES, usual_bytes
from wizard.plan.request.volume_request import VolumeSpec, parse_share, parse_volume, size_text
from wizard.plan.request.wanted import desktop_requests, room_for_preset, spec_of

MBR = Arrangement("mbr")
UNKNOWN = Recording("unknown", None, Recorded.UNKNOWN, "low")


def on(of: Drive, architecture: str = "x86_64", **changes: object) -> Machine:
    kernel = Kernel("6.12.9", frozenset({"ext4", "xfs", "btrfs", "vfat"}), architecture=architecture)
    return replace(machine(of, tools=EVERYTHING, kernel=kernel), **changes)


def planned(of: Drive, *specs: VolumeSpec, mode: Mode | None = None, arrangement: Arrangement = MBR) -> Plan:
    source = iter(UUIDS)
    plan = make_plan(on(of), (of,), NewVolumes(specs, mode, arrangement), lambda: next(source))
    PLANS.check(plan)
    return plan


def asked(of: Drive, *volumes: str, architecture: str = "x86_64") -> Plan:
    """Return a plan from volumes in command-line syntax."""
    source = iter(UUIDS)
    where = on(of, architecture)
    specs = tuple(spec_of(where, of, UNKNOWN, parse_volume(text)) for text in volumes)
    plan = make_plan(where, (of,), NewVolumes(specs), lambda: next(source))
    PLANS.check(plan)
    return plan


def table_of(plan: Plan) -> WriteTable:
    return next(step.operation for step in plan.steps if isinstance(step.operation, WriteTable))


def share(percent: int) -> VolumeSpec:
    return replace(spec("ext4"), percent=percent)


@given(
    st.sampled_from(GEOMETRIES),
    st.lists(st.integers(1, 60), min_size=1, max_size=4).filter(lambda shares: sum(shares) <= 100),
)
@settings(max_examples=60, deadline=None)
def test_shares_of_all_space_fit_together(geometry: Geometry, shares: list[int]) -> None:
    of = drive(geometry=geometry)
    try:
        plan = plan_for(of, *map(share, shares))
    except DiskwrightError as error:
        assert "too small" in str(error) or "Cannot plan for" in str(error)
        return
    room = sum(
        space.size_bytes for space in aligned_spaces([fresh_bounds("gpt", SIZE_BYTES, geometry)], geometry)
    )
    made = [slot.size_bytes for slot in plan.after.partitions]
    for percent, size_bytes in zip(shares, made, strict=True):
        assert 0 <= room * percent / 100 - size_bytes < geometry.grain_bytes
        assert size_bytes % geometry.logical_block_bytes == 0


def test_shares_leave_the_rest_to_one() -> None:
    plan = plan_for(drive(), share(30), spec("xfs"), share(20))
    first, rest, last = (slot.size_bytes for slot in plan.after.partitions)
    assert first + rest + last == SIZE_BYTES - 2 * MIB
    assert first == (SIZE_BYTES // MIB - 2) * 30 // 100 * MIB


@pytest.mark.parametrize(
    ("specs", "says"),
    [
        ((share(60), share(41)), "101 % of the space"),
        ((share(100), spec("ext4")), "needs "),
    ],
)
def test_impossible_shares_are_reported(specs: tuple[VolumeSpec, ...], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        plan_for(drive(), *specs)


def test_share_larger_than_every_free_piece_is_refused() -> None:
    of = partitioned(partition(1, 100 * GIB, 265 * GIB), size_bytes=SIZE_BYTES)
    with pytest.raises(BadInput, match="The largest free range has"):
        plan_for(of, share(70), mode=Mode.USE_FREE)


def test_system_partitions_get_discoverable_types_and_no_mounts() -> None:
    plan = asked(drive(), "role=esp", "role=swap", "role=root,size=30%", "role=home,size=rest")
    assert [slot.type for slot in plan.after.partitions] == [
        partition_types.ESP_GPT,
        "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f",
        partition_types.ROOTS_GPT["x86_64"],
        partition_types.HOME_GPT,
    ]
    assert [(volume.filesystem, volume.label) for volume in plan.volumes] == [
        ("vfat", "EFI"),
        ("swap", "swap"),
        ("ext4", "root"),
        ("ext4", "home"),
    ]
    assert [slot.size_bytes for slot in plan.after.partitions][:2] == [GIB, 8 * GIB]
    assert not any(volume.mount_point for volume in plan.volumes)
    assert not any(step.operation.kind in ("mount", "turn-on-swap", "add-fstab-line") for step in plan.steps)


@pytest.mark.parametrize(
    ("architecture", "wanted"),
    [
        ("aarch64", partition_types.ROOTS_GPT["aarch64"]),
        ("", partition_types.LINUX_GPT),
        ("vax", partition_types.LINUX_GPT),
    ],
)
def test_root_type_matches_the_architecture_of_the_machine(architecture: str, wanted: str) -> None:
    plan = asked(drive(), "role=root", architecture=architecture)
    assert [slot.type for slot in plan.after.partitions] == [wanted]


@pytest.mark.parametrize(
    ("volumes", "says"),
    [
        (("role=esp,fs=ext4",), "does not support ext4; use vfat"),
        (("role=swap,fs=ext4,size=1G",), "does not support ext4; use swap"),
        (("role=root,fs=vfat",), "does not support vfat"),
        (("role=home,workload=portable,fs=exfat",), "does not support exfat"),
        (("role=esp", "role=esp,label=EFI2"), "one EFI system partition"),
        (("role=esp,size=200M",), "The minimum is 260 MiB"),
    ],
)
def test_impossible_role_is_reported(volumes: tuple[str, ...], says: str) -> None:
    with pytest.raises(DiskwrightError, match=says):
        asked(drive(), *volumes)


def test_dangerous_option_is_refused_for_boot_volumes() -> None:
    with pytest.raises(DiskwrightError, match="is not allowed on a system volume"):
        asked(drive(), "role=boot,option=ext4-no-journal")


@pytest.mark.parametrize("role", ["esp", "home", "root-aarch64", "root-vax", "x86_64", "none"])
def test_forged_role_is_detected(role: str) -> None:
    plan = asked(drive(), "role=root")
    forged = replace(plan, volumes=(replace(plan.volumes[0], role=role),))
    with pytest.raises(BadInput, match="is inconsistent"):
        PLANS.check(forged)


@pytest.mark.parametrize(
    ("room_bytes", "memory_bytes", "wanted"),
    [
        (24 * GIB, GIB, [("esp", GIB), ("swap", 2 * GIB), ("root", None)]),
        (63 * GIB, 8 * GIB, [("esp", GIB), ("swap", 8 * GIB), ("root", None)]),
        (64 * GIB, 16 * GIB, [("esp", GIB), ("swap", 4 * GIB), ("root", 32 * GIB), ("home", None)]),
        (240 * GIB, 4 * GIB, [("esp", GIB), ("swap", 4 * GIB), ("root", 60 * GIB), ("home", None)]),
        (8 * TIB, None, [("esp", GIB), ("swap", 4 * GIB), ("root", 96 * GIB), ("home", None)]),
    ],
)
def test_desktop_layout_follows_from_space_and_memory(
    room_bytes: int, memory_bytes: int | None, wanted: list[tuple[str, int | None]]
) -> None:
    requests = desktop_requests(room_bytes, memory_bytes)
    assert [(one.role, parse_share(one.size)[0]) for one in requests] == wanted
    of = drive(size_bytes=room_bytes)
    specs = tuple(spec_of(on(of), of, UNKNOWN, one) for one in requests)
    source = iter(UUIDS)
    plan = make_plan(on(of), (of,), NewVolumes(specs), lambda: next(source))
    assert len(plan.after.partitions) == len(wanted)


def test_desktop_on_a_too_small_drive_is_refused() -> None:
    with pytest.raises(BadInput, match=r"A desktop needs 25\.8 GB"):
        desktop_requests(23 * GIB, 8 * GIB)


def test_desktop_next_to_preserved_data_uses_the_largest_free_piece() -> None:
    of = partitioned(partition(1, 100 * GIB, 265 * GIB))
    assert room_for_preset(of, preserve=True) < 101 * GIB
    assert room_for_preset(of, preserve=False) == of.size_bytes


@pytest.mark.parametrize(("memory", "swap"), [(1, 2), (2, 4), (3, 3), (8, 8), (9, 4), (512, 4)])
def test_swap_follows_from_memory_including_the_kernel_share(memory: int, swap: int) -> None:
    assert usual_bytes("swap", memory * GIB - 300 * MIB) == swap * GIB


@pytest.mark.parametrize("geometry", [GEOMETRIES[0], KN4])
def test_new_mbr_has_its_own_types_and_no_names(geometry: Geometry) -> None:
    specs = (
        replace(spec("vfat", size_bytes=GIB, label="EFI"), role="esp"),
        spec("swap", size_bytes=GIB, label="s"),
        share(30),
        spec("ext4"),
    )
    plan = planned(drive(geometry=geometry), *specs)
    table = table_of(plan)
    assert (table.table, table.fresh) == ("mbr", True)
    assert [(entry.number, entry.type, entry.name) for entry in table.entries] == [
        (1, "0xef", ""),
        (2, "0x82", ""),
        (3, "0x83", ""),
        (4, "0x83", ""),
    ]
    assert plan.after.table == "mbr"
    assert plan.after.partitions[-1].end_bytes <= SIZE_BYTES


SYSTEM = (
    replace(spec("ext4", size_bytes=GIB, label="b"), role="boot"),
    replace(spec("ext4", label="r"), role="root"),
)


@pytest.mark.parametrize(("specs", "number"), [(SYSTEM, 1), ((spec("ext4", size_bytes=GIB), SYSTEM[1]), 2)])
def test_bootable_mbr_explains_how_its_partition_is_marked(
    specs: tuple[VolumeSpec, ...], number: int
) -> None:
    (said,) = (doubt for doubt in map(str, planned(drive(), *specs).doubts) if "active" in doubt)
    assert f"`sfdisk --activate /dev/sda {number}`" in said


def test_unneeded_or_present_boot_flag_is_not_mentioned() -> None:
    marked = partitioned(partition(1, MIB, GIB, type="0x83", attributes=0x80, filesystem="ext4"), table=mbr())
    unmarked = replace(marked, partitions=(replace(marked.partitions[0], attributes=0),))
    kept = {
        of: planned(of, SYSTEM[1], mode=Mode.USE_FREE, arrangement=Arrangement()) for of in (marked, unmarked)
    }
    others = (planned(drive(), spec("ext4")), planned(drive(), *SYSTEM, arrangement=Arrangement()))
    assert not [
        doubt for plan in (kept[marked], *others) for doubt in map(str, plan.doubts) if "active" in doubt
    ]
    assert "`sfdisk --activate /dev/sda 2`" in " ".join(map(str, kept[unmarked].doubts))


def test_new_mbr_reaches_the_last_of_its_blocks() -> None:
    plan = planned(drive(size_bytes=2 * TIB), spec("ext4"))
    assert plan.after.partitions[-1].end_bytes == 2 * TIB


@pytest.mark.parametrize(
    ("of", "count", "mode", "says"),
    [
        (drive(), 5, None, "supports 4 partitions, but 5"),
        (drive(size_bytes=2 * TIB + MIB), 1, None, "The rest would be unusable"),
        (partitioned(partition()), 1, Mode.USE_FREE, "The table of /dev/sda is preserved"),
        (drive(zoned="host-managed"), 1, None, "cannot be partitioned"),
    ],
)
def test_too_large_new_mbr_is_refused_with_the_reason(
    of: Drive, count: int, mode: Mode | None, says: str
) -> None:
    specs = tuple(spec("ext4", size_bytes=GIB, label=f"v{number}") for number in range(count))
    with pytest.raises((BadInput, Refused), match=says):
        planned(of, *specs, mode=mode)


def test_drive_of_4096_byte_blocks_is_reached_to_16_tib() -> None:
    plan = planned(drive(size_bytes=16 * TIB, geometry=KN4), spec("xfs"))
    assert plan.after.partitions[-1].end_bytes == 16 * TIB


def test_every_role_has_a_description() -> None:
    for role in ROLES.values():
        assert str(role.summary).endswith(".") and (not role.usual or role.usual in role.filesystems)


ESP = replace(partition(1, MIB, 512 * MIB, filesystem="vfat"), type=partition_types.ESP_GPT)
FREED = partition(3, 2 * GIB, GIB, filesystem="ext4")
HALF = partitioned(ESP, partition(2, GIB, GIB), FREED, size_bytes=SIZE_BYTES)
OTHER_DRIVE = replace(
    partitioned(replace(partition(7, MIB, GIB, of="/dev/sdb"), type="0xef")), path="/dev/sdb", table=mbr()
)


@pytest.mark.parametrize(
    ("role", "mode", "others", "named"),
    [
        ("esp", Mode.USE_FREE, (), ["/dev/sda1"]),
        ("esp", Mode.USE_FREE, (OTHER_DRIVE,), ["/dev/sda1", "/dev/sdb7"]),
        ("esp", Mode.REPLACE, (), []),
        ("esp", Mode.REPLACE, (OTHER_DRIVE,), ["/dev/sdb7"]),
        ("root", Mode.USE_FREE, (OTHER_DRIVE,), []),
    ],
)
def test_second_efi_partition_is_reported(
    role: str, mode: Mode, others: tuple[Drive, ...], named: list[str]
) -> None:
    source, where = iter(UUIDS), replace(on(HALF), drives=(HALF, *others))
    specs = (spec_of(where, HALF, UNKNOWN, parse_volume(f"role={role}")),)
    plan = make_plan(where, (HALF,), NewVolumes(specs, mode), lambda: next(source))
    PLANS.check(plan)
    assert second_ones(plan) == named


def second_ones(plan: Plan) -> list[str]:
    values = [dict(doubt.values) for doubt in plan.doubts if not isinstance(doubt, str)]
    return [str(one["part"]) for one in values if {"drive", "part", "size"} == {*one}]


def test_only_efi_partition_is_not_called_a_second_one() -> None:
    source, where = iter(UUIDS), on(HALF)
    for part, named in ((FREED, ["/dev/sda1"]), (ESP, [])):
        asked_for = replace(parse_volume("role=esp,label=EFI"), size=size_text(part.size_bytes))
        specs = [spec_of(where, HALF, UNKNOWN, asked_for)]
        assert (
            second_ones(
                make_plan(
                    where, (HALF,), NewVolumes(tuple(specs), part=part), lambda: next(source), (UNKNOWN,)
                )
            )
            == named
        )
