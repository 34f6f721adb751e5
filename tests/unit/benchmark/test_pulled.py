"""Benchmarks of an unplugged drive, and of a drive with errors."""

import errno
import os
from collections.abc import Iterator
from mmap import mmap

import pytest

from wizard.benchmark import access
from wizard.benchmark.access import TimedDrive
from wizard.benchmark.scratch import Watch
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.said import Message, t

NODE = "/dev/no-such-drive"


class Overseer(Watch):
    """A watch with a fixed objection or none."""

    def __init__(self, objection: Message | None = None) -> None:
        super().__init__(NODE)
        self.objection = objection

    def trouble(self) -> Message | None:
        return self.objection

    def wrote(self, size_bytes: int) -> None:
        raise AssertionError("nothing was written")


@pytest.fixture
def empty() -> Iterator[int]:
    """File descriptor like a removed drive's: neither readable nor writable."""
    descriptor = os.open(os.devnull, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def writer(descriptor: int, objection: Message | None = None) -> TimedDrive:
    """Return a drive with a block to write back."""
    made = TimedDrive(NODE, descriptor, 4096, [Extent(0, 4096)], Overseer(objection))
    made.held[0] = mmap(-1, 4096)
    return made


def test_pulled_drive_is_gone(empty: int) -> None:
    with pytest.raises(Failed, match=f"{NODE} was disconnected: reading at byte 8192"):
        TimedDrive(NODE, empty, 4096).read(8192)
    with pytest.raises(Failed, match=f"{NODE} was disconnected: writing at byte 0"):
        writer(empty).write(0)


def test_pulled_drive_is_not_blamed_on_another_program(empty: int, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = writer(empty, t("Another program writes to it."))
    with pytest.raises(Failed, match="was disconnected"):
        watched.write(0)
    monkeypatch.setattr(access, "is_attached", lambda *_: True)
    with pytest.raises(Refused, match=r"Another program writes to it\. The trial stopped writing"):
        watched.write(0)


def test_drive_with_errors_is_still_present(empty: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "is_attached", lambda *_: True)
    with pytest.raises(Failed, match="0 of 4096 bytes"):
        TimedDrive(NODE, empty, 4096).read(0)
    with pytest.raises(Failed, match="`dmesg` shows the kernel's errors"):
        writer(empty).write(0)


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
        TimedDrive(NODE, empty, 4096).read(0)
