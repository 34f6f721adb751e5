"""Benchmarks of an unplugged drive, and of a drive with errors."""

import errno
import os
from collections.abc import Iterator

import pytest

from wizard.benchmark import access
from wizard.benchmark.access import Reads, TimedWriter
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent

NODE = "/dev/no-such-drive"


class Overseer:
    """A watch with a fixed objection or none."""

    def __init__(self, objection: str | None = None) -> None:
        self.objection = objection

    def trouble(self) -> str | None:
        return self.objection

    def wrote(self, size_bytes: int) -> None:
        raise AssertionError("nothing was written")


@pytest.fixture
def empty() -> Iterator[int]:
    """File descriptor like a removed drive's: neither readable nor writable."""
    descriptor = os.open(os.devnull, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def test_pulled_drive_is_gone(empty: int) -> None:
    with pytest.raises(Failed, match=f"{NODE} was disconnected: reading at byte 8192"):
        Reads(NODE, empty, 4096).access(8192)
    with pytest.raises(Failed, match=f"{NODE} was disconnected: writing at byte 0"):
        TimedWriter(NODE, empty, [Extent(0, 4096)], Overseer()).write(0, memoryview(bytes(512)))


def test_pulled_drive_is_not_blamed_on_another_program(empty: int, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = TimedWriter(NODE, empty, [Extent(0, 4096)], Overseer("Another program writes to it"))
    with pytest.raises(Failed, match="was disconnected"):
        writer.write(0, memoryview(bytes(512)))
    monkeypatch.setattr(access, "is_attached", lambda *_: True)
    with pytest.raises(Refused, match=r"Another program writes to it\. The trial stopped writing"):
        writer.write(0, memoryview(bytes(512)))


def test_drive_with_errors_is_still_present(empty: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "is_attached", lambda *_: True)
    with pytest.raises(Failed, match="read 0 of 4096 bytes"):
        Reads(NODE, empty, 4096).access(0)
    with pytest.raises(Failed, match="`dmesg` shows the kernel's errors"):
        TimedWriter(NODE, empty, [Extent(0, 4096)], Overseer()).write(0, memoryview(bytes(512)))


@pytest.mark.parametrize("number", [errno.ENODEV, errno.ENXIO])
def test_drive_is_gone_while_the_kernel_removes_it(
    empty: int, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The device node remains for a moment."""

    def refused(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(access, "is_attached", lambda *_: True)
    monkeypatch.setattr(os, "preadv", refused)
    with pytest.raises(Failed, match="was disconnected"):
        Reads(NODE, empty, 4096).access(0)
