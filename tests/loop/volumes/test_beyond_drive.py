"""Half of a volume on several drives: named by inspect and by each plan that would destroy it."""

from collections.abc import Callable

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, wish
from tests.loop.program import MIB, Mode, partition_path, probe_machine
from wizard.apply.remedies import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.finding import Severity
from wizard.plan.undo_policy import losses


def btrfs(*nodes: str) -> None:
    tool("mkfs.btrfs", "-q", "-f", "-d", "raid0", "-L", "thesis", *nodes)


def volume_group(*nodes: str) -> None:
    tool("pvcreate", "-q", "-y", *nodes)
    tool("vgcreate", "-q", "thesis", *nodes)
    tool("vgchange", "-q", "-an", "thesis")


@pytest.mark.parametrize("parted", [False, True], ids=["whole drives", "partitions"])
@pytest.mark.parametrize("make", [btrfs, volume_group])
def test_the_other_half_is_named(
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
    for seen, severity in ((machine, Severity.INFO), (alone, Severity.WARNING)):
        found = diagnose(seen, seen.drives[0], load_patterns()).findings
        (finding,) = (one for one in found if one.code == "content-shared")
        assert finding.severity is severity and "thesis" in str(finding.sentence)
        assert all((node in str(finding.sentence)) is (seen is machine) for node in nodes[1:])
    plan = work.plan(drives[0], wish("ext4"), mode=Mode.REPLACE)
    assert any("3" in line and "thesis" in line for line in losses(plan)), losses(plan)
