"""A computer that boots the medium: QEMU with firmware, drives, a serial line and a screen.

It has one CPU: emulated CPUs wait for each other, and on a busy machine such a guest can panic.
"""

import socket
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Self

import pyte

from tests.lab.guest.machine import ACCELERATOR, QEMU
from tests.lab.guest.monitor import Monitor
from tests.lab.guest.screen import key_name

OVMF = Path("/usr/share/OVMF")
TYPED = {
    **{"enter": b"\r", "escape": b"\x1b", "tab": b"\t", "backspace": b"\x7f"},
    **{"up": b"\x1b[A", "down": b"\x1b[B", "right": b"\x1b[C", "left": b"\x1b[D"},
}
"""Keys as a terminal sends them."""

POLL_SECONDS = 0.2
BETWEEN_KEYS_SECONDS = 0.7
"""A guest under emulation takes its time; nobody types faster than it draws."""


class Firmware(StrEnum):
    """How the computer boots."""

    BIOS = "bios"
    UEFI = "uefi"
    SECURE = "uefi with Secure Boot"


@dataclass(frozen=True, slots=True)
class Disk:
    """A drive of the computer."""

    image: Path
    model: str
    serial: str


class Computer:
    """A computer, switched on by the with statement. Its power is cut at the end."""

    def __init__(
        self,
        folder: Path,
        medium: Path,
        disks: Sequence[Disk],
        firmware: Firmware,
        memory_mib: int,
        *,
        stick: bool,
    ) -> None:
        self._folder, self._serial = folder, folder / "serial"
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        folder.mkdir(exist_ok=True)
        self._argv = [
            *("setpriv", "--pdeathsig", "KILL", "--", QEMU, "-machine", _machine(firmware)),
            *("-accel", ACCELERATOR, "-cpu", "max", "-m", str(memory_mib)),
            *("-nodefaults", "-no-user-config", "-display", "none", "-vga", "std", "-no-reboot"),
            *_firmware(folder, firmware),
            *_medium(medium, stick=stick),
            *(word for number, disk in enumerate(disks) for word in _disk(number, disk)),
            *(
                "-chardev",
                f"socket,id=serial,path={self._serial},server=on,wait=off",
                "-serial",
                "chardev:serial",
            ),
            *("-qmp", f"unix:{folder / 'qmp'},server=on,wait=off"),
        ]

    def __enter__(self) -> Self:
        self._qemu = subprocess.Popen(self._argv, stdin=subprocess.DEVNULL)
        self._line = socket.socket(socket.AF_UNIX)
        limit = monotonic() + 30
        while self._line.connect_ex(str(self._serial)):
            assert self._qemu.poll() is None and monotonic() < limit, "QEMU does not start"
            sleep(POLL_SECONDS)
        self._line.setblocking(False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut_power()

    def cut_power(self) -> None:
        """Cut the power immediately."""
        self._line.close()
        self._qemu.kill()
        self._qemu.wait()

    @property
    def text(self) -> str:
        """What a terminal on the serial line shows."""
        try:
            while data := self._line.recv(65536):
                self._stream.feed(data)
        except BlockingIOError:
            pass
        return "\n".join(line.rstrip() for line in self._screen.display)

    def until(self, seen: str | Callable[[], bool], seconds: float) -> None:
        """Wait for a text on the serial line, or for another condition."""
        limit = monotonic() + seconds
        while True:
            shown = self.text
            if seen in shown if isinstance(seen, str) else seen():
                return
            assert self._qemu.poll() is None, f"it has switched itself off\n{shown}"
            assert monotonic() < limit, f"no {seen!r} within {seconds} s:\n{shown}"
            sleep(POLL_SECONDS)

    def type(self, *keys: str) -> None:
        """Type on the serial terminal: names of keys, or text."""
        for key in keys:
            self._line.sendall(TYPED.get(key, key.encode()))
            sleep(BETWEEN_KEYS_SECONDS)
            _ = self.text

    def press(self, *keys: str) -> None:
        """Press keys of the computer's keyboard."""
        with Monitor(self._folder / "qmp") as monitor:
            for key in keys:
                chord = [{"type": "qcode", "data": part} for part in key_name(key).split("+")]
                monitor.do("send-key", keys=chord)
                sleep(BETWEEN_KEYS_SECONDS)

    def photograph(self, file: Path) -> None:
        """Save a picture of its screen."""
        with Monitor(self._folder / "qmp") as monitor:
            monitor.do("screendump", filename=str(file), format="png")

    def await_off(self, seconds: float) -> None:
        """Wait until the computer has switched itself off."""
        self._qemu.wait(seconds)


def _machine(firmware: Firmware) -> str:
    return "q35,smm=on" if firmware is Firmware.SECURE else "q35"


def _firmware(folder: Path, firmware: Firmware) -> tuple[str, ...]:
    if firmware is Firmware.BIOS:
        return ()
    secure = firmware is Firmware.SECURE
    # Of the two, one knows Microsoft's keys and refuses what they have not signed.
    code, known = ("secboot", "VARS_4M.ms") if secure else ("", "VARS_4M")
    variables = folder / "variables"
    variables.write_bytes((OVMF / f"OVMF_{known}.fd").read_bytes())
    name = f"OVMF_CODE_4M.{code}.fd" if code else "OVMF_CODE_4M.fd"
    return (
        *(("-global", "driver=cfi.pflash01,property=secure,value=on") if secure else ()),
        *("-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={OVMF / name}"),
        *("-drive", f"if=pflash,format=raw,unit=1,file={variables}"),
    )


def _medium(medium: Path, *, stick: bool) -> tuple[str, ...]:
    """Return the options for a disc, or for a stick with the copied image."""
    if stick:
        return (
            *("-device", "qemu-xhci", "-drive", f"if=none,id=medium,format=raw,file={medium}"),
            *("-device", "usb-storage,drive=medium,bootindex=1,removable=on"),
        )
    return (
        *("-drive", f"if=none,id=medium,format=raw,readonly=on,file={medium}"),
        *("-device", "ide-cd,drive=medium,bus=ide.0,bootindex=1"),
    )


def _disk(number: int, disk: Disk) -> tuple[str, ...]:
    about = f"model={disk.model},serial={disk.serial},physical_block_size=4096,discard_granularity=0"
    return (
        *("-drive", f"if=none,id=disk{number},format=raw,cache=writeback,file={disk.image}"),
        *("-device", f"ide-hd,drive=disk{number},bus=ide.{number + 1},{about}"),
    )
