"""Findings and remedies that do not apply are omitted."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine, partition, partitioned
from wizard.filesystems import partition_types
from wizard.findings.contents import find_shared
from wizard.findings.diagnose import DriveVerdict, diagnose, judge_health
from wizard.model.drive_facts import NvmeFormat, Smart
from wizard.model.finding import Severity
from wizard.model.machine import Drive, Machine, Obstacle, Signature
from wizard.model.said import MIB
from wizard.probe.facts import obstacle_in

FORMATS = (NvmeFormat(0, 512, 0, 2, in_use=True), NvmeFormat(1, 4096, 0, 0))


def codes(of: Drive) -> set[str]:
    return {finding.code for finding in diagnose(machine(of), of, ()).findings}


@pytest.mark.parametrize("size_bytes", [0, None, 100 * MIB])
def test_drive_without_a_size_is_neither_healthy_nor_slow(size_bytes: int | None) -> None:
    seen = drive(
        path="/dev/nvme0n1", bus="nvme", nvme_formats=FORMATS, size_bytes=size_bytes, smart=Smart(passed=True)
    )
    assert ("geometry-nvme-formats" in codes(seen)) is bool(size_bytes)
    assert (judge_health(seen).verdict is DriveVerdict.GOOD) is bool(size_bytes)


@pytest.mark.parametrize("moved", [{"type": partition_types.MOVING_GPT}, {"moving": True}, {}])
def test_move_in_progress_explains_the_kernel_view(moved: dict[str, object]) -> None:
    part = replace(partition(), kernel_size_bytes=MIB)
    other = partition(2, part.end_bytes, MIB)
    seen = partitioned(part, replace(other, **moved))
    assert ("table-kernel-differs" in codes(seen)) is (not moved)


@pytest.mark.parametrize(
    ("text", "obstacle"),
    [
        ("DELL or MegaRaid controller, please try adding '-d megaraid,N'", Obstacle.CONTROLLER),
        ("AMCC/3ware controller, please try adding '-d 3ware,N'", Obstacle.CONTROLLER),
        ("Smart Array: use '-d cciss,N'", Obstacle.CONTROLLER),
        ("/dev/sda: Unknown USB bridge [0x152d:0x0578 (0x100)]", Obstacle.UNKNOWN_BRIDGE),
        ("Read Device Identity failed: Input/output error", Obstacle.FAILED),
    ],
)
def test_intermediate_controller_is_no_cable_fault(text: str, obstacle: Obstacle) -> None:
    assert obstacle_in(text) is obstacle


@pytest.mark.parametrize("kind", ["btrfs", "LVM2_member"])
def test_missing_members_are_claimed_only_if_other_drives_were_read(kind: str) -> None:
    """udev reports the UUID of a Btrfs, but not the group of a physical volume."""
    group = "nas" if kind == "LVM2_member" else None
    member = Signature(kind, "raid", uuid="11", group=group, devices=2)
    seen, other = (
        drive(signatures=(member,)),
        drive(path="/dev/sdb", signatures=(replace(member, group=None),)),
    )

    def severity(around: Machine) -> Severity:
        return next(one.severity for one in find_shared(around, seen))

    assert severity(machine(seen)) is Severity.WARNING
    assert severity(replace(machine(seen), unprobed=(other,))) is Severity.INFO
