"""Jobs: install systems with GRUB, move them in a guest that acts as a rescue medium, and boot them again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.lab.drives.fleet import MIB, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.distribution import guest_system
from tests.lab.guest.initramfs import busybox, first_root
from tests.lab.guest.inside import SHARED, SLOW, sysfs, told
from tests.lab.visits.booting.entry import NUMBER
from tests.lab.visits.booting.firmware import started
from tests.lab.visits.booting.system import (
    BUSYBOX,
    FIRST_ROOT,
    INIT,
    KERNEL,
    SECTOR_BYTES,
    Firmware,
    Installed,
    sectors,
)
from wizard.model.errors import ExitCode
from wizard.model.run import Check
from wizard.process.program import run

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

FILES = Path(__file__).parent
APPLETS = ("sh", "mount", "insmod", "cat", "sleep", "switch_root", "findfs")
DRIVERS = ("virtio_pci", "virtio_blk", "crc32c_generic", "ext4", "efivarfs")
START_SECONDS = 180.0
STUCK_SECONDS = 40.0
"""Longer than any successful boot."""

BEFORE_FIRST = 2048
"""Sectors before the first partition."""

PLACES = "places.json"
"""File in the shared folder: the sector of each drive's root."""

COMMAND = "command"
"""File in the shared folder: the command for GRUB."""

REINSTALL = re.compile(r"`(mount [^`]+grub-install[^`]+)`")
"""The printed command that reinstalls GRUB."""

MBR = Installed(
    virtio_drive("boot-mbr", 160 * MIB),
    Firmware.BIOS,
    f"label: dos\nstart=63, size={sectors(64)}, type=83, bootable\n",
    root=1,
    uuid="5f0c6b1e-0001-4000-8000-000000000001",
)
"""Partitioned like installers until 2010, with GRUB in the 62 sectors before the first partition."""

EFI = Installed(
    virtio_drive("boot-efi", 224 * MIB),
    Firmware.UEFI,
    "label: gpt\nfirst-lba: 34\n"
    f"start=34, size={sectors(36)}, type=U\nstart={34 + sectors(36)}, size={sectors(64)}, type=L\n",
    root=2,
    uuid="5f0c6b1e-0002-4000-8000-000000000002",
    esp=1,
    grub=("--target=x86_64-efi", "--no-nvram", "--removable", "--efi-directory=/srv/lab/system/boot/efi"),
)
"""The EFI partition and the system's partition are misaligned."""

BIOS_BOOT = Installed(
    virtio_drive("boot-gpt", 160 * MIB),
    Firmware.BIOS,
    f"label: gpt\nfirst-lba: 34\nstart=34, size=2015, type=21686148-6449-6E6F-744E-656564454649\n"
    f"start=2049, size={sectors(64)}, type=L\n",
    root=2,
    uuid="5f0c6b1e-0003-4000-8000-000000000003",
)
"""GRUB is in its own partition, also misaligned."""

LISTED = Installed(
    virtio_drive("boot-list", 192 * MIB),
    Firmware.BIOS,
    f"label: gpt\nfirst-lba: 34\nstart=2049, size={sectors(80)}, type=L\n",
    root=1,
    uuid="5f0c6b1e-0004-4000-8000-000000000004",
    grub=("--target=i386-pc", "--force", "{node}"),
    is_entered=True,
)
"""A GPT without a partition for GRUB: the first sector lists the blocks of a file on the system partition."""

NOTED = replace(
    EFI,
    drive=virtio_drive("boot-noted", 224 * MIB),
    uuid="5f0c6b1e-0005-4000-8000-000000000005",
    is_noted=True,
)
"""The firmware boots from an entry with the location and GUID of the partition."""

DAILY, FULL = (
    Fleet("booting", (MBR.drive, EFI.drive)),
    Fleet("booting-full", (BIOS_BOOT.drive, LISTED.drive, NOTED.drive)),
)
SYSTEMS = {DAILY: (MBR, EFI), FULL: (BIOS_BOOT, LISTED, NOTED)}


def _prepare(lab: Laboratory) -> None:
    system = guest_system()
    (lab.shared / KERNEL).write_bytes(system.packed.read_bytes())
    script = (FILES / "first_root.sh").read_bytes()
    (lab.shared / FIRST_ROOT).write_bytes(first_root(system, script, APPLETS, {"modules": DRIVERS}))
    (lab.shared / BUSYBOX).write_bytes(busybox())
    (lab.shared / INIT).write_bytes((FILES / INIT).read_bytes())
    for name in (BUSYBOX, INIT):
        (lab.shared / name).chmod(0o755)


def installed(fleet: Fleet) -> Iterator[Check]:
    """Install with grub-install, like a distribution."""
    for one in SYSTEMS[fleet]:
        one.install()
    yield Check("all systems are installed", True, "")
    _note_places(fleet)


def moved(fleet: Fleet) -> Iterator[Check]:
    """Move all misaligned partitions that support it, in a guest independent of the system."""
    for one in SYSTEMS[fleet]:
        if one.is_noted:
            one.forget_the_usual_place()
        before = _sector(one)
        status, said = told("move", one.node, "--confirm", one.drive.serial)
        name = one.drive.name
        yield Check(
            f"{name}: move succeeds", status == ExitCode.DONE and _sector(one) != before, said[-3000:]
        )
        again, asked = _again(said), one is LISTED
        if asked:
            (SHARED / COMMAND).write_text(again)
        yield Check(f"{name}: move prints {'a' if asked else 'no'} GRUB command", bool(again) == asked, said)
        if one.esp:
            start = int(sysfs(one.part(one.esp), "start"))
            told_so = "firmware's boot entries" in " ".join(said.split())
            yield Check(
                f"{name}: the EFI partition moves, with a note about boot entries",
                start > 34 and told_so,
                said,
            )
        if one is BIOS_BOOT:
            stays = int(sysfs(one.part(1), "start")) == 34 and "is not moved, which" in " ".join(said.split())
            yield Check(f"{name}: GRUB's own partition stays, with a note", stays, said)
        if asked:
            _write_over_the_old_place(one)
    _note_places(fleet)


def _write_over_the_old_place(one: Installed) -> None:
    """Overwrite the space before the partition, now free. GRUB could still start from old data there."""
    free = BEFORE_FIRST * SECTOR_BYTES
    with Path(one.node).open("r+b") as drive:
        drive.seek(free)
        drive.write(bytes(_sector(one) * SECTOR_BYTES - free))


def put_again(fleet: Fleet) -> Iterator[Check]:
    """Run exactly the command recommended after the move."""
    (one,) = (one for one in SYSTEMS[fleet] if one.is_entered)
    command = (SHARED / COMMAND).read_text()
    done = run(("sh", "-c", command), seconds=SLOW, accept=range(256))
    seen = f"{command}: {done.output}{done.errors}"
    yield Check(f"{one.drive.name}: the printed command succeeds", done.status == 0, seen)


def _again(said: str) -> str:
    found = REINSTALL.search(" ".join(said.split()))
    return found[1] if found else ""


def _sector(one: Installed) -> int:
    return int(sysfs(one.part(one.root), "start"))


def _note_places(fleet: Fleet) -> None:
    places = {one.drive.name: _sector(one) for one in SYSTEMS[fleet]}
    (SHARED / PLACES).write_text(json.dumps(places))


def _started(lab: Laboratory, one: Installed, seconds: float) -> tuple[int, str]:
    memory = lab.shared / f"{one.drive.name}.firmware" if one.is_noted else None
    return started(lab.image(one.drive.name), one.firmware, seconds, memory)


def _start(lab: Laboratory) -> Iterable[Check]:
    """Boot each system from the current location of its root."""
    places = json.loads((lab.shared / PLACES).read_text())
    for one in SYSTEMS[lab.fleet]:
        sector, heard = _started(lab, one, START_SECONDS)
        yield Check(f"{one.drive.name}: the system boots", sector == places[one.drive.name], heard[-1500:])


def _start_but_for_one(lab: Laboratory) -> Iterable[Check]:
    """Check that the system excluded by the preview does not boot."""
    for one in SYSTEMS[lab.fleet]:
        seconds = STUCK_SECONDS if one is LISTED else START_SECONDS
        sector, heard = _started(lab, one, seconds)
        what = "the system does not boot, as announced" if one is LISTED else "the system boots"
        if one.is_noted:
            by_entry = f"loading Boot{NUMBER:04X}" in heard
            yield Check("the firmware follows its entry with the old location", by_entry, heard[-1500:])
        yield Check(f"{one.drive.name}: {what}", (not sector) == (one is LISTED), heard[-1500:])


JOBS = {"booting-installed": installed, "booting-moved": moved, "booting-put-again": put_again}
VISITS = (
    Visit(
        "GRUB systems boot again after a move, with BIOS and with UEFI",
        DAILY,
        ("booting-installed", "booting-moved"),
        900,
        udev=False,
        prepare=_prepare,
        afterwards=_start,
    ),
    Visit(
        "GRUB in its own partition, in a file, and in a firmware entry: installed",
        FULL,
        ("booting-installed",),
        900,
        udev=False,
        full_only=True,
        prepare=_prepare,
        afterwards=_start,
    ),
    Visit(
        "GRUB in its own partition, in a file, and in a firmware entry: moved",
        FULL,
        ("booting-moved",),
        900,
        udev=False,
        full_only=True,
        afterwards=_start_but_for_one,
    ),
    Visit(
        "GRUB reinstalled with the command printed after a move",
        FULL,
        ("booting-put-again",),
        900,
        udev=False,
        full_only=True,
        afterwards=_start,
    ),
)
