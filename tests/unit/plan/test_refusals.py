"""Every refusal of the planner and its message."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.machines import drive, gpt, machine, mbr, partition, partitioned, unread
from tests.unit.plan.layouts import UUIDS, choice, plan_for, spec
from wizard.filesystems import partition_types
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.geometry import Geometry
from wizard.model.layout import Slot
from wizard.model.machine import Drive, Layer, Partition, Signature, Table, Use
from wizard.model.said import GIB, MIB, TIB
from wizard.operations.table import WipeSignatures
from wizard.plan.documents import PLANS
from wizard.plan.planner import make_plan
from wizard.plan.refusals import refuse_content, refuse_table
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec

QUICK = settings(max_examples=40, deadline=None)


MOUNTED = Use("mounted", "/dev/sda1", "/home")
ONE = partition(1, MIB, GIB, filesystem="ext4")


@pytest.mark.parametrize("mode", [None, *Mode])
@pytest.mark.parametrize(
    ("on", "says"),
    [
        (partitioned(ONE, uses=(MOUNTED,)), "/dev/sda1 is mounted at /home"),
        (partitioned(replace(ONE, mount_points=("/x",))), "/dev/sda1 is mounted at /x"),
        (partitioned(ONE, layers=(Layer("lvm", "/dev/dm-0", "/dev/sda1"),)), "in use by /dev/dm-0"),
        (drive(uses=(Use("swap", "/dev/sda", "swap"),)), "in use as swap"),
        (drive(uses=(Use("running-system", "/dev/sda", "/"),)), "part of the running system"),
        (drive(read_only=True), "read-only"),
        (
            drive(size_bytes=None, unread=(unread("size_bytes", "Permission denied."),)),
            "Cannot read the size of /dev/sda. Permission denied",
        ),
        (drive(geometry=None), "Cannot read the block sizes of /dev/sda"),
        (drive(size_bytes=0), "no size"),
        (drive(geometry=Geometry(520, 520, 0, 520, 0)), "blocks of 520 and 520 bytes"),
        (drive(geometry=Geometry(512, 0, 0, 0, 0)), "blocks of 512 and 0 bytes"),
        (drive(geometry=Geometry(4096, 4096, 3584, 4096, 0)), "offset of 3584 bytes"),
        (drive(zoned="host-managed"), "host-managed"),
    ],
)
def test_no_mode_allows_a_protected_drive(on: Drive, mode: Mode | None, says: str) -> None:
    with pytest.raises(Refused, match=says):
        plan_for(on, spec("ext4"), mode=mode)


@pytest.mark.parametrize(
    "on",
    [
        partitioned(ONE),
        partitioned(),
        drive(signatures=(Signature("xfs", "filesystem"),)),
        drive(table=None),
        drive(content_digest=None),
        drive(unread=(unread("signatures", "Permission denied"),)),
        drive(table=Table("other")),
    ],
)
def test_drive_with_possible_content_needs_a_mode(on: Drive) -> None:
    with pytest.raises(Refused, match="--replace"):
        plan_for(on, spec("ext4"), mode=None)
    PLANS.check(plan_for(on, spec("ext4"), mode=Mode.REPLACE))


def test_refusal_names_the_data_loss() -> None:
    with pytest.raises(Refused, match=r"1 partition: /dev/sda1 \(ext4, 1\.1 GB\)"):
        plan_for(partitioned(ONE), spec("ext4"), mode=None)


@pytest.mark.parametrize(
    ("on", "says"),
    [
        (partitioned(ONE, table=gpt(primary="damaged")), "GPT at the start of /dev/sda is damaged"),
        (partitioned(ONE, table=gpt(backup="missing")), "backup GPT of /dev/sda is missing"),
        (partitioned(ONE, table=gpt(kind="hybrid")), "hybrid"),
        (drive(table=Table("other")), "cannot add partitions to the table type"),
        (drive(signatures=(Signature("xfs", "filesystem"),)), "instead of a partition table"),
        (partitioned(ONE, signatures=(Signature("LVM2_member", "raid"),)), "contradict"),
        (partitioned(ONE, partition(2, 512 * MIB, GIB)), "inconsistent table"),
        (partitioned(ONE, partition(2, 2 * GIB, TIB)), "inconsistent table"),
        (partitioned(replace(ONE, type=None)), "Cannot read the type of /dev/sda1"),
        (partitioned(replace(ONE, kernel_start_bytes=4096)), "disagree about the position of /dev/sda1"),
        (drive(table=None), "are unknown, so nothing there can be preserved"),
        (partitioned(ONE, content_digest=None), "are unknown, so nothing there can be preserved"),
        (
            drive(
                table=mbr(),
                partitions=tuple(
                    partition(number, number * GIB, GIB // 2, type="0x83") for number in (1, 2, 3, 4)
                ),
            ),
            "at most 4 partitions",
        ),
        (
            partitioned(*(partition(number, number * GIB, GIB // 2) for number in range(1, 129))),
            "128 partitions",
        ),
    ],
)
def test_free_space_is_not_used_if_preserved_data_could_be_damaged(on: Drive, says: str) -> None:
    with pytest.raises(Refused, match=says):
        plan_for(on, spec("ext4"), mode=Mode.USE_FREE)


def test_unread_content_is_a_doubt_and_wiped_in_every_possible_place() -> None:
    on = partitioned(ONE, content_digest=None)
    plan = plan_for(on, spec("ext4"), mode=Mode.REPLACE)
    assert "was not read" in str(plan.doubts[0])
    wiped = [step.operation.device for step in plan.steps if isinstance(step.operation, WipeSignatures)]
    assert wiped == ["/dev/sda1", "/dev/sda", "/dev/sda1"]


def test_drive_without_serial_is_a_doubt() -> None:
    plan = plan_for(drive(serial=None, wwn=None), spec("ext4"))
    assert any("kernel's drive counter" in doubt for doubt in map(str, plan.doubts))


def test_partition_without_a_node_is_named_but_not_wiped() -> None:
    on = partitioned(replace(ONE, kernel_start_bytes=None, kernel_size_bytes=None))
    plan = plan_for(on, spec("ext4"), mode=Mode.REPLACE)
    assert [step.operation.kind for step in plan.steps][:2] == ["wipe-signatures", "write-table"]
    assert any("no node for /dev/sda1" in doubt for doubt in map(str, plan.doubts))


def test_missing_tool_is_known_when_planning() -> None:
    with pytest.raises(Refused, match="xfsprogs"):
        make_plan(
            machine(drive(), tools=(("mkfs.ext4", "/sbin/mkfs.ext4"),)),
            (drive(),),
            NewVolumes((spec("xfs"),)),
            lambda: UUIDS[0],
        )


def test_choice_with_a_blocker_is_refused() -> None:
    barred = replace(choice("btrfs"), obstacles=("The kernel has no btrfs.",))
    with pytest.raises(Refused, match=r"The kernel has no btrfs\."):
        plan_for(drive(), replace(spec("btrfs"), choice=barred))


@pytest.mark.parametrize(
    ("specs", "says"),
    [
        ((), "No volume"),
        ((spec("ext4"), spec("xfs")), "Only one volume"),
        ((spec("ext4", size_bytes=600 * GIB),), r"needs 644 GB, but 500 GB \(\d+ bytes\) is available"),
        ((spec("xfs", size_bytes=100 * MIB),), "The minimum is 300 MiB"),
        (
            (
                spec("ext4", size_bytes=465 * GIB + 200 * MIB),
                spec("xfs", size_bytes=400 * MIB),
                spec("btrfs"),
            ),
            "is available. The other volumes need",
        ),
        ((spec("ext4", label="a" * 17),), "16 bytes"),
        ((spec("xfs", label="\x1b[31mred"),), "control characters"),
        ((spec("btrfs", label="b" * 200),), "longer"),
        ((spec("ext4", mount_point="/etc/x"),), "running system"),
        ((spec("ext4", size_bytes=GIB, mount_point="/srv"), spec("xfs", mount_point="/srv")), "Two volumes"),
        ((spec("ext4", size_bytes=GIB, mount_point="/srv/a"), spec("xfs", mount_point="/srv")), "would hide"),
    ],
)
def test_impossible_requests(specs: tuple[VolumeSpec, ...], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        plan_for(drive(), *specs)


def test_recommended_option_that_reaches_elsewhere_is_refused() -> None:
    with pytest.raises(BadInput, match="/dev/vda"):
        plan_for(drive(), replace(spec("ext4"), choice=choice("ext4", mkfs=("-J device=/dev/vda",))))


@QUICK
@given(st.text(max_size=40), st.text(max_size=60))
def test_invalid_label_or_mount_point_is_refused_cleanly(label: str, place: str) -> None:
    try:
        plan = plan_for(drive(), spec("btrfs", label=label, mount_point=place))
    except DiskwrightError as error:
        assert str(error).isprintable()
    else:
        PLANS.check(plan)
        assert plan.volumes[0].label == label and plan.volumes[0].mount_point == place
        assert all(text.isprintable() for step in plan.steps for text in (step.sentence, *step.edits))


def test_slots_are_not_shared_between_before_and_after() -> None:
    on = partitioned(
        ONE,
        Partition(
            "/dev/sda9",
            9,
            400 * GIB,
            GIB,
            type=partition_types.LINUX_GPT,
            kernel_start_bytes=400 * GIB,
            kernel_size_bytes=GIB,
        ),
    )
    plan = plan_for(on, spec("ext4"), mode=Mode.USE_FREE)
    assert [slot.number for slot in plan.after.partitions] == [1, 2, 9]
    assert all(isinstance(slot, Slot) for slot in plan.after.slots)


def test_running_system_is_named_before_its_mounts() -> None:
    uses = (Use("mounted", "/dev/sda1", "/"), Use("running-system", "/dev/sda", "/"))
    with pytest.raises(Refused, match="part of the running system"):
        plan_for(partitioned(ONE, uses=uses), spec("ext4"))


def test_free_space_is_offered_only_with_a_table() -> None:
    with pytest.raises(Refused, match="--use-free"):
        plan_for(partitioned(ONE), spec("ext4"))
    with pytest.raises(Refused) as caught:
        plan_for(drive(signatures=(Signature("xfs", "filesystem"),)), spec("ext4"))
    assert "--use-free" not in str(caught.value)


def test_facts_unknown_even_to_root_do_not_ask_for_root() -> None:
    lost = "Neither copy of its GPT is whole, so that what stands on the drive is not known."
    damaged = replace(
        drive(), table=Table("gpt", primary="damaged", backup="missing"), unread=(unread("partitions", lost),)
    )
    for refused in (refuse_table, partial(refuse_content, chosen=False)):
        with pytest.raises(Refused) as said:
            refused(damaged)
        assert lost in str(said.value) and "root" not in str(said.value)
    closed = replace(
        drive(),
        table=None,
        content_digest=None,
        unread=(unread("table", "Needs root to read the device.", without_root=True),),
    )
    with pytest.raises(Refused, match="Reading this needs root"):
        refuse_table(closed)
