"""`diskwright inspect` as a user runs it: documents, messages, exit codes, without root, and hot-plugged
drives."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.devices import MakeDrive, forget_partitions, tool, write_table
from tests.loop.program import MIB
from wizard.probe.machine import list_drive_paths
from wizard.probe.pool import watch_drives

Own = Callable[[str], None]
ROOT = Path(__file__).resolve().parents[3]
NOBODY = 65534


def inspect(*words: str, user: int | None = None) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "wizard", "inspect", *words]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False, user=user)


def document(*words: str, user: int | None = None) -> dict[str, Any]:
    done = inspect("--json", *words, user=user)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def drive(make_drive: MakeDrive, own: Own) -> str:
    path = make_drive(64 * MIB)
    own(path)
    script = "label: gpt\nfirst-lba: 34\nstart=34,size=20000,name=one\nstart=40960,size=20480,name=two\n"
    write_table(path, script)
    tool("partx", "--add", path)
    tool("mkfs.ext4", "-q", "-L", "films", f"{path}p2")
    return path


def test_document_has_every_field_of_its_schema(drive: str) -> None:
    found = document(drive)
    assert found["schema"] == "diskwright.machine/2"
    [said] = found["drives"]
    assert (
        said["path"] == drive
        and said["size_bytes"] == 64 * MIB
        and said["model"] is said["serial"] is said["wwn"] is None
    )
    assert set(said["geometry"]) >= {
        "logical_block_bytes",
        "physical_block_bytes",
        "alignment_offset_bytes",
        "minimum_io_bytes",
        "optimal_io_bytes",
    }
    assert set(said["recording"]) == {"kind", "management", "verdict", "confidence", "evidence"}
    assert said["table"]["kind"] == "gpt" and said["signatures"] == []
    first, second = said["partitions"]
    assert (first["number"], first["start_bytes"], first["size_bytes"], first["name"]) == (
        1,
        34 * 512,
        20000 * 512,
        "one",
    )
    assert (second["filesystem"], second["label"], second["mount_points"]) == ("ext4", "films", [])
    assert (
        second["uuid"]
        == tool("blkid", "--match-tag", "UUID", "--output", "value", "--probe", f"{drive}p2").strip()
    )
    assert said["free"][-1]["start_bytes"] == (40960 + 20480) * 512
    codes = {
        (finding["subject"], finding["code"].partition("-")[0], finding["severity"])
        for finding in said["findings"]
    }
    assert (f"{drive}p1", "alignment", "warning") in codes
    assert all(
        set(finding) >= {"code", "severity", "subject", "sentence", "why", "remedy"}
        for finding in said["findings"]
    )


def test_text_fits_a_text_console_and_names_every_part(drive: str, tmp_path: Path) -> None:
    tool("mount", f"{drive}p2", str(tmp_path))
    try:
        done = inspect(drive)
    finally:
        tool("umount", str(tmp_path))
    assert done.returncode == 0
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    for words in (
        drive,
        "logical blocks of 512 bytes",
        "a GPT",
        "17 KiB",
        "ext4",
        "films",
        "is mounted on",
        "warning:",
    ):
        assert words in done.stdout, words
    assert "\x1b" not in done.stdout


def test_escape_sequences_in_labels_do_not_reach_the_terminal(drive: str) -> None:
    tool("sfdisk", "--part-label", "--no-reread", "--no-tell-kernel", drive, "1", "x\x1b[2Jy")
    done = inspect(drive)
    assert "\x1b" not in done.stdout and "x?[2Jy" in done.stdout
    assert document(drive)["drives"][0]["partitions"][0]["name"] == "x\x1b[2Jy"


def test_missing_facts_without_root_are_null_with_the_reason(drive: str) -> None:
    [said] = document(drive, user=NOBODY)["drives"]
    assert said["size_bytes"] == 64 * MIB and said["geometry"]["logical_block_bytes"] == 512
    assert said["table"] is None and said["content_digest"] is None
    assert [(part["number"], part["start_bytes"], part["type"]) for part in said["partitions"]] == [
        (1, 34 * 512, None),
        (2, 40960 * 512, None),
    ]
    reasons = {one["what"]: one["why"] for one in said["unread"]}
    assert reasons["table"] == "Reading this needs root."
    words = inspect(drive, user=NOBODY)
    assert words.returncode == 0 and "Reading this needs root" in " ".join(words.stdout.split())


def test_invalid_drive_is_reported_in_one_message(drive: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for word, said in {
        "/dev/sdnope": "Device /dev/sdnope does not exist",
        f"{drive}p1": f"{drive}p1 is a partition of {drive}",
        str(tmp_path): "is not a block device",
        str(tmp_path / "file"): "is not a block device",
        "/dev/null": "is not a block device",
        "": "No device specified",
        "/dev/\x1b[31m": "Device /dev/?[31m does not exist",
    }.items():
        for json_too in ([], ["--json"]):
            done = inspect(word, *json_too)
            assert (done.returncode, done.stdout) == (2, ""), word
            assert said in done.stderr and done.stderr.count("\n") == 1 and "\x1b" not in done.stderr


def test_recording_shows_the_same_after_the_drive_is_gone(drive: str, tmp_path: Path) -> None:
    saved = tmp_path / "facts.json"
    live = document(drive, "--save", str(saved))
    forget_partitions(drive)
    tool("wipefs", "--all", "--quiet", drive)
    again = document("--machine", str(saved))
    assert again == live
    assert document(drive, "--machine", str(saved)) == live
    assert document(drive)["drives"][0]["partitions"] == []
    done = inspect("/dev/sdx", "--machine", str(saved))
    assert done.returncode == 2 and f"Drive /dev/sdx is not among the known drives: {drive}" in done.stderr


def test_unusable_files_are_refused(tmp_path: Path, drive: str) -> None:
    cut = tmp_path / "cut.json"
    inspect(drive, "--save", str(cut))
    cut.write_text(cut.read_text()[:-40])
    for words, code in (
        (("--machine", str(cut)), 2),
        (("--machine", "/nope"), 2),
        ((drive, "--save", "/nope/x"), 1),
    ):
        done = inspect(*words)
        assert done.returncode == code and done.stdout == ""
        assert "Traceback" not in done.stderr and done.stderr.count("\n") == 1


def test_empty_loop_devices_are_listed_only_on_request(drive: str) -> None:
    assert drive in list_drive_paths()
    every = list_drive_paths(all_devices=True)
    assert set(list_drive_paths()) < set(every)
    empty = {
        f"/dev/{folder.name}" for folder in Path("/sys/block").glob("loop*") if not (folder / "loop").exists()
    }
    assert empty <= set(every) and not empty & set(list_drive_paths())
    assert not [path for path in list_drive_paths() if path.startswith(("/dev/zram", "/dev/ram"))]


@pytest.mark.alone
def test_hotplug_is_detected_and_opening_is_not(make_drive: MakeDrive) -> None:
    first = make_drive(8 * MIB)
    stop, seen = threading.Event(), threading.Semaphore(0)

    def watch() -> None:
        for _ in watch_drives(stop):
            seen.release()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        time.sleep(0.5)
        while seen.acquire(blocking=False):
            pass
        descriptor = os.open(first, os.O_RDWR)
        os.close(descriptor)
        document(first)
        second = make_drive(8 * MIB)
        assert seen.acquire(timeout=5), "attached"
        tool("losetup", "--detach", second)
        assert seen.acquire(timeout=5), "detached"
    finally:
        stop.set()
        thread.join(5)
    assert not thread.is_alive()
