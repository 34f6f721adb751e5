"""The signatures that real mkfs programs write, with all copies, are among the places that the engine
erases."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devices import tool
from tests.loop.program import MIB
from wizard.apply.block.extents import Read, held
from wizard.apply.engine.signatures import copies
from wizard.apply.steps.wipe import list_signatures

LUKS = (
    *("cryptsetup", "luksFormat", "--batch-mode", "--type", "luks2", "--pbkdf", "pbkdf2"),
    *("--pbkdf-force-iterations", "1000"),
)
MAKERS: dict[str, tuple[tuple[str, ...], bytes, int]] = {
    "xfs": (("mkfs.xfs", "-q", "-f"), b"XFSB", 0),
    "btrfs": (("mkfs.btrfs", "-q", "-f"), b"_BHRfS_M", 0x40),
    "ntfs": (("mkfs.ntfs", "-q", "-F", "-f"), b"NTFS    ", 3),
    "exfat": (("mkfs.exfat",), b"EXFAT   ", 3),
    "fat32": (("mkfs.vfat", "-F", "32"), b"FAT32   ", 82),
    "f2fs": (("mkfs.f2fs", "-q", "-f"), b"\x10\x20\xf5\xf2", 0),
    "nilfs2": (("mkfs.nilfs2", "-q", "-f"), b"\x34\x34", 6),
    "luks2": (LUKS, b"SKUL\xba\xbe", 0),
}
"""How it is made, by which bytes it is recognised, and where in a sector they are."""

SHAPES = [(name, 320 * MIB) for name in MAKERS] + [
    # The last group of XFS is mostly a smaller one.
    *(("xfs", size) for size in (301 * MIB, 333 * MIB, 333 * MIB + 12288, 1500 * MIB)),
    *((name, 301 * MIB + 4096) for name in ("ntfs", "nilfs2", "btrfs")),
]


def heads(read: Read, file: int, magic: bytes, at: int) -> Iterator[int]:
    """Yield each sector with these bytes at the offset of a superblock's magic."""
    for place in held(file):
        data = read(place.start_bytes, place.size_bytes)
        for sector in range(0, len(data), 512):
            if data.startswith(magic, sector + at):
                yield place.start_bytes + sector


@pytest.mark.parametrize(("name", "size_bytes"), SHAPES, ids=[f"{name}-{size}" for name, size in SHAPES])
def test_every_copy_of_a_signature_is_known(tmp_path: Path, name: str, size_bytes: int) -> None:
    argv, magic, at = MAKERS[name]
    file, key = tmp_path / "image", tmp_path / "key"
    key.write_text("a passphrase")
    with file.open("xb") as made:
        made.truncate(size_bytes)
    tool(*argv, str(file), *([str(key)] if name == "luks2" else []))
    with file.open("rb") as image:

        def read(start: int, length: int) -> bytes:
            return os.pread(image.fileno(), length, start)

        known = list(copies(read, size_bytes))
        found = list(heads(read, image.fileno(), magic, at))
    shown = [offset // 512 * 512 for _, offset in list_signatures(str(file))]
    assert found, f"{argv[0]} wrote no head"
    for head in found:
        assert head in shown or any(place.start_bytes <= head < place.end_bytes for place in known), (
            f"the head of {name} in the sector at byte {head} would stay; known are {known}"
        )
