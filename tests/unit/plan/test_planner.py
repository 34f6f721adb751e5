"""The planner over all geometries: its rules for any drive and request."""

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.machines import E512, KN4, N512, drive, gpt, machine, mbr, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING, GEOMETRIES, UUIDS, plan_for, spec
from wizard.filesystems import partition_types
from wizard.filesystems.kind import serial_of
from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput, Refused
from wizard.model.geometry import LARGEST_GRAIN_BYTES, Geometry
from wizard.model.layout import TableEntry
from wizard.model.machine import Drive
from wizard.model.said import GIB, MIB, TIB
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.mounts import AddFstabLine, Mount
from wizard.operations.table import WipeSignatures, WriteTable
from wizard.plan.documents import PLANS
from wizard.plan.free_space import fresh_bounds
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec

QUICK = settings(max_examples=40, deadline=None)


def table_of(plan: Plan) -> WriteTable:
    return next(step.operation for step in plan.steps if isinstance(step.operation, WriteTable))


def parted_optimum(geometry: Geometry) -> tuple[int, int] | None:
    """Return offset and grain for `parted align-check optimal` (libparted 3.5,
    linux_get_optimum_alignment), or None without a preference."""
    minimum, optimal = geometry.minimum_io_bytes, geometry.optimal_io_bytes
    offset = max(geometry.alignment_offset_bytes, 0)
    if all(not size or MIB % size == 0 for size in (minimum, optimal)):
        return offset, MIB
    return (offset, optimal) if optimal else (offset, geometry.physical_block_bytes)


def assert_aligned(geometry: Geometry, start_bytes: int) -> None:
    assert geometry.misalignment_bytes(start_bytes) == 0
    assert start_bytes % geometry.logical_block_bytes == 0
    believed = geometry.plausible_optimal_io_bytes is not None and geometry.grain_bytes <= LARGEST_GRAIN_BYTES
    if (wanted := parted_optimum(geometry)) and (believed or not geometry.optimal_io_bytes):
        offset, grain = wanted
        assert (start_bytes - offset) % grain == 0


@st.composite
def crowded_drives(draw: st.DrawFn) -> Drive:
    """Return a drive with a valid table and partitions anywhere, aligned or not."""
    geometry = draw(st.sampled_from(GEOMETRIES))
    block = geometry.logical_block_bytes
    blocks = draw(
        st.integers(
            min_value=2 * GIB // block, max_value=draw(st.sampled_from((8 * GIB, TIB, 20 * TIB))) // block
        )
    )
    size = blocks * block
    kind = draw(st.sampled_from(("gpt", "mbr")))
    table = gpt(size, block) if kind == "gpt" else mbr(size, block)
    if kind == "gpt":
        bounds = fresh_bounds("gpt", size, geometry)
        table = replace(table, first_usable_bytes=bounds.start_bytes, end_usable_bytes=bounds.end_bytes)
    assert table.first_usable_bytes is not None and table.end_usable_bytes is not None
    count = draw(st.integers(0, 3 if kind == "mbr" else 6))
    first, end = table.first_usable_bytes // block, table.end_usable_bytes // block
    edges = sorted(
        draw(st.lists(st.integers(first, end), min_size=2 * count, max_size=2 * count, unique=True))
    )
    numbers = draw(st.permutations(range(1, 5 if kind == "mbr" else 12)))
    partitions = tuple(
        partition(
            number,
            start * block,
            (stop - start) * block,
            type="0x83" if kind == "mbr" else partition_types.LINUX_GPT,
            filesystem=draw(st.sampled_from((None, "ext4", "ntfs"))),
            attributes=draw(st.sampled_from((0, 1, 1 << 60))),
            name=draw(st.sampled_from((None, "old"))) if kind == "gpt" else None,
        )
        for number, (start, stop) in zip(numbers, zip(edges[::2], edges[1::2], strict=True), strict=False)
    )
    return drive(size_bytes=size, geometry=geometry, table=table, partitions=partitions)


WISHES = st.lists(
    st.builds(
        lambda filesystem, size: spec(filesystem, size_bytes=size),
        st.sampled_from(sorted(MADE)),
        st.integers(300 * MIB, 40 * GIB),
    ),
    min_size=0,
    max_size=3,
).flatmap(
    lambda sized: st.sampled_from(sorted(MADE)).flatmap(
        lambda name: st.integers(0, len(sized)).map(lambda at: (*sized[:at], spec(name), *sized[at:]))
    )
)


def plan_or_none(on: Drive, specs: tuple[VolumeSpec, ...], mode: Mode | None) -> Plan | None:
    """Return the plan, or None if the drive has too little space. Any other error fails."""
    try:
        return plan_for(on, *specs, mode=mode)
    except BadInput as error:
        assert "bytes) is available" in str(error)
    except Refused as error:
        assert "Only a GPT supports more" in str(error)
    return None


@QUICK
@given(crowded_drives(), WISHES, st.sampled_from(Mode))
def test_new_partitions_are_aligned_inside_and_apart(
    on: Drive, specs: tuple[VolumeSpec, ...], mode: Mode
) -> None:
    plan = plan_or_none(on, specs, mode)
    assume(plan is not None)
    assert plan is not None and on.geometry is not None
    table = table_of(plan)
    by_start = sorted(table.entries, key=lambda entry: entry.start_bytes)
    assert all(one.start_bytes + one.size_bytes <= two.start_bytes for one, two in pairwise(by_start))
    fresh = on.partitions == () or mode is Mode.REPLACE
    bounds = fresh_bounds("gpt", plan.drive.size_bytes, on.geometry)
    first, end = bounds.start_bytes, bounds.end_bytes
    if not table.fresh:
        assert (
            on.table is not None
            and on.table.first_usable_bytes is not None
            and on.table.end_usable_bytes is not None
        )
        first, end = on.table.first_usable_bytes, on.table.end_usable_bytes
    for entry in table.entries:
        if not entry.kept:
            assert first <= entry.start_bytes and entry.start_bytes + entry.size_bytes <= end
            assert entry.start_bytes >= MIB
            assert entry.size_bytes % on.geometry.grain_bytes == 0
            assert_aligned(on.geometry, entry.start_bytes)
    assert table.fresh or not fresh or on.partitions == ()


@QUICK
@given(crowded_drives(), WISHES, st.sampled_from(Mode))
def test_every_request_gets_its_size(on: Drive, specs: tuple[VolumeSpec, ...], mode: Mode) -> None:
    plan = plan_or_none(on, specs, mode)
    assume(plan is not None)
    assert plan is not None and on.geometry is not None
    entries = {entry.number: entry for entry in table_of(plan).entries}
    for wanted, volume in zip(specs, plan.volumes, strict=True):
        got = entries[volume.partition].size_bytes
        assert got >= MADE[volume.filesystem].minimum_bytes
        if wanted.size_bytes is not None:
            assert wanted.size_bytes <= got < wanted.size_bytes + on.geometry.grain_bytes


@QUICK
@given(crowded_drives(), WISHES)
def test_preserved_partitions_stay_byte_for_byte(on: Drive, specs: tuple[VolumeSpec, ...]) -> None:
    plan = plan_or_none(on, specs, Mode.USE_FREE)
    assume(plan is not None)
    assert plan is not None
    kept = {entry.number: entry for entry in table_of(plan).entries if entry.kept}
    assert set(kept) == {part.number for part in on.partitions}
    for part in on.partitions:
        wanted = TableEntry(
            part.number, part.start_bytes, part.size_bytes, part.type or "", part.name or "", kept=True
        )
        assert kept[part.number] == wanted
    before = {slot.number: slot for slot in plan.before.partitions}
    after = {slot.number: slot for slot in plan.after.partitions}
    for part in on.partitions:
        assert after[part.number] == before[part.number]
        assert after[part.number].attributes == part.attributes and after[part.number].kept
    assert not any(
        isinstance(step.operation, WipeSignatures) and on.partition(step.operation.device)
        for step in plan.steps
    )


@QUICK
@given(crowded_drives(), WISHES, st.sampled_from(Mode))
def test_every_usable_byte_is_in_one_slot(on: Drive, specs: tuple[VolumeSpec, ...], mode: Mode) -> None:
    plan = plan_or_none(on, specs, mode)
    assume(plan is not None)
    assert plan is not None and on.geometry is not None and on.table is not None
    assert on.table.first_usable_bytes is not None and on.table.end_usable_bytes is not None
    usable = on.table.end_usable_bytes - on.table.first_usable_bytes
    assert sum(slot.size_bytes for slot in plan.before.slots) == usable
    assert all(one.end_bytes == two.start_bytes for one, two in pairwise(plan.before.slots))
    bounds = fresh_bounds("gpt", plan.drive.size_bytes, on.geometry)
    after = bounds.size_bytes if table_of(plan).fresh else usable
    assert sum(slot.size_bytes for slot in plan.after.slots) == after
    assert all(one.end_bytes == two.start_bytes for one, two in pairwise(plan.after.slots))


@QUICK
@given(crowded_drives(), WISHES, st.sampled_from(Mode))
def test_same_facts_give_the_same_plan_except_for_uuids(
    on: Drive, specs: tuple[VolumeSpec, ...], mode: Mode
) -> None:
    plan = plan_or_none(on, specs, mode)
    assume(plan is not None)
    assert plan is not None
    again = plan_for(on, *specs, mode=mode)
    assert again == plan
    others = iter(reversed(UUIDS))
    other = make_plan(machine(on, tools=EVERYTHING), (on,), NewVolumes(specs, mode), lambda: next(others))
    assert other != plan
    replaced = repr(other)
    for theirs, ours in zip(other.volumes, plan.volumes, strict=True):
        replaced = replaced.replace(theirs.uuid, ours.uuid).replace(
            serial_of(theirs.uuid), serial_of(ours.uuid)
        )
    assert replaced == repr(plan)


@QUICK
@given(crowded_drives(), WISHES, st.sampled_from((*Mode, None)))
def test_every_plan_passes_its_own_check(on: Drive, specs: tuple[VolumeSpec, ...], mode: Mode | None) -> None:
    if mode is None:
        on, mode = replace(on, content_digest=None), Mode.REPLACE
    plan = plan_or_none(on, specs, mode)
    assume(plan is not None)
    assert plan is not None
    PLANS.check(plan)


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
@pytest.mark.parametrize("size", [GIB + 512 * 8 * 3, 500_107_862_016, 20_000_588_955_648])
def test_one_volume_over_everything_fills_the_drive(geometry: Geometry, size: int) -> None:
    plan = plan_for(drive(geometry=geometry, size_bytes=size), spec("ext4"))
    (entry,) = table_of(plan).entries
    grain = geometry.grain_bytes
    bounds = fresh_bounds("gpt", size, geometry)
    assert entry.number == 1
    assert entry.start_bytes < 2 * grain + MIB
    assert bounds.end_bytes - grain < entry.start_bytes + entry.size_bytes <= bounds.end_bytes


def test_gpt_limits_match_libparted() -> None:
    assert fresh_bounds("gpt", 1000 * 512, N512).start_bytes == 34 * 512
    assert fresh_bounds("gpt", 1000 * 512, N512).end_bytes == (1000 - 33) * 512
    assert fresh_bounds("gpt", 1000 * 4096, KN4).start_bytes == 6 * 4096
    assert fresh_bounds("gpt", 1000 * 4096, KN4).end_bytes == (1000 - 5) * 4096


def test_alignment_offset_shifts_the_start() -> None:
    shifted = replace(E512, alignment_offset_bytes=3584)
    (entry,) = table_of(plan_for(drive(geometry=shifted), spec("ext4"))).entries
    assert entry.start_bytes == MIB + 3584


def test_no_start_is_below_one_mebibyte_despite_an_offset() -> None:
    shifted = replace(E512, alignment_offset_bytes=3584)
    on = drive(geometry=shifted, table=mbr(), partitions=(partition(1, 100 * GIB, GIB, type="0x83"),))
    plan = plan_for(on, spec("ext4", size_bytes=GIB), spec("ext4", size_bytes=90 * GIB), mode=Mode.USE_FREE)
    assert min(slot.start_bytes for slot in plan.after.partitions) == MIB + 3584


def test_bogus_optimal_size_has_no_effect() -> None:
    bogus = replace(E512, optimal_io_bytes=33553920)
    (entry,) = table_of(plan_for(drive(geometry=bogus), spec("ext4"))).entries
    assert entry.start_bytes == MIB


def test_operations_come_in_a_safe_order() -> None:
    old = partitioned(partition(1, MIB, GIB, filesystem="ext3"), partition(2, 2 * GIB, GIB))
    plan = plan_for(
        old, spec("ext4", size_bytes=10 * GIB, mount_point="/srv/a"), spec("xfs"), mode=Mode.REPLACE
    )
    seen = [(step.operation.kind, getattr(step.operation, "device", None)) for step in plan.steps]
    assert seen == [
        ("wipe-signatures", "/dev/sda1"),
        ("wipe-signatures", "/dev/sda"),
        ("write-table", "/dev/sda"),
        ("wipe-signatures", "/dev/sda1"),
        ("make-filesystem", "/dev/sda1"),
        ("wipe-signatures", "/dev/sda2"),
        ("make-filesystem", "/dev/sda2"),
        ("add-fstab-line", None),
        ("mount", "/dev/sda1"),
    ]


def test_empty_drive_is_not_wiped() -> None:
    plan = plan_for(drive(), spec("ext4"))
    assert [step.operation.kind for step in plan.steps] == [
        "write-table",
        "wipe-signatures",
        "make-filesystem",
    ]


def test_fstab_has_nofail_and_only_recommended_options() -> None:
    plan = plan_for(
        drive(), spec("ext4", size_bytes=10 * GIB, mount_point="/srv/a"), spec("xfs", mount_point="/srv/b")
    )
    lines = [step.operation for step in plan.steps if isinstance(step.operation, AddFstabLine)]
    mounts = [step.operation for step in plan.steps if isinstance(step.operation, Mount)]
    assert [(line.options, line.pass_number) for line in lines] == [
        (("noatime", "nofail"), 2),
        (("noatime", "nofail"), 0),
    ]
    assert [mount.options for mount in mounts] == [("noatime",), ("noatime",)]
    made = [step.operation for step in plan.steps if isinstance(step.operation, MakeFilesystem)]
    assert [line.uuid for line in lines] == [filesystem.uuid for filesystem in made]


def test_nvme_and_loop_partitions_are_named_like_in_the_kernel() -> None:
    assert plan_for(drive(path="/dev/nvme0n1"), spec("ext4")).volumes[0].path == "/dev/nvme0n1p1"


def test_mbr_keeps_its_kind_and_gets_the_lowest_free_number() -> None:
    parts = tuple(partition(number, number * 10 * GIB, GIB, type="0x83") for number in (1, 3))
    plan = plan_for(drive(table=mbr(), partitions=parts), spec("ext4"), mode=Mode.USE_FREE)
    table = table_of(plan)
    assert table.table == "mbr" and not table.fresh
    (new,) = (entry for entry in table.entries if not entry.kept)
    assert (new.number, new.type, new.name) == (2, "0x83", "")


def test_mbr_is_not_used_beyond_its_reach() -> None:
    part = partition(1, MIB, TIB, type="0x83")
    big = drive(size_bytes=8 * TIB, table=mbr(8 * TIB), partitions=(part,))
    (new,) = (
        entry for entry in table_of(plan_for(big, spec("ext4"), mode=Mode.USE_FREE)).entries if not entry.kept
    )
    assert new.start_bytes + new.size_bytes <= 2 * TIB
    with pytest.raises(BadInput, match=r"needs 2\.2 TB"):
        plan_for(big, spec("ext4", size_bytes=2 * TIB), mode=Mode.USE_FREE)


def test_space_within_an_extended_partition_is_not_free() -> None:
    extended = partition(2, 100 * GIB, 200 * GIB, type="0x05", kernel_size_bytes=1024)
    logical = partition(5, 101 * GIB, 10 * GIB, type="0x83")
    on = drive(table=mbr(), partitions=(extended, logical))
    plan = plan_for(on, spec("ext4"), mode=Mode.USE_FREE)
    (new,) = (slot for slot in plan.after.partitions if not slot.kept)
    assert new.start_bytes >= 300 * GIB


def test_requests_use_the_space_that_fits() -> None:
    walls = (partition(1, 10 * GIB, GIB), partition(2, 31 * GIB, 434 * GIB))
    on = partitioned(*walls)
    plan = plan_for(
        on, spec("ext4", size_bytes=5 * GIB), spec("ext4", size_bytes=20 * GIB - MIB), mode=Mode.USE_FREE
    )
    places = {slot.number: slot.start_bytes for slot in plan.after.partitions if not slot.kept}
    assert places == {3: MIB, 4: 11 * GIB}


def test_container_with_unknown_content_is_not_wiped() -> None:
    extended = partition(2, 100 * GIB, 200 * GIB, type="0x05", kernel_size_bytes=1024)
    logical = partition(5, 101 * GIB, 10 * GIB, type="0x83")
    plan = plan_for(
        drive(table=mbr(), partitions=(extended, logical), content_digest=None),
        spec("ext4"),
        mode=Mode.REPLACE,
    )
    PLANS.check(plan)
    assert [step.operation.device for step in plan.steps if isinstance(step.operation, WipeSignatures)][
        :2
    ] == ["/dev/sda5", "/dev/sda"]


def test_two_volumes_for_one_workload_get_different_labels() -> None:
    first = spec("ext4", size_bytes=GIB, label=None)
    own = spec("ext4", size_bytes=GIB, label=f"{first.workload.label}2")
    plan = plan_for(drive(), first, own, replace(first, size_bytes=None))
    assert [volume.label for volume in plan.volumes] == [
        first.workload.label,
        f"{first.workload.label}2",
        f"{first.workload.label}3",
    ]
