"""The scratch copy of a waiting result can be mounted read-only, and disappears before writes to the
drive."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.devices import MakeDrive, attached_in, tool
from tests.loop.applying import ROOT, Work, diskwright, fill, old_gpt, spec, story, until
from tests.loop.program import MIB, Mode, Refused, RunState, keep, state, undo
from wizard.apply.engine.stores import new_file
from wizard.apply.plan.readonly_look import looked_at


def waiting(
    work: Work, make_drive: MakeDrive, filesystem: str = "ext4", block_bytes: int = 512
) -> tuple[str, Path]:
    drive = make_drive(400 * MIB, block_bytes)
    fill(drive, work.bench)
    old_gpt(drive)
    run, end = work.apply(work.plan(drive, spec(filesystem, options=()), mode=Mode.REPLACE), keep=False)
    assert end is RunState.WAITING, story(run)
    return drive, run


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs", "exfat"])
def test_waiting_result_can_be_mounted_read_only_without_changes(
    filesystem: str, work: Work, make_drive: MakeDrive
) -> None:
    drive, run = waiting(work, make_drive, filesystem)
    before, kept = work.digest(drive), new_file(run, 0).read_bytes()
    place = work.folder / "look"
    place.mkdir()
    with looked_at(run) as look:
        (real,), (shown,) = look.plan.filesystems, look.there.filesystems
        assert (real.device, shown.filesystem) == (f"{drive}p1", filesystem)
        mount = ("mount", "-o", "ro", shown.device, str(place))
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
        if done.returncode and "unknown filesystem" in done.stderr:
            pytest.skip(f"this kernel has no {filesystem}")
        assert done.returncode == 0, done.stderr
        with pytest.raises(OSError, match="Read-only"):
            (place / "mine").touch()
        assert tool("blockdev", "--getro", shown.device).strip() == "1"
        with pytest.raises(Refused, match="Another process is working on"):
            undo(run)
    assert not os.path.ismount(place)
    assert not attached_in(run)
    assert work.digest(drive) == before and new_file(run, 0).read_bytes() == kept
    keep(run)
    assert state(run) is RunState.KEPT, story(run)


def test_copy_of_a_killed_look_disappears_before_writes(work: Work, make_drive: MakeDrive) -> None:
    _, run = waiting(work, make_drive)
    place = work.folder / "look"
    place.mkdir()
    argv = [sys.executable, "-m", "wizard", "look", str(run)]
    process = subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    lines = iter(process.stderr.readline, "")
    command = next(line for line in lines if "mount -o ro" in line).split()
    assert command[0] == "sudo"
    tool(*command[1:-1], str(place))
    process.kill()
    process.wait()
    assert os.path.ismount(place) and attached_in(run)
    holder = os.open(place, os.O_RDONLY)
    try:
        with pytest.raises(Refused, match="is still in use"):
            keep(run)
    finally:
        os.close(holder)
    keep(run)
    assert state(run) is RunState.KEPT, story(run)
    assert not os.path.ismount(place)
    until(lambda: not attached_in(run))


def test_enter_ends_look_and_undone_run_is_not_shown(work: Work, make_drive: MakeDrive) -> None:
    _, run = waiting(work, make_drive)
    said = diskwright(work, "look", str(run))
    assert said.returncode == 0 and "mount -o ro /dev/loop" in said.stderr, said.stderr
    assert not attached_in(run)
    undo(run)
    assert diskwright(work, "look", str(run)).returncode == 3
