"""Used space of filesystems: read from superblocks, shown by inspect, plans and bars."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, spec
from tests.loop.program import KIB, MIB, Mode, partition_path, probe_drive
from tests.loop.volumes.test_shared_volumes import SET, write
from tests.unit.probe.superblocks import bcache, luks_2, md_0, segment, zfs, zfs_list, zfs_top
from wizard.findings.contents import used_on
from wizard.plan.text import losses
from wizard.ui.components.drive_bars import plan_bars

MAKES = {
    "ext4": ("mkfs.ext4", "-q"),
    "ext3": ("mkfs.ext3", "-q"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q"),
    "vfat": ("mkfs.vfat", "-F", "32"),
}
FILE = 100 * MIB
MAKES_UNKNOWN = {"ntfs": ("mkfs.ntfs", "-q", "-f", "-F"), "swap": ("mkswap", "-q")}


@pytest.mark.parametrize("block", [512, 4096])
@pytest.mark.parametrize("kind", MAKES)
def test_used_space_includes_the_files(work: Work, make_drive: MakeDrive, kind: str, block: int) -> None:
    path = make_drive(700 * MIB, block)
    tool("sh", "-c", f"echo '1MiB,600MiB' | sfdisk --quiet --label gpt --no-reread {path}")
    tool("partx", "--add", path)
    node = partition_path(path, 1)
    tool(*MAKES[kind], node)
    empty = used_on(probe_drive(path), node)
    assert empty is not None and empty < 100 * MIB
    place = Path(work.place("in"))
    place.mkdir(parents=True)
    if kind != "vfat":
        tool("mount", node, str(place))
        tool("dd", "if=/dev/urandom", f"of={place}/film", "bs=1M", f"count={FILE // MIB}", "status=none")
        tool("umount", str(place))
        full = used_on(probe_drive(path), node)
        assert full is not None and 0 <= full - empty - FILE < 8 * MIB
        plan = work.plan(path, spec("ext4"), mode=Mode.REPLACE)
        assert any("MB used" in line for line in losses(plan)), losses(plan)
        assert any(str(one.use).endswith("% used") for one in plan_bars(plan)[0].stretches)
    shown = diskwright(work, "inspect", path).stdout
    assert "B used" in " ".join(shown.split()), shown


UNKNOWN: dict[str, Callable[[int], dict[int, bytes]]] = {
    "zfs_member": lambda size: zfs(size, zfs_list("tank", zfs_top("disk", 1))),
    "bcache": lambda size: {4096: bcache(1, SET, SET[::-1], 1)},
    "linux_raid_member": lambda size: {size // (64 * KIB) * 64 * KIB - 64 * KIB: md_0(5, 3, 64 * KIB)},
    "crypto_LUKS": lambda size: {0: luks_2({"0": segment(16 * MIB)})},
}


@pytest.mark.parametrize("parted", [False, True], ids=["whole drive", "partition"])
@pytest.mark.parametrize("kind", [*UNKNOWN, "ntfs", "swap"])
def test_unknown_use_is_reported(work: Work, make_drive: MakeDrive, kind: str, parted: bool) -> None:
    path = node = make_drive(700 * MIB)
    if parted:
        tool("sh", "-c", f"echo '1MiB,600MiB' | sfdisk --quiet --label gpt --no-reread {path}")
        tool("partx", "--add", path)
        node = partition_path(path, 1)
    if kind in UNKNOWN:
        write(node, UNKNOWN[kind]((600 if parted else 700) * MIB))
    else:
        tool(*MAKES_UNKNOWN[kind], node)
    shown = " ".join(diskwright(work, "inspect", path).stdout.split())
    plan = work.plan(path, spec("ext4"), mode=Mode.REPLACE)
    is_swap = kind == "swap"
    assert ("used space unknown" in shown) is not is_swap, shown
    assert any("used space unknown" in line for line in losses(plan)) is not is_swap, losses(plan)
    assert any("used space unknown" in str(one.use) for one in plan_bars(plan)[0].stretches) is not is_swap
