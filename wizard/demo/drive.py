"""Create and remove the demo drive: a sparse file behind a loop device.

All files are in one private folder.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep, time

from wizard.apply.block.devices import take_writes
from wizard.apply.run.job import request_stop
from wizard.apply.run.process import is_locked
from wizard.demo.image import build_image
from wizard.model.errors import DiskwrightError, Failed, Refused
from wizard.model.said import MIB, t
from wizard.process.program import run

IMAGE_NAME = "drive.img"
RUNS_NAME = "runs"
SYS_BLOCK = Path("/sys/block")
MOUNTINFO = Path("/proc/self/mountinfo")
SWAPS = Path("/proc/swaps")
TOOL_SECONDS = 30.0
WRITER_SECONDS = 120.0
"""How long a run that is applying to the demo drive may take to come to its next stop."""


def loop_devices(image: Path) -> list[str]:
    """The nodes of all loop devices over `image`, also when the file was deleted meanwhile."""
    found = []
    for entry in sorted(SYS_BLOCK.glob("loop*")):
        try:
            backing = (entry / "loop/backing_file").read_text().rstrip("\n")
        except OSError:
            continue
        if backing.removesuffix(" (deleted)") == str(image):
            found.append(f"/dev/{entry.name}")
    return found


def clean_up(folder: Path) -> list[str]:
    """Take away everything that hangs on the demo folder, then the folder; sentences about what could not be
    taken away."""
    problems: list[str] = []
    _stop_runs(folder / RUNS_NAME)
    for path in loop_devices(folder / IMAGE_NAME):
        _settle(path)
        for step in (_end_use, _forget_partitions, _detach):
            try:
                step(path)
            except DiskwrightError as error:
                problems.append(f"{path}: {error}")
    for target in _mounts_below(folder):
        _unmount(target, problems)
    left = _mounts_below(folder)
    if left:
        return [
            *problems,
            str(
                t(
                    "Cannot delete {folder} because {place} is still mounted.",
                    folder=str(folder),
                    place=left[0],
                )
            ),
        ]
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        problems.append(str(t("Cannot delete {folder}.", folder=str(folder))))
    return problems


def _stop_runs(runs: Path) -> None:
    """Ask runs that are still applying to stop after their step; the drive's lock tells when they have."""
    for folder in sorted(runs.glob("*")):
        try:
            if folder.is_dir() and is_locked(folder):
                request_stop(folder)
        except (DiskwrightError, OSError):
            # It ended in between, or never began; either way there is nothing to stop.
            continue


def _settle(path: str) -> None:
    """Wait until nobody who writes holds the drive's lock; an overdue one loses the drive under its feet."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        end = monotonic() + WRITER_SECONDS
        while monotonic() < end:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError:
                sleep(0.1)
    finally:
        os.close(descriptor)


def _end_use(path: str) -> None:
    """Unmount the drive and its partitions wherever they are mounted, the topmost first, and end swapping to
    them."""
    ours = re.compile(rf"{re.escape(path)}(p\d+)?")
    problems: list[str] = []
    for target in [target for source, target in reversed(list(_mounts())) if ours.fullmatch(source)]:
        _unmount(target, problems)
    for line in SWAPS.read_text().splitlines()[1:]:
        if ours.fullmatch(line.split()[0]):
            run(["swapoff", line.split()[0]], seconds=TOOL_SECONDS)
    if problems:
        raise DiskwrightError(problems[0])


def _forget_partitions(path: str) -> None:
    """Tell the kernel that they are gone. One that somebody still has open stays until the device is
    detached."""
    name = path.removeprefix("/dev/")
    if any((SYS_BLOCK / name).glob(f"{name}p*")):
        run(["partx", "--delete", path], seconds=TOOL_SECONDS, accept=range(256))


def _detach(path: str) -> None:
    """Where somebody still has it open, the kernel detaches it when the last one closes it."""
    run(["losetup", "--detach", path], seconds=TOOL_SECONDS)


def _unmount(target: str, problems: list[str]) -> None:
    """A busy one is tried again for a second, then taken out of sight; it ends when its last user does."""
    for _ in range(5):
        if run(["umount", target], seconds=TOOL_SECONDS, accept=range(256)).status == 0:
            return
        sleep(0.2)
    result = run(["umount", "--lazy", target], seconds=TOOL_SECONDS, accept=range(256))
    if result.status:
        problems.append(str(t("Cannot unmount {place}: {why}", place=target, why=result.last_words)))


def _mounts_below(folder: Path) -> list[str]:
    return [target for _, target in reversed(list(_mounts())) if Path(target).is_relative_to(folder)]


def _mounts() -> Iterator[tuple[str, str]]:
    """Source and mount point of every mount, in the order in which they were made (proc(5), mountinfo)."""
    for line in MOUNTINFO.read_text(errors="surrogateescape").splitlines():
        fields, _, tail = line.partition(" - ")
        yield _plain(tail.split(" ")[1]), _plain(fields.split(" ")[4])


def _plain(escaped: str) -> str:
    """The kernel writes blanks and backslashes as octal escapes."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), escaped)


OWN_FSTAB = t("The demo's fstab; the system's fstab is not changed.")

PREFIX = "diskwright-demo-"
NEEDED_BYTES = 512 * MIB
"""What the sparse file may come to hold, with room to spare; the tests measure it."""

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
            t("The demo creates a disposable drive, which requires root. Run sudo diskwright demo.")
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
                "Cannot create the demo drive in {folder}: {why}.",
                folder=str(parent),
                why=str(error.strerror),
            )
        ) from None
    free = status.f_bavail * status.f_frsize
    if free < NEEDED_BYTES:
        raise Failed(
            t(
                "The demo drive needs {needed:size} in {folder}, but only {free:size} are "
                "free. Set TMPDIR to another folder.",
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
                    "Process {pid} is still removing the demo drive in {folder}.",
                    folder=str(folder),
                    pid=reaper.pid,
                )
            ) from None
        if reaper.returncode:
            problems = tuple(said.decode(errors="replace").splitlines())
            raise Failed(
                t(
                    "Cannot remove the demo completely. {problems:row}",
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
