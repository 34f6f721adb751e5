"""Filesystems listed for conversion on the drives screen: old ones, and incomplete conversions."""

import struct
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.ext4.extimages import EXT3, debugfs, made
from tests.unit.probe.superblocks import Bytes
from wizard.ext4.superblock import old_filesystems
from wizard.model.machine import Drive, Signature
from wizard.model.said import KIB, MIB
from wizard.probe.content.superblocks import is_unconverted, read_inside
from wizard.process.program import run


def seen(image: Path, kind: str) -> Signature:
    """Return the signature as the probe reads it."""
    mark = Signature(kind, "filesystem", "films")
    return read_inside(mark, Bytes(16 * MIB, {0: image.read_bytes()}).read, 16 * MIB)


def offered(mark: Signature) -> list[tuple[str, str | None]]:
    found = old_filesystems(Drive("/dev/sdz", None, None, signatures=(mark,)))
    return [(one.kind, one.label) for one in found]


def test_former_ext3_is_offered_until_completely_converted(tmp_path: Path) -> None:
    image = made(tmp_path, *EXT3)
    assert offered(seen(image, "ext3")) == [("ext3", "films")]
    run(["tune2fs", "-O", "extent,huge_file,dir_nlink", str(image)], seconds=60)
    assert offered(seen(image, "ext4")) == [("incomplete ext4", "films")]
    for argv in (("resize2fs", "-b"), ("tune2fs", "-O", "metadata_csum")):
        run(["e2fsck", "-fyD", str(image)], seconds=60, accept=range(4))
        run([*argv, str(image)], seconds=60)
    run(["e2fsck", "-fyD", str(image)], seconds=60, accept=range(4))
    assert offered(seen(image, "ext4")) == [("incomplete ext4", "films")], "its files were never converted"
    run(["e2fsck", "-fyD", "-E", "bmap2extent", str(image)], seconds=60, accept=range(4))
    assert not offered(seen(image, "ext4"))
    lacking = made(tmp_path, "-t", "ext4", "-O", "^flex_bg,^64bit,^metadata_csum", name="lacking.img")
    assert offered(seen(lacking, "ext4")), "its files are converted, and it lacks checksums"


@pytest.mark.parametrize("features", ["", "^metadata_csum,^64bit", "^has_journal"])
def test_native_ext4_is_not_offered(tmp_path: Path, features: str) -> None:
    mark = seen(made(tmp_path, "-t", "ext4", *(("-O", features) if features else ())), "ext4")
    assert not offered(mark) and mark.features is not None
    assert not offered(replace(mark, features=None)), (
        "a recording from before features were read, or a plain user's look"
    )


@pytest.mark.parametrize("place", [1024 + 0x14, 1024 + 0x18, 4096 + 0x08, 4096 + 0x28])
def test_impossible_numbers_claim_no_candidate(tmp_path: Path, place: int) -> None:
    image = made(tmp_path, "-t", "ext3", "-b", "4096")
    debugfs(image, "feature extent 64bit")
    whole = bytearray(image.read_bytes())
    struct.pack_into("<H", whole, 1024 + 0xFE, 64)
    # What a small descriptor has there belongs to the second group.
    struct.pack_into("<I", whole, 4096 + 0x28, 0)
    assert is_unconverted(Bytes(16 * MIB, {0: bytes(whole)}).read)
    damaged = bytes(whole[:place]) + b"\xff" * 4 + bytes(whole[place + 4 :])
    assert not is_unconverted(Bytes(16 * MIB, {0: damaged}).read)
    assert not is_unconverted(Bytes(4 * KIB, {0: bytes(whole[: 4 * KIB])}).read)
