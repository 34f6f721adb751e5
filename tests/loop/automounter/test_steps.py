"""Programs that mount what they see, at the worst moment: the drive ends as planned, or the run says who has
it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, said, spec, stand_in, story
from tests.loop.program import MIB, Event, Journal, Mode, RunState
from wizard.apply.plan.run import ensure_mounted
from wizard.apply.system.mounts import read_mounts

pytestmark = pytest.mark.usefixtures("direct")

POLLER = """
import os, subprocess, sys, time
drive, folder = sys.argv[1:]
mounted = set()
while not os.path.exists(folder + ".end"):
    for line in open("/proc/partitions"):
        node = "/dev/" + (line.split() or [""])[-1]
        if not node.startswith(drive + "p") or node in mounted:
            continue
        try:
            with open(node, "rb", buffering=0) as device:
                device.seek(1024)
                is_ext = device.read(512)[56:58] == bytes((0x53, 0xEF))
        except OSError:
            continue
        place = os.path.join(folder, os.path.basename(node))
        os.makedirs(place, exist_ok=True)
        if is_ext and subprocess.run(["mount", node, place], capture_output=True).returncode == 0:
            mounted.add(node)
    time.sleep(0.005)
"""


def real(name: str) -> str:
    return tool("sh", "-c", f"PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v {name}").strip()


def strike_after(work: Work, monkeypatch: pytest.MonkeyPatch, name: str, drive: str) -> Path:
    """Mount the first partition once, as an automounter does, after a program used the drive. Return the
    place."""
    place, mark = work.folder / "auto", work.folder / "struck"
    place.mkdir()
    mount = f"{real('mount')} {drive}p1 {place} 2>>{work.folder}/mount.log && touch {mark}"
    script = f'{real(name)} "$@"; s=$?\n[ -e {mark} ] || [ ! -e {drive}p1 ] || {{ {mount}; }}\nexit $s'
    stand_in(work.folder / "bin", monkeypatch, name, script)
    return place


def places_of(node: str) -> list[str]:
    return [entry.mount_point for entry in read_mounts() if entry.source == node]


@pytest.mark.parametrize(("filesystem", "maker"), [("xfs", "mkfs.xfs"), ("ext4", "e2fsck")])
def test_volume_mounted_elsewhere_ends_at_the_planned_place(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, filesystem: str, maker: str
) -> None:
    drive = make_drive(400 * MIB)
    plan = work.plan(drive, spec(filesystem, None, work.place("media"), ("noatime",)))
    auto = strike_after(work, monkeypatch, maker, drive)
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    assert (work.folder / "struck").exists() and places_of(f"{drive}p1") == [str(work.place("media"))]
    told = [
        entry.sentence for entry in said(run, Event.COMMAND) if "Another program mounted" in entry.sentence
    ]
    assert told == [f"Another program mounted {drive}p1 at {auto} during the run."]


def test_mounted_remains_of_an_older_filesystem_stop_the_run(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new partition can start at an old filesystem, which is visible once the table is written."""
    drive = make_drive(200 * MIB)
    work.bench.own(drive)
    tool("mkfs.ext4", "-q", "-F", "-L", "ghost", "-E", f"offset={MIB}", drive, "100M")
    tool("sh", "-c", f"printf 'label: gpt\\n' | sfdisk --quiet --no-reread --wipe never {drive} || true")
    plan = work.plan(drive, spec("ext4", None, work.place("media")), mode=Mode.REPLACE)
    auto = strike_after(work, monkeypatch, "wipefs", drive)
    run, now = work.apply(plan)
    assert now is RunState.FAILED, story(run)
    assert (work.folder / "struck").exists() and places_of(f"{drive}p1") == [str(auto)]
    tool("umount", str(auto))
    assert tool("blkid", "-p", "-o", "value", "-s", "LABEL", f"{drive}p1").strip() == "ghost"


def test_foreign_mount_in_use_is_not_unmounted(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(200 * MIB)
    plan = work.plan(drive, spec("ext4", None, work.place("media")))
    auto = strike_after(work, monkeypatch, "mkfs.ext4", drive)
    stand_in(
        work.folder / "bin", monkeypatch, "umount", f'echo "umount: {auto}: target is busy." >&2; exit 32'
    )
    run, now = work.apply(plan)
    assert now is RunState.FAILED, story(run)
    last = said(run, Event.FAILED)[-1].sentence
    assert f"Another program mounted {drive}p1 at {auto} during the run" in last and "target is busy" in last
    assert places_of(f"{drive}p1") == [str(auto)]
    # What the test mounted is to be unmounted by the real program.
    monkeypatch.undo()


def test_volume_without_mount_point_may_be_mounted_by_others(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(400 * MIB)
    plan = work.plan(drive, spec("xfs"))
    strike_after(work, monkeypatch, "xfs_repair", drive)
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    assert not said(run, Event.NOT_VERIFIED)


def test_polling_automounter_does_not_disturb_the_run(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(96 * MIB)
    folder = work.folder / "auto"
    folder.mkdir()
    plan = work.plan(drive, spec("ext4", None, work.place("media")))
    with subprocess.Popen([sys.executable, "-I", "-c", POLLER, drive, str(folder)], env={**os.environ}):
        try:
            run, now = work.apply(plan)
        finally:
            # It ends by itself, so that none of its mounts comes later.
            folder.with_suffix(".end").touch()
    assert now is RunState.DONE, story(run)
    assert not said(run, Event.NOT_VERIFIED)
    assert str(work.place("media")) in places_of(f"{drive}p1")


def test_unmounted_volume_is_mounted_again(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    plan = work.plan(drive, spec("ext4", None, work.place("media")))
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    monkeypatch.setattr("wizard.apply.run.process.udev_runs", lambda: True)
    monkeypatch.setattr("wizard.apply.run.process.settle", lambda: tool("umount", str(work.place("media"))))
    journal = Journal(run)
    assert ensure_mounted(plan, journal) is None
    assert places_of(f"{drive}p1") == [str(work.place("media"))]
    assert said(run, Event.COMMAND)[-1].sentence.endswith("Mounted again.")
    stand_in(work.folder / "bin", monkeypatch, "mount", "exit 1")
    failure = ensure_mounted(plan, journal)
    journal.close()
    assert failure and str(work.place("media")) in str(failure) and places_of(f"{drive}p1") == []
