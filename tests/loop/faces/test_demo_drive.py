"""The demo drive is as documented, and disappears completely however its creator ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.devices import attached_in
from tests.loop.program import Failed
from wizard.demo.drive import IMAGE_NAME, NEEDED_BYTES, DemoDrive, demo_drive, loop_devices, sweep

MAKER = """
import sys, time
from wizard.demo.drive import demo_drive
with demo_drive() as drive:
    print(drive.path, drive.folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for demo folders. Afterwards it must be empty and without loop devices."""
    folder = tmp_path / "demos"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    left = attached_in(folder)
    assert not left, f"{left} stayed attached"
    assert not list(folder.iterdir()), "a demo folder stayed behind"


def start_maker() -> tuple[subprocess.Popen[str], DemoDrive]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    maker = subprocess.Popen(
        [sys.executable, "-c", MAKER],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    assert maker.stdout is not None
    path, folder = maker.stdout.readline().split()
    return maker, DemoDrive(path, Path(folder) / IMAGE_NAME, Path(folder))


def wait_until(holds: Callable[[], bool], seconds: float = 15.0) -> bool:
    end = monotonic() + seconds
    while monotonic() < end:
        if holds():
            return True
        sleep(0.05)
    return holds()


def is_gone(drive: DemoDrive) -> bool:
    """Return True if the demo drive is gone. Partition nodes can remain if another program reuses the loop
    device."""
    taken = (Path("/sys/block") / drive.path.removeprefix("/dev/") / "loop/backing_file").exists()
    return (
        not drive.folder.exists()
        and not loop_devices(drive.image)
        and (taken or not Path(f"{drive.path}p1").exists())
    )


def mount(drive: DemoDrive, number: int) -> Path:
    """Mount a partition of the demo drive below its folder."""
    assert loop_devices(drive.image) == [drive.path]
    target = drive.mounts / str(number)
    target.mkdir()
    subprocess.run(["mount", f"{drive.path}p{number}", str(target)], check=True, timeout=20)
    return target


def test_layout_is_old_and_misaligned(parent: Path) -> None:
    with demo_drive() as drive:
        listed = subprocess.run(
            ["sfdisk", "--json", drive.path], capture_output=True, text=True, check=True, timeout=20
        )
        table = json.loads(listed.stdout)["partitiontable"]
        first, second = table["partitions"]
        assert table["label"] == "gpt"
        assert first["start"] == 34
        assert second["start"] % 64 == 63
        assert second["start"] + second["size"] < table["lastlba"] - 2_000_000, "no free space behind"
        for number in (1, 2):
            node = f"{drive.path}p{number}"
            assert (
                subprocess.run(
                    ["e2fsck", "-fn", node], capture_output=True, timeout=60, check=False
                ).returncode
                == 0
            )
            kind = subprocess.run(
                ["blkid", "-p", "-o", "value", "-s", "TYPE", node],
                capture_output=True,
                text=True,
                timeout=20,
                check=True,
            )
            assert kind.stdout.strip() == "ext3"
        assert (mount(drive, 1) / "letters/1999-05-17.txt").read_text().startswith("Dear Ada")
    assert is_gone(drive)


def test_image_uses_little_space(parent: Path) -> None:
    with demo_drive() as drive:
        used = drive.image.stat().st_blocks * 512
        assert used < NEEDED_BYTES / 2
        assert drive.image.stat().st_size == 8 * 1024**3


def test_drive_disappears_after_an_exception(parent: Path) -> None:
    seen: list[DemoDrive] = []
    with pytest.raises(ZeroDivisionError), demo_drive() as drive:
        seen.append(drive)
        mount(drive, 2)
        raise ZeroDivisionError
    assert is_gone(seen[0])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_drive_disappears_after_its_creator_is_killed(parent: Path, number: signal.Signals) -> None:
    maker, drive = start_maker()
    target = mount(drive, 1)
    maker.send_signal(number)
    maker.wait(15)
    assert wait_until(lambda: is_gone(drive)), f"{drive.folder} is still there"
    assert not target.exists()


def test_busy_mount_does_not_prevent_removal_of_the_folder(parent: Path) -> None:
    with demo_drive() as drive:
        busy = (mount(drive, 1) / "README.txt").open()
    with busy:
        assert not drive.folder.exists()
    assert wait_until(lambda: is_gone(drive))


def test_cleanup_waits_for_the_lock(parent: Path) -> None:
    maker, drive = start_maker()
    holder = subprocess.Popen(["flock", drive.path, "sleep", "2"])
    assert wait_until(
        lambda: subprocess.run(["flock", "-n", drive.path, "true"], timeout=20, check=False).returncode != 0
    )
    maker.kill()
    maker.wait(15)
    sleep(0.5)
    assert loop_devices(drive.image), "taken away while somebody was writing to it"
    holder.wait(15)
    assert wait_until(lambda: is_gone(drive))


def test_next_demo_removes_remains_of_a_power_cut(parent: Path) -> None:
    left = parent / "diskwright-demo-cut"
    left.mkdir()
    image = left / IMAGE_NAME
    with image.open("wb") as file:
        file.truncate(1 << 20)
    subprocess.run(["losetup", "--find", str(image)], check=True, timeout=20)
    foreign = parent / "diskwright-demo-link"
    foreign.symlink_to("/etc")
    sweep(parent)
    assert left.exists(), "one that is just being made must not be taken away"
    os.utime(left, (1, 1))
    sweep(parent)
    # Whoever probes all drives meanwhile may hold it open for a moment: then it goes when that is closed.
    assert not left.exists() and wait_until(lambda: not loop_devices(image))
    assert foreign.is_symlink(), "a link was followed"
    foreign.unlink()


def test_running_demo_is_not_removed(parent: Path) -> None:
    with demo_drive() as drive:
        os.utime(drive.folder, (1, 1))
        sweep(parent)
        assert loop_devices(drive.image) == [drive.path]


def test_full_disk_is_reported_in_a_message(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.demo.drive.NEEDED_BYTES", 1 << 62)
    with pytest.raises(Failed, match="Set TMPDIR to another folder"), demo_drive():
        pass
