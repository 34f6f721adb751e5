"""A drive that cannot be read in places: its file lies on a Btrfs, which gives no block whose checksum is not
right. What is written anew there can be read again, as on a drive that has spare sectors."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.devices import Bench, tool

MIB = 1 << 20


@dataclass(frozen=True)
class FailingDrive:
    """`path` is the loop device over `image`, which lies in the Btrfs on `below`."""

    path: str
    image: Path
    below: str
    bench: Bench

    def where(self, at_bytes: int, size_bytes: int = 4096) -> tuple[int, ...]:
        """Where these whole blocks of 4096 bytes, which hold what no others do, lie on the device below."""
        tool("blockdev", "--flushbufs", self.path)
        with self.image.open("rb") as file:
            data = os.pread(file.fileno(), size_bytes, at_bytes)
            os.fsync(file.fileno())
        tool("sync", "-f", str(self.image))
        every = self.bench.image_of(self.below).read_bytes()
        places = tuple(every.rfind(data[at : at + 4096]) for at in range(0, size_bytes, 4096))
        assert all(place > 0 and place % 4096 == 0 for place in places), places
        assert all(every.count(data[at : at + 4096]) == 1 for at in range(0, size_bytes, 4096))
        return places

    def fail(self, places: tuple[int, ...]) -> None:
        """From now on blocks that lie there cannot be read."""
        self.bench.own(self.path)
        self.bench.own(self.below)
        with self.bench.image_of(self.below).open("r+b") as file:
            for place in places:
                wrong = bytes(byte ^ 0xFF for byte in os.pread(file.fileno(), 4096, place))
                os.pwrite(file.fileno(), wrong, place)
            os.fsync(file.fileno())
        self.forget()

    def forget(self) -> None:
        """Have the kernel keep nothing of both devices in memory."""
        tool("blockdev", "--flushbufs", self.below)
        with self.image.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        tool("blockdev", "--flushbufs", self.path)


def failing_drive(bench: Bench, size_bytes: int) -> FailingDrive:
    """A drive of so many bytes that can be told to fail."""
    below = bench.make_drive(2 * size_bytes + 256 * MIB)
    subprocess.run(["losetup", "--direct-io=off", below], check=False, capture_output=True)
    tool("mkfs.btrfs", "-q", "-f", "-d", "single", "-m", "single", below)
    place = bench.folder / "below"
    place.mkdir()
    tool("mount", below, str(place))
    image = place / "drive.img"
    with image.open("wb") as file:
        file.truncate(size_bytes)
    path = tool("losetup", "--direct-io=on", "--find", "--show", str(image)).strip()
    bench.images[path] = image
    tool("blockdev", "--setrw", path)
    return FailingDrive(path, image, below, bench)
