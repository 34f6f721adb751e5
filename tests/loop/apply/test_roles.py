"""Roles, shared drives and new MBRs on real drives, as other programs read them."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, old_gpt, said, spec, story
from tests.loop.program import MIB, Arrangement, Event, Mode, RunState, VolumeSpec
from wizard.filesystems import partition_types

MBR = Arrangement("mbr")


def with_role(
    role: str, filesystem: str, size_bytes: int | None = None, percent: int | None = None
) -> VolumeSpec:
    options = () if filesystem == "swap" else ("noatime",)
    return replace(spec(filesystem, size_bytes, options=options), role=role, percent=percent)


def table_of(drive: str) -> tuple[str, list[tuple[int, int, str]]]:
    """Return the table type, and start, size and type of each partition in blocks, as sfdisk reads them."""
    table = json.loads(tool("sfdisk", "--json", drive))["partitiontable"]
    return table["label"], [
        (part["start"], part["size"], part["type"].lower()) for part in table["partitions"]
    ]


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_each_role_has_its_type_in_both_copies_of_the_table(
    work: Work, make_drive: MakeDrive, block_bytes: int
) -> None:
    drive = make_drive(1024 * MIB, block_bytes)
    plan = work.plan(
        drive,
        with_role("esp", "vfat", 264 * MIB),
        with_role("boot", "ext4", 100 * MIB),
        with_role("root", "ext4", percent=30),
        with_role("home", "ext4"),
        with_role("swap", "swap", 64 * MIB),
    )
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    assert not said(run, Event.NOT_VERIFIED)
    label, parts = table_of(drive)
    root = partition_types.ROOTS_GPT[tool("uname", "-m").strip()]
    swap = "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f"
    assert (label, [part[2] for part in parts]) == (
        "gpt",
        [partition_types.ESP_GPT, partition_types.BOOT_GPT, root, partition_types.HOME_GPT, swap],
    )
    assert [(start * block_bytes, size * block_bytes) for start, size, _ in parts] == [
        (slot.start_bytes, slot.size_bytes) for slot in plan.after.partitions
    ]
    # 30 % of what lies between the first and the last whole MiB.
    assert parts[2][1] * block_bytes == (1024 - 2) * 30 // 100 * MIB
    assert "No errors detected" in tool("sfdisk", "--verify", drive)
    # With the first copy gone, the second one says the same.
    with Path(drive).open("r+b", buffering=0) as device:
        device.seek(block_bytes)
        device.write(bytes(block_bytes))
    assert table_of(drive) == (label, parts)
    assert (
        tool("blkid", "-p", "-s", "PART_ENTRY_TYPE", "-o", "value", f"{drive}p1").strip()
        == partition_types.ESP_GPT
    )
    # Nothing of a system's is mounted or turned on by itself.
    assert drive not in tool("cat", "/proc/mounts") and drive not in tool("cat", "/proc/swaps")


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_new_mbr_is_exact(work: Work, make_drive: MakeDrive, block_bytes: int) -> None:
    drive = make_drive(1024 * MIB, block_bytes)
    old_gpt(drive)
    specs = (with_role("esp", "vfat", 264 * MIB), with_role("swap", "swap", 64 * MIB), with_role("", "ext4"))
    plan = work.plan(drive, *specs, mode=Mode.REPLACE, arrangement=MBR)
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    assert not said(run, Event.NOT_VERIFIED)
    label, parts = table_of(drive)
    assert (label, [part[2] for part in parts]) == ("dos", ["ef", "82", "83"])
    assert [(start * block_bytes, size * block_bytes) for start, size, _ in parts] == [
        (slot.start_bytes, slot.size_bytes) for slot in plan.after.partitions
    ]
    assert tool("blkid", "-p", "-s", "PTTYPE", "-o", "value", drive).strip() == "dos"
