"""A hard disk's timing as a plugin of nbdkit: content in a file, every answer as late as `platters.Platters`
says.

    nbdkit python timing_plugin.py checkout=FOLDER image=FILE size=BYTES physical=BYTES shingled=0|1
    cache=BYTES band=BYTES

nbdkit's own interpreter runs it, and calls what has the names below.
"""


# mypy: disable-error-code="import-not-found"

import os
import sys
import time

import nbdkit

API_VERSION = 2

given: "dict[str, str]" = {}


class Served:
    """The drive, once nbdkit is about to serve it."""

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
        """Until a request that came just now would be done."""
        now = time.monotonic()
        time.sleep(max(0.0, self.platters.serve(now, cost) - now))


served: "list[Served]" = []


def config(key: str, value: str) -> None:
    """One argument."""
    given[key] = value


def get_ready() -> None:
    """All arguments are there."""
    served.append(Served())


def thread_model() -> int:
    """One actuator: one request after the other."""
    return int(nbdkit.THREAD_MODEL_SERIALIZE_ALL_REQUESTS)


def open(readonly: bool) -> Served:
    """A connection; the drive is the same for all."""
    return served[0]


def get_size(drive: Served) -> int:
    """In bytes."""
    return drive.size_bytes


def can_flush(drive: Served) -> bool:
    """There is no volatile cache: a write that was answered is on the platters."""
    return True


def can_fua(drive: Served) -> int:
    """As can_flush."""
    return int(nbdkit.FUA_NATIVE)


def can_trim(drive: Served) -> bool:
    """The bytes stay; a shingled drive's cache need not keep them."""
    return True


def is_rotational(drive: Served) -> bool:
    """It turns."""
    return True


def flush(drive: Served, flags: int) -> None:
    """Nothing is left to do."""


def pread(drive: Served, buffer: bytearray, offset: int, flags: int) -> None:
    """Read, as late as it takes."""
    cost = drive.platters.read(time.monotonic(), offset, len(buffer))
    if os.preadv(drive.file, [buffer], offset) != len(buffer):
        raise OSError("the image is shorter than the drive")
    drive.wait(cost)


def pwrite(drive: Served, buffer: bytearray, offset: int, flags: int) -> None:
    """Write, as late as it takes."""
    cost = drive.platters.write(time.monotonic(), offset, len(buffer))
    if os.pwrite(drive.file, buffer, offset) != len(buffer):
        raise OSError("the image takes no more")
    drive.wait(cost)


def trim(drive: Served, count: int, offset: int, flags: int) -> None:
    """Let the cache forget."""
    drive.platters.trim(offset, count)
