"""Helpers for copying files: volumes, comparisons, and interrupted runs."""

import fcntl
import os
import signal
import stat
import struct
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, carry_out, story
from tests.loop.migrate.manifest.manifests import ACL, fill
from tests.loop.program import GIB, MIB, Purpose, make_run, start_document
from tests.unit.apply.copy_calls import count_calls, small
from wizard.apply.copy.copied import AGAIN_LIST, LIST, entries_in
from wizard.apply.copy.copy_entry import TreeCopy
from wizard.apply.run.job import Start
from wizard.apply.run.runs import BRING
from wizard.apply.tree.differences import as_held, differences
from wizard.apply.tree.entries import EntryKind
from wizard.apply.tree.manifest import changed_entries, open_folder, read_tree, write_manifest
from wizard.apply.tree.mount_read_only import seen_alone
from wizard.filesystems.kind import EVERYTHING
from wizard.filesystems.registry import KINDS
from wizard.plan.changes import Bring
from wizard.plan.copy import BRINGS

MAKERS = {
    "ext4": ("mkfs.ext4", "-q", "-F", "-b", "4096"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
    "vfat": ("mkfs.vfat", "-F", "32"),
}
SIZES = {"ext4": 192 * MIB, "xfs": 384 * MIB, "btrfs": 384 * MIB, "vfat": 300 * MIB}
ROOTS = "what was there before"


@dataclass(frozen=True, slots=True)
class Volume:
    drive: str
    place: Path


@dataclass(frozen=True, slots=True)
class Ways:
    """Volumes of one test, and runs between them."""

    work: Work
    make_drive: MakeDrive

    def volume(self, name: str, kind: str) -> Volume:
        """Create and mount a filesystem."""
        drive, place = self.make_drive(SIZES[kind]), self.work.place(name)
        self.work.bench.own(drive)
        tool(*MAKERS[kind], drive)
        place.mkdir(parents=True)
        tool("mount", drive, str(place))
        return Volume(drive, place)

    def source(self, kind: str = "ext4") -> Volume:
        """Return a volume with files of every type."""
        made = self.volume("old", kind)
        fill(made.place, 12 * GIB)
        rich(made.place)
        return made

    def target(self, kind: str = "xfs") -> Volume:
        """Return a volume with existing files."""
        made = self.volume("new", kind)
        (made.place / "mine").mkdir()
        (made.place / "mine/file").write_text(ROOTS)
        return made

    def begin(self, bring: Bring) -> Path:
        """Create a run without starting it."""
        self.work.runs.mkdir(exist_ok=True)
        return make_run(
            self.work.runs, (bring.target.device,), BRING, BRINGS.render(bring), self.work.environment
        )

    def start(self, bring: Bring) -> Path:
        """Start a run in a process of its own."""
        return start_document(bring, Start((bring.drive.token,), self.work.runs, self.work.environment))


def rich(top: Path) -> None:
    """Add what `fill` omits: a default ACL, owners, and folders of small files."""
    (top / "by others").mkdir()
    (top / "by others/program").write_text("#!")
    for path, mode in ((top / "by others/program", 0o6755), (top / "by others", 0o7751)):
        os.chown(path, 12, 34)
        path.chmod(mode)
    os.setxattr(top / "by others", "system.posix_acl_default", ACL)
    for number in range(60):
        folder = top / f"many/{number % 6}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}").write_bytes(os.urandom(3000 + 97 * number))
    (top / "many/0/linked").hardlink_to(top / "many/5/59")
    tool("chattr", "+i", str(top / "by others"))


def listed(place: Path, file: Path, only: frozenset[bytes] | None = None) -> Path:
    """Write the manifest of a mounted folder without changing it."""
    with seen_alone(place) as folder, open_folder(folder) as top:
        write_manifest(file, read_tree(top, lambda _more: None, only=only))
    return file


def assert_alike(ways: Ways, source: Path, folder: Path, kind: str) -> None:
    """Check that the copy equals the source, as far as the filesystem allows. Other tests cover what
    `as_held` omits."""
    names = frozenset(os.fsencode(path.name) for path in source.iterdir()) - {b"lost+found"}
    was, now = (
        listed(place, ways.work.folder / name, names) for place, name in ((source, "was"), (folder, "is"))
    )
    assert not differences(changed_entries(was, now), seen_as=as_held(KINDS[kind].holds))


def contents(place: Path) -> dict[str, tuple[int, bytes | str]]:
    """Return paths, modes and contents in a folder, without code of the program."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for folder, folders, names in os.walk(place):
        for name in (*folders, *names):
            path = Path(folder, name)
            if len(str(path)) > 3000:
                # Deeper than the kernel takes paths; what lies there is compared by descriptors.
                continue
            status = path.lstat()
            what: bytes | str = ""
            if stat.S_ISREG(status.st_mode):
                what = sha256(path.read_bytes()).digest() if status.st_size < GIB else str(status.st_size)
            elif stat.S_ISLNK(status.st_mode):
                what = str(path.readlink())
            found[str(path.relative_to(place))] = (status.st_mode, what)
    return found


def killed_at(run: Path, number: int) -> None:
    """Run in a forked process, and kill it at this call."""
    pid = os.fork()
    if not pid:
        try:
            patch = pytest.MonkeyPatch()
            small(patch)
            count_calls(patch, lambda now: os.kill(os.getpid(), signal.SIGKILL) if now == number else None)
            carry_out(run, Purpose.APPLY, ())
        finally:
            os._exit(7)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, story(run)


SHUTDOWN, NO_FLUSH, LOG_FLUSH = 0x8004587D, struct.pack("=I", 2), struct.pack("=I", 1)
"""FS_IOC_SHUTDOWN, with nothing written any more, or nothing but the journal (fs/ext4/ioctl.c,
fs/xfs/xfs_ioctl.c)."""


def cut_off(place: Path, how: bytes) -> None:
    """Shut a filesystem down like a power cut, and unmount it."""
    folder = os.open(place, os.O_RDONLY)
    fcntl.ioctl(folder, SHUTDOWN, how)
    os.close(folder)
    tool("umount", str(place))


def inodes(run: Path, folder: Path) -> dict[bytes, int]:
    """Return the inodes of files that the run recorded as copied."""
    found = {}
    for entry in (*entries_in(run / LIST), *entries_in(run / AGAIN_LIST)):
        if entry.kind is EntryKind.FILE and len(entry.path) < 1000:
            names = (temporary(run, entry.path), entry.path)
            paths = (os.fsencode(folder) + b"/" + name for name in names)
            found[entry.path] = next(os.lstat(path).st_ino for path in paths if os.path.lexists(path))
    return found


def temporary(run: Path, path: bytes) -> bytes:
    """Return the temporary name of an entry."""
    return TreeCopy(0, 0, EVERYTHING, os.fsencode(run.name)).temporary(path)
