"""What chunks are read from and written to: a block device, past its caches where that matters."""

import mmap
import os
from types import TracebackType
from typing import Protocol, Self

from wizard.apply.block import words
from wizard.apply.block.devices import SYS_BLOCK, kernel_name, size_bytes
from wizard.model.errors import Failed
from wizard.model.said import Said
from wizard.model.units import MIB


class Medium(Protocol):
    """A drive, as the replacing of chunks needs it. Offsets and lengths are whole logical blocks, in bytes;
    errors are Failed."""

    @property
    def size_bytes(self) -> int:
        """How large it is."""

    @property
    def logical_block_bytes(self) -> int:
        """The smallest that it writes."""

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        """What lies there, from the drive itself; no more than 1 MiB."""

    def write(self, offset_bytes: int, data: bytes) -> None:
        """Hand it over. Until `flush` nobody knows which part of it arrived."""

    def write_through(self, offset_bytes: int, data: bytes) -> None:
        """Write it by one request; on return it is on the medium."""

    def flush(self) -> None:
        """On return everything that was written is on the medium."""


def block_bytes(node: str) -> tuple[int, int]:
    """The logical and the physical block of a device, by the kernel's word; a partition has its drive's."""
    folder = (SYS_BLOCK / kernel_name(node)).resolve()
    queue = next(queue for queue in (folder / "queue", folder.parent / "queue") if queue.exists())
    return int((queue / "logical_block_size").read_text()), int((queue / "physical_block_size").read_text())


class PastCaches:
    """Reads a device from itself, by one descriptor that was opened with O_DIRECT, into the same memory each
    time."""

    def __init__(self, fd: int, node: str) -> None:
        self._fd, self._node = fd, node
        self._buffer = mmap.mmap(-1, MIB)

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        """No more than 1 MiB, in whole logical blocks. Raises Failed."""
        with memoryview(self._buffer) as whole, whole[:length_bytes] as buffer:
            try:
                got = os.preadv(self._fd, [buffer], offset_bytes)
            except OSError as error:
                raise self._unread(offset_bytes, str(error.strerror)) from None
            if got != length_bytes:
                raise self._unread(offset_bytes, words.CAME(got=got, length=length_bytes))
            return bytes(buffer)

    def _unread(self, byte: int, why: Said | str) -> Failed:
        return Failed(words.UNREAD_AT(device=self._node, byte=byte, why=why))


class DeviceMedium:
    """A block device that is looked at: read past the page cache, and any write fails. Whoever is to write
    holds it (`engine/held.py`)."""

    flags = os.O_RDONLY

    def __init__(self, node: str) -> None:
        self.node = node
        self.size_bytes = size_bytes(node)
        self.logical_block_bytes, _ = block_bytes(node)
        try:
            self._fd = os.open(node, self.flags | os.O_DIRECT | os.O_CLOEXEC)
        except OSError as error:
            raise Failed(words.UNOPENED(device=node, why=str(error.strerror))) from None
        self._past_caches = PastCaches(self._fd, node)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the device."""
        os.close(self._fd)

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        """See `Medium`."""
        return self._past_caches.read(offset_bytes, length_bytes)

    def write(self, offset_bytes: int, data: bytes) -> None:
        """See `Medium`; at most 1 MiB."""
        with mmap.mmap(-1, len(data)) as buffer:
            buffer[:] = data
            try:
                put = os.pwritev(self._fd, [buffer], offset_bytes)
            except OSError as error:
                raise self._unwritten(offset_bytes, str(error.strerror)) from None
            if put != len(data):
                raise self._unwritten(offset_bytes, words.TOOK(got=put, length=len(data)))

    def _unwritten(self, byte: int, why: Said | str) -> Failed:
        return Failed(words.UNWRITTEN_AT(device=self.node, byte=byte, why=why))

    def write_through(self, offset_bytes: int, data: bytes) -> None:
        """See `Medium`."""
        self.write(offset_bytes, data)
        self.flush()

    def flush(self) -> None:
        """See `Medium`."""
        try:
            os.fsync(self._fd)
        except OSError as error:
            raise Failed(words.NOT_TAKEN(device=self.node, why=str(error.strerror))) from None
