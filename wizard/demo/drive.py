"""The demo drive: a sparse file behind a loop device, with everything that belongs to it in one private
folder."""

import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import time

from wizard.apply.block.write_protect import take_writes
from wizard.demo.image import build_image
from wizard.demo.release import IMAGE_NAME, RUNS_NAME, WRITER_SECONDS, clean_up
from wizard.model.errors import Failed, Refused
from wizard.model.said import t
from wizard.model.units import MIB
from wizard.tools.program import run

OWN_FSTAB = t("The demo's own file of mounts at boot; the system's is not touched.")

PREFIX = "diskwright-demo-"
NEEDED_BYTES = 512 * MIB
"""What the sparse file may come to hold, with room to spare; the tests measure it."""

TOOL_SECONDS = 30.0
ABANDONED_SECONDS = 60.0
PACKAGE_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class DemoDrive:
    """A disposable drive. Runs, mount points and the file of mounts at boot lie in `folder`, and go with
    it."""

    path: str
    image: Path
    folder: Path

    @property
    def runs(self) -> Path:
        """Where journals of runs on this drive go."""
        return self.folder / RUNS_NAME

    @property
    def fstab(self) -> Path:
        """Stands in for /etc/fstab, in a folder of its own: whoever edits it locks that."""
        return self.folder / "etc" / "fstab"

    @property
    def mounts(self) -> Path:
        """Mount points are made below this folder."""
        return self.folder / "mnt"


@contextmanager
def demo_drive() -> Iterator[DemoDrive]:
    """Make the demo drive; it is gone when the block ends, and also when this process is killed.

    Raises Refused without root, and Failed where there is no room, no loop device, or something of it stays
    behind.
    """
    if os.geteuid() != 0:
        raise Refused(
            t("The demo makes a disposable drive for itself, and that needs root: run sudo diskwright demo.")
        )
    parent = Path(os.environ.get("TMPDIR") or "/var/tmp").resolve()
    sweep(parent)
    _check_room(parent)
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        # Held by us and by the reaper alike: a demo folder whose lock is free has lost both.
        lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        stack.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        stack.enter_context(_reaped(folder, lock))
        yield _make(folder)


def sweep(parent: Path) -> None:
    """Take away demo folders whose maker and reaper were both killed, by a power cut for example."""
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            status = folder.lstat()
            if (
                folder.is_symlink()
                or status.st_uid != os.geteuid()
                or time() - status.st_mtime < ABANDONED_SECONDS
            ):
                continue
            lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_DIRECTORY)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            clean_up(folder)
        except BlockingIOError:
            pass
        finally:
            os.close(lock)


def _check_room(parent: Path) -> None:
    try:
        status = os.statvfs(parent)
    except OSError as error:
        raise Failed(
            t(
                "{folder}, where the demo drive is to be made, cannot be used: {why}.",
                folder=str(parent),
                why=str(error.strerror),
            )
        ) from None
    free = status.f_bavail * status.f_frsize
    if free < NEEDED_BYTES:
        raise Failed(
            t(
                "The demo drive needs {needed:size} in {folder}, where {free:size} are free. "
                "Name another folder in TMPDIR.",
                needed=NEEDED_BYTES,
                folder=str(parent),
                free=free,
            )
        )


@contextmanager
def _reaped(folder: Path, lock: int) -> Iterator[None]:
    """Start the reaper; when the block ends, let it clean up and wait for it."""
    reaper = subprocess.Popen(
        [sys.executable, "-m", "wizard.demo.reaper", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={**os.environ, "PYTHONPATH": str(PACKAGE_ROOT), "PYTHONSAFEPATH": "1"},
        start_new_session=True,
        pass_fds=(lock,),
    )
    try:
        yield
    finally:
        try:
            said, _ = reaper.communicate(timeout=2 * WRITER_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(
                t(
                    "The demo drive in {folder} is still being taken away by process {pid}.",
                    folder=str(folder),
                    pid=reaper.pid,
                )
            ) from None
        if reaper.returncode:
            problems = tuple(said.decode(errors="replace").splitlines())
            raise Failed(
                t(
                    "Not all of the demo could be taken away. {problems:row}",
                    problems=problems or t("See {folder}.", folder=str(folder)),
                )
            )


def _make(folder: Path) -> DemoDrive:
    image = folder / IMAGE_NAME
    for name in (RUNS_NAME, "files", "mnt"):
        (folder / name).mkdir()
    build_image(image, folder / "files")
    # With --partscan the kernel drops the partitions itself when the device is detached, even by a last user
    # who was not asked.
    path = run(["losetup", "--find", "--show", "--partscan", str(image)], seconds=TOOL_SECONDS).output.strip()
    # A loop device keeps the read-only flag of whoever had it before.
    take_writes(path)
    drive = DemoDrive(path, image, folder)
    drive.fstab.parent.mkdir()
    drive.fstab.write_text(f"# {OWN_FSTAB}\n", encoding="utf-8")
    # Kernels without partition parsers scan nothing; and a loop device that is used again can have kept its
    # last drive's partitions.
    run(["partx", "--update", path], seconds=TOOL_SECONDS)
    return drive
