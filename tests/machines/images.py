"""Tables in a drive's file before it is attached: valid ones by sfdisk, and faulty ones byte for byte."""

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.unit.probe.gptimage import Image
from wizard.model.said import MIB

Prepare = Callable[[Path], None]

BLOCK = 512
RECORDS = 446
"""Where a boot record's four slots begin."""
SLOT = 16


def untouched(image: Path) -> None:
    """Leave the drive empty."""


def table(*lines: str, label: str = "gpt") -> Prepare:
    """Write a table by sfdisk, one partition per line. Files have blocks of 512 bytes, nodes those of the
    drive."""

    def prepare(image: Path) -> None:
        said = "\n".join(
            (
                f"label: {label}",
                *(["first-lba: 34"] if any("start=34," in line for line in lines) else []),
                *lines,
                "",
            )
        )
        argv = ["sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", str(image)]
        done = subprocess.run(argv, input=said, text=True, capture_output=True, timeout=60, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(argv)}: {done.stderr}")

    return prepare


def after(*steps: Prepare) -> Prepare:
    """Combine several steps."""

    def prepare(image: Path) -> None:
        for step in steps:
            step(image)

    return prepare


def zeros(block: int, count: int = 1) -> Prepare:
    """Overwrite blocks with zeros. A negative number counts from the end."""

    def prepare(image: Path) -> None:
        first = block if block >= 0 else image.stat().st_size // BLOCK + block
        _put(image, first * BLOCK, bytes(count * BLOCK))

    return prepare


def resized(size_bytes: int) -> Prepare:
    """Change the size of a drive with a table."""

    def prepare(image: Path) -> None:
        with image.open("r+b") as file:
            file.truncate(size_bytes)

    return prepare


def slots(*found: tuple[int, int, int], at_block: int = 0) -> Prepare:
    """Write a boot record with (type, first, blocks) slots."""

    def prepare(image: Path) -> None:
        made = Image(BLOCK)
        made.mbr(*found)
        _put(image, at_block * BLOCK + RECORDS, made.read(RECORDS, BLOCK - RECORDS))

    return prepare


def sound_gpt(*entries: tuple[int, int, str]) -> Prepare:
    """Write both copies of a GPT with valid checksums over arbitrary (first, last, name) entries."""

    def prepare(image: Path) -> None:
        made = Image(image.stat().st_size)
        made.protective()
        made.gpt(*entries)
        head, tail = 34 * BLOCK, 33 * BLOCK
        _put(image, 0, made.read(0, head))
        _put(image, made.size_bytes - tail, made.read(made.size_bytes - tail, tail))

    return prepare


def chain_to_itself(image: Path) -> None:
    """Let the second record of an extended partition's chain point to the first one."""
    start = _extended_start(image)
    (second,) = struct.unpack("<I", _get(image, start * BLOCK + RECORDS + SLOT + 8, 4))
    link = (start + second) * BLOCK + RECORDS + SLOT
    _put(image, link, struct.pack("<B3sB3sII", 0, bytes(3), 0x05, bytes(3), 0, MIB // BLOCK))


def _extended_start(image: Path) -> int:
    for number in range(4):
        slot = _get(image, RECORDS + number * SLOT, SLOT)
        if slot[4] in (0x05, 0x0F):
            return int.from_bytes(slot[8:12], "little")
    raise SystemExit(f"{image} has no extended partition")


def _get(image: Path, offset_bytes: int, size_bytes: int) -> bytes:
    with image.open("rb") as file:
        file.seek(offset_bytes)
        return file.read(size_bytes)


def _put(image: Path, offset_bytes: int, data: bytes) -> None:
    with image.open("r+b") as file:
        file.seek(offset_bytes)
        file.write(data)
