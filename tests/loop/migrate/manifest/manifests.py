"""Helpers for tests of manifests: an ext3 with files of every type, and manifests before and after a
change."""

import os
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from tests.devices import Bench, tool
from tests.loop.program import GIB, KIB, MIB
from wizard.apply.tree import manifest
from wizard.apply.tree.differences import differences
from wizard.apply.tree.entries import TreeEntry
from wizard.apply.tree.manifest import changed_entries, manifest_entries, take_manifest
from wizard.apply.tree.mount_read_only import mounted_read_only
from wizard.model.said import TIB, Message

ACL = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, bits, who) for tag, bits, who in ((1, 6, -1 & 0xFFFFFFFF), (2, 4, 1000))
)
ACL += b"".join(struct.pack("<HHI", tag, bits, 0xFFFFFFFF) for tag, bits in ((4, 4), (16, 4), (32, 0)))
"""user::rw-, user:1000:r--, group::r--, mask::r--, other::--- (linux/posix_acl_xattr.h)."""

OTHER_ACL = ACL.replace(struct.pack("<I", 1000), struct.pack("<I", 1001))

NOT_UTF8 = b"\xff\xfe name"
DEPTH = 60


def make_ext3(bench: Bench, size_bytes: int = 96 * MIB, *options: str) -> str:
    """Create a drive with an empty ext3, by default with 128-byte inodes and 4 KiB blocks."""
    drive = bench.make_drive(size_bytes)
    tool("mke2fs", "-q", "-t", "ext3", *(options or ("-I", "128", "-b", "4096")), drive)
    return drive


@contextmanager
def mounted(drive: str) -> Iterator[Path]:
    """Mount a filesystem for writing, without access times."""
    with TemporaryDirectory() as place:
        tool("mount", "-t", "ext4", "-o", "noatime", drive, place)
        try:
            yield Path(place)
        finally:
            tool("umount", place)


def entries_of(file: Path) -> Iterator[TreeEntry]:
    """Yield the entries of a manifest in order. Raises BadInput if the manifest is incomplete."""
    return manifest_entries(file)


def fill(top: Path, huge_bytes: int = TIB) -> None:
    """Create files with every property that a manifest records."""
    (top / "folder").mkdir()
    (top / "file").write_bytes(b"content" * 3000)
    (top / "empty").touch()
    (top / "other name").hardlink_to(top / "file")
    (top / "folder/link").symlink_to("../file")
    os.mkfifo(top / "pipe")
    os.mknod(top / "null", 0o600 | 0o020000, os.makedev(1, 3))
    os.mknod(top / "disk", 0o600 | 0o060000, os.makedev(7, 250))
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(f"{top}/socket")
    (top / "guarded").write_text("by an ACL")
    os.setxattr(top / "guarded", "system.posix_acl_access", ACL)
    os.setxattr(top / "guarded", "user.long", b"v" * 500)
    os.setxattr(top / "guarded", "trusted.mine", b"\0\1")
    os.setxattr(top / "folder", "user.of", b"a folder")
    sparse(top / "sparse", 10 * GIB)
    sparse(top / "huge", huge_bytes)
    (top / "written zeros").write_bytes(bytes(64 * KIB))
    Path(os.fsdecode(os.fsencode(top) + b"/" + NOT_UTF8)).write_text("not text")
    deep(top)
    (top / "still").write_text("immutable")
    for path in (top / "file", top / "folder", top):
        os.utime(path, (1_000_000_000, 1_111_111_111))
    tool("chattr", "+i", str(top / "still"))


def sparse(path: Path, size_bytes: int) -> None:
    """Create a sparse file with data at the start, in the middle and near the end."""
    with path.open("wb") as file:
        for place in (0, size_bytes // 2, size_bytes - 3 * MIB):
            os.pwrite(file.fileno(), b"d" * 5000, place)
        file.truncate(size_bytes)


def deep(top: Path) -> None:
    """Create folders so deep that the path of the file at the bottom exceeds the kernel's limit."""
    held = os.open(top, os.O_RDONLY)
    for _ in range(DEPTH):
        os.mkdir("d" * 100, dir_fd=held)
        below = os.open("d" * 100, os.O_RDONLY, dir_fd=held)
        os.close(held)
        held = below
    with os.fdopen(os.open("bottom", os.O_WRONLY | os.O_CREAT, dir_fd=held), "w") as file:
        file.write("deep")
    os.setxattr(f"/proc/self/fd/{held}", "user.deep", b"y")
    os.mkfifo("pipe", dir_fd=held)
    os.close(held)


def manifest_of(drive: str, file: Path, workers: int = 2) -> Path:
    """Write the manifest of a drive's filesystem."""
    with mounted_read_only(drive) as top, patch.object(manifest, "WORKERS", workers):
        take_manifest(top, file)
    return file


def differing(before: Path, after: Path) -> tuple[Message, ...]:
    """Return the differences between two manifests."""
    return differences(changed_entries(before, after))


def told(drive: str, folder: Path, change: Callable[[Path], object]) -> tuple[str, ...]:
    """Change a filesystem, and return the differences from the manifest `before` in the folder."""
    with mounted(drive) as top:
        change(top)
    after = manifest_of(drive, folder / "after")
    return tuple(map(str, differing(folder / "before", after)))
