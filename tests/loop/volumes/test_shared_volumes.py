"""Half of a volume on several drives: named by inspect and by every plan that would destroy it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, spec
from tests.loop.program import GIB, MIB, Mode, partition_path, probe_machine
from tests.unit.probe.superblocks import bcache, zfs, zfs_list, zfs_top
from wizard.apply.remedies import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.finding import Severity
from wizard.plan.text import losses
from wizard.probe.machine import with_others


def btrfs(*nodes: str) -> None:
    tool("mkfs.btrfs", "-q", "-f", "-d", "raid0", "-L", "thesis", *nodes)


def volume_group(*nodes: str) -> None:
    tool("pvcreate", "-q", "-y", *nodes)
    tool("vgcreate", "-q", "thesis", *nodes)
    tool("vgchange", "-q", "-an", "thesis")


def write(node: str, pieces: dict[int, bytes]) -> None:
    with Path(node).open("r+b") as device:
        for place, data in pieces.items():
            device.seek(place)
            device.write(data)


def pool(*nodes: str) -> None:
    names = zfs_list("thesis", zfs_top("raidz", len(nodes), nparity=1))
    for node in nodes:
        write(node, zfs(int(tool("blockdev", "--getsize64", node)), names))


@pytest.mark.parametrize("parted", [False, True], ids=["whole drives", "partitions"])
@pytest.mark.parametrize("make", [btrfs, volume_group, pool])
def test_other_half_is_named(
    work: Work, make_drive: MakeDrive, make: Callable[..., None], parted: bool
) -> None:
    drives = [make_drive(300 * MIB) for _ in range(3)]
    for path in drives:
        if parted:
            tool("sh", "-c", f"echo '1MiB,250MiB' | sfdisk --quiet --label gpt --no-reread {path}")
            tool("partx", "--add", path)
    nodes = [partition_path(path, 1) if parted else path for path in drives]
    make(*nodes)
    machine = probe_machine(drives)
    alone = probe_machine(drives[:1])
    for seen, severity in (
        (machine, Severity.INFO),
        (alone, Severity.WARNING),
        (with_others(alone), Severity.INFO),
    ):
        found = diagnose(seen, seen.drives[0], load_patterns()).findings
        (finding,) = (one for one in found if one.code == "content-shared")
        assert finding.severity is severity and "thesis" in str(finding.sentence)
        assert all((node in str(finding.sentence)) is (seen is not alone) for node in nodes[1:])
    plan = work.plan(drives[0], spec("ext4"), mode=Mode.REPLACE)
    assert any("3" in line and "thesis" in line for line in losses(plan)), losses(plan)
    words = ("plan", drives[0], "--replace", "--workload", "large-media", "--mount", "none")
    shown = diskwright(work, *words).stderr
    assert all(node in shown for node in nodes[1:]), shown


PROFILES = [
    ("raid0", "raid0", 2, "one of 2 devices of", "(RAID0)", "All files on the other devices are lost too."),
    ("raid0", "raid1", 3, "one of 3 devices of", "(data RAID0, metadata RAID1)", "All files on the other"),
    ("raid1", "raid1", 2, "one of 2 devices of", "(RAID1)", "All files survive"),
    ("single", "raid1", 3, "one of 3 devices of", "(data single, metadata RAID1)", "Files with a part here"),
    ("raid1", "single", 2, "one of 2 devices of", "(data RAID1, metadata single)", "Files on the other"),
]


@pytest.mark.parametrize(("data", "metadata", "count", "belongs", "profiles", "fate"), PROFILES)
@pytest.mark.parametrize("block", [512, 4096])
def test_btrfs_profiles_decide_the_data_loss(
    work: Work,
    make_drive: MakeDrive,
    data: str,
    metadata: str,
    count: int,
    belongs: str,
    profiles: str,
    fate: str,
    block: int,
) -> None:
    drives = [make_drive(400 * MIB, block) for _ in range(count)]
    options = ("-q", "-f", "-s", "4096", "-L", "thesis")
    tool("mkfs.btrfs", *options, "-d", data, "-m", metadata, *drives)
    for path in drives:
        (alone,) = probe_machine([path]).drives[0].signatures
        assert alone.data_profile in (data, None) and alone.metadata_profile == metadata
        shown = " ".join(diskwright(work, "inspect", path).stdout.split())
        assert f'{path} is {belongs} Btrfs "thesis" {profiles}. {fate}' in shown, shown
        plan = str(work.folder / "plan.json")
        asked = ("plan", path, "--replace", "--workload", "large-media", "--mount", "none", "-o", plan)
        shown = " ".join(diskwright(work, *asked).stderr.split())
        assert f'Btrfs "thesis" {profiles} is also on' in shown and fate in shown, shown
        checked = diskwright(work, "apply", plan, "--dry-run", "--fstab", str(work.fstab))
        assert checked.returncode == 0, checked.stderr


def test_chunk_tree_of_two_levels_is_read(work: Work, make_drive: MakeDrive) -> None:
    path = make_drive(200 * GIB)
    tool("mkfs.btrfs", "-q", "-f", "-s", "4096", "-n", "4096", "-m", "dup", path)
    place = work.place("in")
    place.mkdir(parents=True)
    tool("mount", path, str(place))
    tool("fallocate", "-l", "150G", str(place / "film"))
    tool("umount", str(place))
    assert "chunk_root_level\t1" in tool("btrfs", "inspect-internal", "dump-super", path)
    (mark,) = probe_machine([path]).drives[0].signatures
    assert (mark.data_profile, mark.metadata_profile) == ("single", "dup")
    shown = " ".join(diskwright(work, "inspect", path).stdout.split())
    assert "btrfs, data single, metadata DUP, " in shown


SET = "0d7f3b1c-93a5-4e0b-8f53-6a1f0c7c2d4e"


@pytest.mark.parametrize("dirty", [1, 2])
def test_cache_and_its_backing_device_name_each_other(work: Work, make_drive: MakeDrive, dirty: int) -> None:
    backing, cache, alone = (make_drive(300 * MIB) for _ in range(3))
    write(backing, {4096: bcache(1, SET, "5b1c2f6e-1111-4222-8333-444455556666", dirty)})
    write(cache, {4096: bcache(3, SET, "6b1c2f6e-1111-4222-8333-444455556666")})
    write(alone, {4096: bcache(1, SET[::-1].replace("-", ""), "7b1c2f6e-1111-4222-8333-444455556666")})
    machine = probe_machine([backing, cache, alone])
    for drive, other in zip(machine.drives, (cache, backing, None), strict=True):
        assert [mark.kind for mark in drive.signatures] == ["bcache"]
        found = diagnose(machine, drive, load_patterns()).findings
        named = [str(one.sentence) for one in found if one.code == "content-shared"]
        assert [other in text and SET in text for text in named if other] == [True] * (other is not None)
        plan = work.plan(drive.path, spec("ext4"), mode=Mode.REPLACE)
        assert any(SET in line for line in losses(plan)) is (other is not None)
