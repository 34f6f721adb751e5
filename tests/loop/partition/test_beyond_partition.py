"""Filesystems larger than their partition: detected, and plans preserve the part beyond the partition."""

from pathlib import Path

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import Work, diskwright, spec, story
from tests.loop.partition.test_grown import CHECKS
from tests.loop.partition.test_restored import mounted, planned
from tests.loop.program import MIB, Extent, RunState, partition_path, probe_drive, probe_machine
from wizard.apply.remedies import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.finding import Finding
from wizard.plan.partition.possible import why_not_shrink
from wizard.plan.request.plan_request import Mode
from wizard.plan.settings.possible import why_not_mount
from wizard.plan.text import losses

MAKES = {
    "ext4": ("mkfs.ext4", "-q"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q"),
    "ntfs": ("mkfs.ntfs", "-q", "-f"),
    "exfat": ("mkfs.exfat",),
    "vfat": ("mkfs.vfat",),
    "LVM2_member": ("pvcreate", "-q", "-y"),
}
LARGE, SMALL = 420 * MIB, 320 * MIB


def cut_short(drive: str, kind: str, label: str, start: str) -> str:
    """Make a filesystem of LARGE bytes in a partition, then shrink the partition's entry to SMALL."""
    node = partition_path(drive, 1)
    for size in (LARGE, SMALL):
        table = f"label: {label}\nstart={start},size={size // MIB}MiB\n"
        tool("sh", "-c", f"echo '{table}' | sfdisk --quiet --no-reread --wipe never {drive}")
        forget_partitions(drive)
        tool("partx", "--add", drive)
        if size == LARGE:
            tool(*MAKES[kind], node)
            assert probe_drive(drive).partitions[0].overhang is None
    return node


def codes(path: str) -> dict[str, Finding]:
    """Return the findings of a drive by code."""
    machine = probe_machine([path])
    return {one.code: one for one in diagnose(machine, machine.drives[0], load_patterns()).findings}


@pytest.mark.parametrize("label", ["gpt", "dos"])
@pytest.mark.parametrize("kind", list(MAKES))
def test_end_of_a_filesystem_is_not_free(work: Work, make_drive: MakeDrive, kind: str, label: str) -> None:
    blocks = 4096 if kind in ("ext4", "btrfs") else 512
    path = make_drive(1000 * MIB, blocks)
    cut_short(path, kind, label, "1MiB" if kind != "ntfs" else "3MiB")
    drive = probe_drive(path)
    (part,) = drive.partitions
    assert why_not_shrink(drive, part) is not None
    over = part.overhang
    assert over is not None and over.start_bytes == part.end_bytes and over.size_bytes <= LARGE - SMALL
    assert over.size_bytes > LARGE - SMALL - 8 * MIB
    assert all(not free.overlaps(over) for free in drive.free) and drive.free
    assert "content-beyond-partition" in codes(path)
    machine = probe_machine([path])
    assert why_not_mount(machine, machine.drives[0], part.path)
    plan = work.plan(path, spec("ext4"), mode=Mode.USE_FREE)
    new = next(slot for slot in plan.after.partitions if slot.number == 2)
    assert not new.overlaps(over) and new.start_bytes >= over.end_bytes


ENDS = [
    ("ext4", "gpt", 512, "1MiB"),
    ("xfs", "dos", 512, "1MiB"),
    ("btrfs", "gpt", 4096, "1MiB"),
    ("ntfs", "gpt", 512, "3MiB"),
    ("vfat", "dos", 4096, "1MiB"),
    ("LVM2_member", "gpt", 512, "1MiB"),
]


@pytest.mark.parametrize(("kind", "label", "block_bytes", "start"), one_in(3, ENDS))
def test_remedy_restores_the_end(
    work: Work, make_drive: MakeDrive, kind: str, label: str, block_bytes: int, start: str
) -> None:
    path = make_drive(1000 * MIB, block_bytes)
    node = cut_short(path, kind, label, start)
    before = work.digest(path)
    entry = probe_drive(path).partitions[0]
    plan = planned(work, codes(path)["content-beyond-partition"])
    assert losses(plan) == [] and len(plan.steps) == 1
    run, state = work.apply(plan, keep=False)
    assert state is RunState.WAITING, story(run)
    assert work.digest(path) == before
    assert diskwright(work, "undo", run.name).returncode == 0
    assert work.digest(path) == before
    run, state = work.apply(plan)
    assert state is RunState.DONE, story(run)
    (part,) = probe_drive(path).partitions
    assert part.overhang is None and part.size_bytes == part.kernel_size_bytes == LARGE
    assert (part.start_bytes, part.type, part.part_uuid) == (entry.start_bytes, entry.type, entry.part_uuid)
    assert "content-beyond-partition" not in codes(path)
    if kind in CHECKS:
        tool(*CHECKS[kind], node)


def test_restored_partition_ends_at_the_last_usable_block(work: Work, make_drive: MakeDrive) -> None:
    """The contents reach the last usable block, behind which nothing is free."""
    path = make_drive(1000 * MIB)
    node = partition_path(path, 1)
    for size in ("", ",size=320MiB"):
        script = f"label: gpt\\nstart=2048{size}\\n"
        tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread --wipe never {path}")
        forget_partitions(path)
        tool("partx", "--add", path)
        if not size:
            tool("mkfs.ext4", "-q", "-b", "1024", node)
    run, state = work.apply(planned(work, codes(path)["content-beyond-partition"]))
    assert state is RunState.DONE, story(run)
    assert probe_drive(path).partitions[0].overhang is None
    tool("e2fsck", "-fn", node)


def test_end_is_restored_next_to_a_mounted_partition(work: Work, make_drive: MakeDrive) -> None:
    path = make_drive(1000 * MIB)
    node, other = cut_short(path, "ext4", "gpt", "1MiB"), partition_path(path, 2)
    script = "start=600MiB,size=100MiB"
    tool("sh", "-c", f"echo {script} | sfdisk --quiet --append --no-reread --wipe never {path}")
    tool("partx", "--add", "--nr", "2:2", path)
    work.bench.own(path)
    tool("mkfs.ext4", "-q", other)
    with mounted(work, other, "ext4") as place:
        (place / "kept").write_bytes(b"other")
        run, state = work.apply(planned(work, codes(path)["content-beyond-partition"]))
        assert state is RunState.DONE, story(run)
        (place / "kept").write_bytes(b"written since")
    first, second = probe_drive(path).partitions
    assert first.overhang is None and first.kernel_size_bytes == LARGE
    assert second.extent == Extent(600 * MIB, 100 * MIB)
    for one in (node, other):
        tool("e2fsck", "-fn", one)


@pytest.mark.parametrize("case", ["neighbour", "table"])
def test_occupied_end_is_not_restored(work: Work, make_drive: MakeDrive, case: str) -> None:
    path = make_drive(600 * MIB)
    node = cut_short(path, "ext4", "gpt", "1MiB")
    work.bench.own(path)
    if case == "neighbour":
        tool("sh", "-c", f"echo '400MiB,10MiB' | sfdisk --quiet --append --no-reread --wipe never {path}")
        tool("partx", "--update", path)
    if case == "table":
        smaller = make_drive(400 * MIB)
        tool("dd", f"if={path}", f"of={smaller}", "bs=1M", "count=399", "conv=fsync", "status=none")
        script = "label: gpt\\nstart=1MiB,size=320MiB\\n"
        tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread --wipe never {smaller}")
        tool("partx", "--add", smaller)
        path, node = smaller, partition_path(smaller, 1)
    was = work.digest(path)
    assert not codes(path)["content-beyond-partition"].commands
    assert diskwright(work, "plan", node, "--grow").returncode == 3
    assert work.digest(path) == was


SMALLER = {
    "ext4": (("mkfs.ext4", "-q"), ("100M",)),
    "xfs": (("mkfs.xfs", "-q", "-f", "-d", "size=310m"), ()),
    "btrfs": (("mkfs.btrfs", "-q", "-b", "200M"), ()),
    "ntfs": (("mkfs.ntfs", "-q", "-f", "-s", "512"), ("204800",)),
}


@pytest.mark.parametrize("kind", one_in(2, SMALLER))
@pytest.mark.parametrize("label", ["gpt", "dos"])
def test_small_filesystem_grows_to_fill_its_partition(
    work: Work, make_drive: MakeDrive, kind: str, label: str
) -> None:
    path = make_drive(1000 * MIB)
    script = f"label: {label}\\nstart=1MiB,size=600MiB\\nsize=100MiB\\n"
    tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread {path}")
    tool("partx", "--add", path)
    node, (argv, size) = partition_path(path, 1), SMALLER[kind]
    work.bench.own(path)
    tool(*argv, node, *size)
    before, table = work.digest(path), table_of(path)
    plan = planned(work, codes(path)["content-smaller"])
    assert losses(plan) == []
    run, state = work.apply(plan, keep=False)
    assert state is RunState.WAITING, story(run)
    assert diskwright(work, "undo", run.name).returncode == 0
    assert work.digest(path) == before
    run, state = work.apply(plan)
    assert state is RunState.DONE, story(run)
    assert table_of(path) == table
    assert "content-smaller" not in codes(path)
    tool(*CHECKS[kind], node)


def table_of(path: str) -> bytes:
    with Path(path).open("rb") as device:
        return device.read(MIB)
