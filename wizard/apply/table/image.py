"""What the places of a partition table hold, as bytes to be compared and composed. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from wizard.model.machine import Extent


@dataclass(frozen=True, slots=True)
class Image:
    """Pieces of a drive of `size_bytes`: offsets with what stands there, whole blocks, in order and apart."""

    size_bytes: int
    block_bytes: int
    pieces: tuple[tuple[int, bytes], ...]

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of one piece; none where no piece holds the offset, and fewer where it ends before."""
        for start, data in self.pieces:
            if start <= offset < start + len(data):
                return data[offset - start : offset - start + length]
        return b""

    def having(self, patches: Mapping[int, bytes]) -> "Image":
        """The same with other bytes at these offsets, each within one piece."""
        pieces = []
        for start, data in self.pieces:
            patched = bytearray(data)
            for offset, new in patches.items():
                if start <= offset and offset + len(new) <= start + len(data):
                    patched[offset - start : offset - start + len(new)] = new
            pieces.append((start, bytes(patched)))
        return replace(self, pieces=tuple(pieces))

    def changed_blocks(self, other: "Image") -> Iterator[tuple[int, bytes, bytes]]:
        """The blocks that differ in another image of the same places: where, what stands here, and what
        stands there."""
        for (start, mine), (_, theirs) in zip(self.pieces, other.pieces, strict=True):
            for at in range(0, len(mine), self.block_bytes):
                one, two = mine[at : at + self.block_bytes], theirs[at : at + self.block_bytes]
                if one != two:
                    yield start + at, one, two


def changed_bytes(image: Image, other: Image) -> Iterator[int]:
    """The offsets of every byte that differs."""
    for start, one, two in image.changed_blocks(other):
        yield from (
            start + at for at, (here, there) in enumerate(zip(one, two, strict=True)) if here != there
        )


def is_within(offset: int, places: tuple[Extent, ...]) -> bool:
    """Whether one of the places holds the byte."""
    return any(place.start_bytes <= offset < place.end_bytes for place in places)
