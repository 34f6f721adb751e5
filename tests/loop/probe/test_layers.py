"""Superblocks created by their own tools: data offset and striping, live and from a recording, with and
without root."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.devices import MakeDrive, tool, write_table
from tests.loop.program import KIB, MIB

Own = Callable[[str], None]
ROOT = Path(__file__).resolve().parents[3]
NOBODY = 65534
STARTS = {1: 2048, 2: 34 * 2048 + 34, 3: 60 * 2048}
"""In sectors; the second is off 4096 bytes."""


def inspect(*words: str, user: int | None = None) -> dict[str, Any]:
    argv = [sys.executable, "-m", "wizard", "inspect", "--json", *words]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False, user=user)
    assert done.returncode == 0, done.stderr
    (drive,) = json.loads(done.stdout)["drives"]
    found: dict[str, Any] = drive
    return found


@pytest.fixture
def drive(make_drive: MakeDrive, own: Own) -> str:
    """Three partitions: LUKS2, an ext4 for an array, and LVM."""
    path = make_drive(96 * MIB)
    own(path)
    script = "label: gpt\n" + "".join(f"start={start},size={20 * 2048}\n" for start in STARTS.values())
    write_table(path, script)
    tool("partx", "--add", path)
    fast = ("--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000")
    done = subprocess.run(
        ["cryptsetup", "luksFormat", "-q", "--type", "luks2", *fast, "--key-file", "-", f"{path}p1"],
        input="a passphrase",
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    tool("mkfs.ext4", "-q", "-b", "1024", "-E", "stride=64,stripe_width=128", f"{path}p2")
    tool("pvcreate", "-q", "-y", "--devices", f"{path}p3", "--dataalignmentoffset", "512b", f"{path}p3")
    return path


def test_superblocks_of_real_tools_are_read(drive: str, tmp_path: Path) -> None:
    recording = str(tmp_path / "machine.json")
    found = inspect("--save", recording, drive)
    marks = [part["signatures"][0] for part in found["partitions"]]
    assert [mark["kind"] for mark in marks] == ["crypto_LUKS", "ext4", "LVM2_member"]
    assert [mark["data_offset_bytes"] for mark in marks] == [16 * MIB, None, MIB + 512]
    assert (
        marks[1]["striping"] == {"unit_bytes": 64 * KIB, "width_bytes": 128 * KIB}
        and marks[1]["block_bytes"] == 1024
    )
    codes = {
        (finding["subject"], finding["code"])
        for finding in found["findings"]
        if finding["code"].startswith("alignment-")
    }
    assert codes == {
        (f"{drive}p1", "alignment-ok"),
        (f"{drive}p2", "alignment-4096"),
        (f"{drive}p2", "alignment-stripe"),
        (f"{drive}p3", "alignment-inside"),
    }
    assert inspect("--machine", recording) == found
    # Where keys and their digests are, the recording has nothing.
    chunks = json.loads(Path(recording).read_text())["drives"][0]["superblocks"][Path(f"{drive}p1").name]
    assert all(chunk["offset_bytes"] < 16 * KIB and len(chunk["data"]) < 1024 for chunk in chunks)


def test_inner_layout_is_unknown_without_root(drive: str) -> None:
    found = inspect(drive, user=NOBODY)
    assert all(
        mark["data_offset_bytes"] is None for part in found["partitions"] for mark in part["signatures"]
    )
    assert any(one["what"] == "signatures" for one in found["unread"])
    assert not any(finding["code"] == "alignment-inside" for finding in found["findings"])


STATES: dict[str, tuple[tuple[tuple[str, ...], ...], int, bytes]] = {
    # ntfsresize marks the volume for a check.
    "content-unclean": (
        (("mkfs.ntfs", "-Q", "-q", "-F"), ("ntfsresize", "-f", "-f", "-s", "60M")),
        0,
        b"",
    ),
    "content-hibernated": ((("mkswap", "-q"),), 4086, b"S1SUSPEND\0"),
    "content-deprecated": ((("mkfs.xfs", "-q", "-m", "crc=0", "-n", "ftype=0"),), 0, b""),
}


@pytest.mark.parametrize("code", STATES)
def test_content_states_of_real_tools_are_read(
    make_drive: MakeDrive, own: Own, tmp_path: Path, code: str
) -> None:
    (make, *change), offset, data = STATES[code]
    path = make_drive(320 * MIB if "xfs" in make[0] else 96 * MIB)
    own(path)
    tool(*make, path)
    if code == "content-unclean":
        assert code not in {finding["code"] for finding in inspect(path)["findings"]}
    for argv in change:
        done = subprocess.run([*argv, path], input="y\n", text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    with Path(path).open("r+b") as device:
        device.seek(offset)
        device.write(data)
    recording = str(tmp_path / "machine.json")
    found = inspect("--save", recording, path)
    assert code in {finding["code"] for finding in found["findings"]}
    assert inspect("--machine", recording) == found
