"""Warnings of a move about GRUB on real drives, whose first sectors name the next sector to load."""

import subprocess
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright
from tests.loop.program import MIB, probe_drive

SECTOR = 512
IMAGE = Path("/usr/lib/grub/i386-pc/boot.img")
NEXT_AT = 0x5C
ROOT = 63


def boot_code(goes_on: int) -> bytes:
    """Return GRUB's boot code if installed, otherwise the inspected part, without the partition table."""
    code = bytearray(IMAGE.read_bytes() if IMAGE.exists() else bytes(512))
    code[0x180:0x18B] = b"GRUB \0Geom\0"
    code[NEXT_AT : NEXT_AT + 8] = goes_on.to_bytes(8, "little")
    return bytes(code[:440])


@pytest.mark.parametrize(("goes_on", "is_told"), [(1, False), (ROOT + 5000, True)], ids=["gap", "file"])
def test_preview_shows_the_grub_command_if_needed(
    make_drive: MakeDrive, work: Work, goes_on: int, is_told: bool
) -> None:
    path = make_drive(256 * MIB)
    script = f"label: dos\nstart={ROOT}, size={64 * MIB // SECTOR}, type=83, bootable\n"
    subprocess.run(["sfdisk", "--quiet", path], input=script, text=True, check=True, capture_output=True)
    tool("partx", "--update", path)
    tool("mkfs.ext4", "-q", "-F", "-E", f"offset={ROOT * SECTOR}", path, "64M")
    with Path(path).open("r+b") as drive:
        drive.write(boot_code(goes_on))
    (loader,) = probe_drive(path).loaders
    assert (loader.start_bytes, loader.next_bytes) == (0, goes_on * SECTOR)
    done = diskwright(work, "move", path)
    said = " ".join(done.stdout.split())
    assert (f"chroot /mnt grub-install --force {path} &&" in said) == is_told, done.stderr
    assert "does not boot afterwards" not in said
