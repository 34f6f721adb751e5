"""Systems with GRUB, installed like a distribution: their firmware and partitions, and how a guest creates
them."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from shutil import copy2, copytree, rmtree

from msgspec import Struct

from tests.lab.drives.fleet import MIB, EmulatedDrive
from tests.lab.guest.inside import SHARED, SLOW, node_of, sysfs, tool
from tests.lab.visits.booting.entry import GLOBAL, NUMBER, load_option, order
from wizard.model.errors import partition_path
from wizard.process.program import find, run

SECTOR_BYTES = 512
GRUB = Path("/usr/lib/grub/i386-pc")
PLACE = Path("/srv/lab/system")
KERNEL, FIRST_ROOT, INIT, BUSYBOX = "vmlinuz", "first-root", "init.sh", "busybox"
"""Files of a system, in the shared folder."""

APPLETS = ("sh", "cat", "sed", "findfs", "mount", "sync", "sleep")
OPTIONS = "console=ttyS0 quiet panic=-1 mitigations=off nokaslr random.trust_cpu=on"


class Firmware(StrEnum):
    """Firmware that starts the boot loader."""

    BIOS = "bios"
    UEFI = "uefi"


class Installed(Struct, frozen=True):
    """A drive with a system. `table`: for sfdisk. Other numbers are partition numbers; `esp` is 0 without
    one. `grub`: options of grub-install besides the folder, with {node} for the drive. `is_entered`:
    contains its own grub-install, for use inside. `is_noted`: at its first boot, the firmware records the
    location of the boot loader, which is then removed from the usual path."""

    drive: EmulatedDrive
    firmware: Firmware
    table: str
    root: int
    uuid: str
    holds: str = "ext4"
    esp: int = 0
    grub: tuple[str, ...] = ("--target=i386-pc", "{node}")
    is_entered: bool = False
    is_noted: bool = False

    @property
    def node(self) -> str:
        """Node of the drive in a guest."""
        return node_of(self.drive)

    def part(self, number: int) -> str:
        """Node of a partition in a guest."""
        return partition_path(self.node, number)

    def install(self) -> None:
        """Install the system in a guest."""
        wipes = ["--quiet", "--wipe", "always", "--wipe-partitions", "always"]
        run(["sfdisk", *wipes, self.node], seconds=SLOW, stdin=self.table.encode())
        tool("modprobe", self.holds)
        tool("mkfs.ext4", "-q", "-F", "-U", self.uuid, self.part(self.root))
        PLACE.mkdir(parents=True, exist_ok=True)
        tool("mount", self.part(self.root), str(PLACE))
        try:
            self._put_files()
            if self.esp:
                tool("mkfs.vfat", self.part(self.esp))
                self._mount_esp(PLACE / "boot/efi")
            self._put_grub()
        finally:
            tool("umount", "-R", str(PLACE))

    def _mount_esp(self, place: Path) -> None:
        tool("modprobe", "-a", "vfat", "nls_cp437", "nls_ascii", "nls_iso8859-1")
        place.mkdir(parents=True, exist_ok=True)
        tool("mount", "-t", "vfat", self.part(self.esp), str(place))

    def _put_files(self) -> None:
        for folder in ("bin", "boot/grub", "dev", "etc", "proc", "sbin", "sys"):
            (PLACE / folder).mkdir(parents=True)
        for name, place in (
            (KERNEL, "boot/vmlinuz"),
            (FIRST_ROOT, "boot/initrd.img"),
            (INIT, "sbin/init"),
            (BUSYBOX, "bin/busybox"),
        ):
            copy2(SHARED / name, PLACE / place)
        for applet in APPLETS:
            (PLACE / "bin" / applet).symlink_to("busybox")
        if self.is_entered:
            _put_program("grub-install")
            copytree(GRUB, PLACE / GRUB.relative_to("/"))

    def _put_grub(self) -> None:
        words = (word.format(node=self.node) for word in self.grub)
        tool("grub-install", "--no-floppy", f"--boot-directory={PLACE}/boot", *words)
        # Like Debian's 10_linux.
        (PLACE / "boot/grub/grub.cfg").write_text(
            "insmod part_msdos\ninsmod part_gpt\ninsmod ext2\n"
            f"search --no-floppy --fs-uuid --set=root {self.uuid}\n"
            f"linux /boot/vmlinuz root=UUID={self.uuid} ro {OPTIONS}\n"
            "initrd /boot/initrd.img\nboot\n"
        )
        if self.is_noted:
            self._put_entry()

    def _put_entry(self) -> None:
        folder = PLACE / "boot/efi/EFI"
        (folder / "debian").mkdir()
        copy2(folder / "BOOT/BOOTX64.EFI", folder / "debian/grubx64.efi")
        part = self.part(self.esp)
        start, size = (int(sysfs(part, name)) for name in ("start", "size"))
        uuid = tool("blkid", "-p", "-s", "PART_ENTRY_UUID", "-o", "value", part).strip()
        (PLACE / "etc/firmware").mkdir()
        (PLACE / f"etc/firmware/Boot{NUMBER:04X}-{GLOBAL}").write_bytes(
            load_option(self.esp, start, size, uuid)
        )
        (PLACE / f"etc/firmware/BootOrder-{GLOBAL}").write_bytes(order())

    def forget_the_usual_place(self) -> None:
        """Remove the boot loader from the path where every firmware searches."""
        self._mount_esp(PLACE)
        try:
            rmtree(PLACE / "EFI/BOOT")
        finally:
            tool("umount", str(PLACE))


def _put_program(name: str) -> None:
    """Copy a program with its libraries."""
    program = find(name)
    assert program is not None
    for path in {program, *re.findall(r"(/\S+) \(0x", tool("ldd", program))}:
        place = PLACE / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        copy2(path, place)


def sectors(mib: int) -> int:
    """Convert MiB to sectors."""
    return mib * MIB // SECTOR_BYTES
