"""Drives that became larger than their GPT: the new space can be used, and undone."""

import pytest

from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import Work, diskwright, spec, story
from tests.loop.program import MIB, Mode, RunState, partition_path, probe_drive

SMALL, LARGE = 300 * MIB, 700 * MIB


@pytest.mark.parametrize("end", ["keep", "undo"])
@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_space_beyond_the_old_end_is_used(
    work: Work, make_drive: MakeDrive, block_bytes: int, end: str
) -> None:
    small, path = make_drive(SMALL, block_bytes), make_drive(LARGE, block_bytes)
    tool("sh", "-c", f"printf '1MiB,200MiB\\n' | sfdisk --quiet --label gpt --no-reread {small}")
    tool("partx", "--add", small)
    tool("mkfs.ext4", "-q", partition_path(small, 1))
    forget_partitions(small)
    work.bench.own(path)
    tool("dd", f"if={small}", f"of={path}", "bs=1M", "conv=fsync", "status=none")
    assert probe_drive(path).table.backup == "misplaced"  # type: ignore[union-attr]
    before = work.digest(path)
    plan = work.plan(path, spec("ext4"), mode=Mode.USE_FREE)
    assert plan.after.partitions[-1].end_bytes > SMALL
    run, now = work.apply(plan, keep=False)
    assert now is RunState.WAITING, story(run)
    assert diskwright(work, end, run.name).returncode == 0
    if end == "undo":
        assert work.digest(path) == before
        return
    drive = probe_drive(path)
    assert drive.table is not None and (drive.table.primary, drive.table.backup) == ("ok", "ok")
    assert [part.filesystem for part in drive.partitions] == ["ext4", "ext4"]
    for number in (1, 2):
        tool("e2fsck", "-fn", partition_path(path, number))
