"""A table that keeps partitions: rehearsed on a stand-in, and brought to the drive so that a cut at any of
its writes costs nothing."""

import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import PowerCut, Work, carry_out, ended, fill, said, stand_in, story, until, wish
from tests.loop.program import (
    MIB,
    Event,
    Failed,
    Journal,
    Mode,
    Plan,
    Purpose,
    RunState,
    probe_drive,
    resume,
    state,
    undo,
)
from wizard.apply.block import scratch_device as standing
from wizard.apply.block.devices import write_bytes
from wizard.apply.run.backup_store import Vault
from wizard.apply.run.process import module_argv
from wizard.apply.run.runs import new_run
from wizard.apply.steps.step_context import StepContext
from wizard.apply.table import write as libparted
from wizard.apply.table import write as table_write
from wizard.apply.table.proof import disk_differences, kernel_differences
from wizard.model.plan import WriteTable

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
        # Where there is no boot code libparted puts its own, and draws another disk signature.
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
        self.plan: Plan = work.plan(self.drive, wish("ext4", 16 * MIB), mode=Mode.USE_FREE)

    @property
    def operation(self) -> WriteTable:
        first = self.plan.steps[0].operation
        assert isinstance(first, WriteTable) and not first.fresh
        return first

    def run(self) -> Path:
        self.work.runs.mkdir(mode=0o700, exist_ok=True)
        return new_run(self.work.runs, self.plan, self.work.environment)

    def write(self, run: Path, *, again: bool = False) -> str:
        """Do the step in this process, as the detached one would."""
        self.work.bench.own(self.drive)
        journal = Journal(run)
        try:
            journal.add(Event.STEP_STARTED, "The table.", step=1)
            site = StepContext(
                self.plan, 1, again, run.name, self.work.environment, journal, Vault(run / "saved"), ()
            )
            return str(table_write.write_table(self.operation, site))
        finally:
            journal.close()

    def assert_new(self) -> None:
        found = probe_drive(self.drive)
        assert disk_differences(self.plan.after, found) == () == kernel_differences(self.plan.after, found)


def stand_ins() -> list[str]:
    """The loop devices that stand in for a drive."""
    found = []
    for loop in Path("/sys/block").glob("loop*"):
        with suppress(OSError):
            if "diskwright stand-in" in (loop / "loop/backing_file").read_text():
                found.append(loop.name)
    return found


def cut_before(monkeypatch: pytest.MonkeyPatch, drive: str, write: int) -> None:
    """The power goes before this write of the table to the drive, counted from 0."""
    done = 0

    def writing(path: str, offset: int, data: bytes) -> None:
        nonlocal done
        if path == drive:
            if done == write:
                raise PowerCut
            done += 1
        write_bytes(path, offset, data)

    monkeypatch.setattr(table_write, "write_bytes", writing)


@pytest.mark.parametrize(
    ("script", "block_bytes", "writes"), [("gpt", 512, 4), ("mbr", 4096, 1), ("logical", 512, 1)]
)
def test_a_power_cut_at_any_write_is_taken_up_and_taken_back(
    work: Work,
    make_drive: MakeDrive,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    block_bytes: int,
    writes: int,
) -> None:
    kept = Kept(work, make_drive, script, block_bytes)
    for write in range(writes):
        run = cut_off(kept, monkeypatch, write)
        found = probe_drive(kept.drive)
        if write == 0:
            assert work.digest(kept.drive) == kept.before
        elif write < writes - 1:
            assert disk_differences(kept.plan.before, found) == (), "the old table is in force"
        else:
            # Of the first copy only the header is missing; the other is the new one.
            state_of = found.table and (found.table.primary, found.table.backup)
            assert (state_of, disk_differences(kept.plan.after, found)) == (("damaged", "ok"), ())
        if write or writes == 1:
            kept.write(run, again=True)
            kept.assert_new()
        carry_out(run, Purpose.UNDO, ())
        assert state(run) is RunState.UNDONE, story(run)
        assert work.digest(kept.drive) == kept.before


def cut_off(kept: Kept, monkeypatch: pytest.MonkeyPatch, write: int) -> Path:
    """A run that the power was cut off from before a write of its table."""
    run = kept.run()
    with monkeypatch.context() as patch, pytest.raises(PowerCut):
        cut_before(patch, kept.drive, write)
        kept.write(run)
    return run


def test_a_power_cut_in_the_middle_is_undone_at_once(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the first header and its entries do not belong together, and only the copy at the end is whole:
    the new one."""
    kept = Kept(work, make_drive, "gpt", 4096)
    run = cut_off(kept, monkeypatch, 3)
    assert work.digest(kept.drive) != kept.before
    undo(run)
    assert work.digest(kept.drive) == kept.before


@pytest.mark.parametrize(("script", "block_bytes"), [("gpt", 4096), ("logical", 512)])
def test_every_record_that_stays_is_there_to_the_byte(
    work: Work, make_drive: MakeDrive, script: str, block_bytes: int
) -> None:
    kept = Kept(work, make_drive, script, block_bytes)
    old = json.loads(tool("sfdisk", "--json", kept.drive))["partitiontable"]
    run = kept.run()
    kept.write(run)
    kept.assert_new()
    new = json.loads(tool("sfdisk", "--json", kept.drive))["partitiontable"]
    assert [part for part in new["partitions"] if part in old["partitions"]] == old["partitions"]
    assert len(new["partitions"]) == len(old["partitions"]) + 1
    assert {**new, "partitions": ()} == {**old, "partitions": ()}
    (proof,) = said(run, Event.VERIFIED)
    assert "On a scratch copy" in proof.sentence and "all other bytes are unchanged" in proof.sentence


SFDISK = "sfdisk --quiet --no-reread --no-tell-kernel"
HARMS = {
    "gpt": [
        ("kill -ABRT $PPID", "libparted aborted"),
        (f"{SFDISK} --part-uuid $NODE 1 {OTHER_GUID}", "partition 1, which must be preserved"),
        (
            "printf x | dd of=$NODE bs=1 seek=20M conv=notrunc status=none",
            "byte 20971520, outside the table",
        ),
        (f"{SFDISK} --part-label $NODE 3 other", "partition 3 has the name 'other'"),
    ],
    "logical": [(f"{SFDISK} --part-type $NODE 6 83", "partition 6, which must be preserved")],
}


def harmful(work: Work, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """A libparted that does its work, and then something else besides to the NODE that it was given."""
    script = work.folder / "worker.py"
    script.write_text(
        "import json, os, subprocess, sys\n"
        "asked = sys.stdin.buffer.read()\n"
        f"subprocess.run({module_argv('wizard.apply.table.worker')!r}, input=asked, check=True)\n"
        "node = json.loads(asked)['device']\n"
        f"subprocess.run(['sh', '-c', {command!r}], env={{**os.environ, 'NODE': node}}, check=True)\n"
    )
    monkeypatch.setattr(libparted, "module_argv", lambda _: (sys.executable, str(script)))


@pytest.mark.parametrize("script", HARMS)
def test_a_libparted_that_does_anything_else_is_stopped_before_the_drive(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    kept = Kept(work, make_drive, script)
    for command, match in HARMS[script]:
        harmful(work, monkeypatch, command)
        with pytest.raises(Failed, match=match) as caught:
            kept.write(kept.run())
        assert str(caught.value).endswith(f"The table was not written to {kept.drive}.")
        assert work.digest(kept.drive) == kept.before
    until(lambda: not stand_ins())


@pytest.mark.parametrize("script", ["gpt", "logical"])
def test_without_a_loop_device_it_is_written_directly_and_said_so_before(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    kept = Kept(work, make_drive, script)
    old = work.bench.image_of(kept.drive).read_bytes()
    monkeypatch.setattr(standing, "CONTROL", str(work.folder / "loop-control"))
    run = kept.run()
    kept.write(run)
    kept.assert_new()
    told = [entry.sentence for entry in said(run, Event.COMMAND)]
    assert told[0].startswith(
        f"Cannot create a scratch copy of {kept.drive} (no loop device is available (No such file or "
        "directory))."
    )
    assert "can leave the table half written" in told[0]
    assert not said(run, Event.VERIFIED)
    tool("blockdev", "--flushbufs", kept.drive)
    new = work.bench.image_of(kept.drive).read_bytes()
    line = range(446 + 16 * 2, 446 + 16 * 3) if script == "logical" else range(0)
    assert [at for at in range(512) if new[at] != old[at] and at not in line] == []
    assert new[MIB : 70 * MIB] == old[MIB : 70 * MIB], "the chain of logical partitions, too"
    carry_out(run, Purpose.UNDO, ())
    assert work.digest(kept.drive) == kept.before


def test_whoever_changes_the_table_meanwhile_is_noticed(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(work, make_drive, "gpt")
    harmful(work, monkeypatch, f"{SFDISK} --part-label {kept.drive} 1 other")
    run = kept.run()
    with pytest.raises(Failed, match="changed during the rehearsal"):
        kept.write(run)
    assert (
        json.loads(tool("sfdisk", "--json", kept.drive))["partitiontable"]["partitions"][0]["name"] == "other"
    )
    assert len(probe_drive(kept.drive).partitions) == 2


def test_a_run_killed_in_the_rehearsal_leaves_the_drive_alone_and_goes_on(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(work, make_drive, "gpt")
    reached = work.folder / "reached"
    stand_in(work.folder / "bin", monkeypatch, "modprobe", f"touch {reached}; exec sleep 1")
    run = work.start(kept.plan)
    until(reached.exists)
    os.kill(int((run / "pid").read_text()), signal.SIGKILL)
    until(lambda: state(run) is RunState.INTERRUPTED)
    assert work.digest(kept.drive) == kept.before
    (work.folder / "bin/modprobe").unlink()
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    kept.assert_new()
