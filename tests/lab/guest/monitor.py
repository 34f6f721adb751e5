"""Control a running QEMU (QMP): what its command line cannot express, and requests of the guest: drives
unplugged and plugged in, keys pressed, pictures of its screen."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Self

from tests.lab.drives.attach import controller_id, devices_of
from tests.lab.drives.fleet import Bus, Fleet
from tests.lab.trouble import GuestTrouble

ANSWER_SECONDS = 30.0
PAUSE_SECONDS = 0.1
REQUEST, ANSWER = "request", "answer"
"""Files in the shared folder: what the guest wants of the host, as a verb and what it is about, and what
became of it.

`plug DRIVE`, `unplug DRIVE`, `press KEYS` (QEMU's names of keys; those that are held at once are joined by
+), and `photograph NAME`, which leaves NAME.png in the shared folder.
"""

HOLD_MILLISECONDS = 20
"""How long a key is held down; those that are asked for at once follow each other."""

RELIABILITY_DEGRADED = 4
"""Of an NVMe drive's critical warnings (NVM Express Base, SMART / Health Information)."""


class Monitor:
    """Connection to a QEMU. Errors are GuestTrouble."""

    def __init__(self, path: Path, seconds: float = ANSWER_SECONDS) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(seconds)
        limit = monotonic() + seconds
        while True:
            try:
                self._socket.connect(str(path))
                break
            except OSError as error:
                if monotonic() >= limit:
                    self._socket.close()
                    raise GuestTrouble(f"QEMU's monitor does not answer: {error}") from None
                sleep(PAUSE_SECONDS)
        self._lines = self._socket.makefile("rb")
        self._next()
        self.do("qmp_capabilities")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lines.close()
        self._socket.close()

    def do(self, command: str, **arguments: object) -> dict[str, object]:
        """Run a command and return its answer. Events meanwhile are ignored."""
        self._socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        while "return" not in (said := self._next()):
            if "error" in said:
                raise GuestTrouble(f"QEMU refuses {command}: {said['error'].get('desc')}")
        answer: dict[str, object] = said["return"]
        return answer

    def await_event(self, name: str, device: str) -> None:
        """Wait for an event about a device."""
        while (said := self._next()).get("event") != name or said["data"].get("device") != device:
            continue

    def _next(self) -> dict[str, Any]:
        try:
            line = self._lines.readline()
            said = json.loads(line)
        except (OSError, ValueError) as error:
            raise GuestTrouble(f"QEMU's monitor fell silent: {error}") from None
        return said if isinstance(said, dict) else {}


def run_state(path: Path) -> str:
    """Return QEMU's state of the guest: `running`, or `io-error` if this machine's disk failed to store a
    drive's image."""
    try:
        with Monitor(path, 2 * PAUSE_SECONDS) as monitor:
            return str(monitor.do("query-status")["status"])
    except GuestTrouble as trouble:
        return str(trouble)


def break_health(monitor: Monitor, fleet: Fleet) -> None:
    """Let the failing drives report failure."""
    for drive in fleet.drives:
        if drive.failing:
            path = f"/machine/peripheral/{controller_id(drive)}"
            monitor.do("qom-set", path=path, property="smart_critical_warning", value=RELIABILITY_DEGRADED)


@contextmanager
def served(path: Path, fleet: Fleet, shared: Path) -> Iterator[None]:
    """Serve the guest's requests, made by files in the shared folder, during this context."""
    over = threading.Event()
    thread = threading.Thread(target=_serve, args=(path, fleet, shared, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(ANSWER_SECONDS)


def _serve(path: Path, fleet: Fleet, shared: Path, over: threading.Event) -> None:
    request, answer = shared / REQUEST, shared / ANSWER
    while not over.wait(PAUSE_SECONDS):
        with suppress(FileNotFoundError):
            verb, _, what = request.read_text().partition(" ")
            request.unlink()
            try:
                with Monitor(path) as monitor:
                    _do(monitor, fleet, shared, verb, what)
                said = "done"
            except GuestTrouble as trouble:
                said = str(trouble)
            part = answer.with_suffix(".part")
            part.write_text(said)
            part.rename(answer)


def _do(monitor: Monitor, fleet: Fleet, shared: Path, verb: str, what: str) -> None:
    match verb:
        case "plug":
            _plug(monitor, fleet, what)
        case "unplug":
            _unplug(monitor, fleet, what)
        case "press":
            for key in what.split():
                chord = [{"type": "qcode", "data": part} for part in key.split("+")]
                monitor.do("send-key", **{"keys": chord, "hold-time": HOLD_MILLISECONDS})
        case "photograph":
            monitor.do("screendump", filename=str(shared / f"{what}.png"), format="png")
        case _:
            raise GuestTrouble(f"The guest asks for something unknown: {verb}.")


def _unplug(monitor: Monitor, fleet: Fleet, name: str) -> None:
    """Unplug without notice to the guest."""
    drive = fleet[name]
    device = controller_id(drive) if drive.bus in (Bus.USB, Bus.UAS) else f"{name}-disk"
    monitor.do("device_del", id=device)
    monitor.await_event("DEVICE_DELETED", device)


def _plug(monitor: Monitor, fleet: Fleet, name: str) -> None:
    drive = fleet[name]
    number = [other for other in fleet.drives if other.bus is drive.bus].index(drive)
    for device in devices_of(drive, number):
        monitor.do("device_add", **device)
    if drive.bus is Bus.USB:
        # QEMU lets a bridge be filled before the guest sees it.
        monitor.do(
            "qom-set", path=f"/machine/peripheral/{controller_id(drive)}", property="attached", value=True
        )
