"""Positions stored inside filesystems after a move, judged by the filesystems' own checkers."""

import os
import struct
from dataclasses import dataclass
from pathlib import Path

import pytest

from wizard.apply.move.relocate import fat_offset, placed
from wizard.model.errors import Refused
from wizard.model.said import KIB, MIB
from wizard.plan.partition.move_target import WITHOUT_PLACE
from wizard.process.program import find, run

BEFORE, AFTER = 63, 133120
HEAD, TAIL = 128 * KIB, 4096


@dataclass(frozen=True, slots=True)
class Made:
    """The command to make a filesystem at block BEFORE, its libblkid type, and its checker."""

    make: tuple[str, ...]
    kind: str
    check: tuple[str, ...]
    size_bytes: int = 64 * MIB


FAT = ("mkfs.vfat", "-h", str(BEFORE))
NTFS = ("mkntfs", "-F", "-Q", "-q", "-p", str(BEFORE), "-H", "255", "-S", "63")
EXFAT = ("mkfs.exfat",)
FSCK_FAT, FSCK_EXFAT = ("fsck.fat", "-n"), ("fsck.exfat", "-n")
FILESYSTEMS = {
    "fat12": Made((*FAT, "-F", "12"), "vfat", FSCK_FAT, 4 * MIB),
    "fat16": Made((*FAT, "-F", "16"), "vfat", FSCK_FAT),
    "fat32": Made((*FAT, "-F", "32"), "vfat", FSCK_FAT),
    "fat32-4096": Made((*FAT, "-F", "32", "-S", "4096", "-s", "1"), "vfat", FSCK_FAT),
    "exfat": Made(EXFAT, "exfat", FSCK_EXFAT),
    "ntfs": Made(NTFS, "ntfs", ("ntfsinfo", "-m")),
    "ntfs-4096": Made((*NTFS, "-s", "4096"), "ntfs", ("ntfsinfo", "-m")),
}


def made(name: str, folder: Path) -> Path:
    how = FILESYSTEMS[name]
    for program in (how.make[0], how.check[0]):
        if find(program) is None:
            pytest.skip(f"{program} is not installed")
    path = folder / name
    path.touch()
    os.truncate(path, how.size_bytes)
    run([*how.make, str(path)], seconds=60)
    if how.kind == "exfat":
        _exfat_at(path, BEFORE)
    return path


def _exfat_at(path: Path, start: int) -> None:
    """Store the start, which mkfs.exfat does not know for a file, with checksums by an independent
    formula."""
    data = bytearray(path.read_bytes()[: 24 * 512])
    for at in (0, 12 * 512):
        struct.pack_into("<Q", data, at + 64, start)
        total = 0
        for index in range(11 * 512):
            if index not in (106, 107, 112):
                rotated = (total & 1) * 0x80000000 + (total >> 1)
                total = (rotated + data[at + index]) % 2**32
        data[at + 11 * 512 : at + 12 * 512] = struct.pack("<I", total) * 128
    write(path, 0, bytes(data))


def write(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def ends(path: Path) -> tuple[bytes, bytes]:
    with path.open("rb") as file:
        return os.pread(file.fileno(), HEAD, 0), os.pread(file.fileno(), TAIL, path.stat().st_size - TAIL)


def move(name: str, path: Path, before: int = BEFORE, after: int = AFTER) -> None:
    head, tail = placed(FILESYSTEMS[name].kind, *ends(path), before, after)
    assert (len(head), len(tail)) == (HEAD, TAIL)
    write(path, 0, head)
    write(path, FILESYSTEMS[name].size_bytes - TAIL, tail)


def changed(old: bytes, new: bytes) -> set[int]:
    assert len(old) == len(new)
    return {
        at
        for start in range(0, len(old), TAIL)
        if old[start : start + TAIL] != new[start : start + TAIL]
        for at in range(start, min(start + TAIL, len(old)))
        if old[at] != new[at]
    }


PLACES: dict[str, tuple[int, ...]] = {
    "fat12": (28,),
    "fat16": (28,),
    "fat32": (28, 6 * 512 + 28),
    "fat32-4096": (28, 6 * 4096 + 28),
    "ntfs": (28, -512 + 28),
    "ntfs-4096": (28, -4096 + 28),
    "exfat": (64, 12 * 512 + 64),
}


@pytest.mark.parametrize("name", FILESYSTEMS)
def test_every_copy_has_the_new_start_and_passes_fsck(name: str, tmp_path: Path) -> None:
    path, size = made(name, tmp_path), FILESYSTEMS[name].size_bytes
    old = path.read_bytes()
    length = "<Q" if name == "exfat" else "<I"
    fields = [at % size for at in PLACES[name]]
    assert [struct.unpack_from(length, old, at)[0] for at in fields] == [BEFORE] * len(fields)
    move(name, path)
    new = path.read_bytes()
    assert [struct.unpack_from(length, new, at)[0] for at in fields] == [AFTER] * len(fields)
    allowed = {at + byte for at in fields for byte in range(struct.calcsize(length))}
    if name == "exfat":
        allowed |= {at for sector in (11, 23) for at in range(sector * 512, sector * 512 + 512)}
    assert changed(old, new) <= allowed
    run([*FILESYSTEMS[name].check, str(path)], seconds=60)
    move(name, path, AFTER, BEFORE)
    assert path.read_bytes() == old


@pytest.mark.parametrize("name", ["fat32", "exfat"])
def test_checkers_notice_a_half_update(name: str, tmp_path: Path) -> None:
    """Proves that the checkers can fail."""
    path = made(name, tmp_path)
    old, _ = ends(path)
    move(name, path)
    write(path, 0, old[:512])
    said = run([*FILESYSTEMS[name].check, str(path)], seconds=60, accept=range(256))
    assert said.status or "differences" in said.output, said


@pytest.mark.parametrize("name", FILESYSTEMS)
def test_wrong_start_is_unchanged(name: str, tmp_path: Path) -> None:
    path = made(name, tmp_path)
    old = ends(path)
    assert placed(FILESYSTEMS[name].kind, *old, BEFORE + 1, AFTER) == old


def test_each_copy_is_checked_separately(tmp_path: Path) -> None:
    path = made("fat32", tmp_path)
    write(path, 28, struct.pack("<I", 0))
    head, _ = placed("vfat", *ends(path), BEFORE, AFTER)
    assert struct.unpack_from("<I", head, 28) == (0,)
    assert struct.unpack_from("<I", head, 6 * 512 + 28) == (AFTER,)


@pytest.mark.parametrize("copy", [0, 0xFFFF])
def test_fat32_may_have_no_copy(tmp_path: Path, copy: int) -> None:
    path = made("fat32", tmp_path)
    write(path, 0x32, struct.pack("<H", copy))
    old, _ = ends(path)
    head, _ = placed("vfat", *ends(path), BEFORE, AFTER)
    assert {28} <= changed(old, head) <= {28, 29, 30, 31}


def test_lookalike_of_an_ntfs_copy_is_unchanged(tmp_path: Path) -> None:
    path = made("ntfs", tmp_path)
    write(path, FILESYSTEMS["ntfs"].size_bytes - 512 + 3, b"XX")
    _, old = ends(path)
    assert placed("ntfs", *ends(path), BEFORE, AFTER)[1] == old


def test_start_fits_in_32_bits(tmp_path: Path) -> None:
    path = made("fat16", tmp_path)
    head, _ = placed("vfat", *ends(path), BEFORE, (1 << 32) - 1)
    assert head[28:32] == b"\xff" * 4
    with pytest.raises(Refused, match="32-bit block numbers"):
        placed("vfat", *ends(path), BEFORE, 1 << 32)
    exfat = made("exfat", tmp_path)
    head, _ = placed("exfat", *ends(exfat), BEFORE, 1 << 32)
    assert struct.unpack_from("<Q", head, 64) == (1 << 32,)


@pytest.mark.parametrize("kind", sorted(WITHOUT_PLACE))
def test_most_content_counts_from_its_own_start(kind: str) -> None:
    assert placed(kind, b"head", b"tail", BEFORE, AFTER) == (b"head", b"tail")


@pytest.mark.parametrize("kind", ["zfs_member", "swsuspend", "befs"])
def test_other_content_is_refused(kind: str) -> None:
    with pytest.raises(Refused, match=f"unknown if {kind}"):
        placed(kind, bytes(HEAD), bytes(TAIL), BEFORE, AFTER)


@pytest.mark.parametrize("kind", ["ntfs", "vfat", "exfat"])
def test_foreign_first_sector_is_refused(kind: str) -> None:
    head = bytearray(HEAD)
    head[3:11], head[510:512] = b"-FVE-FS-", b"\x55\xaa"
    with pytest.raises(Refused, match="first sector does not match"):
        placed(kind, bytes(head), bytes(TAIL), BEFORE, AFTER)


CLEAN = 0xFFFFFFFF
LINUX_32, LINUX_16 = (0x41, b"\1"), (0x25, b"\1")


@pytest.mark.parametrize(
    ("name", "at", "data"),
    [
        ("fat32", *LINUX_32),
        ("fat16", *LINUX_16),
        ("fat12", *LINUX_16),
        ("fat32", 32 * 512 + 4, struct.pack("<I", CLEAN & ~(1 << 27))),
        ("fat16", 4 * 512 + 2, struct.pack("<H", 0x7FFF)),
        ("exfat", 0x6A, b"\2"),
    ],
)
def test_unclean_filesystem_is_refused(name: str, at: int, data: bytes, tmp_path: Path) -> None:
    path = made(name, tmp_path)
    kind = FILESYSTEMS[name].kind
    if kind == "vfat" and at > 512:
        head, _ = ends(path)
        assert fat_offset(head) == at // 512 * 512
    assert placed(kind, *ends(path), BEFORE, AFTER)
    write(path, at, data)
    with pytest.raises(Refused, match="not unmounted cleanly"):
        placed(kind, *ends(path), BEFORE, AFTER)


def test_fat_after_the_header_is_checked_if_given(tmp_path: Path) -> None:
    path = made("fat32-4096", tmp_path)
    head, tail = ends(path)
    assert fat_offset(head) == 32 * 4096 == len(head)
    assert placed("vfat", head, tail, BEFORE, AFTER)
    sound = struct.pack("<II", 0x0FFFFFF8, CLEAN)
    assert placed("vfat", head, tail, BEFORE, AFTER, sound) == placed("vfat", head, tail, BEFORE, AFTER)
    with pytest.raises(Refused, match="not unmounted cleanly"):
        placed("vfat", head, tail, BEFORE, AFTER, struct.pack("<II", 0x0FFFFFF8, CLEAN & ~(1 << 27)))


def test_small_fat12_has_no_flags_in_its_table(tmp_path: Path) -> None:
    path = made("fat12", tmp_path)
    head, _ = ends(path)
    write(path, fat_offset(head) + 2, b"\0\0")
    assert placed("vfat", *ends(path), BEFORE, AFTER)


@pytest.mark.parametrize("at", [200, 12 * 512 + 200])
def test_damaged_exfat_gets_no_valid_checksums(at: int, tmp_path: Path) -> None:
    path = made("exfat", tmp_path)
    write(path, at, b"\x5a")
    with pytest.raises(Refused, match="checksum"):
        placed("exfat", *ends(path), BEFORE, AFTER)


def test_distant_copy_of_a_fat_is_refused(tmp_path: Path) -> None:
    path = made("fat32", tmp_path)
    write(path, 0x32, struct.pack("<H", 256))
    with pytest.raises(Refused, match="first sector"):
        placed("vfat", *ends(path), BEFORE, AFTER)
