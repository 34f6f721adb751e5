"""QEMU options for the drives in the pictures, their old content, and recordings that reveal nothing about
their machine."""

import itertools
import json
import os
import struct
from pathlib import Path

import pytest

from tests.lab.drives.attach import file_node, fleet_arguments
from tests.lab.drives.pictured import BACKUP, FILMS, PICTURED_FLEET, SECTOR, SHINGLED, STICK, lay_out_past
from tests.lab.errands import record
from tests.lab.guest.machine import CHECKOUT, Laboratory
from wizard.process.program import find, run


def devices() -> dict[str, dict[str, object]]:
    arguments = fleet_arguments(
        PICTURED_FLEET,
        {drive.name: file_node(drive, f"/images/{drive.name}") for drive in PICTURED_FLEET.drives},
    )
    texts = [value for flag, value in itertools.pairwise(arguments) if flag == "-device"]
    made = [json.loads(text) for text in texts if text.startswith("{")]
    return {str(device.get("drive") or device["id"]): device for device in made}


def test_nvme_drive_has_the_model_set_by_qemu() -> None:
    busy = devices()["busy-controller"]
    assert (busy["driver"], busy["serial"]) == ("nvme", "NV8K2P41")
    assert devices()["busy"]["bus"] == "busy-controller"
    assert not {"model", "product", "wwn", "rotation_rate"} & set(busy)


def test_stick_is_on_a_bridge_with_its_serial() -> None:
    bridge, stick = devices()["stick-controller"], devices()["stick"]
    assert (bridge["driver"], bridge["serial"]) == ("usb-bot", STICK.serial)
    assert (stick["driver"], stick["bus"], stick["removable"]) == ("scsi-hd", "stick-controller.0", True)
    assert {"nvme", "usb_storage", "xhci_pci"} <= set(PICTURED_FLEET.drivers)


class Images(Laboratory):
    """Images without a guest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for drive in PICTURED_FLEET.drives:
            with self.image(drive.name).open("xb") as file:
                file.truncate(drive.size_bytes)

    def image(self, name: str) -> Path:
        return self.folder / name


@pytest.mark.skipif(
    find("mke2fs") is None or find("sfdisk") is None, reason="makes filesystems by mke2fs, tables by sfdisk"
)
def test_drives_have_the_old_content_of_the_pictures(tmp_path: Path) -> None:
    images = Images(tmp_path)
    lay_out_past(images)
    table = json.loads(run(["sfdisk", "--json", str(images.image(SHINGLED.name))], seconds=30).output)[
        "partitiontable"
    ]
    assert [part["start"] * SECTOR for part in table["partitions"]] == [FILMS.start_bytes, BACKUP.start_bytes]
    for volume, label in ((FILMS, b"films"), (BACKUP, b"backup")):
        with images.image(SHINGLED.name).open("rb") as file:
            file.seek(volume.start_bytes + 1024)
            block = file.read(1024)
        assert (struct.unpack_from("<H", block, 56)[0], block[120:136].rstrip(b"\0")) == (0xEF53, label)
        # The journal of ext3, and none of ext4's extents.
        assert (
            struct.unpack_from("<I", block, 92)[0] & 4 and not struct.unpack_from("<I", block, 96)[0] & 0x40
        )
    with images.image(STICK.name).open("rb") as file:
        file.seek(2048 * SECTOR + 1024 + 120)
        assert file.read(16).rstrip(b"\0").decode() == "M\u00fcsik"


def test_traces_of_the_machine_are_found() -> None:
    assert record.traces("mounted /dev/sda1 at /srv/films by /usr/sbin/mount") == ()
    assert record.traces(f"{CHECKOUT}/wizard/apply") == (str(CHECKOUT),)
    assert record.traces("saved in /lab/plan.json") == ("/lab/",)
    assert record.traces(f"host {os.uname().nodename}, drive 1") == (os.uname().nodename,)


def test_no_recording_is_saved_if_one_file_has_a_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, shared = tmp_path / "kept", tmp_path / "shared"
    shared.mkdir()
    monkeypatch.setattr(record, "RECORDED", kept)
    for name in record.NAMES:
        (shared / name).write_text("harmless\n")
    (shared / "plan.json").write_text(f"{CHECKOUT}\n")
    assert [check.what.partition(" ")[0] for check in record.keep(shared) if not check.holds] == ["plan.json"]
    assert not kept.exists()
    (shared / "plan.json").write_text("harmless\n")
    assert all(check.holds for check in record.keep(shared))
    assert sorted(path.name for path in kept.iterdir()) == sorted(record.NAMES)


def test_pictures_are_replaced_unless_one_has_a_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, shared = tmp_path / "kept", tmp_path / "shared"
    kept.mkdir()
    shared.mkdir()
    monkeypatch.setattr(record, "SCREENSHOTS", kept)
    monkeypatch.setattr(record, "CONSOLE_TEXTS", kept / "texts")
    for name in ("console-gone.png", "console-drives.png", "drives.svg"):
        (kept / name).write_text("old\n")
    (shared / "drives.png").write_text("new\n")
    (shared / "drives.txt").write_text(f"saved in {CHECKOUT}\n")
    assert [check.holds for check in record.keep_pictures(shared)] == [False]
    assert {path.read_text() for path in kept.iterdir()} == {"old\n"}
    (shared / "drives.txt").write_text("harmless\n")
    assert all(check.holds for check in record.keep_pictures(shared))
    assert {path.name: path.read_text() for path in kept.rglob("*.*")} == {
        "console-drives.png": "new\n",
        "drives.svg": "old\n",
        "drives.txt": "harmless\n",
    }
