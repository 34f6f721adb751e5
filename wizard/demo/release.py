"""Taking the demo drive away: whatever state it was left in, and however its maker ended."""

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

from wizard.apply.run.begin import request_stop
from wizard.apply.run.lock import is_locked
from wizard.model.errors import DiskwrightError
from wizard.model.said import t
from wizard.tools.program import run

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
                    "{folder} was not deleted, because {place} is still mounted.",
                    folder=str(folder),
                    place=left[0],
                )
            ),
        ]
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        problems.append(str(t("{folder} could not be deleted.", folder=str(folder))))
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
        problems.append(str(t("{place} could not be unmounted: {why}", place=target, why=result.last_words)))


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
