"""Formatting or deleting one partition: refusals, and the untouched rest."""

from itertools import cycle

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.machines import gpt, machine, mbr, partition, partitioned, unread
from tests.unit.plan.layouts import EVERYTHING, UUIDS, plan_page, spec
from tests.unit.plan.test_planner import QUICK, crowded_drives, table_of
from wizard.filesystems import partition_types
from wizard.model.errors import BadInput, Refused
from wizard.model.machine import Drive, Layer, Partition, Signature, Use
from wizard.model.run import Waiting
from wizard.model.said import GIB, MIB
from wizard.operations.filesystem import GrowFilesystem, MakeFilesystem
from wizard.operations.table import WipeSignatures
from wizard.plan.documents import PLANS
from wizard.plan.partition.possible import why_not_change, why_not_delete, why_not_grow
from wizard.plan.plan import Plan, Step
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import DeletePart, NewVolumes, ResizePart
from wizard.plan.request.volume_request import VolumeSpec
from wizard.plan.text import losses


def formatted(on: Drive, part: Partition, one: VolumeSpec | None = None) -> Plan:
    source = cycle(UUIDS)
    known = machine(on, tools=EVERYTHING)
    return make_plan(known, (on,), NewVolumes((one or spec("ext4"),), part=part), lambda: next(source))


def deleted(on: Drive, part: Partition) -> Plan:
    return make_plan(machine(on, tools=EVERYTHING), (on,), DeletePart(part))


def grown(on: Drive, part: Partition) -> Plan:
    return make_plan(machine(on, tools=EVERYTHING), (on,), ResizePart(part))


def three(**changes: object) -> Drive:
    """Return a drive with a system, an NTFS partition with films, and another after that."""
    return partitioned(
        partition(1, MIB, GIB, filesystem="ext4", mount_points=("/",)),
        partition(2, 2 * GIB, 10 * GIB, filesystem="ntfs", name="films", attributes=1 << 60),
        partition(3, 20 * GIB, 10 * GIB, filesystem="xfs"),
        **changes,
    )


def logical() -> Drive:
    """Return an MBR drive with one primary and three logical partitions."""
    return partitioned(
        partition(1, MIB, GIB, type="0x83"),
        partition(2, 2 * GIB, 20 * GIB, type="0x05", kernel_size_bytes=1024),
        *(partition(number, (number - 2) * GIB, 512 * MIB, type="0x83") for number in (5, 6, 7)),
        table=mbr(),
    )


IN_USE = {
    "mounted": three(uses=(Use("mounted", "/dev/sda2", "/mnt"),)),
    "swapped to": three(uses=(Use("swap", "/dev/sda2", "swap"),)),
    "part of an array": three(uses=(Use("raid-member", "/dev/sda2", "/dev/md0"),)),
    "part of a volume group": three(layers=(Layer("LVM", "/dev/mapper/vg-a", "/dev/sda2"),)),
    "under what is mounted": three(
        layers=(Layer("LUKS", "/dev/mapper/a", "/dev/sda2"),),
        uses=(Use("mounted", "/dev/mapper/a", "/home"),),
    ),
    "on a drive that is in use as a whole": three(uses=(Use("loop-backing", "/dev/sda", "/dev/loop7"),)),
}


@pytest.mark.parametrize("why", IN_USE)
def test_partition_in_use_is_refused(why: str) -> None:
    used = IN_USE[why]
    for reason in (why_not_change, why_not_delete):
        assert "is in use: " in str(reason(used, used.partitions[1]))
    for make in (formatted, deleted):
        with pytest.raises(Refused, match="is in use"):
            make(used, used.partitions[1])


def test_use_of_neighbours_does_not_count() -> None:
    used = three(
        uses=(
            Use("running-system", "/dev/sda1", "/"),
            Use("mounted", "/dev/sda1", "/"),
            Use("mounted", "/dev/mapper/a", "/home"),
        ),
        layers=(Layer("LUKS", "/dev/mapper/a", "/dev/sda3"),),
    )
    assert why_not_change(used, used.partitions[1]) is why_not_delete(used, used.partitions[1]) is None
    plan = formatted(used, used.partitions[1])
    assert any("Other partitions of /dev/sda are in use" in doubt for doubt in map(str, plan.doubts))
    assert not any(
        "Other partitions" in doubt for doubt in map(str, formatted(three(), three().partitions[1]).doubts)
    )


REFUSED = {
    "whose table is damaged": (three(table=gpt(primary="damaged")), "is damaged"),
    "whose table is hybrid": (three(table=gpt(kind="hybrid")), "hybrid"),
    "that is read-only": (three(read_only=True), "read-only"),
    "size unknown": (three(size_bytes=None, free=()), "Cannot read the size of /dev/sda"),
    "that could not be read": (three(content_digest=None), "are unknown, so nothing there can be preserved"),
    "with a part that could not be read": (
        three(unread=(unread("signatures", "No."),)),
        "are unknown, so nothing there can be preserved",
    ),
    "with zones for the host to manage": (three(zoned="host-managed"), "zoned"),
    "on which a run waits": (
        three(waiting=Waiting("20261101-1", "", "ext4 of 1 GB", 0, 0, bare=True)),
        "Run 20261101-1 is waiting on /dev/sda",
    ),
    "whose kernel lacks the partition": (
        partitioned(partition(1), partition(2, 2 * GIB, kernel_start_bytes=None, kernel_size_bytes=None)),
        "The kernel has not read /dev/sda2",
    ),
}


@pytest.mark.parametrize("which", REFUSED)
def test_unsuitable_drive_is_refused(which: str) -> None:
    bad, said = REFUSED[which]
    for reason in (why_not_change, why_not_delete):
        assert said in str(reason(bad, bad.partitions[1]))
    for make in (formatted, deleted):
        with pytest.raises(Refused, match=said):
            make(bad, bad.partitions[1])


def test_only_the_last_logical_partition_is_deleted() -> None:
    on = logical()
    container, fifth, sixth, seventh = on.partitions[1:]
    assert "is an extended partition" in str(why_not_change(on, container))
    assert "is an extended partition" in str(why_not_delete(on, container))
    assert str(why_not_delete(on, fifth)).endswith("Delete partition 7 first.")
    assert why_not_delete(on, sixth) is not None
    assert why_not_change(on, fifth) is why_not_delete(on, seventh) is None
    assert why_not_delete(on, on.partitions[0]) is None
    PLANS.check(formatted(on, fifth))
    PLANS.check(deleted(on, seventh))


def test_one_volume_of_the_present_size() -> None:
    on = three()
    part = on.partitions[1]
    with pytest.raises(BadInput, match=r"remains at 10\.7 GB"):
        formatted(on, part, spec("ext4", size_bytes=GIB))
    assert formatted(on, part, spec("ext4", size_bytes=10 * GIB)).volumes[0].partition == 2
    with pytest.raises(BadInput, match="accepts one volume, but 2 were requested"):
        known = machine(on, tools=EVERYTHING)
        make_plan(
            known,
            (on,),
            NewVolumes(
                (
                    spec("ext4", label="a"),
                    spec("ext4", label="b"),
                ),
                part=part,
            ),
            lambda: UUIDS[0],
        )
    small = partitioned(partition(1), partition(2, 2 * GIB, 8 * MIB))
    with pytest.raises(BadInput, match="needs "):
        formatted(small, small.partitions[1])


def test_misaligned_partition_stays_so_with_a_message() -> None:
    on = partitioned(partition(1, 63 * 512, GIB - 63 * 512, filesystem="ext4"), partition(2, 2 * GIB))
    plan = formatted(on, on.partitions[0])
    assert "/dev/sda1 remains misaligned by 512 bytes, which can slow down writes." in map(str, plan.doubts)
    assert not any("aligned" in said for step in plan.steps for said in step.holds)
    PLANS.check(plan)


def test_encrypted_volume_replaces_the_partition() -> None:
    on = three()
    plan = formatted(on, on.partitions[1], replace(spec("ext4"), encrypted=True))
    PLANS.check(plan)
    assert plan.volumes[0].encryption is not None
    assert [type(step.operation).__name__ for step in plan.steps] == [
        *("WriteTable", "WipeSignatures", "MakeContainer", "OpenContainer", "MakeFilesystem"),
    ]


@pytest.mark.parametrize(
    ("old", "filesystem", "new"),
    [
        (partition_types.ESP_GPT, "vfat", partition_types.ESP_GPT),
        (partition_types.ESP_GPT, "ext4", partition_types.LINUX_GPT),
        (partition_types.HOME_GPT, "xfs", partition_types.HOME_GPT),
        (partition_types.HOME_GPT, "swap", "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f"),
    ],
)
def test_special_partition_type_is_kept_if_possible(old: str, filesystem: str, new: str) -> None:
    on = partitioned(partition(1, MIB, GIB, type=old), partition(2, 2 * GIB))
    plan = formatted(on, on.partitions[0], spec(filesystem))
    assert [entry.type for entry in table_of(plan).entries if not entry.kept] == [new]
    PLANS.check(plan)


def test_unchanged_table_is_reported_as_preserved() -> None:
    on = partitioned(partition(1, MIB, GIB, name="media", filesystem="ext4"), partition(2, 2 * GIB))
    plan = formatted(on, on.partitions[0])
    assert plan.steps[0].sentence == "Leave the GPT on /dev/sda unchanged."
    assert plan.doubts == formatted(replace(on, uses=()), on.partitions[0]).doubts


def test_preview_names_the_lost_content() -> None:
    for plan in (formatted(three(), three().partitions[1]), deleted(three(), three().partitions[1])):
        text = " ".join(" ".join(plan_page(plan, 100)).split())
        assert text.count('Destroys: All files on /dev/sda2: ntfs "films", used space unknown, 10.7 GB.') == 1
        assert text.count("Destroys:") == 1


@QUICK
@given(crowded_drives(), st.data())
def test_other_partitions_stay_on_every_drive(on: Drive, data: st.DataObject) -> None:
    assume(on.partitions)
    part = data.draw(st.sampled_from(on.partitions))
    try:
        plans = [deleted(on, part), formatted(on, part)]
    except (Refused, BadInput):
        plans = []
    assume(plans)
    for plan in plans:
        PLANS.check(plan)
        assert PLANS.read(PLANS.render(plan), "it") == plan
        before = {slot.number: slot for slot in plan.before.partitions}
        after = {slot.number: slot for slot in plan.after.partitions}
        changed = {number for number in before if before[number] != after.get(number)}
        assert changed == {part.number} == {slot.number for slot in before.values() if not slot.kept}
        assert [entry.number for entry in table_of(plan).entries if not entry.kept] == (
            [part.number] if plan.volumes else []
        )
        for step in plan.steps:
            if isinstance(step.operation, WipeSignatures | MakeFilesystem):
                assert step.operation.device == part.path
        if plan.volumes:
            new, old = after[part.number], before[part.number]
            assert (new.start_bytes, new.size_bytes) == (old.start_bytes, old.size_bytes)
            assert (new.part_uuid, new.attributes) == (old.part_uuid, old.attributes)


def forgeries(plan: Plan) -> list[Plan]:
    """Return plans that change more than they show."""
    other = plan.before.partitions[0].number
    return [
        replace(plan, part=other),
        replace(plan, part=9),
        replace(plan, part=0),
        replace(plan, after=replace(plan.after, slots=plan.after.slots[1:])),
        replace(plan, steps=plan.steps[1:]),
        replace(
            plan,
            steps=tuple(
                replace(step, operation=replace(step.operation, device="/dev/sda3"))
                if isinstance(step.operation, WipeSignatures)
                else step
                for step in plan.steps
            ),
        ),
        replace(
            plan,
            before=replace(plan.before, slots=tuple(replace(slot, kept=False) for slot in plan.before.slots)),
        ),
        *(replace(plan, volumes=(replace(one, partition=other),)) for one in plan.volumes),
    ]


def test_forged_plan_is_refused() -> None:
    on = three()
    for plan in (formatted(on, on.partitions[1]), deleted(on, on.partitions[1])):
        PLANS.check(plan)
        mute = replace(plan, steps=tuple(Step(step.operation) for step in plan.steps))
        assert PLANS.read(PLANS.render(mute), "it") == plan
        for forged in forgeries(plan):
            with pytest.raises(BadInput):
                PLANS.check(forged)


def growing(filesystem: str | None = "ext4", uses: tuple[Use, ...] = ()) -> tuple[Drive, Partition]:
    """Return a drive with free space after the first partition."""
    on = partitioned(
        partition(1, MIB, GIB, filesystem=filesystem), partition(2, 3 * GIB, filesystem="xfs"), uses=uses
    )
    return on, on.partitions[0]


def test_partition_grows_to_the_last_aligned_place_before_the_next() -> None:
    on, part = growing()
    plan = grown(on, part)
    PLANS.check(plan)
    assert PLANS.read(PLANS.render(plan), "it") == plan
    assert [(slot.number, slot.start_bytes, slot.size_bytes) for slot in plan.after.partitions] == [
        (1, MIB, 3 * GIB - MIB),
        (2, 3 * GIB, GIB),
    ]
    assert plan.steps[1].operation == GrowFilesystem("/dev/sda1", "ext4", 3 * GIB - MIB)
    assert not any(step.destroys for step in plan.steps)
    assert "All of" not in " ".join(losses(plan))


def test_growing_partition_loses_nothing() -> None:
    told = "\n".join(plan_page(grown(*growing())))
    assert "Nothing is lost." in told and "will be deleted" not in told


GROWS_AT = "/run/diskwright/sda1"


@pytest.mark.parametrize(
    ("filesystem", "mounting", "growing_it"),
    [
        ("xfs", ("-t", "xfs", "-o", "nouuid"), ("xfs_growfs", "-d", GROWS_AT)),
        ("btrfs", ("-t", "btrfs"), ("btrfs", "filesystem", "resize", "max", GROWS_AT)),
    ],
)
def test_mounted_only_growth_uses_a_private_mount(
    filesystem: str, mounting: tuple[str, ...], growing_it: tuple[str, ...]
) -> None:
    on, part = growing(filesystem)
    plan = grown(on, part)
    PLANS.check(plan)
    assert plan.steps[1].commands == (
        ("mount", *mounting, "/dev/sda1", GROWS_AT),
        growing_it,
        ("umount", GROWS_AT),
    )


def test_mounted_only_growth_needs_its_driver() -> None:
    on, part = growing("xfs")
    without = machine(on, tools=EVERYTHING)
    without = replace(without, kernel=replace(without.kernel, filesystems=frozenset({"ext4"})))
    with pytest.raises(Refused, match="does not support XFS"):
        make_plan(without, (on,), ResizePart(part))


def test_forged_plan_does_not_grow_a_fixed_size_filesystem() -> None:
    on, part = growing()
    plan = grown(on, part)
    slots = (replace(slot, filesystem="f2fs" if slot.number else None) for slot in plan.before.slots)
    grow = replace(plan.steps[1], operation=GrowFilesystem("/dev/sda1", "f2fs", 3 * GIB - MIB))
    forged = replace(
        plan,
        before=replace(plan.before, slots=tuple(slots)),
        steps=(plan.steps[0], grow),
    )
    with pytest.raises(BadInput, match="invalid part"):
        PLANS.check(forged)


DIRTY = Signature("ntfs", "filesystem", unclean=True)
GROWING = {
    "in use": (growing(uses=(Use("mounted", "/dev/sda1", "/srv"),)), "is in use"),
    "F2FS": (
        growing("f2fs"),
        "/dev/sda1 contains f2fs. Only ext2, ext3, ext4, XFS, Btrfs and NTFS can grow so far.",
    ),
    "FAT": (
        growing("vfat"),
        "/dev/sda1 cannot grow: fatresize, the only tool, writes the table itself and misses the requested "
        "size. Copy the files to a new volume instead: `diskwright bring /dev/sda1 VOLUME`.",
    ),
    "nothing in it": (growing(None), "No resizable content recognised on /dev/sda1"),
    "no room": (
        (full := partitioned(partition(1, filesystem="ext4"), partition(2, MIB + GIB)), full.partitions[0]),
        "No free space directly after /dev/sda1.",
    ),
    "dirty NTFS": (
        (dirty := partitioned(partition(1, signatures=(DIRTY,))), dirty.partitions[0]),
        "/dev/sda1 is scheduled for a check.",
    ),
    "a logical one": ((logical(), logical().partitions[2]), "is a logical partition"),
}


@pytest.mark.parametrize("which", GROWING)
def test_impossible_growth_is_refused(which: str) -> None:
    (on, part), said = GROWING[which]
    assert said in str(why_not_grow(on, part))
    with pytest.raises(Refused):
        grown(on, part)


def test_forged_growth_is_refused() -> None:
    on, part = growing()
    plan = grown(on, part)
    larger = replace(plan.after.partitions[0], size_bytes=4 * GIB)
    longer = GrowFilesystem("/dev/sda1", "ext4", 4 * GIB)
    for forged in (
        replace(plan, part=2),
        replace(plan, after=replace(plan.after, slots=(larger, *plan.after.slots[1:]))),
        replace(plan, steps=(plan.steps[0], replace(plan.steps[1], operation=longer))),
        replace(plan, steps=plan.steps[:1]),
        replace(plan, before=replace(plan.before, slots=plan.before.slots[:1])),
    ):
        with pytest.raises(BadInput):
            PLANS.check(forged)
