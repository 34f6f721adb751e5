"""Create and remove the demo drive: a sparse file behind a loop device.

All files are in one private folder.
"""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import sleep, time

from msgspec import Struct

from wizard.apply.block.devices import take_writes
from wizard.apply.run.process import is_locked, request_stop
from wizard.benchmark.scratch import locked
from wizard.demo.image import build_image
from wizard.model.errors import DiskwrightError, Failed, Refused, why_not
from wizard.model.said import MIB, Sentence, failing, t
from wizard.probe.host import sysfs
from wizard.process.module import module_argv
from wizard.process.program import run

IMAGE_NAME = "drive.img"
RUNS_NAME = "runs"
SYS_BLOCK = Path("/sys/block")
MOUNTINFO, SWAPS = Path("/proc/self/mountinfo"), Path("/proc/swaps")
TOOL_SECONDS = 30.0
WRITER_SECONDS = 120.0
"""Maximum time for a run on the demo drive to reach its next stop."""


def loop_devices(image: Path) -> list[str]:
    """Return all loop devices on `image`, even a deleted one."""
    return [
        sysfs.node_of(entry.name)
        for entry in sorted(SYS_BLOCK.glob("loop*"))
        if (sysfs.text(entry / "loop/backing_file") or "").removesuffix(" (deleted)") == str(image)
    ]


def clean_up(folder: Path) -> list[str]:
    """Remove the demo folder and everything that uses it. Returns failures."""
    problems: list[str] = []
    for began in sorted((folder / RUNS_NAME).glob("*")):
        # If the run ended in the meantime or never started, there is nothing to stop.
        with suppress(DiskwrightError, OSError):
            if began.is_dir() and is_locked(began):
                request_stop(began)
    for path in loop_devices(folder / IMAGE_NAME):
        # The drive's lock shows when runs have stopped. After the timeout, the drive is removed anyway.
        with suppress(Refused), locked(path, WRITER_SECONDS):
            pass
        steps = (_release, _detach)
        problems += [f"{path}: {why}" for step in steps if (why := why_not(step, path))]
    problems += _unmount(_mounts_below(folder))
    if left := _mounts_below(folder):
        still = t("Cannot delete {folder} because {place} is still mounted.", folder=folder, place=left[0])
        return [*problems, str(still)]
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        problems.append(str(t("Cannot delete {folder}.", folder=folder)))
    return problems


def _release(path: str) -> None:
    """Unmount everywhere, topmost first, and deactivate swap."""
    ours = re.compile(rf"{re.escape(path)}(p\d+)?")
    problems = _unmount([target for source, target in _mounts() if ours.fullmatch(source)])
    for line in SWAPS.read_text().splitlines()[1:]:
        if ours.fullmatch(line.split()[0]):
            run(["swapoff", line.split()[0]], seconds=TOOL_SECONDS)
    if problems:
        raise DiskwrightError(problems[0])


def _detach(path: str) -> None:
    """A partition or device in use remains until the last close."""
    try:
        run(["partx", "--delete", path], seconds=TOOL_SECONDS, accept=range(256))
    finally:
        run(["losetup", "--detach", path], seconds=TOOL_SECONDS)


def _unmount(targets: Sequence[str]) -> list[str]:
    """Retry if busy, then unmount lazily. Returns failures."""
    problems = []
    for target in targets:
        for options in [*[()] * 5, ("--lazy",)]:
            result = run(["umount", *options, target], seconds=TOOL_SECONDS, accept=range(256))
            if result.status == 0:
                break
            sleep(0.2)
        else:
            problems.append(str(t("Cannot unmount {place}: {why}", place=target, why=result.last_words)))
    return problems


def _mounts_below(folder: Path) -> list[str]:
    return [target for _, target in _mounts() if Path(target).is_relative_to(folder)]


def _mounts() -> list[tuple[str, str]]:
    """Topmost first. Names that are not UTF-8 can still be unmounted."""
    found = [*sysfs.mounts_in(MOUNTINFO.read_text(errors="surrogateescape"))]
    return [(one.source, one.mount_point) for one in reversed(found)]


OWN_FSTAB = t("The demo's fstab; the system's fstab is not changed.")

PREFIX = "diskwright-demo-"
NEEDED_BYTES = 512 * MIB
"""Maximum disk usage of the sparse file, with a margin. The tests measure it."""

ABANDONED_SECONDS = 60.0


class DemoDrive(Struct, frozen=True):
    """A disposable drive. Runs, mount points and the fstab are in `folder` and are deleted with it."""

    path: str
    image: Path
    folder: Path

    @property
    def runs(self) -> Path:
        """Folder for run journals of this drive."""
        return self.folder / RUNS_NAME

    @property
    def fstab(self) -> Path:
        """Replacement for /etc/fstab, in its own folder, because editing locks the folder."""
        return self.folder / "etc" / "fstab"

    @property
    def mounts(self) -> Path:
        """Parent folder of mount points."""
        return self.folder / "mnt"


@contextmanager
def demo_drive() -> Iterator[DemoDrive]:
    """Create the demo drive, and remove it when the block ends or this process is killed. Raises Refused
    without root, Failed without space or loop device, or if removal is incomplete."""
    if os.geteuid() != 0:
        raise Refused(
            t("The demo creates a disposable drive, which requires root. Run sudo diskwright demo.")
        )
    parent = Path(os.environ.get("TMPDIR") or "/var/tmp").resolve()
    sweep(parent)
    with failing(Sentence("Cannot create the demo drive in {folder}: {why}."), folder=parent):
        status = os.statvfs(parent)
    free = status.f_bavail * status.f_frsize
    if free < NEEDED_BYTES:
        raise Failed(
            t(
                "The demo drive needs {needed:size} in {folder}, but only {free:size} are "
                "free. Set TMPDIR to another folder.",
                needed=NEEDED_BYTES,
                folder=parent,
                free=free,
            )
        )
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        # Held by this process and the reaper. If the lock is free, both have exited.
        lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        stack.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        stack.enter_context(_reaped(folder, lock))
        yield _make(folder)


def sweep(parent: Path) -> None:
    """Remove demo folders whose process and reaper were both killed, such as by a power cut."""
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


@contextmanager
def _reaped(folder: Path, lock: int) -> Iterator[None]:
    reaper = subprocess.Popen(
        module_argv("wizard.demo.drive", str(folder)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
        pass_fds=(lock,),
    )
    try:
        yield
    finally:
        try:
            output, _ = reaper.communicate(timeout=2 * WRITER_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(
                t(
                    "Process {pid} is still removing the demo drive in {folder}.",
                    folder=folder,
                    pid=reaper.pid,
                )
            ) from None
        if reaper.returncode:
            problems = tuple(output.decode(errors="replace").splitlines())
            raise Failed(
                t(
                    "Cannot remove the demo completely. {problems:row}",
                    problems=problems or (str(folder),),
                )
            )


def _make(folder: Path) -> DemoDrive:
    image = folder / IMAGE_NAME
    for name in (RUNS_NAME, "files", "mnt"):
        (folder / name).mkdir()
    build_image(image, folder / "files")
    # With --partscan the kernel removes the partitions when the device is detached, even by a last user that
    # does not know about them.
    path = run(["losetup", "--find", "--show", "--partscan", str(image)], seconds=TOOL_SECONDS).output.strip()
    # Loop devices retain the read-only flag of their previous user.
    take_writes(path)
    drive = DemoDrive(path, image, folder)
    drive.fstab.parent.mkdir()
    drive.fstab.write_text(f"# {OWN_FSTAB}\n", encoding="utf-8")
    # Kernels without partition parsers scan nothing, and reused loop devices may still have old partitions.
    run(["partx", "--update", path], seconds=TOOL_SECONDS)
    return drive


def reap(folder: Path) -> int:
    """Wait until the parent exits for any reason and closes the pipe, clean up, and print failures, one per
    line. All cleanup happens here, so normal exit and kill use the same code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 64):
        pass
    problems = clean_up(folder)
    for problem in problems:
        os.write(1, f"{problem}\n".encode(errors="replace"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(reap(Path(sys.argv[1])))
