"""Dangers, paths and serial numbers in unusual spellings."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, partition, partitioned
from tests.unit.plan.layouts import plan_for, spec
from wizard.model.errors import BadInput
from wizard.model.said import GIB, MIB
from wizard.operations.rules import mount_options_fault
from wizard.plan.dangers import danger_fault
from wizard.plan.documents import PLANS
from wizard.plan.request.plan_request import Mode
from wizard.report.anonymous import UUID, Words

ANY = plan_for(drive(), spec("ext4")).volumes[0]


@pytest.mark.parametrize(
    ("filesystem", "mkfs", "mount", "danger"),
    [
        # Each was tried with mke2fs 1.47: none of these makes a journal.
        *(
            ("ext4", ("-O", value), (), "^has_journal")
            for value in (
                "^HAS_JOURNAL",
                "dir_index,-has_journal",
                "none",
                "CLEAR,dir_index",
                "^FEATURE_C2",
                "^feature_c02",
            )
        ),
        *(("ext4", (), (f"barrier={zero}",), "barrier=0") for zero in ("0", "00", "0x0", "+0")),
        ("ext4", (), ("auto_da_alloc=0",), "noauto_da_alloc"),
        ("f2fs", (), ("checkpoint=disable:10",), "checkpoint=disable"),
    ],
)
def test_danger_is_recognised_in_any_notation(
    filesystem: str, mkfs: tuple[str, ...], mount: tuple[str, ...], danger: str
) -> None:
    volume = replace(ANY, filesystem=filesystem, mkfs_options=mkfs, mount_options=mount)
    assert danger_fault(volume, ()) == danger
    assert danger_fault(volume, (f"With {danger}, a power cut can cost data.",)) is None


def test_danger_in_the_truncated_part_of_a_doubt_does_not_count() -> None:
    volume = replace(ANY, mount_options=("nobarrier",))
    assert danger_fault(volume, (f"{'It is very fast. ' * 60} nobarrier can cost data.",)) == "nobarrier"


@pytest.mark.parametrize("size", [1 << 63, 10**400])
def test_partition_larger_than_any_drive_is_a_sentence(size: int) -> None:
    made = plan_for(partitioned(partition(1, MIB, GIB)), spec("ext4"), mode=Mode.REPLACE)
    slots = [replace(slot, size_bytes=size) if slot.number == 1 else slot for slot in made.before.slots]
    forged = replace(made, before=replace(made.before, slots=tuple(slots)))
    with pytest.raises(BadInput, match=r"before\.slots"):
        PLANS.check(forged)


@pytest.mark.parametrize("mount", ["barrier=1", "auto_da_alloc", "commit=0", "data=ordered"])
def test_safe_options_have_no_doubt(mount: str) -> None:
    assert (
        danger_fault(replace(ANY, mkfs_options=("-O", "metadata_csum,^quota"), mount_options=(mount,)), ())
        is None
    )


def test_mount_option_for_another_source_is_refused() -> None:
    assert mount_options_fault(("source=sdb",)) is not None


@pytest.mark.parametrize(
    ("serial", "command"),
    [
        ("1A2B-3C4D", "mkfs.vfat -F 32 -i 1a2b3c4d -n X /dev/sda1"),
        ("1A2B-3C4D", "tune.exfat -I 0x1a2b3c4d /dev/sda1"),
        ("1A2B3C4D5E6F7081", "ntfslabel -q --new-serial=1a2b3c4d5e6f7081 /dev/sda1"),
    ],
)
def test_serial_number_as_programs_print_it_is_replaced(serial: str, command: str) -> None:
    said = Words((), {serial: UUID}, "").text(command)
    assert "1a2b" not in said.lower() and "UUID-1" in said
