"""Read and write block devices past all caches, and manage the kernel's view of partitions."""

import array
import errno
import fcntl
import mmap
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from wizard.ext4.superblock import START_BYTES, SUPERBLOCK_BYTES, read_filesystem
from wizard.model.errors import DiskwrightError, Failed, partition_path, printable
from wizard.model.ext import ExtFacts
from wizard.model.finding import Notice
from wizard.model.operations import MAPPER
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Message, Sentence, rounded_up, t
from wizard.probe.content.notices import is_bare, notices
from wizard.probe.host.sysfs import name_of, node_of
from wizard.probe.machine import list_drive_paths
from wizard.probe.pool import is_attached
from wizard.process.program import run

# Nodes.

# Reading and writing.
UNOPENED = Sentence("Cannot open {device}: {why}.")
UNREAD_AT = Sentence("Cannot read {device} at byte {byte}: {why}.")
CAME = Sentence("only {got} of {length} bytes were read")
UNWRITTEN_AT = Sentence("Cannot write {device} at byte {byte}: {why}.")
TOOK = Sentence("only {got} of {length} bytes were written")
NOT_TAKEN = Sentence("Cannot write to {device}: {why}.")

# Stand-ins.

# Snapshots.

# A snapshot's store.


SYS_BLOCK = Path("/sys/class/block")
BLKRRPART, BLKFLSBUF = 0x125F, 0x1261
"""From linux/fs.h: read the partition table again; forget what is cached."""

CLAIM_TRIES = 4
CLAIM_PAUSE_SECONDS = 0.1
FORGET_SECONDS = 10.0


def kernel_name(path: str) -> str:
    """`sda1` for /dev/sda1, `cciss!c0d0` for /dev/cciss/c0d0, as sysfs spells it; `dm-0` for what the device
    mapper made by a name."""
    if path.startswith(MAPPER) and Path(path).exists():
        number = Path(path).stat().st_rdev
        return Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve().name
    return name_of(path)


def node_fault(node: str, drive: str) -> Message | None:
    """Why a node is not what its name says: the drive, or one of its partitions, by the kernel's own word.
    None where it is, or is missing.

    A link can lead to another drive, and a node that was left behind can carry another device's number.
    """
    path, known = Path(node), SYS_BLOCK / kernel_name(node)
    if path.is_symlink():
        return t("{node} is a link to {target}", node=node, target=printable(os.path.realpath(node)))
    if not path.exists():
        return None
    if not path.is_block_device() or not (known / "dev").exists():
        return t("{node} is not a kernel device", node=node)
    number = path.stat().st_rdev
    found, wanted = f"{os.major(number)}:{os.minor(number)}", (known / "dev").read_text().strip()
    if wanted != found:
        return t(
            "{node} refers to device {found}, but the kernel's {name} is {wanted}",
            node=node,
            found=found,
            name=known.name,
            wanted=wanted,
        )
    if node != drive and known.resolve().parent.name != kernel_name(drive):
        return t("{node} is not a partition of {drive}", node=node, drive=drive)
    return None


def partition_nodes(drive: str) -> tuple[str, ...]:
    """The nodes of the partitions that the kernel has for a drive, by number."""
    found = [entry.parent for entry in (SYS_BLOCK / kernel_name(drive)).glob("*/partition")]
    return tuple(
        node_of(entry.name)
        for entry in sorted(found, key=lambda entry: int((entry / "partition").read_text()))
    )


def has_gone(drive: str) -> bool:
    """Whether a drive was pulled out. While somebody has it open, as a run has, no other drive gets its
    node."""
    return not is_attached(drive, None)


def start_bytes(node: str) -> int:
    """Where a device begins on its drive by the kernel's word: 0 for a whole drive."""
    file = SYS_BLOCK / kernel_name(node) / "start"
    return int(file.read_text()) * KERNEL_SECTOR_BYTES if file.exists() else 0


def size_bytes(node: str) -> int:
    """How large a device is by the kernel's word; raises Failed where it has no such device."""
    try:
        return int((SYS_BLOCK / kernel_name(node) / "size").read_text()) * KERNEL_SECTOR_BYTES
    except OSError:
        raise Failed(t("The kernel no longer lists {node}.", node=node)) from None


def open_exclusively(path: str) -> Message | str | None:
    """Whether the kernel lets us have the device alone, released at once: None, or the reason why not.

    Anyone who looks at the drives claims each for an instant, so a busy one is asked again.
    """
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


@contextmanager
def _opened(path: str, flags: int, fault: Callable[[str], Message]) -> Iterator[int]:
    """A descriptor; raises Failed where there is none to be had, or where what is done with it meets an
    error: `fault` makes a sentence of that."""
    try:
        fd = os.open(path, flags | os.O_CLOEXEC)
        try:
            yield fd
        finally:
            os.close(fd)
    except OSError as error:
        raise Failed(fault(str(error.strerror))) from None


def read_bytes(path: str, offset_bytes: int, length_bytes: int) -> bytes:
    """Bytes straight from the device, past the page cache. Offset and size are multiples of the logical block
    size."""

    def fault(why: Message | str) -> Message:
        return UNREAD_AT(device=path, byte=offset_bytes, why=why)

    with _opened(path, os.O_RDONLY | os.O_DIRECT, fault) as fd:
        parts = []
        while length_bytes:
            length = min(length_bytes, MIB)
            with mmap.mmap(-1, length) as buffer:
                got = os.preadv(fd, [buffer], offset_bytes)
                if got != length:
                    raise Failed(fault(CAME(got=got, length=length)))
                parts.append(buffer[:length])
            offset_bytes, length_bytes = offset_bytes + length, length_bytes - length
        return b"".join(parts)


def write_bytes(path: str, offset_bytes: int, data: bytes) -> None:
    """Bytes straight to the device, past the page cache, and through the drive's own cache."""

    def fault(why: str) -> Message:
        return UNWRITTEN_AT(device=path, byte=offset_bytes, why=why)

    with _opened(path, os.O_WRONLY | os.O_DIRECT, fault) as fd:
        for begin in range(0, len(data), MIB):
            part = data[begin : begin + MIB]
            with mmap.mmap(-1, len(part)) as buffer:
                buffer[:] = part
                put = os.pwritev(fd, [buffer], offset_bytes + begin)
                if put != len(part):
                    took = TOOK(got=put, length=len(part))
                    raise Failed(UNWRITTEN_AT(device=path, byte=offset_bytes + begin, why=took))
        os.fsync(fd)


def forget_caches(path: str) -> None:
    """Write out and drop what is cached of a device, so that the next read comes from the drive. Raises
    Failed where the drive did not take what was written.
    """
    with _opened(
        path,
        os.O_RDONLY,
        lambda why: t("Cannot flush {device}: {why}.", device=path, why=why),
    ) as fd:
        os.fsync(fd)
        # Where the kernel refuses (a device in use), reads past the cache still tell the truth.
        with suppress(OSError):
            fcntl.ioctl(fd, BLKFLSBUF, 0)
    _forget_below((SYS_BLOCK / kernel_name(path)).resolve())


def _forget_below(block: Path) -> None:
    """Drop what is cached of the files that loop devices lie on, with which a read past a loop device's cache
    ends: a filesystem that could not write a part of a file goes on showing what was to be written.
    """
    whole = block.parent if (block / "partition").exists() else block
    with suppress(OSError):
        file = os.open(
            (whole / "loop/backing_file").read_text().rstrip("\n"), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        )
        try:
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(file)
    for below in whole.glob("slaves/*"):
        _forget_below(below.resolve())


def tell_kernel(drive: str, *, anew: bool) -> None:
    """Make the kernel read the drive's table again.

    By BLKRRPART where the kernel reads tables itself, else by partx. `anew` takes all partitions away first,
    also when the drive has no table any more.
    """
    with (
        _opened(drive, os.O_RDONLY, lambda why: UNOPENED(device=drive, why=why)) as fd,
        suppress(OSError),
    ):
        fcntl.ioctl(fd, BLKRRPART, 0)
        # A kernel that was built without this kind of table says yes, too, and finds nothing.
        if partition_nodes(drive):
            return
    if anew:
        forget_partitions(drive)
    # A drive without a table has nothing to add, which partx calls a failure; what came of it is compared by
    # the caller.
    with suppress(DiskwrightError):
        run(["partx", "--add" if anew else "--update", drive], seconds=30)


def tell_of(drive: str, numbers: Iterable[int]) -> None:
    """Make the kernel take up those partitions of the drive's table that it does not have, and leave alone
    those that it has. Whether it did is for the caller to see.
    """
    there = partition_nodes(drive)
    for number in numbers:
        if partition_path(drive, number) not in there:
            # `partx --update` passes over numbers beyond the count of partitions, as those of logical ones
            # are.
            with suppress(DiskwrightError):
                run(["partx", "--add", "--nr", f"{number}:{number}", drive], seconds=30)


def forget_partitions(drive: str) -> None:
    """Take all of a drive's partitions away from the kernel; raises Failed where one of them stays in use.

    Anyone who looks at a partition, as udev does at every one that appears, has it open for a moment, so a
    busy one is asked again.
    """
    until = monotonic() + FORGET_SECONDS
    while partition_nodes(drive):
        try:
            run(["partx", "--delete", drive], seconds=30)
        except Failed:
            if monotonic() > until:
                raise
            sleep(CLAIM_PAUSE_SECONDS)


def wait_for(nodes: tuple[str, ...], seconds: float = 5.0) -> str | None:
    """Wait until all nodes are there; the first one that is missing, or None."""
    until = monotonic() + seconds
    while missing := next((node for node in nodes if not Path(node).is_block_device()), None):
        if monotonic() > until:
            return missing
        sleep(0.02)
    return None


FIRST_BYTES = 4096
"""Whole blocks of every drive."""

END_BYTES = START_BYTES + SUPERBLOCK_BYTES


def superblock_on(node: str) -> bytes:
    """The superblock's bytes; raises Failed where they cannot be read."""
    forget_caches(node)
    return read_bytes(node, 0, FIRST_BYTES)[START_BYTES:END_BYTES]


def put_superblock(node: str, superblock: bytes) -> None:
    """Put the bytes of a superblock in their place; whatever lies around them stays. Raises Failed."""
    first = read_bytes(node, 0, FIRST_BYTES)
    write_bytes(node, 0, first[:START_BYTES] + superblock + first[END_BYTES:])
    forget_caches(node)


def _bytes_of(node: str, offset_bytes: int, length_bytes: int) -> bytes:
    """Read bytes of a device, past the page cache. Returns none if the last block exceeds the device."""
    begin, end = (
        offset_bytes // FIRST_BYTES * FIRST_BYTES,
        rounded_up(offset_bytes + length_bytes, FIRST_BYTES),
    )
    if end > size_bytes(node):
        return b""
    return read_bytes(node, begin, end - begin)[offset_bytes - begin :][:length_bytes]


def facts_on(node: str) -> ExtFacts:
    """What the superblock says, and the root folder; raises Failed where there is none."""
    forget_caches(node)
    found = read_filesystem(partial(_bytes_of, node))
    if found is None:
        raise Failed(t("{node} contains no ext filesystem.", node=node))
    return found


BLKROSET = 0x125D
"""From linux/fs.h: whether the kernel takes writes to a device."""


def is_protected(device: str) -> bool:
    """Whether the kernel takes no writes to a device, by its own word; also where it is gone."""
    try:
        return (SYS_BLOCK / kernel_name(device) / "ro").read_text().strip() != "0"
    except OSError:
        return False


def protect(device: str) -> bool:
    """Have the kernel take no writes to it; whether it does so now. One that does not do it is no harm."""
    _tell(device, read_only=True)
    return is_protected(device)


def take_writes(device: str) -> bool:
    """Make a device writable again. Return whether it was read-only."""
    if not is_protected(device):
        return False
    _tell(device, read_only=False)
    return True


def _tell(device: str, *, read_only: bool) -> None:
    with suppress(OSError):
        fd = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.ioctl(fd, BLKROSET, array.array("i", [int(read_only)]))
        finally:
            os.close(fd)


def waiting_drives(known: Collection[str]) -> Iterator[tuple[str, Notice]]:
    """Yield each attached drive on which a run waits, with its notice, except those that are `known`. A drive
    in use is skipped, since nothing waits there, and so is one that cannot be read."""
    for path in list_drive_paths():
        with suppress(OSError, Failed):
            if path not in known and (notice := _notice_on(path)):
                yield path, notice


def _notice_on(path: str) -> Notice | None:
    descriptor = os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
    try:

        def read(start: int, length: int) -> bytes:
            return os.pread(descriptor, length, start)

        found = (notice for notice, _ in notices(read, size_bytes(path)))
        return next((notice for notice in found if is_bare(notice, read)), None)
    finally:
        os.close(descriptor)
