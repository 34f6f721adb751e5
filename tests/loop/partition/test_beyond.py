"""A filesystem larger than its partition: found, its end is not free, and a plan leaves it alone."""

import re

import pytest

from tests.devices import MakeDrive, drop_partitions, tool
from tests.loop.applying import Work, wish
from tests.loop.program import MIB, partition_path, probe_drive, probe_machine
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.finding import Finding
from wizard.plan.planner import Mode
from wizard.plan.settings.possible import why_not_mount

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
        drop_partitions(drive)
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
def test_the_end_of_a_filesystem_is_not_free(
    work: Work, make_drive: MakeDrive, kind: str, label: str
) -> None:
    blocks = 4096 if kind in ("ext4", "btrfs") else 512
    path = make_drive(1000 * MIB, blocks)
    cut_short(path, kind, label, "1MiB" if kind != "ntfs" else "3MiB")
    drive = probe_drive(path)
    (part,) = drive.partitions
    over = part.overhang
    assert over is not None and over.start_bytes == part.end_bytes and over.size_bytes <= LARGE - SMALL
    assert over.size_bytes > LARGE - SMALL - 8 * MIB
    assert all(not free.overlaps(over) for free in drive.free) and drive.free
    assert "content-beyond-partition" in codes(path)
    machine = probe_machine([path])
    assert why_not_mount(machine, machine.drives[0], part.path)
    plan = work.plan(path, wish("ext4"), mode=Mode.USE_FREE)
    new = next(slot for slot in plan.after.partitions if slot.number == 2)
    assert not new.overlaps(over) and new.start_bytes >= over.end_bytes


def test_the_remedy_restores_the_end(work: Work, make_drive: MakeDrive) -> None:
    path = make_drive(1000 * MIB)
    node = cut_short(path, "ext4", "gpt", "1MiB")
    command = re.search(r"`(parted [^`]*)`", str(codes(path)["content-beyond-partition"].remedy))
    assert command
    tool(*command[1].replace("parted", "parted --script", 1).split())
    (part,) = probe_drive(path).partitions
    assert part.overhang is None and part.size_bytes == LARGE
    tool("partx", "--update", path)
    tool("e2fsck", "-fn", node)
