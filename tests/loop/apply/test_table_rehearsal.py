"""A table that keeps partitions, as it is written to a scratch copy: every record that stays is the same to
the byte."""

import json
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, fill, spec
from tests.loop.program import (
    MIB,
    Event,
    Journal,
    Mode,
    Plan,
    probe_drive,
)
from tests.made_runs import new_run
from wizard.apply.run.job import RunWork
from wizard.apply.run.process import Purpose
from wizard.apply.steps.step_context import StepContext
from wizard.apply.table import write as table_write
from wizard.apply.table.proof import disk_differences, kernel_differences
from wizard.operations.table import WriteTable

KEPT_GUID = "6a5f1f7c-9f0b-4d2e-8f43-0f0a5b9f6c01"
OTHER_GUID = "6a5f1f7c-9f0b-4d2e-8f43-0f0a5b9f6c02"

SCRIPTS = {
    # A GUID of one's own, attributes that only some systems know, and a name in two alphabets.
    "gpt": (
        f'label: gpt\nstart=1MiB,size=8MiB,name="größer Диск",uuid={KEPT_GUID},attrs="GUID:59,63"\n'
        "start=40MiB,size=4MiB\n"
    ),
    "mbr": "label: dos\nstart=1MiB,size=8MiB,bootable\nstart=40MiB,size=4MiB,type=7\n",
    "logical": (
        "label: dos\nstart=1MiB,size=8MiB\nstart=40MiB,size=24MiB,type=5\nstart=41MiB,size=8MiB\n"
        "start=50MiB,size=8MiB,type=82\n"
    ),
}


class Kept:
    """A drive full of a pattern, with partitions that stay, and a plan that adds one; its first step writes
    the table."""

    def __init__(self, work: Work, make_drive: MakeDrive, script: str, block_bytes: int = 512) -> None:
        self.work = work
        self.drive = make_drive(72 * MIB, block_bytes)
        fill(self.drive, work.bench)
        # Boot code and disk signature stay, as missing ones do.
        tool(
            "dd",
            "if=/dev/zero",
            f"of={self.drive}",
            f"bs={block_bytes}",
            "count=1",
            "conv=notrunc,fsync",
            "status=none",
        )
        text = work.folder / "script"
        text.write_text(SCRIPTS[script])
        tool("sh", "-c", f"sfdisk --quiet --no-reread --wipe never {self.drive} < {text} || true")
        tool("partx", "--add", self.drive)
        tool("mkfs.ext4", "-q", f"{self.drive}p1")
        self.before = work.digest(self.drive)
        self.plan: Plan = work.plan(self.drive, spec("ext4", 16 * MIB), mode=Mode.USE_FREE)

    @property
    def operation(self) -> WriteTable:
        first = self.plan.steps[0].operation
        assert isinstance(first, WriteTable) and not first.fresh
        return first

    def run(self) -> Path:
        self.work.runs.mkdir(mode=0o700, exist_ok=True)
        return new_run(self.work.runs, self.plan, self.work.environment)

    def write(self, run: Path) -> str:
        """Do the step in this process, with the drive in the place of its scratch copy."""
        self.work.bench.own(self.drive)
        journal = Journal(run)
        try:
            journal.add(Event.STEP_STARTED, "The table.", step=1)
            work = RunWork(run, Purpose.APPLY, journal, ())
            site = StepContext(self.plan, 1, work, self.work.environment, rehearsed=True)
            return str(table_write.write_table(self.operation, site))
        finally:
            journal.close()

    def assert_new(self) -> None:
        found = probe_drive(self.drive)
        assert disk_differences(self.plan.after, found) == () == kernel_differences(self.plan.after, found)


@pytest.mark.parametrize(("script", "block_bytes"), [("gpt", 4096), ("logical", 512)])
def test_preserved_records_are_unchanged(
    work: Work, make_drive: MakeDrive, script: str, block_bytes: int
) -> None:
    kept = Kept(work, make_drive, script, block_bytes)
    old = json.loads(tool("sfdisk", "--json", kept.drive))["partitiontable"]
    bytes_before = work.bench.image_of(kept.drive).read_bytes()
    kept.write(kept.run())
    kept.assert_new()
    new = json.loads(tool("sfdisk", "--json", kept.drive))["partitiontable"]
    assert [part for part in new["partitions"] if part in old["partitions"]] == old["partitions"]
    assert len(new["partitions"]) == len(old["partitions"]) + 1
    assert {**new, "partitions": ()} == {**old, "partitions": ()}
    tool("blockdev", "--flushbufs", kept.drive)
    bytes_now = work.bench.image_of(kept.drive).read_bytes()
    line = range(446 + 16 * 2, 446 + 16 * 3) if script == "logical" else range(0)
    assert [at for at in range(512) if bytes_now[at] != bytes_before[at] and at not in line] == []
    assert bytes_now[MIB : 70 * MIB] == bytes_before[MIB : 70 * MIB], "the chain of logical partitions, too"
