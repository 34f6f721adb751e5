"""Chunks of a device whose content lies in a file: where each belongs, and what is to be there."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.model.errors import Failed
from wizard.model.units import MIB


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbours that also lie side by side in the file, at most 1 MiB: `offset_bytes` on the device,
    `place_bytes` in the file."""

    offset_bytes: int
    length_bytes: int
    place_bytes: int


@dataclass(frozen=True, slots=True)
class Chunks:
    """`numbers` ascend and count chunks of `chunk_bytes` on a device of `size_bytes`, whose last chunk may be
    cut off; `places` are in bytes in `file`, in the same order.
    """

    file: Path
    chunk_bytes: int
    size_bytes: int
    numbers: array[int]
    places: array[int]

    @classmethod
    def of(cls, file: Path, chunk_bytes: int, size_bytes: int, places: Mapping[int, int]) -> Chunks:
        """From the place of each chunk by its number."""
        ordered = sorted(places)
        return cls(
            file,
            chunk_bytes,
            size_bytes,
            array("Q", ordered),
            array("Q", (places[number] for number in ordered)),
        )

    @classmethod
    def in_order(cls, file: Path, chunk_bytes: int, size_bytes: int, numbers: array[int]) -> Chunks:
        """Of a file that holds nothing else, one chunk behind the other."""
        return cls(
            file,
            chunk_bytes,
            size_bytes,
            numbers,
            array("Q", range(0, len(numbers) * chunk_bytes, chunk_bytes)),
        )

    def only(self, numbers: array[int]) -> Chunks:
        """These of them; raises Failed where one is not among them."""
        places = dict(zip(self.numbers, self.places, strict=True))
        try:
            return Chunks(
                self.file,
                self.chunk_bytes,
                self.size_bytes,
                numbers,
                array("Q", (places[number] for number in numbers)),
            )
        except KeyError as error:
            raise Failed(f"{self.file} does not hold chunk {error}.") from None

    @property
    def total_bytes(self) -> int:
        """How much they are together."""
        return sum(piece.length_bytes for piece in self.pieces())

    def pieces(self) -> Iterator[Piece]:
        """All of them in the device's order, joined where they can be."""
        begin = length = place = 0
        for number, at in zip(self.numbers, self.places, strict=True):
            offset = number * self.chunk_bytes
            if (
                length
                and offset == begin + length
                and at == place + length
                and length + self.chunk_bytes <= MIB
            ):
                length += self.chunk_bytes
                continue
            if length:
                yield self._piece(begin, length, place)
            begin, length, place = offset, self.chunk_bytes, at
        if length:
            yield self._piece(begin, length, place)

    def _piece(self, begin: int, length: int, place: int) -> Piece:
        return Piece(begin, min(length, self.size_bytes - begin), place)

    def contents(self) -> Iterator[tuple[int, bytes]]:
        """Offset on the device and content of each piece, read from the file; raises Failed where it cannot
        be read."""
        try:
            with self.file.open("rb", buffering=0) as source:
                for piece in self.pieces():
                    source.seek(piece.place_bytes)
                    data = source.read(piece.length_bytes)
                    if len(data) != piece.length_bytes:
                        raise Failed(f"{self.file} is cut off.")
                    yield piece.offset_bytes, data
        except OSError as error:
            raise Failed(f"{self.file} cannot be read: {error.strerror}.") from None


def digest_of(numbers: array[int], contents: Iterable[bytes]) -> str:
    """SHA-256 over the numbers of chunks and then their content, however it is cut into pieces."""
    digest = hashlib.sha256(numbers.tobytes())
    for data in contents:
        digest.update(data)
    return digest.hexdigest()
