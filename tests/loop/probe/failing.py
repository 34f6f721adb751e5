"""Drives with unreadable blocks: the image is on a Btrfs, which returns no block with a wrong checksum.
Rewritten blocks become readable, as on a drive with spare sectors."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.devices import Bench, tool

MIB = 1 << 20


@dataclass(frozen=True)
class FailingDrive:
    """A loop device at `path` over `image`, which is on a Btrfs on `below`."""

    path: str
    image: Path
    below: str
    bench: Bench

    def where(self, at_bytes: int, size_bytes: int = 4096) -> tuple[int, ...]:
        """Return the offsets of these unique 4096-byte blocks on the device below."""
        tool("blockdev", "--flushbufs", self.path)
        with self.image.open("rb") as file:
            data = os.pread(file.fileno(), size_bytes, at_bytes)
            os.fsync(file.fileno())
        tool("sync", "-f", str(self.image))
        found = [self._holding(data[at : at + 4096]) for at in range(0, size_bytes, 4096)]
        assert all(len(places) == 1 for places in found), found
        return tuple(place for places in found for place in places)

    def _holding(self, block: bytes) -> tuple[int, ...]:
        """Return all offsets of this block on the device below. A Btrfs keeps overwritten copies."""
        every = memoryview(self.bench.image_of(self.below).read_bytes())
        return tuple(at for at in range(0, len(every), 4096) if every[at : at + 4096] == block)

    def fail_at(self, at_bytes: int) -> None:
        """Make this block, and others of the same content, unreadable."""
        tool("blockdev", "--flushbufs", self.path)
        with self.image.open("rb") as file:
            block = os.pread(file.fileno(), 4096, at_bytes)
            os.fsync(file.fileno())
        tool("sync", "-f", str(self.image))
        places = self._holding(block)
        assert places and any(block)
        self.fail(places)

    def fail(self, places: tuple[int, ...]) -> None:
        """Make the blocks at these offsets unreadable."""
        self.bench.own(self.path)
        self.bench.own(self.below)
        with self.bench.image_of(self.below).open("r+b") as file:
            for place in places:
                wrong = bytes(byte ^ 0xFF for byte in os.pread(file.fileno(), 4096, place))
                os.pwrite(file.fileno(), wrong, place)
            os.fsync(file.fileno())
        self.forget()

    def forget(self) -> None:
        """Drop the kernel's caches of both devices."""
        tool("blockdev", "--flushbufs", self.below)
        with self.image.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        tool("blockdev", "--flushbufs", self.path)


def failing_drive(bench: Bench, size_bytes: int, block_bytes: int = 512) -> FailingDrive:
    """Create a drive with this size and logical block size that can fail. Errors affect 4096 bytes, which
    reject smaller writes."""
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
