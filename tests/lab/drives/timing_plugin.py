"""Timing of a hard disk as a plugin of nbdkit: content in a file, answers delayed by `platters.Platters`.

    nbdkit python timing_plugin.py checkout=FOLDER image=FILE size=BYTES physical=BYTES shingled=0|1
cache=BYTES band=BYTES

nbdkit's interpreter runs it, and calls the functions with the names below.
"""


# mypy: disable-error-code="import-not-found"

import os
import sys
import time

import nbdkit

API_VERSION = 2

given: "dict[str, str]" = {}


class Served:
    """The drive when nbdkit is about to serve it."""

    def __init__(self) -> None:
        sys.path.insert(0, given["checkout"])
        from tests.lab.drives.platters import Platters

        self.size_bytes = int(given["size"])
        self.file = os.open(given["image"], os.O_RDWR)
        self.platters = Platters(
            self.size_bytes,
            int(given["physical"]),
            given["shingled"] == "1",
            int(given["cache"]),
            int(given["band"]),
        )

    def wait(self, cost: float) -> None:
        """Wait until a request that arrives now would be done."""
        now = time.monotonic()
        time.sleep(max(0.0, self.platters.serve(now, cost) - now))


served: "list[Served]" = []


def config(key: str, value: str) -> None:
    """Receive one argument."""
    given[key] = value


def get_ready() -> None:
    """All arguments have been received."""
    served.append(Served())


def thread_model() -> int:
    """One actuator: serve requests in order."""
    return int(nbdkit.THREAD_MODEL_SERIALIZE_ALL_REQUESTS)


def open(readonly: bool) -> Served:
    """Open a connection. All use the same drive."""
    return served[0]


def get_size(drive: Served) -> int:
    """Return the size in bytes."""
    return drive.size_bytes


def can_flush(drive: Served) -> bool:
    """Return True. Acknowledged writes are on the platters."""
    return True


def can_fua(drive: Served) -> int:
    """Return True, as can_flush."""
    return int(nbdkit.FUA_NATIVE)


def can_trim(drive: Served) -> bool:
    """Return True. The bytes stay, but a shingled drive's cache can drop them."""
    return True


def is_rotational(drive: Served) -> bool:
    """Return True."""
    return True


def flush(drive: Served, flags: int) -> None:
    """Do nothing: all data is on the platters."""


def pread(drive: Served, buffer: bytearray, offset: int, flags: int) -> None:
    """Read, with the delay."""
    cost = drive.platters.read(time.monotonic(), offset, len(buffer))
    if os.preadv(drive.file, [buffer], offset) != len(buffer):
        raise OSError("the image is shorter than the drive")
    drive.wait(cost)


def pwrite(drive: Served, buffer: bytearray, offset: int, flags: int) -> None:
    """Write, with the delay."""
    cost = drive.platters.write(time.monotonic(), offset, len(buffer))
    if os.pwrite(drive.file, buffer, offset) != len(buffer):
        raise OSError("the image takes no more")
    drive.wait(cost)


def trim(drive: Served, count: int, offset: int, flags: int) -> None:
    """Remove blocks from the cache."""
    drive.platters.trim(offset, count)
