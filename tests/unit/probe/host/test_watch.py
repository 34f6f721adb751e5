"""The drive at a node, and changes to the set of drives, in a simulated sysfs."""

import shutil
import threading
from pathlib import Path

import pytest

from wizard.probe import pool
from wizard.probe.host import sysfs
from wizard.probe.pool import is_attached, watch_drives


@pytest.fixture(autouse=True)
def simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysfs, "SYS", tmp_path)
    monkeypatch.setattr(sysfs, "MOUNTS", tmp_path / "mountinfo")
    monkeypatch.setattr(pool, "LOOK_SECONDS", 0.01)


def attach(sys: Path, name: str, diskseq: int | None, size: int = 2048) -> None:
    folder = sys / "block" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "size").write_text(f"{size}\n")
    if diskseq is not None:
        (folder / "diskseq").write_text(f"{diskseq}\n")


def test_another_drive_at_the_same_node_is_a_different_one(tmp_path: Path) -> None:
    attach(tmp_path, "sdb", 7)
    assert is_attached("/dev/sdb", 7)
    attach(tmp_path, "sdb", 9)
    assert not is_attached("/dev/sdb", 7)


def test_drive_without_a_medium_or_folder_is_absent(tmp_path: Path) -> None:
    attach(tmp_path, "sdb", 7, size=0)
    assert not is_attached("/dev/sdb", 7)
    assert not is_attached("/dev/sdc", None)


def test_kernel_without_diskseq_is_accepted(tmp_path: Path) -> None:
    attach(tmp_path, "sdb", None)
    assert is_attached("/dev/sdb", None)
    attach(tmp_path, "sdb", 7)
    assert is_attached("/dev/sdb", None)


def test_change_between_call_and_first_look_is_seen(tmp_path: Path) -> None:
    attach(tmp_path, "sdb", 7)
    stop = threading.Event()
    changes = watch_drives(stop)
    attach(tmp_path, "sdc", 8)
    assert next(changes) is None
    attach(tmp_path, "sdc", 9)
    assert next(changes) is None, "another drive at the same node"
    stop.set()
    assert next(changes, "over") == "over"


def test_temporary_device_of_a_run_is_no_drive(tmp_path: Path) -> None:
    behind = {
        "loop0": "/home/anna/disk.img",
        "loop1": "/var/lib/diskwright/runs/0001-sda/engine/new-0.img",
        "loop2": "/memfd:diskwright stand-in 4711 (deleted)",
        "loop3": "/srv/rest/diskwright-0002-sdb/store",
        "loop4": "/var/tmp/diskwright-demo-x1/drive.img",
        "loop5": "/",
    }
    for name, file in behind.items():
        attach(tmp_path, name, 1)
        (tmp_path / "block" / name / "loop").mkdir()
        (tmp_path / "block" / name / "loop/backing_file").write_text(f"{file}\n")
    assert sysfs.drive_names() == ["loop0", "loop4"]
    assert len(sysfs.drive_names(all_devices=True)) == len(behind)


def test_image_of_the_running_system_is_no_drive(tmp_path: Path) -> None:
    for number, name in enumerate(("loop0", "loop1", "sda")):
        attach(tmp_path, name, number)
        (tmp_path / "block" / name / "dev").write_text(f"7:{number}\n")
    for name in ("loop0", "loop1"):
        (tmp_path / "block" / name / "loop").mkdir()
        (tmp_path / "block" / name / "loop/backing_file").write_text("/some.img\n")
    (tmp_path / "mountinfo").write_text(
        "30 1 7:0 / /run/diskwright/0a1b ro,nosuid - squashfs /dev/loop0 ro\n"
        "31 1 7:1 / /mnt rw - ext4 /dev/loop1 rw\n"
        "32 1 7:2 / /media ro - squashfs /dev/sda ro\n"
    )
    assert sysfs.drive_names() == ["sda", "loop1"]
    assert sysfs.drive_names(all_devices=True) == ["sda", "loop0", "loop1"]
