"""Drives in use are detected: mounted anywhere, used as swap, behind a loop device, open in a program.
Free again afterwards."""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.devices import MakeDrive, in_own_namespace, tool, write_table
from tests.loop.program import MIB, probe_drive
from wizard.model.machine import Layer, Use
from wizard.probe.collect import claims
from wizard.probe.host.uses import ELSEWHERE, HIDDEN_AT

Own = Callable[[str], None]


@pytest.fixture
def drive(make_drive: MakeDrive, own: Own) -> str:
    """Two partitions with nodes, the first with ext4."""
    path = make_drive(64 * MIB)
    own(path)
    script = "label: gpt\n,30M\n,20M\n"
    write_table(path, script)
    tool("partx", "--add", path)
    tool("mkfs.ext4", "-q", f"{path}p1")
    return path


@contextmanager
def running(*argv: str) -> Iterator[subprocess.Popen[str]]:
    """Run a helper process that prints a line when ready."""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline().strip() == "ready"
            yield process
        finally:
            process.kill()


def test_idle_drive_is_not_in_use(drive: str) -> None:
    assert probe_drive(drive).uses == ()


def test_mounted_partition_is_in_use_and_its_neighbour_is_not(drive: str, tmp_path: Path) -> None:
    place = tmp_path / "a place"
    place.mkdir()
    tool("mount", f"{drive}p1", str(place))
    try:
        expected = (Use("mounted", f"{drive}p1", str(place)),)
        assert probe_drive(drive).uses == expected
        first, second = probe_drive(drive).partitions
        assert first.mount_points == (str(place),) and second.mount_points == ()
    finally:
        tool("umount", str(place))
    assert probe_drive(drive).uses == ()


@pytest.mark.alone
def test_mount_in_another_namespace_is_detected(drive: str, tmp_path: Path) -> None:
    inside = f"mount {drive}p1 {tmp_path} && echo ready && read line"
    with running(*in_own_namespace("sh", "-c", inside)):
        assert probe_drive(drive).uses == (Use("mounted", f"{drive}p1", HIDDEN_AT(place=str(tmp_path))),)
        assert probe_drive(drive).partitions[0].mount_points == (), "it is not mounted where we are"


def test_lazily_unmounted_filesystem_is_still_in_use(drive: str, tmp_path: Path) -> None:
    tool("mount", f"{drive}p1", str(tmp_path))
    file = (tmp_path / "kept open").open("w")
    try:
        tool("umount", "--lazy", str(tmp_path))
        assert probe_drive(drive).uses == (Use("mounted", f"{drive}p1", ELSEWHERE),)
    finally:
        file.close()
    until = time.monotonic() + 10
    while probe_drive(drive).uses and time.monotonic() < until:
        time.sleep(0.05)
    assert probe_drive(drive).uses == ()


def test_swap_counts_as_use(drive: str) -> None:
    tool("mkswap", f"{drive}p2")
    done = subprocess.run(["swapon", f"{drive}p2"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"this kernel gives no swap: {done.stderr.strip()}")
    try:
        assert [(use.kind, use.subject) for use in probe_drive(drive).uses] == [("swap", f"{drive}p2")]
    finally:
        tool("swapoff", f"{drive}p2")


@pytest.mark.parametrize("part", ["", "p2"], ids=["whole drive", "partition"])
def test_loop_device_over_a_drive_is_a_use_and_a_layer(drive: str, own: Own, part: str) -> None:
    own(drive)
    above = tool("losetup", "--find", "--show", f"{drive}{part}").strip()
    try:
        seen = probe_drive(drive)
        assert seen.uses == (Use("loop-backing", f"{drive}{part}", above),) == probe_drive(drive).uses
        assert seen.layers == (Layer("loop", above, f"{drive}{part}"),)
    finally:
        tool("losetup", "--detach", above)


def test_mount_through_a_loop_over_a_partition_is_found(drive: str, own: Own, tmp_path: Path) -> None:
    own(drive)
    above = tool("losetup", "--find", "--show", f"{drive}p1").strip()
    try:
        tool("mount", above, str(tmp_path))
        try:
            assert Use("mounted", above, str(tmp_path)) in probe_drive(drive).uses
            assert probe_drive(drive).layers[0].mount_points == (str(tmp_path),)
        finally:
            tool("umount", str(tmp_path))
    finally:
        tool("losetup", "--detach", above)


@pytest.mark.parametrize("part", ["", "p1"], ids=["whole drive", "partition"])
def test_exclusive_open_by_a_program_counts_as_use(drive: str, part: str) -> None:
    holder = (
        f"import os; os.open({drive + part!r}, os.O_RDONLY | os.O_EXCL); print('ready', flush=True); input()"
    )
    with running(sys.executable, "-c", holder):
        kinds = {use.kind for use in probe_drive(drive).uses}
        assert kinds == {"opened"} == {use.kind for use in probe_drive(drive).uses}
        assert f"{drive}{part}" in {use.subject for use in probe_drive(drive).uses}
    assert probe_drive(drive).uses == ()


def test_reading_by_a_program_is_not_a_use(drive: str) -> None:
    descriptor = os.open(drive, os.O_RDONLY)
    try:
        assert probe_drive(drive).uses == ()
    finally:
        os.close(descriptor)


def test_btrfs_over_two_drives_uses_both(make_drive: MakeDrive, own: Own, tmp_path: Path) -> None:
    pair = [make_drive(200 * MIB), make_drive(200 * MIB)]
    for path in pair:
        own(path)
    tool("mkfs.btrfs", "-q", *pair)
    tool("btrfs", "device", "scan", *pair)
    tool("mount", pair[0], str(tmp_path))
    try:
        for path in pair:
            assert probe_drive(path).uses == (Use("mounted", path, str(tmp_path)),)
    finally:
        tool("umount", str(tmp_path))
        tool("btrfs", "device", "scan", "--forget", *pair)


def test_probe_never_claims_a_locked_drive(make_drive: MakeDrive) -> None:
    """Check that a probe never claims a locked drive. A short claim could make another program's mkfs or
    mount fail."""
    drive = make_drive(64 * MIB)
    with Path(drive).open("rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        assert claims(Path(drive).name, []) == {}
    assert claims(Path(drive).name, []) == {Path(drive).name: True}
