"""Used space of filesystems: read from superblocks, shown by inspect, plans and bars."""

from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, spec
from tests.loop.program import MIB, Mode, partition_path, probe_drive
from wizard.findings.contents import used_on
from wizard.plan.undo_policy import losses
from wizard.ui.components.drive_rows import plan_bars

MAKES = {
    "ext4": ("mkfs.ext4", "-q"),
    "ext3": ("mkfs.ext3", "-q"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q"),
    "vfat": ("mkfs.vfat", "-F", "32"),
}
FILE = 100 * MIB


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
