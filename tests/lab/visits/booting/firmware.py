"""Boot a drive with its firmware and read the output. Runs on this machine, between guests."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from tests.lab.guest.machine import ACCELERATOR, QEMU
from tests.lab.visits.booting.system import Firmware

CODE = Path("/usr/share/OVMF/OVMF_CODE_4M.fd")
VARIABLES = Path("/usr/share/OVMF/OVMF_VARS_4M.fd")
MEMORY_MIB = 384
BOOTED = "The system has started from sector "
STUCK = ("grub rescue>", "No bootable device", "Press any key to continue", "UEFI Interactive")
"""Output of a failed boot."""


def started(
    image: Path, firmware: Firmware, seconds: float, variables: Path | None = None
) -> tuple[int, str]:
    """Return the sector from which the system booted, or 0 if it failed, and all output. `variables`: file
    with the firmware's variables, which the firmware writes; new ones by default."""
    with TemporaryDirectory() as folder:
        heard = Path(folder, "heard")
        heard.touch()
        own = variables or Path(folder, "variables")
        if not own.exists():
            own.write_bytes(VARIABLES.read_bytes())
        line = [*_arguments(image, firmware, own), "-serial", f"file:{heard}"]
        limit = monotonic() + seconds
        guarded = ["setpriv", "--pdeathsig", "KILL", "--", *line]
        with subprocess.Popen(guarded, stdin=subprocess.DEVNULL) as qemu:
            try:
                while qemu.poll() is None and monotonic() < limit and not _is_stuck(heard):
                    sleep(0.1)
            finally:
                qemu.kill()
        text = heard.read_bytes().decode(errors="replace")
    found = text.partition(BOOTED)[2].partition(".")[0]
    return int(found) if found.isdigit() else 0, text


def _is_stuck(heard: Path) -> bool:
    text = heard.read_bytes().decode(errors="replace")
    return any(word in text for word in STUCK)


def _arguments(image: Path, firmware: Firmware, variables: Path) -> list[str]:
    """Return QEMU's arguments. Writes to the image are discarded."""
    pflash = [
        *("-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={CODE}"),
        *("-drive", f"if=pflash,format=raw,unit=1,file={variables}"),
    ]
    return [
        *(QEMU, "-M", "q35,graphics=off", "-cpu", "max", "-m", str(MEMORY_MIB), "-accel", ACCELERATOR),
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *(pflash if firmware is Firmware.UEFI else ()),
        *("-drive", f"if=none,id=disk,format=raw,snapshot=on,file={image}"),
        *("-device", "virtio-blk-pci,drive=disk"),
    ]
