"""Manifests of a real ext3 name each changed property and no other, and reading leaves no trace."""

import fcntl
import gzip
import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.devices import Bench, tool
from tests.loop.migrate.manifest.manifests import (
    DEPTH,
    NOT_UTF8,
    OTHER_ACL,
    differing,
    entries_of,
    fill,
    make_ext3,
    manifest_of,
    mounted,
    told,
)
from tests.loop.program import MIB, BadInput, Failed
from wizard.apply.tree.differences import TOLD, as_held, differences
from wizard.apply.tree.entries import EntryKind, TreeEntry
from wizard.apply.tree.manifest import changed_entries, take_manifest
from wizard.apply.tree.mount_read_only import mounted_read_only
from wizard.filesystems.registry import KINDS


@pytest.fixture
def drive(bench: Bench) -> str:
    """An ext3 with files of every type."""
    made = make_ext3(bench)
    with mounted(made) as top:
        fill(top)
    return made


def by_path(file: Path) -> dict[bytes, TreeEntry]:
    return {entry.path: entry for entry in entries_of(file)}


def test_manifest_is_complete(drive: str, tmp_path: Path) -> None:
    with mounted_read_only(drive) as top:
        shares: list[float] = []
        entries = take_manifest(top, tmp_path / "before", on_progress=shares.append)
    seen = by_path(tmp_path / "before")
    assert len(seen) == entries
    assert {path for path in seen if path.count(b"/") < 2} >= {
        *(
            b"",
            b"file",
            b"other name",
            b"folder",
            b"folder/link",
            b"pipe",
            b"null",
            b"disk",
            b"socket",
            b"guarded",
            b"sparse",
            b"huge",
        ),
        *(b"written zeros", b"lost+found", b"still", b"empty", NOT_UTF8),
    }
    assert seen[b"file"].digest == sha256(b"content" * 3000).hexdigest()
    assert seen[b"other name"].same_as == b"file"
    assert seen[b"other name"].digest == seen[b"file"].digest
    assert (seen[b"file"].same_as, seen[b"file"].links, seen[b"file"].modified) == (
        b"",
        2,
        1_111_111_111 * 10**9,
    )
    assert (seen[b"folder/link"].kind, seen[b"folder/link"].target) == (EntryKind.SYMLINK, b"../file")
    assert (seen[b"null"].kind, seen[b"null"].device, seen[b"disk"].kind) == (
        EntryKind.CHARACTERS,
        "1:3",
        EntryKind.BLOCKS,
    )
    assert (seen[b"pipe"].kind, seen[b"socket"].kind) == (EntryKind.FIFO, EntryKind.SOCKET)
    assert [name for name, _ in seen[b"guarded"].attributes] == [
        "system.posix_acl_access",
        "trusted.mine",
        "user.long",
    ]
    assert seen[b"still"].flags == 0x10
    bottom = b"/".join([b"d" * 100] * DEPTH)
    assert seen[bottom].attributes == (("user.deep", b"y".hex()),)
    assert seen[bottom + b"/bottom"].digest == sha256(b"deep").hexdigest()
    assert seen[bottom + b"/pipe"].kind is EntryKind.FIFO
    assert shares
    assert all(0 <= share <= 1 for share in shares)


def test_unchanged_files_match_for_any_number_of_workers(drive: str, tmp_path: Path) -> None:
    manifests = [manifest_of(drive, tmp_path / str(workers), workers) for workers in (1, 2, 3)]
    assert len({gzip.decompress(file.read_bytes()) for file in manifests}) == 1
    assert differing(manifests[0], manifests[1]) == ()


def overwrite(path: Path, data: bytes, place: int = 0) -> None:
    """Overwrite bytes without a change of the file's times, except ctime."""
    status = path.stat()
    with path.open("rb+") as file:
        os.pwrite(file.fileno(), data, place)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def renamed(top: Path) -> None:
    """Rename one of a file's hard links."""
    (top / "other name").rename(top / "third name")


def set_flag(top: Path) -> None:
    fd = os.open(top / "file", os.O_RDONLY)
    fcntl.ioctl(fd, 0x40086602, struct.pack("l", 0x40))
    os.close(fd)


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "one byte": (lambda top: overwrite(top / "file", b"X", 20_000), "/file: content differs"),
    "size": (
        lambda top: overwrite(top / "file", b"X", 21_000),
        "/file: size changed from 21000 to 21001",
    ),
    "data in a hole": (
        lambda top: overwrite(top / "sparse", b"X", 7 * 2**30),
        "/sparse: content differs",
    ),
    "zeros in a hole": (
        lambda top: overwrite(top / "sparse", bytes(4096), 7 * 2**30),
        "/sparse: holes changed",
    ),
    "permissions": (lambda top: (top / "file").chmod(0o4711), "/file: mode changed from 0644 to 4711"),
    "owner": (lambda top: os.chown(top / "folder", 7, 8), "/folder: owner changed from 0:0 to 7:8"),
    "owner of a link": (
        lambda top: os.lchown(top / "folder/link", 7, 8),
        "/folder/link: owner changed from 0:0 to 7:8",
    ),
    "modified": (
        lambda top: os.utime(top / "file", (1_000_000_000, 5)),
        "/file: mtime changed from 2005-03-18 01:58:31.000000000 UTC to 1970-01-01 00:00:05.0",
    ),
    "read": (
        lambda top: os.utime(top / "folder", (6, 1_111_111_111)),
        "/folder: atime changed from 2001-09-09 01:46:40.000000000 UTC to 1970-01-01 00:00:06.0",
    ),
    "attribute": (
        lambda top: os.setxattr(top / "guarded", "trusted.mine", b"\0\2"),
        "trusted.mine differs",
    ),
    "long attribute": (
        lambda top: os.setxattr(top / "guarded", "user.long", b"v" * 499 + b"w"),
        "user.long differs",
    ),
    "lost attribute": (
        lambda top: os.removexattr(top / "folder", "user.of"),
        "/folder: user.of differs",
    ),
    "ACL": (
        lambda top: os.setxattr(top / "guarded", "system.posix_acl_access", OTHER_ACL),
        "posix_acl_access differs",
    ),
    "flag": (set_flag, "/file: flags changed from 0x0 to 0x40"),
    "lost flag": (
        lambda top: tool("chattr", "-i", str(top / "still")),
        "/still: flags changed from 0x10 to 0x0",
    ),
    "missing": (lambda top: (top / "empty").unlink(), "/empty (file) is missing."),
    "new": (lambda top: (top / "new").mkdir(), "/new (folder) is new."),
    "name that is no text": (
        lambda top: Path(os.fsdecode(os.fsencode(top) + b"/" + NOT_UTF8)).unlink(),
        r"/\xff\xfe name (file) is missing.",
    ),
    "name": (renamed, "/third name (file) is new."),
}


@pytest.mark.parametrize("group", range(3))
def test_damage_is_named(drive: str, tmp_path: Path, group: int) -> None:
    manifest_of(drive, tmp_path / "before")
    chosen = list(CHANGES.values())[group::3]
    sentences = told(drive, tmp_path, lambda top: [change(top) for change, _ in chosen])
    for _, wanted in chosen:
        assert any(all(part in sentence for part in wanted.split(": ", 1)) for sentence in sentences), (
            wanted,
            sentences,
        )
    # For each change: what was changed, the folder that it is in, and the other name of a file are all that
    # may be told.
    assert len(sentences) <= 3 * len(chosen), sentences


EDITS = {
    "set_inode_field /file ctime 5": r"/file: ctime changed from .* to 1970-01-01 00:00:05\.0",
    "set_inode_field /file block[1] 0": "/file: content differs",
    "set_inode_field /lost+found mode 040711": r"/lost\+found: mode changed from 0700 to 0711",
    "set_inode_field /disk block[0] 0x0101": "/disk: device changed from 7:250 to 1:1",
}


@pytest.mark.parametrize("edit", EDITS)
def test_damage_below_the_kernel_is_named(drive: str, tmp_path: Path, edit: str) -> None:
    before = manifest_of(drive, tmp_path / "before")
    debugfs(drive, edit)
    found = differing(before, manifest_of(drive, tmp_path / "after"))
    assert any(re.search(EDITS[edit], str(said)) for said in found), found


def test_inode_numbers_are_compared_except_with_a_copy(drive: str, tmp_path: Path) -> None:
    def move(top: Path) -> None:
        """Replace a file with one of equal properties but another inode."""
        status = (top / "empty").stat()
        (top / "new").touch()
        os.utime(top / "new", ns=(status.st_atime_ns, status.st_mtime_ns))
        (top / "new").rename(top / "empty")
        os.utime(top, (1_000_000_000, 1_111_111_111))

    before = manifest_of(drive, tmp_path / "before")
    assert any("/empty: inode changed" in sentence for sentence in told(drive, tmp_path, move))
    changed = changed_entries(before, tmp_path / "after")
    assert differences(changed, seen_as=as_held(KINDS["ext4"].holds)) == ()


def test_many_differences_are_counted(drive: str, tmp_path: Path) -> None:
    def hundred(top: Path) -> None:
        for number in range(100):
            (top / f"folder/{number:03}").touch()

    manifest_of(drive, tmp_path / "before")
    sentences = told(drive, tmp_path, hundred)
    assert len(sentences) == TOLD + 1
    # The folder's own times differ, too.
    assert sentences[-1] == f"{101 - TOLD} more differences."


def test_folder_larger_than_one_batch(bench: Bench, tmp_path: Path) -> None:
    drive = make_ext3(bench, 128 * MIB, "-I", "128", "-N", "70000")
    with mounted(drive) as top:
        folder = os.open(top, os.O_RDONLY)
        for number in range(33_000):
            os.mknod(f"{number:05}", dir_fd=folder)
        os.close(folder)
        (top / "00000").write_text("first")
        (top / "zz").hardlink_to(top / "00000")
    seen = by_path(manifest_of(drive, tmp_path / "manifest"))
    assert len(seen) == 33_000 + 3
    assert seen[b"zz"].same_as == b"00000"
    assert (seen[b"zz"].digest, seen[b"zz"].inode) == (seen[b"00000"].digest, seen[b"00000"].inode)


def debugfs(drive: str, *requests: str) -> str:
    return "".join(tool("debugfs", "-w", "-R", request, drive) for request in requests)


def test_reading_changes_no_byte(drive: str, image_of: Callable[[str], Path], tmp_path: Path) -> None:
    def digest() -> str:
        tool("blockdev", "--flushbufs", drive)
        return sha256(image_of(drive).read_bytes()).hexdigest()

    was = digest()
    manifest_of(drive, tmp_path / "manifest")
    assert digest() == was


def test_mount_is_hidden_and_read_only(drive: str) -> None:
    with mounted_read_only(drive) as top:
        assert f" {drive} " not in Path("/proc/self/mountinfo").read_text()
        with pytest.raises(OSError, match="Read-only"):
            (top / "new").touch()
        with pytest.raises(OSError, match="denied"):
            (top / "null").read_bytes()
        with pytest.raises(OSError, match="busy"):
            os.open(drive, os.O_RDONLY | os.O_EXCL)
    os.close(os.open(drive, os.O_RDONLY | os.O_EXCL))


def test_mount_disappears_after_a_kill(drive: str) -> None:
    """Check that a kill removes the mount, also during reads in worker processes."""
    code = """
import os, sys, time
from wizard.apply.tree.manifest import share_out
from wizard.apply.tree.mount_read_only import mounted_read_only
from wizard.filesystems.registry import KINDS
def forever(piece):
    print("looking", flush=True)
    time.sleep(60)
with mounted_read_only(sys.argv[1]) as top:
    list(share_out([1, 2], 2, forever))
"""
    with subprocess.Popen([sys.executable, "-c", code, drive], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "looking\n"
        process.kill()
    end = monotonic() + 20
    while True:
        try:
            os.close(os.open(drive, os.O_RDONLY | os.O_EXCL))
            return
        except OSError:
            assert monotonic() < end, "it is still mounted"
            sleep(0.01)


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ("feature needs_recovery", "unfinished journal"),
        ("set_super_value last_orphan 12", "orphaned files"),
        ("feature +FEATURE_I30", "Cannot mount "),
    ],
)
def test_filesystem_that_needs_writes_is_not_mounted(drive: str, edit: str, why: str) -> None:
    debugfs(drive, edit)
    with pytest.raises(Failed, match=why), mounted_read_only(drive):
        pass
    os.close(os.open(drive, os.O_RDONLY | os.O_EXCL))


def test_other_filesystems_are_reported(bench: Bench, tmp_path: Path) -> None:
    with (
        pytest.raises(Failed, match="contains no readable ext"),
        mounted_read_only(bench.make_drive(MIB)),
    ):
        pass
    with (
        pytest.raises(Failed, match="no longer lists"),
        mounted_read_only(str(tmp_path / "missing")),
    ):
        pass


def test_unreadable_file_is_named(drive: str, tmp_path: Path) -> None:
    debugfs(drive, "set_inode_field /file block[1] 99999999")
    with (
        mounted_read_only(drive) as top,
        pytest.raises(Failed, match="/file cannot be read: Structure needs cleaning"),
    ):
        take_manifest(top, tmp_path / "manifest")
    assert list(tmp_path.glob("manifest*")) == []


def test_progress_callback_can_stop_it(drive: str, tmp_path: Path) -> None:
    def stop(_share: float) -> None:
        raise Failed("Stopped.")

    with mounted_read_only(drive) as top, pytest.raises(Failed, match="Stopped"):
        take_manifest(top, tmp_path / "manifest", on_progress=stop)
    assert list(tmp_path.glob("manifest*")) == []


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-30], lambda data: data[:100], lambda _data: b"", lambda data: b"x" + data]
)
def test_incomplete_manifest_is_refused(drive: str, tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    file = manifest_of(drive, tmp_path / "manifest")
    (tmp_path / "damaged").write_bytes(damage(file.read_bytes()))
    with pytest.raises(BadInput, match="damaged"):
        differing(file, tmp_path / "damaged")


def test_manifest_without_its_last_lines_is_refused(drive: str, tmp_path: Path) -> None:
    lines = gzip.decompress(manifest_of(drive, tmp_path / "manifest").read_bytes()).splitlines(keepends=True)
    for left in (lines[:-1], lines[:-2], [*lines[:-2], lines[-1]], lines[1:], []):
        (tmp_path / "cut").write_bytes(gzip.compress(b"".join(left)))
        with pytest.raises(BadInput):
            list(entries_of(tmp_path / "cut"))
