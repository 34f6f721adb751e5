"""The medium: a computer boots it, sets up a drive, loses power, boots again, and continues."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import pytest

from tests.daily import IS_FULL
from tests.devices import Bench, tool
from tests.media.booted import Computer, Disk, Firmware
from tests.media.conftest import BUILD_SECONDS, CHECKOUT
from wizard.model.said import MIB

pytestmark = pytest.mark.alone
slow = pytest.mark.skipif(not IS_FULL, reason="it takes minutes under emulation: --full")
START_SECONDS = 1500.0
"""From switching on to the wizard's first screen."""
SCREEN_SECONDS = 240.0
WORK_SECONDS = 900.0
LARGEST_BYTES = 220_000_000
READINGS, STOPPED = 4, "did not answer within"
"""How often a busy machine may read the drives, and what the wizard says of a probe that took too long."""
KEY_SECONDS = 3.0
"""Until a key has been drawn."""
DONE = "(diskwright-done:%s)"


@pytest.fixture(scope="session")
def medium(built: Path) -> Path:
    """The image, built on the module if missing."""
    found = [*built.glob("*.iso")]
    if not found:
        subprocess.run(
            [sys.executable, str(CHECKOUT / "packaging/build.py"), "--quick", "--output", str(built), "iso"],
            check=True,
            timeout=BUILD_SECONDS,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        )
        found = [*built.glob("*.iso")]
    (image,) = found
    return image


@pytest.fixture
def empty(bench: Bench) -> Disk:
    """A new drive of this test. No guest uses it while it is attached here."""
    image = bench.folder / "new.img"
    image.touch()
    os.truncate(image, 1024 * MIB)
    return Disk(image, "NEW-DRIVE", "NEW7F3K9")


@pytest.fixture
def witness(bench: Bench) -> Disk:
    """A drive that any mount would change: an ext3 that was not unmounted."""
    image = bench.folder / "witness.img"
    image.touch()
    os.truncate(image, 64 * MIB)
    tool("mke2fs", "-q", "-t", "ext3", str(image))
    tool("debugfs", "-w", "-R", "feature needs_recovery", str(image))
    return Disk(image, "WITNESS", "WIT4N6X1")


def first_screen(computer: Computer) -> None:
    """Wait until the wizard has read the new drive. If the emulated probe exceeds its time limit, press
    `r` as a user would."""
    computer.until("NEW-DRIVE", START_SECONDS)
    for _ in range(READINGS):
        computer.until(lambda: any(text in computer.text for text in ("empty", STOPPED)), START_SECONDS)
        if "empty" in computer.text:
            return
        computer.type("r")
        sleep(SCREEN_SECONDS / READINGS)
    computer.until("empty", START_SECONDS)


def lead_to(computer: Computer, model: str) -> None:
    """Move the cursor to a drive. The kernel chooses its name."""
    for _ in range(4):
        if any(line.startswith(">") and model in line for line in computer.text.splitlines()):
            return
        computer.type("down")
        sleep(KEY_SECONDS)
    raise AssertionError(f"the cursor does not get to {model}:\n{computer.text}")


def shell(computer: Computer) -> None:
    """Leave the wizard for a prompt."""
    computer.type("q")
    computer.until("Enter starts it again", SCREEN_SECONDS)
    computer.type("s", "enter")
    computer.until("root@diskwright", SCREEN_SECONDS)


def ask(computer: Computer, command: str, seconds: float = SCREEN_SECONDS) -> None:
    """Run a command at the prompt until it succeeds."""
    computer.type(f"clear; {command}; echo '(diskwright-''done:'$?')'", "enter")
    computer.until("(diskwright-done:", seconds)
    computer.until(DONE % 0, SCREEN_SECONDS)


def switch_off(computer: Computer) -> None:
    """Switch off from the prompt."""
    computer.type("systemctl poweroff", "enter")
    computer.await_off(WORK_SECONDS)


@pytest.fixture
def mounted(bench: Bench, tmp_path: Path) -> Iterator[Path]:
    """Mount point for the first partition of an image, used by `look_into`."""
    place = tmp_path / "seen"
    place.mkdir()
    yield place
    if os.path.ismount(place):
        tool("umount", str(place))


def attached(bench: Bench, image: Path, number: int, *options: str) -> str:
    """Attach a partition of an image, numbered from 0, as a device. Not every kernel creates partitions of
    loop devices."""
    part = json.loads(tool("sfdisk", "--json", str(image)))["partitiontable"]["partitions"][number]
    extent = ("--offset", str(part["start"] * 512), "--sizelimit", str(part["size"] * 512))
    loop = tool("losetup", "--find", "--show", *extent, *options, str(image)).strip()
    bench.images[loop] = image
    bench.own(loop)
    return loop


def detach(bench: Bench, loop: str) -> None:
    """Detach before a guest gets the image."""
    tool("losetup", "--detach", loop)
    del bench.images[loop]


def look_into(bench: Bench, image: Path, mounted: Path) -> Path:
    """Mount the first partition of an image read-only here."""
    loop = attached(bench, image, 0, "--read-only")
    tool("mount", "-o", "ro,norecovery", loop, str(mounted))
    return mounted


@pytest.mark.skipif(IS_FULL, reason="the next one starts it as well")
def test_medium_boots_into_the_wizard_and_touches_no_drive(
    medium: Path, empty: Disk, witness: Disk, tmp_path: Path
) -> None:
    before = [hashlib.sha256(disk.image.read_bytes()).digest() for disk in (empty, witness)]
    with Computer(
        tmp_path / "computer", medium, [empty, witness], Firmware.BIOS, 768, stick=False
    ) as computer:
        first_screen(computer)
        computer.until("Not listed: /dev/sr0", SCREEN_SECONDS)
    assert before == [hashlib.sha256(disk.image.read_bytes()).digest() for disk in (empty, witness)]


@slow
@pytest.mark.parametrize("firmware", [Firmware.BIOS, Firmware.SECURE])
def test_drive_is_set_up_over_the_serial_line_and_has_a_file(
    firmware: Firmware, medium: Path, empty: Disk, witness: Disk, bench: Bench, mounted: Path, tmp_path: Path
) -> None:
    before = hashlib.sha256(witness.image.read_bytes()).digest()
    with Computer(tmp_path / "computer", medium, [empty, witness], firmware, 768, stick=False) as computer:
        first_screen(computer)
        computer.until("Not listed: /dev/sr0", SCREEN_SECONDS)
        assert "loop" not in computer.text
        lead_to(computer, empty.model)
        computer.type("enter")
        computer.until("will you store", SCREEN_SECONDS)
        computer.type("enter")
        computer.until("Volumes", SCREEN_SECONDS)
        assert "is in memory" in computer.text
        computer.type("enter")
        computer.until("Serial", SCREEN_SECONDS)
        computer.until("Rehearsing on a scratch copy", SCREEN_SECONDS)
        computer.type(empty.serial, "enter")
        computer.until("ready", WORK_SECONDS)
        shell(computer)
        ask(computer, "echo mine > /srv/media/file && sync")
        switch_off(computer)
    assert (look_into(bench, empty.image, mounted) / "file").read_text() == "mine\n"
    assert hashlib.sha256(witness.image.read_bytes()).digest() == before, "it touched a drive by itself"


@slow
def test_drive_is_set_up_on_the_screen_of_a_computer_with_512_mib(
    medium: Path, empty: Disk, bench: Bench, mounted: Path, tmp_path: Path
) -> None:
    """Use the computer's keyboard. The kernel reports the screen's content over the serial line."""
    with Computer(tmp_path / "computer", medium, [empty], Firmware.UEFI, 512, stick=True) as computer:
        first_screen(computer)
        shell(computer)

        def shows(text: str, seconds: float) -> None:
            there = f"grep -q '{text}' /dev/vcs1"
            ask(
                computer,
                f"for i in $(seq {seconds:.0f}); do {there} && break; sleep 1; done; {there}",
                WORK_SECONDS,
            )

        shows("NEW-DRIVE", SCREEN_SECONDS)
        computer.press("enter")
        shows("will you store", SCREEN_SECONDS)
        computer.press("enter")
        shows("Volumes", SCREEN_SECONDS)
        computer.press("enter")
        shows("Serial", SCREEN_SECONDS)
        computer.press(*empty.serial, "enter")
        shows("ready", WORK_SECONDS)
        computer.photograph(tmp_path / "ready.png")
        ask(computer, "echo mine > /srv/media/file && sync && free -m")
        switch_off(computer)
    assert (look_into(bench, empty.image, mounted) / "file").read_text() == "mine\n"


@pytest.fixture
def stick(medium: Path, bench: Bench) -> Path:
    """A stick with the copied medium, followed by a partition for runs."""
    image = bench.folder / "stick.img"
    shutil.copy(medium, image)
    os.truncate(image, image.stat().st_size + 512 * MIB)
    tool("sfdisk", "--relocate", "gpt-bak-std", str(image))
    subprocess.run(
        ["sfdisk", "--append", str(image)], input="type=L\n", text=True, check=True, capture_output=True
    )
    loop = attached(bench, image, -1)
    tool("mke2fs", "-q", "-t", "ext4", "-L", "diskwright-runs", loop)
    detach(bench, loop)
    return image


@pytest.fixture
def misaligned(bench: Bench, tmp_path: Path) -> Disk:
    """An old drive: an MBR, and an ext3 with a file, starting at sector 63."""
    image = bench.folder / "old.img"
    image.touch()
    os.truncate(image, 512 * MIB)
    subprocess.run(
        ["sfdisk", str(image)],
        input="label: dos\nstart=63, size=600000\n",
        text=True,
        check=True,
        capture_output=True,
    )
    loop = attached(bench, image, 0)
    tool("mke2fs", "-q", "-t", "ext3", "-L", "old", loop)
    place = tmp_path / "old"
    place.mkdir()
    tool("mount", loop, str(place))
    (place / "file").write_bytes(b"kept\n" * 4_000_000)
    tool("umount", str(place))
    detach(bench, loop)
    return Disk(image, "OLD-DRIVE", "OLD5T8W2")


@slow
def test_medium_continues_after_a_power_cut(
    stick: Path, misaligned: Disk, bench: Bench, mounted: Path, tmp_path: Path
) -> None:
    """During the move of a partition, the power is cut. After the reboot, the wizard offers the run first.
    Then the ext3 becomes ext4."""
    with Computer(tmp_path / "computer", stick, [misaligned], Firmware.BIOS, 768, stick=True) as computer:
        computer.until("OLD-DRIVE", START_SECONDS)
        shell(computer)
        ask(computer, "findmnt /var/lib/diskwright")
        drive = f"/dev/disk/by-id/ata-{misaligned.model}_{misaligned.serial}"
        computer.type(f"clear; diskwright move {drive} --align --confirm {misaligned.serial}", "enter")
        # All of it was read: now its blocks move.
        computer.until("[2/3]", WORK_SECONDS)
        sleep(KEY_SECONDS)
    with Computer(tmp_path / "computer", stick, [misaligned], Firmware.BIOS, 768, stick=True) as computer:
        computer.until("Go on or undo?", START_SECONDS)
        shell(computer)
        ask(computer, "diskwright resume", WORK_SECONDS)
        way = f"diskwright migrate {drive}-part1 --way light -o /root/ext4.json"
        ask(computer, way, WORK_SECONDS)
        ask(
            computer,
            f"diskwright apply /root/ext4.json --confirm {misaligned.serial} && diskwright keep",
            WORK_SECONDS,
        )
        switch_off(computer)
    (part,) = json.loads(tool("sfdisk", "--json", str(misaligned.image)))["partitiontable"]["partitions"]
    assert part["start"] * 512 % MIB == 0
    assert (look_into(bench, misaligned.image, mounted) / "file").read_bytes() == b"kept\n" * 4_000_000
    assert tool("findmnt", "--noheadings", "--output", "FSTYPE", str(mounted)).strip() == "ext4"


@slow
def test_image_is_small(medium: Path) -> None:
    """Test the size of a release build. Test builds are larger."""
    if "DISKWRIGHT_DIST" not in os.environ:
        pytest.skip("it was packed loosely")
    assert medium.stat().st_size <= LARGEST_BYTES
