"""Test drives: sparse files behind loop devices, created here, verified before every write, and removed
afterwards."""

import fcntl
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Protocol

MOUNTINFO = Path("/proc/self/mountinfo")
SYS_BLOCK = Path("/sys/class/block")
RELEASE_SECONDS = 60.0
LOOP_CTL_REMOVE = 0x4C81
"""From linux/loop.h."""


class MakeDrive(Protocol):
    """Create a drive of a size in bytes, and return the node."""

    def __call__(self, size_bytes: int, logical_block_bytes: int = 512) -> str: ...


def whole_drive(path: str) -> str:
    """Return `loop0` for /dev/loop0 and for /dev/loop0p1."""
    name = Path(path).resolve().name
    if (SYS_BLOCK / name / "partition").exists():
        return (SYS_BLOCK / name).resolve().parent.name
    return name


def backing_file(path: str) -> Path | None:
    """Return the file behind a loop device, or behind the loop device of a partition."""
    try:
        return Path((SYS_BLOCK / whole_drive(path) / "loop/backing_file").read_text().rstrip("\n"))
    except OSError:
        return None


def attached_in(folder: Path) -> list[str]:
    """Return the names of loop devices over files in a folder. Others may disappear during the scan."""
    found = {entry.name: backing_file(f"/dev/{entry.name}") for entry in Path("/sys/block").glob("loop*")}
    return [name for name, file in found.items() if file is not None and folder in file.parents]


BUSY_SECONDS = 10.0


BUSY = ("busy", "apparently in use")


def attempt(*argv: str) -> subprocess.CompletedProcess[str]:
    """Run a tool, and repeat it while its device is busy. Programs that scan all drives or mounts keep
    each busy for a moment."""
    until = monotonic() + BUSY_SECONDS
    while True:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
        said = done.stderr.lower()
        if done.returncode == 0 or not any(word in said for word in BUSY) or monotonic() > until:
            return done
        sleep(0.05)


def tool(*argv: str) -> str:
    """Return the output of a tool. Fail with its errors if it fails. Unmounts reach other mount namespaces
    a moment later, so wait until programs there no longer report the mount."""
    done = attempt(*argv)
    assert done.returncode == 0, f"{' '.join(argv)}: {done.stderr.strip() or done.stdout.strip()}"
    if argv[0] in {"mkntfs", "mkfs.ntfs"}:
        # Its serial number depends on the second only, so tests beside this one could get the same.
        tool("ntfslabel", "--new-serial", next(word for word in argv[1:] if word.startswith("/")))
    if argv[0] == "umount" and argv[-1].startswith("/"):
        until = monotonic() + BUSY_SECONDS
        while is_seen_mounted(argv[-1]) and monotonic() < until:
            sleep(0.05)
    return done.stdout


def write_table(path: str, script: str, *options: str) -> None:
    """Write a table by sfdisk. No nodes are made."""
    argv = ["sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", *options, path]
    done = subprocess.run(argv, input=script, text=True, capture_output=True, timeout=20, check=False)
    assert done.returncode == 0, done.stderr


def is_seen_mounted(place: str) -> bool:
    """Return True if any process sees this device or mount point mounted."""
    written = place.replace(" ", "\\040")
    for file in Path("/proc").glob("[0-9]*/mountinfo"):
        with suppress(OSError):
            if written in file.read_text(errors="replace").split():
                return True
    return False


def in_own_namespace(*command: str) -> list[str]:
    """Return the command prefix for an own mount namespace. The namespace copies every mount and so keeps
    other tests' mounts after their unmount: only for tests marked `alone`."""
    assert "PYTEST_XDIST_WORKER" not in os.environ, "a test with a mount namespace of its own is marked alone"
    return ["unshare", "--mount", "--propagation=private", *command]


class Bench:
    """Folder of a test, and loop devices over the files there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.images: dict[str, Path] = {}

    def make_drive(self, size_bytes: int, logical_block_bytes: int = 512) -> str:
        image = self.folder / f"drive{len(self.images)}.img"
        with image.open("wb") as file:
            file.truncate(size_bytes)
        path = attached(image, logical_block_bytes)
        self.images[path] = image
        # Whoever had this loop device before may have left it so.
        tool("blockdev", "--setrw", path)
        forget_partitions(path)
        self.own(path)
        return path

    def own(self, path: str) -> None:
        """Fail unless the device is a loop device, or a partition of one, over a file of this test."""
        file = backing_file(path)
        assert file is not None, f"{path} is no loop device"
        assert file in self.images.values(), f"{path} lies on {file}, which this test did not make"
        assert self.images.get(f"/dev/{whole_drive(path)}") == file, (
            f"{path} is not the loop device that this test made over {file}"
        )

    def image_of(self, path: str) -> Path:
        """Return the backing file of a drive of this test."""
        self.own(path)
        return self.images[f"/dev/{whole_drive(path)}"]

    def take_down(self) -> None:
        """Unmount and detach everything on this test's files, from the top layer down.

        A device that another program, such as udev, reads for a moment disappears when that program closes
        it.
        """
        end = monotonic() + RELEASE_SECONDS
        while ours := [
            f"/dev/{entry.name}" for entry in Path("/sys/block").glob("loop*") if self._is_ours(entry.name)
        ]:
            for path in reversed(ours):
                with kept(path):
                    # Between the look and this it may have been detached, and attached again by another test.
                    if self._is_ours(path.removeprefix("/dev/")):
                        release(path)
            if monotonic() > end:
                break
            sleep(0.01)
        left = [path for path in self.images if self._is_ours(path.removeprefix("/dev/"))]
        assert not left, f"{left} could not be detached"

    def _is_ours(self, name: str) -> bool:
        """Return True if the loop device uses a file of ours, one of our loop devices, or a partition of
        one."""
        file = backing_file(f"/dev/{name}")
        if file is None:
            return False
        return self.folder in file.parents or (
            str(file).startswith("/dev/loop")
            and str(file) != f"/dev/{name}"
            and self._is_ours(whole_drive(str(file)))
        )


def attached(image: Path, logical_block_bytes: int) -> str:
    """Attach a file to a free loop device and return the node. A loop device with disabled discards
    (`queue/discard_max_bytes`) is removed first, because the kernel refuses to enable discards again."""
    while True:
        path = tool(
            "losetup", "--sector-size", str(logical_block_bytes), "--find", "--show", str(image)
        ).strip()
        queue = SYS_BLOCK / Path(path).name / "queue"
        limits = {(queue / f"discard_max_{kind}bytes").read_text().strip() for kind in ("", "hw_")}
        if "0" not in limits or len(limits) == 1:
            return path
        release(path)
        with suppress(OSError):
            remove_loop_device(path)


def remove_loop_device(path: str) -> None:
    """Remove a detached loop device. Raises OSError while in use."""
    with Path("/dev/loop-control").open("rb") as control:
        fcntl.ioctl(control, LOOP_CTL_REMOVE, int(path.removeprefix("/dev/loop")))


@contextmanager
def kept(path: str) -> Iterator[None]:
    """Keep a loop device open, so that a pending detach waits."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield
    finally:
        os.close(fd)


def drop_partitions(path: str) -> None:
    """Remove partitions from the kernel. A reused loop device can have inherited them."""
    if list((SYS_BLOCK / Path(path).name).glob(f"{Path(path).name}p*")):
        subprocess.run(["partx", "--delete", path], capture_output=True, timeout=20, check=False)


def forget_partitions(path: str) -> None:
    """Repeat `drop_partitions` until none remains. A partition opened by another program stays until
    closed."""
    end = monotonic() + RELEASE_SECONDS
    while left := list((SYS_BLOCK / Path(path).name).glob(f"{Path(path).name}p*")):
        assert monotonic() < end, f"{left} could not be taken away"
        drop_partitions(path)
        sleep(0.01)


def release(path: str) -> None:
    """Unmount a loop device and its partitions, turn swap off, remove the partitions, and detach it."""
    pattern = re.compile(rf"{re.escape(path)}(p\d+)?")
    for line in reversed(MOUNTINFO.read_text().splitlines()):
        fields, _, tail = line.partition(" - ")
        if pattern.fullmatch(tail.split(" ")[1]):
            subprocess.run(
                ["umount", fields.split(" ")[4].encode().decode("unicode_escape")],
                capture_output=True,
                timeout=30,
                check=False,
            )
    for line in Path("/proc/swaps").read_text().splitlines()[1:]:
        if pattern.fullmatch(line.split()[0]):
            subprocess.run(["swapoff", line.split()[0]], capture_output=True, timeout=30, check=False)
    drop_partitions(path)
    # The next that gets this loop device would inherit it.
    subprocess.run(["blockdev", "--setrw", path], capture_output=True, timeout=20, check=False)
    subprocess.run(["losetup", "--detach", path], capture_output=True, timeout=20, check=False)
