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
        found = [self._holding(data[at : at + 4096]) for at in range(0, size_bytes, 4096)]
        assert all(len(places) == 1 for places in found), found
        return tuple(place for places in found for place in places)

    def _holding(self, block: bytes) -> tuple[int, ...]:
        """Where on the device below such a block lies. A Btrfs leaves one behind that was written over."""
        every = memoryview(self.bench.image_of(self.below).read_bytes())
        return tuple(at for at in range(0, len(every), 4096) if every[at : at + 4096] == block)

    def fail_at(self, at_bytes: int) -> None:
        """From now on the block there cannot be read, and no other one of the same content."""
        tool("blockdev", "--flushbufs", self.path)
        with self.image.open("rb") as file:
            block = os.pread(file.fileno(), 4096, at_bytes)
            os.fsync(file.fileno())
        tool("sync", "-f", str(self.image))
        places = self._holding(block)
        assert places and any(block)
        self.fail(places)

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


def failing_drive(bench: Bench, size_bytes: int, block_bytes: int = 512) -> FailingDrive:
    """A drive of so many bytes, in such logical blocks, that can be told to fail. What fails is always 4096
    bytes, which take no write of less."""
    below = bench.make_drive(2 * size_bytes + 256 * MIB)
    subprocess.run(["losetup", "--direct-io=off", below], check=False, capture_output=True)
    tool("mkfs.btrfs", "-q", "-f", "-d", "single", "-m", "single", below)
    place = bench.folder / "below"
    place.mkdir()
    tool("mount", below, str(place))
    image = place / "drive.img"
    with image.open("wb") as file:
        file.truncate(size_bytes)
    blocks = f"--sector-size={block_bytes}"
    path = tool("losetup", "--direct-io=on", blocks, "--find", "--show", str(image)).strip()
    bench.images[path] = image
    tool("blockdev", "--setrw", path)
    return FailingDrive(path, image, below, bench)
