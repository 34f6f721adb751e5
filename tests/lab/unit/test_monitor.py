"""QEMU's monitor, simulated by a thread: requests to unplug, plug in and break drives."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRWPair
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet
from tests.lab.drives.members import BUS_FLEET
from tests.lab.guest.monitor import ANSWER, REQUEST, Monitor, break_health, run_state, served
from tests.lab.trouble import GuestTrouble

DISK = EmulatedDrive("disk", Bus.SCSI, "DISK", 512, 512, MIB)
STICK = EmulatedDrive("stick", Bus.USB, "STICK", 512, 512, MIB)
FLEET = Fleet("pulled", (DISK, STICK))
SECONDS = 20.0


class Played:
    """A simulated monitor: accepts every command but one, and reports a removed device after an event
    about another."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.asked: list[tuple[str, dict[str, object]]] = []
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(path))
        self._door.listen()
        threading.Thread(target=self._answer, daemon=True).start()

    def close(self) -> None:
        self._door.close()

    def _answer(self) -> None:
        while True:
            try:
                talk, _ = self._door.accept()
            except OSError:
                return
            with talk, talk.makefile("rwb") as lines:
                self._talk(lines)

    def _talk(self, lines: BufferedRWPair) -> None:
        self._say(lines, {"QMP": {}})
        for line in lines:
            command = json.loads(line)
            self.asked.append((command["execute"], command["arguments"]))
            if command["execute"] == "refused":
                self._say(lines, {"error": {"class": "GenericError", "desc": "no such thing"}})
                continue
            self._say(lines, {"event": "RESUME", "data": {}})
            self._say(
                lines, {"return": {"status": "io-error"} if command["execute"] == "query-status" else {}}
            )
            if command["execute"] == "device_del":
                for device in ("other", command["arguments"]["id"]):
                    self._say(lines, {"event": "DEVICE_DELETED", "data": {"device": device}})

    @staticmethod
    def _say(lines: BufferedRWPair, said: dict[str, object]) -> None:
        lines.write(json.dumps(said).encode() + b"\n")
        lines.flush()


@contextmanager
def played(folder: Path) -> Iterator[Played]:
    monitor = Played(folder / "qmp")
    try:
        yield monitor
    finally:
        monitor.close()


def test_refused_command_raises_trouble_with_the_message_of_qemu(tmp_path: Path) -> None:
    with played(tmp_path) as qemu, Monitor(qemu.path) as monitor:
        with pytest.raises(GuestTrouble, match="refused: no such thing"):
            monitor.do("refused", what=1)
        monitor.do("stop")
    assert qemu.asked == [("qmp_capabilities", {}), ("refused", {"what": 1}), ("stop", {})]


def test_qemu_without_a_monitor_raises_trouble(tmp_path: Path) -> None:
    with pytest.raises(GuestTrouble, match="does not answer"):
        Monitor(tmp_path / "none", seconds=0.0)


def test_guest_state_or_the_reason_it_is_unknown(tmp_path: Path) -> None:
    with played(tmp_path) as qemu:
        assert run_state(qemu.path) == "io-error"
    assert "does not answer" in run_state(tmp_path / "none")


def test_only_the_requested_drive_fails(tmp_path: Path) -> None:
    with played(tmp_path) as qemu, Monitor(qemu.path) as monitor:
        break_health(monitor, BUS_FLEET)
    (command, arguments) = qemu.asked[-1]
    assert (command, arguments["path"], arguments["value"]) == (
        "qom-set",
        "/machine/peripheral/nvme-failing-controller",
        4,
    )
    assert len(qemu.asked) == 2


def asked_for(folder: Path, request: str) -> tuple[str, list[tuple[str, dict[str, object]]]]:
    with played(folder) as qemu, served(qemu.path, FLEET, folder):
        part = folder / "part"
        part.write_text(request)
        part.rename(folder / REQUEST)
        limit = monotonic() + SECONDS
        while not (folder / ANSWER).exists() and monotonic() < limit:
            sleep(0.01)
        return (folder / ANSWER).read_text(), [one for one in qemu.asked if one[0] != "qmp_capabilities"]


def test_stick_is_unplugged_with_its_bridge(tmp_path: Path) -> None:
    assert asked_for(tmp_path, "unplug stick") == ("done", [("device_del", {"id": "stick-controller"})])


def test_keys_are_pressed_in_order_and_chords_together(tmp_path: Path) -> None:
    answer, asked = asked_for(tmp_path, "press ret shift+x")
    assert answer == "done"
    keys = [arguments["keys"] for command, arguments in asked if command == "send-key"]
    chord = [{"type": "qcode", "data": "shift"}, {"type": "qcode", "data": "x"}]
    assert keys == [[{"type": "qcode", "data": "ret"}], chord]


def test_screenshot_is_saved_in_the_folder_of_the_guest(tmp_path: Path) -> None:
    answer, asked = asked_for(tmp_path, "photograph drives")
    assert (answer, asked) == (
        "done",
        [("screendump", {"filename": str(tmp_path / "drives.png"), "format": "png"})],
    )


def test_unknown_request_is_answered(tmp_path: Path) -> None:
    assert asked_for(tmp_path, "sing loudly") == ("The guest asks for something unknown: sing.", [])


def test_disk_is_unplugged_alone(tmp_path: Path) -> None:
    assert asked_for(tmp_path, "unplug disk") == ("done", [("device_del", {"id": "disk-disk"})])


def test_stick_is_plugged_in_once_complete(tmp_path: Path) -> None:
    answer, asked = asked_for(tmp_path, "plug stick")
    assert answer == "done"
    assert [
        (command, arguments.get("driver", arguments.get("property"))) for command, arguments in asked
    ] == [
        ("device_add", "usb-bot"),
        ("device_add", "scsi-hd"),
        ("qom-set", "attached"),
    ]
