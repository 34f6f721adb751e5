"""Small ext filesystems in files, made by the real mke2fs, for tests of their superblocks. Needs no root."""

import os
from collections.abc import Sequence
from pathlib import Path

from wizard.ext4.superblock import START_BYTES, SUPERBLOCK_BYTES, read_filesystem
from wizard.model.ext import ExtFacts
from wizard.model.said import MIB
from wizard.process.program import run

EXT3 = ("-t", "ext3", "-I", "128")
"""As an old system made it."""


def made(folder: Path, *options: str, size_bytes: int = 16 * MIB, name: str = "ext.img") -> Path:
    """Return an image from mke2fs with these options."""
    image = folder / name
    image.touch()
    os.truncate(image, size_bytes)
    run(["mke2fs", "-q", "-F", *(options or EXT3), str(image)], seconds=60)
    return image


def debugfs(image: Path, *commands: str) -> None:
    """Run debugfs commands that write to the image."""
    for command in commands:
        run(["debugfs", "-w", "-R", command, str(image)], seconds=60)


def facts(image: Path) -> ExtFacts:
    """Return the facts from the superblock and the root folder."""
    with image.open("rb") as file:
        found = read_filesystem(lambda offset, size: os.pread(file.fileno(), size, offset))
    assert found is not None
    return found


def superblock(image: Path) -> bytes:
    with image.open("rb") as file:
        file.seek(START_BYTES)
        return file.read(SUPERBLOCK_BYTES)


def dumped(image: Path, *names: str) -> Sequence[str]:
    """Return the values of dumpe2fs with these names, in order."""
    lines = dict(
        line.split(":", 1)
        for line in run(["dumpe2fs", "-h", str(image)], seconds=60).output.splitlines()
        if ":" in line
    )
    # Of the first revision, whose inodes are all of one size, it does not tell it.
    return [{"Inode size": "128", **lines}[name].strip() for name in names]
