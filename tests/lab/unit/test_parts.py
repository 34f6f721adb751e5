"""Parts of the lab that need no QEMU: the fleet's arguments, the initramfs, unpacked files, and counting
answers."""

import itertools
import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.lab.drives.attach import file_node, fleet_arguments
from tests.lab.drives.fleet import Bus, Fleet, Pace
from tests.lab.drives.members import CHARGING, CONTROL, FIRST_FLEET, NATIVE
from tests.lab.errands.pay import checks_of
from tests.lab.guest.distribution import is_wanted
from tests.lab.guest.initramfs import Member, archive, load_order
from tests.lab.guest.inside import assert_guest
from tests.lab.guest.machine import GuestResult
from tests.lab.visits.whole.whole_path import noise

IMAGES = {drive.name: file_node(drive, f"/images/{drive.name}") for drive in FIRST_FLEET.drives}


def after(option: str, arguments: list[str]) -> list[str]:
    return [value for flag, value in itertools.pairwise(arguments) if flag == option]


def nodes() -> dict[str, dict[str, object]]:
    made = [json.loads(text) for text in after("-blockdev", fleet_arguments(FIRST_FLEET, IMAGES))]
    return {node["node-name"]: node for node in made}


def test_cost_of_a_rewrite_is_added_to_the_rate_limit() -> None:
    node = nodes()["charging"]
    assert (node["driver"], node["align"]) == ("blkdebug", 4096)
    below = node["image"]
    assert isinstance(below, dict)
    assert below["driver"] == "throttle"
    assert below["file"]["filename"] == "/images/charging"


def test_control_drive_has_the_same_rate_limit_and_no_cost() -> None:
    assert nodes()["control"]["driver"] == "throttle"
    assert isinstance(CONTROL.media, Pace)
    assert isinstance(CHARGING.media, Pace)
    assert CONTROL.media.requests_per_second == CHARGING.media.requests_per_second
    groups = [json.loads(text) for text in after("-object", fleet_arguments(FIRST_FLEET, IMAGES))]
    assert [(group["id"], group["limits"]) for group in groups] == [
        ("charging-pace", {"iops-total": 50}),
        ("control-pace", {"iops-total": 50}),
    ]


def test_page_cache_of_the_host_is_bypassed() -> None:
    for node in nodes().values():
        while "driver" in node and node["driver"] != "file":
            below = node.get("file") or node.get("image")
            assert isinstance(below, dict)
            node = below
        assert node["cache"] == {"direct": True, "no-flush": True}


def test_devices_have_the_properties_for_the_guest() -> None:
    devices = [
        json.loads(text)
        for text in after("-device", fleet_arguments(FIRST_FLEET, IMAGES))
        if text.startswith("{")
    ]
    by_serial = {device["serial"]: device for device in devices}
    native = by_serial["LAB-4KN"]
    assert (native["driver"], native["logical_block_size"], native["physical_block_size"]) == (
        "scsi-hd",
        4096,
        4096,
    )
    charging = by_serial["LAB-512E-CHARGING"]
    assert (charging["driver"], charging["logical_block_size"], charging["physical_block_size"]) == (
        "ide-hd",
        512,
        4096,
    )
    assert charging["discard_granularity"] == 0
    assert charging["model"] == CHARGING.model


def test_virtio_drive_has_no_model_and_no_wwn() -> None:
    drive = replace(NATIVE, bus=Bus.VIRTIO, model=None, wwn=None, rotation_rate=None)
    (device,) = (
        json.loads(text) for text in after("-device", fleet_arguments(Fleet("one", (drive,)), IMAGES))
    )
    assert device["driver"] == "virtio-blk-pci"
    assert not {"model", "product", "wwn", "rotation_rate"} & set(device)


def test_drives_unsupported_by_qemu_are_refused() -> None:
    with pytest.raises(ValueError, match="512"):
        replace(NATIVE, bus=Bus.SATA)
    with pytest.raises(ValueError, match="serial"):
        replace(NATIVE, serial="A" * 21)
    with pytest.raises(ValueError, match="share"):
        Fleet("two", (NATIVE, NATIVE))


def test_modules_are_loaded_after_their_dependencies() -> None:
    dependencies = (
        "kernel/a.ko.xz: kernel/b-c.ko.xz kernel/d.ko.xz\nkernel/b-c.ko.xz: kernel/d.ko.xz\nkernel/d.ko.xz:\n"
        "kernel/e.ko.xz:\n"
    )
    assert load_order(dependencies, ("a", "b_c")) == ("kernel/d.ko.xz", "kernel/b-c.ko.xz", "kernel/a.ko.xz")


def test_built_in_module_is_omitted() -> None:
    assert load_order("kernel/e.ko:\n", ("e", "virtio_pci")) == ("kernel/e.ko",)


@pytest.mark.skipif(
    shutil.which("busybox") is None, reason="reads the archive with busybox (package busybox-static)"
)
def test_initramfs_can_be_unpacked(tmp_path: Path) -> None:
    members = [
        Member("bin", stat.S_IFDIR | 0o755),
        Member("bin/tool", stat.S_IFREG | 0o755, b"12345"),
        Member("bin/name", stat.S_IFLNK | 0o777, b"tool"),
    ]
    subprocess.run(
        ["busybox", "cpio", "-i", "-d"], input=archive(members), cwd=tmp_path, check=True, capture_output=True
    )
    assert (tmp_path / "bin/tool").read_bytes() == b"12345"
    assert os.access(tmp_path / "bin/tool", os.X_OK)
    assert (tmp_path / "bin/name").readlink() == Path("tool")


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("boot/vmlinuz-6.1.0-1-amd64", True),
        ("boot/System.map-6.1.0-1-amd64", False),
        ("lib/modules/6.1.0-1-amd64/kernel/fs/xfs/xfs.ko", True),
        ("usr/lib/modules/6.12.1/kernel/drivers/ata/ahci.ko.xz", True),
        ("lib/modules/6.1.0-1-amd64/kernel/drivers/net/dummy.ko", False),
        ("lib/modules/6.1.0-1-amd64/modules.builtin", True),
        ("lib/systemd/systemd-udevd", True),
        ("etc/udev/udev.conf", False),
        ("usr/share/doc/udev/copyright", False),
    ],
)
def test_only_files_for_the_guest_are_unpacked(path: str, wanted: bool) -> None:
    assert is_wanted(tuple(path.split("/"))) is wanted


def test_aborted_job_is_a_failed_check() -> None:
    answer = '{"what": "sizes", "holds": true, "seen": ""}\n'
    (whole,) = checks_of(GuestResult(0, answer, "", "", 1.0))
    assert whole.holds
    first, broken = checks_of(GuestResult(1, answer, "AssertionError: here", "", 1.0))
    assert first.holds
    assert not broken.holds
    assert "AssertionError: here" in broken.seen


@pytest.mark.parametrize("answer", ["", "Segmentation fault\n", '{"what": "sizes"}\n'])
def test_silence_and_garbage_are_failures(answer: str) -> None:
    assert [check.holds for check in checks_of(GuestResult(0, answer, "", "", 1.0))] == [False]


def test_jobs_refuse_to_run_outside_a_guest() -> None:
    with pytest.raises(AssertionError, match="guest only"):
        assert_guest()


def test_noise_is_not_a_partition_table() -> None:
    pattern = noise()
    assert len(pattern) == 1024 * 1024
    assert pattern[510:512] != b"\x55\xaa"
    assert pattern == noise()
