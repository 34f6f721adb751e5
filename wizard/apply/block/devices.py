"""Read and write block devices past all caches, and manage the kernel's view of partitions."""

import array
import errno
import fcntl
import mmap
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from wizard.apply.run.process import UNOPENED, opened
from wizard.ext4 import superblock
from wizard.model.errors import DiskwrightError, Failed, partition_path
from wizard.model.ext import ExtFacts
from wizard.model.finding import Notice
from wizard.model.layout import MAPPER
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Message, Sentence, failing, rounded_up, t
from wizard.probe.content.notices import is_bare, notices
from wizard.probe.host.sysfs import name_of, node_of, text
from wizard.probe.machine import list_drive_paths
from wizard.process.program import run

UNREAD_AT = Sentence("Cannot read {device} at byte {byte}: {why}.")
UNWRITTEN_AT = Sentence("Cannot write {device} at byte {byte}: {why}.")
CAME = Sentence("only {got} of {length} bytes")
UNFLUSHED = Sentence("Cannot flush {device}: {why}.")
NO_EXT = Sentence("{node} contains no readable ext filesystem.")
IN_USE = Sentence("{device} is in use: {why}.")
UNVERIFIED = Sentence("Verification of {what} failed: the data read back differs from the data written.")


SYS_BLOCK = Path("/sys/class/block")
BLKRRPART, BLKFLSBUF = 0x125F, 0x1261
"""From linux/fs.h."""

CLAIM_TRIES = 4
CLAIM_PAUSE_SECONDS = 0.1
FORGET_SECONDS = 10.0


def kernel_name(path: str) -> str:
    """Return a device's name in sysfs: `sda1` for /dev/sda1, `dm-0` for a name in /dev/mapper."""
    if path.startswith(MAPPER) and Path(path).exists():
        return Path(f"/sys/dev/block/{device_number(path)}").resolve().name
    return name_of(path)


def sysfs_folder(node: str) -> Path:
    """Return a device's folder in sysfs."""
    return SYS_BLOCK / kernel_name(node)


def device_number(path: str | Path) -> str:
    """Return the number MAJOR:MINOR of a device node. Raises OSError."""
    number = Path(path).stat().st_rdev
    return f"{os.major(number)}:{os.minor(number)}"


def node_fault(node: str, drive: str) -> Message | None:
    """Return why a node is not the drive or a partition of the drive according to sysfs: a link can point to
    another drive, and a stale node can have another device's number. None if the node is right or missing."""
    path, sysfs = Path(node), sysfs_folder(node)
    if path.is_symlink():
        return t("{node} is a link to {target}", node=node, target=os.path.realpath(node))
    if not path.exists():
        return None
    wanted = text(sysfs / "dev")
    if not path.is_block_device() or wanted is None:
        return t("{node} is not a kernel device", node=node)
    if wanted != (actual := device_number(path)):
        return t(
            "{node} refers to device {found}, but the kernel's {name} is {wanted}",
            node=node,
            found=actual,
            name=sysfs.name,
            wanted=wanted,
        )
    if node != drive and sysfs.resolve().parent.name != kernel_name(drive):
        return t("{node} is not a partition of {drive}", node=node, drive=drive)
    return None


def partition_nodes(drive: str) -> tuple[str, ...]:
    """Return the nodes of the partitions that the kernel knows, by number."""
    found = sorted(
        (int(entry.read_text()), entry.parent.name) for entry in sysfs_folder(drive).glob("*/partition")
    )
    return tuple(node_of(name) for _, name in found)


def start_bytes(node: str) -> int:
    """Return the start of a device on its drive, 0 for a whole drive. Raises OSError if it is unreadable."""
    file = sysfs_folder(node) / "start"
    return int(file.read_text()) * KERNEL_SECTOR_BYTES if file.exists() else 0


def size_bytes(node: str) -> int:
    """Raises Failed if the kernel has no such device."""
    try:
        return int((sysfs_folder(node) / "size").read_text()) * KERNEL_SECTOR_BYTES
    except OSError:
        raise Failed(t("The kernel no longer lists {node}.", node=node)) from None


def block_bytes(node: str) -> tuple[int, int]:
    """Return the logical and physical block size of a device or of its drive."""
    queue = _drive_folder(sysfs_folder(node)) / "queue"
    return int((queue / "logical_block_size").read_text()), int((queue / "physical_block_size").read_text())


def _drive_folder(block: Path) -> Path:
    block = block.resolve()
    return block.parent if (block / "partition").exists() else block


def open_exclusively(path: str) -> Message | str | None:
    """Return None if a device opens with O_EXCL, or why not. Retries: programs that scan drives open each one
    briefly."""
    for attempt in range(CLAIM_TRIES):
        if attempt:
            sleep(CLAIM_PAUSE_SECONDS)
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
        except OSError as error:
            if error.errno != errno.EBUSY:
                return error.strerror or str(error)
        else:
            return None
    return t("the kernel reports another holder")


def check_unclaimed(path: str) -> None:
    """Raises Failed if a device is in use."""
    if reason := open_exclusively(path):
        raise Failed(IN_USE(device=path, why=reason))


def read_direct(fd: int, node: str, buffer: mmap.mmap, offset_bytes: int, length_bytes: int) -> bytes:
    """Read at most 1 MiB of whole logical blocks with O_DIRECT. Raises Failed."""
    with memoryview(buffer) as whole, whole[:length_bytes] as part:
        with failing(UNREAD_AT, device=node, byte=offset_bytes):
            got = os.preadv(fd, [part], offset_bytes)
        if got != length_bytes:
            raise Failed(UNREAD_AT(device=node, byte=offset_bytes, why=CAME(got=got, length=length_bytes)))
        return bytes(part)


def write_direct(fd: int, node: str, offset_bytes: int, data: bytes) -> None:
    """Write at most 1 MiB of whole logical blocks with O_DIRECT. Raises Failed."""
    with mmap.mmap(-1, len(data)) as buffer:
        buffer[:] = data
        with failing(UNWRITTEN_AT, device=node, byte=offset_bytes):
            put = os.pwritev(fd, [buffer], offset_bytes)
        if put != len(data):
            raise Failed(UNWRITTEN_AT(device=node, byte=offset_bytes, why=CAME(got=put, length=len(data))))


def read_bytes(path: str, offset_bytes: int, length_bytes: int) -> bytes:
    """Read whole logical blocks past the page cache. Raises Failed."""
    end = offset_bytes + length_bytes
    with (
        failing(UNREAD_AT, device=path, byte=offset_bytes),
        opened(path, os.O_RDONLY | os.O_DIRECT) as fd,
        mmap.mmap(-1, MIB) as buffer,
    ):
        starts = range(offset_bytes, end, MIB)
        return b"".join(read_direct(fd, path, buffer, at, min(MIB, end - at)) for at in starts)


def write_bytes(path: str, offset_bytes: int, data: bytes) -> None:
    """Write whole logical blocks past the page cache, and flush the drive's cache. Raises Failed."""
    with (
        failing(UNWRITTEN_AT, device=path, byte=offset_bytes),
        opened(path, os.O_WRONLY | os.O_DIRECT) as fd,
    ):
        for begin in range(0, len(data), MIB):
            write_direct(fd, path, offset_bytes + begin, data[begin : begin + MIB])
        os.fsync(fd)


def flush(path: str) -> None:
    """Flush a device's cache. Raises Failed."""
    with failing(UNFLUSHED, device=path), opened(path, os.O_RDONLY) as fd:
        os.fsync(fd)


def forget_caches(path: str) -> None:
    """Flush and drop a device's cache, so that the next read comes from the drive. Raises Failed."""
    flush(path)
    # The kernel refuses if the device is in use. O_DIRECT reads are still right then.
    with suppress(OSError), opened(path, os.O_RDONLY) as fd:
        fcntl.ioctl(fd, BLKFLSBUF, 0)
    _drop_backing_caches(sysfs_folder(path))


def _drop_backing_caches(block: Path) -> None:
    """Drop the cache of the backing files of loop devices, at any depth below a device. After a failed write,
    that cache would return data that never reached the medium."""
    whole = _drive_folder(block)
    with suppress(OSError):
        backing = (whole / "loop/backing_file").read_text().rstrip("\n")
        with opened(backing, os.O_RDONLY | os.O_NONBLOCK) as file:
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    for below in whole.glob("slaves/*"):
        _drop_backing_caches(below)


def drives_under(node: str) -> tuple[str, ...]:
    """Return the nodes of all drives below a device."""
    whole = _drive_folder(sysfs_folder(node))
    below = sorted(whole.glob("slaves/*"))
    if not below:
        return (node_of(whole.name),)
    return tuple(dict.fromkeys(drive for one in below for drive in drives_under(node_of(one.name))))


def devices_with(uuid: str) -> list[str]:
    """Return all devices with this UUID as libblkid finds them now; empty if the UUID is empty or blkid
    fails."""
    argv = ("blkid", "-c", "/dev/null", "-o", "device", "-t", f"UUID={uuid}")
    with suppress(Failed):
        return run(argv, accept=(0, 2)).output.split() if uuid else []
    return []


def reread_table(drive: str, *, anew: bool) -> None:
    """Make the kernel reread the partition table. `anew` removes all partitions first, even without a
    table."""
    with failing(UNOPENED, path=drive), opened(drive, os.O_RDONLY) as fd, suppress(OSError):
        fcntl.ioctl(fd, BLKRRPART, 0)
        # Kernels built without this kind of table also report success, but find no partitions.
        if partition_nodes(drive):
            return
    if anew:
        forget_partitions(drive)
    # partx fails if there is no table to add. The caller compares the partitions.
    with suppress(DiskwrightError):
        run(["partx", "--add" if anew else "--update", drive], seconds=30)


def add_partitions(drive: str, numbers: Iterable[int]) -> None:
    """Add partitions that the kernel lacks. Others stay unchanged. The caller checks the result."""
    existing = partition_nodes(drive)
    for number in numbers:
        if partition_path(drive, number) not in existing:
            # `partx --update` skips numbers above the count of partitions, such as logical ones.
            with suppress(DiskwrightError):
                run(["partx", "--add", "--nr", f"{number}:{number}", drive], seconds=30)


def forget_partitions(drive: str) -> None:
    """Remove all of a drive's partitions from the kernel. Retries while udev and others have one open. Raises
    Failed."""
    deadline = monotonic() + FORGET_SECONDS
    while partition_nodes(drive):
        is_late = monotonic() > deadline
        try:
            run(["partx", "--delete", drive], seconds=30)
        except Failed:
            if is_late:
                raise
            sleep(CLAIM_PAUSE_SECONDS)
        else:
            if is_late and partition_nodes(drive):
                raise Failed(t("The kernel does not forget the partitions of {drive}.", drive=drive))


NODE_SECONDS = 5.0


def wait_for(*nodes: str) -> None:
    """Wait until all nodes exist. Raises Failed."""
    deadline = monotonic() + NODE_SECONDS
    while missing := next((node for node in nodes if not Path(node).is_block_device()), None):
        if monotonic() > deadline:
            raise Failed(t("The node {node} did not appear.", node=missing))
        sleep(0.02)


def read_range(node: str, offset_bytes: int, length_bytes: int) -> bytes:
    """Read any range of a device past the page cache. Empty if the device ends before. Raises Failed."""
    end = offset_bytes + length_bytes
    if end > size_bytes(node):
        return b""
    block, _ = block_bytes(node)
    begin = offset_bytes // block * block
    return read_bytes(node, begin, rounded_up(end, block) - begin)[offset_bytes - begin :][:length_bytes]


def facts_on(node: str) -> ExtFacts:
    """Return the facts of an ext filesystem. Raises Failed if missing."""
    forget_caches(node)
    found = superblock.read_filesystem(partial(read_range, node))
    if found is None:
        raise Failed(NO_EXT(node=node))
    return found


BLKROSET = 0x125D
"""From linux/fs.h."""


def is_protected(device: str) -> bool:
    """Return True if the kernel has the device as read-only. False if the device is gone."""
    return text(sysfs_folder(device) / "ro") not in (None, "0")


def protect(device: str) -> bool:
    """Make a device read-only if the kernel can. Return True if it is read-only now."""
    _set_read_only(device, read_only=True)
    return is_protected(device)


def take_writes(device: str) -> bool:
    """Make a device writable again. Return True if it was read-only."""
    if not is_protected(device):
        return False
    _set_read_only(device, read_only=False)
    return True


def _set_read_only(device: str, *, read_only: bool) -> None:
    with suppress(OSError), opened(device, os.O_RDONLY) as fd:
        fcntl.ioctl(fd, BLKROSET, array.array("i", [int(read_only)]))


def waiting_drives(known: Collection[str]) -> Iterator[tuple[str, Notice]]:
    """Yield each attached drive that carries the notice of a waiting run, except `known`. Skips drives in use
    or unreadable."""
    for path in list_drive_paths():
        with suppress(OSError, Failed):
            if path not in known and (notice := _read_notice(path)):
                yield path, notice


def _read_notice(path: str) -> Notice | None:
    with opened(path, os.O_RDONLY | os.O_EXCL) as descriptor:

        def read(start: int, length: int) -> bytes:
            return os.pread(descriptor, length, start)

        found = (notice for notice, _ in notices(read, size_bytes(path)))
        return next((notice for notice in found if is_bare(notice, read)), None)
