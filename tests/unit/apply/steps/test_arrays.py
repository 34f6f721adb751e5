"""Pure rules of arrays and striped filesystems: the output of their tools, and the kernel's expected
state."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import E512, drive
from tests.unit.plan.layouts import plan_for, spec
from tests.unit.plan.raid.stripes import BTRFS, MD, MIRROR, TWICE
from wizard.apply.plan.guard import check_operations
from wizard.apply.plan.job import JOB
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import check_tokens
from wizard.apply.steps.arrays import examined_chunk, exported, kernel_check
from wizard.filesystems import ext, xfs
from wizard.model.errors import Refused
from wizard.model.geometry import Geometry
from wizard.model.machine import Striping
from wizard.model.said import KIB, MIB
from wizard.operations.table import WipeSignatures
from wizard.plan.plan import Plan

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
