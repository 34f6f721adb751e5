"""Drives that grow or shrink during a run, like volumes of a hypervisor or an array."""

import os
import re
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, ended, fill, gate, old_gpt, spec, stand_in, story, until
from tests.loop.program import MIB, PLANS, Mode, Plan, RunState, read_entries, state
from wizard.apply.run.runs import command_on

SIZE = 96 * MIB


def resize(work: Work, drive: str, size_bytes: int) -> None:
    """Resize a test drive's file and notify the kernel."""
    work.bench.own(drive)
    os.truncate(work.bench.image_of(drive), size_bytes)
    tool("losetup", "--set-capacity", drive)
    assert int(tool("blockdev", "--getsize64", drive)) == size_bytes


@pytest.fixture
def full(work: Work, make_drive: MakeDrive) -> str:
    drive = make_drive(SIZE)
    fill(drive, work.bench)
    old_gpt(drive)
    tool("blockdev", "--flushbufs", drive)
    return drive


def content(work: Work, drive: str) -> bytes:
    """Return the content of a drive's file."""
    tool("blockdev", "--flushbufs", drive)
    return work.bench.image_of(drive).read_bytes()


def plan_in(work: Work, drive: str) -> tuple[Plan, str]:
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    file = work.folder / "plan.json"
    file.write_text(PLANS.render(plan))
    return plan, str(file)


OTHERS = pytest.mark.parametrize("size_bytes", [SIZE + 32 * MIB, SIZE - 32 * MIB], ids=["grew", "shrank"])


@OTHERS
def test_resize_after_planning_refuses_the_plan(work: Work, full: str, size_bytes: int) -> None:
    plan, file = plan_in(work, full)
    resize(work, full, size_bytes)
    before = content(work, full)
    done = diskwright(work, "apply", file, "--confirm", plan.drive.token)
    assert done.returncode == 3 and f"{full} does not match the plan: the size is" in done.stderr, done.stderr
    assert "Make a new plan. Nothing was written." in done.stderr
    assert content(work, full) == before


@OTHERS
def test_resize_during_the_rehearsal_prevents_all_writes(
    work: Work, full: str, monkeypatch: pytest.MonkeyPatch, size_bytes: int
) -> None:
    """Resize the drive during the rehearsal, before the old bytes are saved and compared."""
    before, opened = content(work, full), work.folder / "opened"
    plan, _ = plan_in(work, full)
    stand_in(work.folder / "bin", monkeypatch, "mkfs.ext4", gate("mkfs.ext4", opened))
    run = work.start(plan, keep=False)
    until(lambda: opened.with_name("opened.reached").exists())
    resize(work, full, size_bytes)
    opened.touch()
    assert ended(run) in (RunState.FAILED, RunState.REFUSED), story(run)
    both = min(SIZE, size_bytes)
    assert content(work, full)[:both] == before[:both]
    last = read_entries(run)[-1].sentence
    assert re.search(r"diskwright (undo|resume)", last), last
    undone = diskwright(work, "undo")
    assert undone.returncode == 0 and state(run) is RunState.UNDONE, undone.stderr


@OTHERS
def test_resized_waiting_drive_is_refused_until_its_size_is_back(
    work: Work, full: str, size_bytes: int
) -> None:
    before = content(work, full)
    run, now = work.apply(plan_in(work, full)[0], keep=False)
    assert now is RunState.WAITING, story(run)
    barred = content(work, full)
    resize(work, full, size_bytes)
    changed = content(work, full)
    for command in ("keep", "undo"):
        done = diskwright(work, command)
        assert (done.returncode, state(run)) == (3, RunState.WAITING), done.stderr
        assert f"{full} does not match the plan: the size is" in done.stderr, done.stderr
        ways = ", or ".join(command_on(way, run) for way in ("keep", "undo"))
        assert f"restore the drive's size to {SIZE} bytes, then run {ways}" in flat(done.stderr), done.stderr
    assert content(work, full) == changed
    resize(work, full, SIZE)
    if size_bytes < SIZE:
        # What a volume lost when it shrank comes back only where whoever gave it knows it still.
        work.bench.own(full)
        with Path(full).open("r+b", buffering=0) as device:
            device.seek(size_bytes)
            device.write(barred[size_bytes:])
            os.fsync(device.fileno())
    undone = diskwright(work, "undo")
    assert undone.returncode == 0 and content(work, full) == before, undone.stderr


def test_truncated_drive_filled_with_zeros_is_reported_as_modified(work: Work, full: str) -> None:
    old = content(work, full)
    run, now = work.apply(plan_in(work, full)[0], keep=False)
    assert now is RunState.WAITING, story(run)
    before = content(work, full)
    for size_bytes in (SIZE - 32 * MIB, SIZE):
        resize(work, full, size_bytes)
    kept = diskwright(work, "keep")
    undone = diskwright(work, "undo")
    for done in (kept, undone):
        assert done.returncode in (1, 3) and "was modified after the run was complete" in done.stderr, (
            done.stderr
        )
        assert "--over-changes" in done.stderr
    both = SIZE - 32 * MIB
    assert content(work, full)[:both] == before[:both]
    over = diskwright(work, "undo", "--over-changes", "--confirm", full.removeprefix("/dev/"))
    assert over.returncode == 0 and state(run) is RunState.UNDONE, over.stderr
    assert content(work, full)[:both] == old[:both]


def flat(text: str) -> str:
    return " ".join(text.split())
