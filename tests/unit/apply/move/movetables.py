"""Drives in sparse files with real tables and one partition to move. Needs no root."""

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path

import pytest

from tests.unit.probe.gptimage import Image
from wizard.apply.move.table_images import TableImages, TablePiece, table_images
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent, Partition
from wizard.model.said import MIB
from wizard.probe.content.tables import read_gpt, read_mbr
from wizard.process.program import find, run

util_linux = pytest.mark.skipif(
    not all(map(find, ("sfdisk", "partx", "blkid"))), reason="util-linux's programs are not here"
)
SECTOR = 512
SIZE = 16 * MIB
GPT = "label: gpt\nlabel-id: 11111111-2222-3333-4444-555555555555\n"
MBR = "label: dos\nlabel-id: 0x12345678\n"


@dataclass(frozen=True, slots=True)
class Layout:
    """A table, as an sfdisk script or an image, and a move, in logical blocks (start, length)."""

    made: str | Image
    number: int
    span: tuple[int, int]
    after: tuple[int, int]
    physical_bytes: int = SECTOR
    is_gpt: bool = True
    size_bytes: int = SIZE

    @property
    def block_bytes(self) -> int:
        return SECTOR if isinstance(self.made, str) else self.made.block_bytes

    def extent(self, place: tuple[int, int]) -> Extent:
        return Extent(place[0] * self.block_bytes, place[1] * self.block_bytes)


class Disk:
    """A drive in a file."""

    def __init__(self, path: Path, layout: Layout) -> None:
        self.path, self.layout = path, layout
        path.write_bytes(b"" if isinstance(layout.made, str) else bytes(layout.made.data))
        os.truncate(path, layout.size_bytes)
        if isinstance(layout.made, str):
            sfdisk(path, layout.made)
        self._file = path.open("r+b", buffering=0)

    def read(self, offset: int, length: int) -> bytes:
        return os.pread(self._file.fileno(), length, offset)

    def write(self, offset: int, data: bytes) -> None:
        assert os.pwrite(self._file.fileno(), data, offset) == len(data)

    def put(self, pieces: tuple[TablePiece, ...]) -> None:
        for piece in pieces:
            self.write(piece.offset_bytes, piece.data)

    def images(self, **other: int | Extent) -> TableImages:
        """Return the table images of the layout's move, with `other` values replaced."""
        layout = self.layout
        number, physical = other.get("number", layout.number), other.get("physical", layout.physical_bytes)
        span = other.get("span", layout.extent(layout.span))
        after = other.get("after", layout.extent(layout.after))
        assert isinstance(number, int) and isinstance(physical, int)
        assert isinstance(span, Extent) and isinstance(after, Extent)
        geometry = Geometry(layout.block_bytes, physical, 0, 0, 0)
        return table_images(self.read, layout.size_bytes, geometry, number, span, after)

    def entries(self) -> frozenset[Partition]:
        """Return the entries as diskwright reads them; for a GPT, also without its protective MBR."""
        block = self.layout.block_bytes
        gpt = read_gpt(self.read, self.layout.size_bytes, block)
        if gpt is not None:
            return frozenset(gpt.entries if not gpt.problems else ())
        mbr = read_mbr(self.read, self.layout.size_bytes, block)
        return frozenset(mbr.entries if mbr and all(entry.type != "0xee" for entry in mbr.entries) else ())

    def listed(self) -> frozenset[str]:
        """Return the entries as libblkid lists them."""
        size, columns = str(self.layout.block_bytes), "NR,START,SECTORS,TYPE,UUID,NAME,FLAGS"
        argv = ["partx", "--pairs", "--sector-size", size, "--output", columns, str(self.path)]
        said = run(argv, seconds=20, accept=(0, 1))
        assert not said.status or "failed to read partition table" in said.errors, said
        return frozenset(said.output.splitlines())


def sfdisk(path: Path, script: str) -> None:
    run(["sfdisk", "--quiet", str(path)], seconds=20, stdin=script.encode())


def torn(disk: Disk, piece: TablePiece) -> Iterator[tuple[bytes, bool]]:
    """Yield each possible state of a piece after a power cut: any mixture of old and new sectors, then
    with True any touched physical block as nonsense."""
    old, new = disk.read(piece.offset_bytes, len(piece.data)), piece.data
    sectors = [at for at in range(0, len(new), SECTOR) if old[at : at + SECTOR] != new[at : at + SECTOR]]
    for arrived in chain.from_iterable(combinations(sectors, count) for count in range(len(sectors) + 1)):
        mixture = bytearray(old)
        for at in arrived:
            mixture[at : at + SECTOR] = new[at : at + SECTOR]
        yield bytes(mixture), False
        yield from ((each, True) for each in _with_nonsense(bytes(mixture), disk.layout.physical_bytes))


def _with_nonsense(data: bytes, physical_bytes: int) -> Iterator[bytes]:
    if physical_bytes > SECTOR:
        for at in range(0, len(data), physical_bytes):
            end = min(len(data), at + physical_bytes)
            yield data[:at] + random.Random(at).randbytes(end - at) + data[end:]


def _gpt(number: int) -> str:
    """Return a script with three partitions. The middle one is misaligned and has this number."""
    return (
        f"{GPT}x1 : start=2048, size=2048, name=first\n"
        f'x{number} : start=5001, size=2000, name="to move", attrs="RequiredPartition GUID:60"\n'
        "x127 : start=20480, size=2048, name=last\n"
    )


def _hand_made_gpt() -> Image:
    made = Image(SIZE, 4096)
    made.protective()
    made.gpt((256, 511, "first"), (601, 800, "to move"), (2048, 2303, "last"))
    return made


def odd_record() -> Image:
    """Return an image whose only logical partition uses the third slot, unlike current tools."""
    made = Image(SIZE)
    made.mbr((0x05, 2048, 20000))
    made.mbr((0, 0, 0), (0, 0, 0), (0x83, 63, 2000), at=2048 * SECTOR)
    return made


def _hand_made_mbr() -> Image:
    made = Image(SIZE, 4096)
    made.mbr((0x83, 256, 256), (0x07, 601, 200), (0x05, 2048, 1000))
    made.mbr((0x07, 10, 200), (0x05, 500, 500), at=2048 * 4096)
    made.mbr((0x83, 1, 200), at=2548 * 4096)
    return made


PRIMARY = f"{MBR}start=63, size=2000, type=7, bootable\nstart=10000, size=2048, type=83\n"
LOGICAL = (
    f"{MBR}start=2048, size=2048, type=83\nstart=12000, size=20000, type=f\n"
    "x5 : start=12063, size=2000, type=7\nx6 : start=20063, size=2000, type=83\n"
)
MIDDLE: tuple[tuple[int, int], tuple[int, int]] = ((4096, 16384), (6144, 2000))
LAYOUTS = {
    "gpt": Layout(_gpt(2), 2, *MIDDLE),
    "gpt-512e": Layout(_gpt(2), 2, *MIDDLE, physical_bytes=4096),
    "gpt-512e-entry-apart": Layout(_gpt(60), 60, *MIDDLE, physical_bytes=4096),
    "gpt-512e-copy-together": Layout(_gpt(120), 120, *MIDDLE, physical_bytes=4096),
    "gpt-512e-odd-end": Layout(_gpt(2), 2, *MIDDLE, 4096, size_bytes=SIZE + 3 * SECTOR),
    "gpt-4096": Layout(_hand_made_gpt(), 2, (512, 1536), (768, 200), 4096),
    "mbr": Layout(PRIMARY, 1, (63, 9937), (2048, 2000), is_gpt=False),
    "mbr-512e": Layout(PRIMARY, 1, (63, 9937), (2048, 2000), 4096, is_gpt=False),
    "mbr-4096": Layout(_hand_made_mbr(), 2, (512, 1536), (768, 200), 4096, is_gpt=False),
    "logical": Layout(LOGICAL, 6, (20063, 9000), (22528, 2000), is_gpt=False),
    "logical-512e": Layout(LOGICAL, 5, (12063, 7000), (12288, 2000), 4096, is_gpt=False),
    "logical-4096": Layout(_hand_made_mbr(), 5, (2049, 400), (2176, 200), 4096, is_gpt=False),
}


def made(tmp_path: Path, layout: str | Layout) -> Disk:
    return Disk(tmp_path / "x", LAYOUTS[layout] if isinstance(layout, str) else layout)
