"""An automounter without udev during apply, undo, and apply with keep. It mounts every filesystem on the
drive or its scratch copy immediately."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, fill, spec
from tests.loop.program import MIB, PLANS, Mode, RunState, state

POLLER = """
import os, re, subprocess, sys, time
own, folder, count = sys.argv[1], sys.argv[2], 0
while not os.path.exists(folder + ".end"):
    for line in open("/proc/partitions"):
        name = (line.split() or [""])[-1]
        try:
            file = open(f"/sys/block/{re.match('loop[0-9]+|', name)[0]}/loop/backing_file").read()
            if not file.startswith(own) or " /dev/" + name + " " in open("/proc/self/mountinfo").read():
                continue
            with open("/dev/" + name, "rb", buffering=0) as device:
                device.seek(1024)
                is_ext = device.read(512)[56:58] == bytes((0x53, 0xEF))
        except OSError:
            continue
        place = f"{folder}/{name}-{count}"
        if is_ext:
            os.makedirs(place, exist_ok=True)
            done = subprocess.run(["mount", "/dev/" + name, place], capture_output=True)
            if done.returncode == 0:
                count += 1
                print(place, flush=True)
            else:
                os.rmdir(place)
    time.sleep(0.005)
"""


@contextmanager
def automounter(work: Work) -> Iterator[Path]:
    """Run the automounter and return the file that lists its mounts. At the end, unmount them all."""
    folder, told = work.folder / "auto", work.folder / "mounted"
    folder.mkdir(exist_ok=True)
    end = Path(f"{folder}.end")
    end.unlink(missing_ok=True)
    with told.open("a") as out:
        process = subprocess.Popen(
            (sys.executable, "-c", POLLER, str(work.bench.folder.parent), str(folder)), stdout=out
        )
        try:
            yield told
        finally:
            end.touch()
            process.wait(60)
            for place in sorted(folder.iterdir()):
                if place.is_mount():
                    tool("umount", str(place))


WAYS = (("apply", "keep"), ("apply", "undo"))


@pytest.mark.parametrize("commands", one_in(2, WAYS))
def test_foreign_mount_during_a_command_harms_no_data(
    commands: tuple[str, ...], work: Work, make_drive: MakeDrive
) -> None:
    """Check that the automounter can only end a command with a message. Otherwise the run finishes, bit for
    bit."""
    drive = make_drive(96 * MIB)
    fill(drive, work.bench, 4)
    tool("mkfs.vfat", "-I", drive)
    before = work.digest(drive)
    plan, file = work.plan(drive, spec("ext4"), mode=Mode.REPLACE), work.folder / "plan.json"
    file.write_text(PLANS.render(plan))
    confirmed = f"--confirm={plan.drive.token}"
    more = {"apply": (str(file), confirmed, f"--fstab={work.fstab}"), "resume": (confirmed,)}
    told: list[str] = []

    def give(command: str) -> None:
        words = (command, *more.get(command, ()), f"--journal={work.runs}")
        done = diskwright(work, *words)
        told.append(f"{command}: {done.returncode}: {done.stderr[-600:]}")
        assert done.returncode in range(5) and "Traceback" not in done.stderr, told

    with automounter(work) as mounted:
        for command in commands:
            give(command)
    run = max(work.runs.glob("0*"))
    for command in ("resume", commands[-1]):
        if state(run) not in (RunState.KEPT, RunState.UNDONE):
            give(command)
    end = RunState.UNDONE if commands[-1] == "undo" else RunState.KEPT
    assert state(run) is end, "\n".join((*told, mounted.read_text()))
    if end is RunState.UNDONE:
        assert work.digest(drive) == before, told
    else:
        tool("e2fsck", "-f", "-n", f"{drive}p1")
        assert plan.volumes[0].uuid in tool("blkid", "-p", f"{drive}p1")
