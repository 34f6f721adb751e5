"""Scratch copies of a run's drives: sparse files behind loop devices, seeded with what tools look for.

A blank copy does not behave like the drive. Tools clear old signatures only if they see them. Examples are an
older XFS (mkfs.xfs), and an md superblock at the end (mkswap). So both ends of the drive and of every old and
new volume are copied. Backup signatures are copied too, and the pages at the edges of each change, which a
neighbour shares.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from wizard.apply.block.devices import (
    SYS_BLOCK,
    forget_caches,
    kernel_name,
    partition_nodes,
    read_bytes,
    tell_kernel,
    tell_of,
)
from wizard.apply.block.extents import GRAIN_BYTES, chunks, merged
from wizard.apply.block.scratch_device import (
    CONTROL,
    NoStandInError,
    attached,
    heed,
    ignore_mapped,
    load_loop,
)
from wizard.apply.engine import record
from wizard.apply.engine.signatures import copies
from wizard.apply.engine.stores import FOLDER, Store, StoreError, new_file
from wizard.apply.steps.step_context import alone_on
from wizard.apply.system.mounts import read_mounts
from wizard.model.errors import Failed, partition_path
from wizard.model.machine import Extent
from wizard.model.plan import Slot
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, rounded_up
from wizard.probe.host.sysfs import node_of
from wizard.process.program import run
from wizard.process.program import run as run_command

RELEASE_SECONDS = 60.0
CONTAINER, LVM = "CRYPT-", "LVM-"
"""How the device mapper's UUIDs begin of what cryptsetup opens, and of LVM's volumes."""


@contextmanager
def mapped_unseen(run_folder: Path, nodes: Sequence[str], names: Sequence[str]) -> Iterator[None]:
    """Have udev ignore what the device mapper will call so, and take down at the end what stands on these
    stand-ins of a run. Raises Failed where that cannot be.

    udev leaves a stand-in alone while it is locked. What is mapped on it outlives a process that is killed,
    and so does the stand-in below, which nobody locks then: it is ignored as well.
    """
    with ExitStack() as after:
        for name in names:
            try:
                ignore_mapped(name, run_folder.name)
            except OSError as error:
                raise Failed(record.NOT_IGNORED(name=name, why=str(error.strerror))) from None
            after.callback(heed, name)
        after.callback(take_down, nodes)
        yield


def take_down(nodes: Sequence[str]) -> None:
    """Take down whatever the device mapper has on these stand-ins, what lies above first; what is mounted of
    it is unmounted. Raises Failed where somebody holds it."""
    for folder in _above(nodes):
        _unmount(folder)
        if _told(folder, "uuid").startswith(CONTAINER):
            run(("cryptsetup", "close", _told(folder, "name")), seconds=RELEASE_SECONDS)
    if any(_told(folder, "uuid").startswith(LVM) for folder in _above(nodes)):
        # By LVM itself, which takes away its links, too.
        run(alone_on(nodes, ("vgchange", "--activate", "n")), seconds=RELEASE_SECONDS, accept=range(256))
    for folder in _above(nodes):
        # Its records are gone, or were never whole.
        run(("dmsetup", "remove", "--retry", _told(folder, "name")), seconds=RELEASE_SECONDS)


def _above(nodes: Sequence[str]) -> tuple[Path, ...]:
    """The folders in sysfs of what the device mapper has on stand-ins, each once, what lies above first."""
    found: dict[Path, None] = {}
    for node in nodes:
        for part in (node, *partition_nodes(node)):
            found |= dict.fromkeys(_holders(SYS_BLOCK / kernel_name(part)))
    return tuple(found)


def _holders(folder: Path) -> Iterator[Path]:
    for entry in sorted((folder / "holders").glob("*")):
        holder = SYS_BLOCK / entry.name
        yield from _holders(holder)
        if (holder / "dm").is_dir():
            yield holder


def _told(folder: Path, what: str) -> str:
    return (folder / "dm" / what).read_text().strip()


def _unmount(folder: Path) -> None:
    names = (f"/dev/mapper/{_told(folder, 'name')}", f"/dev/{folder.name}")
    for mounted in reversed(read_mounts()):
        if mounted.source in names:
            run(("umount", mounted.mount_point), seconds=RELEASE_SECONDS)


HEAD_BYTES, TAIL_BYTES = 5 * MIB, MIB
"""Of a drive and each volume: what libblkid recognises begins in the first and ends in the last of these."""


@dataclass(frozen=True, slots=True)
class ScratchRequest:
    """The drive that a stand-in is wanted for. `volumes` are those before and after that do not stay,
    `allowed` all that may change, `extra` other places that tools look at, such as the records of its table.
    In `others` lie partitions that stay and may be in use: whoever uses them writes there meanwhile, so that
    the stand-in is not held against the drive there, and nothing of it is taken.
    """

    path: str
    size_bytes: int
    block_bytes: int
    volumes: tuple[Extent, ...]
    allowed: tuple[Extent, ...]
    extra: tuple[Extent, ...] = ()
    others: tuple[Extent, ...] = ()

    @property
    def drive(self) -> Extent:
        """All of it."""
        return Extent(0, self.size_bytes)


def shown(wanted: ScratchRequest) -> tuple[Extent, ...]:
    """Every place of the drive that its stand-in is to show, in whole pages. Reads the drive."""
    places = list(wanted.extra)
    for volume in (wanted.drive, *wanted.volumes):
        places += _ends(volume)
        places += (
            Extent(volume.start_bytes + place.start_bytes, place.size_bytes)
            for place in _copies_on(wanted, volume)
        )
    for place in wanted.allowed:
        places += (
            Extent(edge - edge % GRAIN_BYTES, GRAIN_BYTES) for edge in (place.start_bytes, place.end_bytes)
        )
    return merged(places, GRAIN_BYTES, wanted.size_bytes)


def _ends(volume: Extent) -> tuple[Extent, Extent]:
    head, tail = min(HEAD_BYTES, volume.size_bytes), min(TAIL_BYTES, volume.size_bytes)
    return Extent(volume.start_bytes, head), Extent(volume.end_bytes - tail, tail)


def _copies_on(wanted: ScratchRequest, volume: Extent) -> tuple[Extent, ...]:
    def read(start: int, length: int) -> bytes:
        if start + length > volume.size_bytes:
            return b""
        return read_around(wanted, volume.start_bytes + start, length)

    return tuple(copies(read, volume.size_bytes))


def read_around(wanted: ScratchRequest, start: int, length: int) -> bytes:
    """Bytes of the drive from any byte on."""
    block = wanted.block_bytes
    begin = start // block * block
    end = min(rounded_up(start + length, block), wanted.size_bytes)
    return read_bytes(wanted.path, begin, end - begin)[start - begin :][:length]


@contextmanager
def standing_in_for(run: Path, drives: Sequence[ScratchRequest]) -> Iterator[tuple[str, ...]]:
    """The nodes of stand-ins for these drives, in their order, for as long as the block lasts; their files
    stay. Raises NoStandInError where none can be had, and Failed.
    """
    try:
        (run / FOLDER).mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise Failed(record.NOT_MADE(folder=str(run / FOLDER), why=str(error.strerror))) from None
    release_left(run)
    yield from _each(run, drives, ())


def release_left(run: Path) -> None:
    """Let go of stand-ins of this run that a killed process left behind: something was mounted from them.
    Raises Failed."""
    left = [*_left(run)]
    # With its last user each of them goes by itself.
    take_down(left)
    for node in left:
        _stop_arrays(node)
    for node in left:
        for mounted in reversed(read_mounts()):
            if mounted.source in (node, *partition_nodes(node)):
                run_command(("umount", mounted.mount_point), seconds=RELEASE_SECONDS)
        run_command(("losetup", "--detach", node), seconds=RELEASE_SECONDS, accept=range(256))


def left_over(run: Path) -> str:
    """A stand-in of this run that is still there, as its node; empty where none is."""
    return next(_left(run), "")


def _left(run: Path) -> Iterator[str]:
    for entry in sorted(SYS_BLOCK.glob("loop*/loop/backing_file")):
        # Others' go while they are looked at.
        with suppress(OSError):
            file = entry.read_text().rstrip("\n").removesuffix(" (deleted)")
            if Path(file).parent == run / FOLDER:
                yield f"/dev/{entry.parent.parent.name}"


def _stop_arrays(node: str) -> None:
    """Stop the md arrays that stand on a stand-in: they would keep it."""
    for part in (node, *partition_nodes(node)):
        for holder in (SYS_BLOCK / kernel_name(part) / "holders").glob("md*"):
            run_command(("mdadm", "--stop", node_of(holder.name)), seconds=RELEASE_SECONDS)


def _each(run: Path, drives: Sequence[ScratchRequest], nodes: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if len(nodes) == len(drives):
        yield nodes
        return
    wanted = drives[len(nodes)]
    with _store(run, len(nodes), wanted) as store:
        _seed(store, wanted)
        with attached(store.fd, wanted.block_bytes) as node:
            tell_kernel(node, anew=True)
            yield from _each(run, drives, (*nodes, node))
            forget_caches(node)


def _store(run: Path, number: int, wanted: ScratchRequest) -> Store:
    try:
        return Store(new_file(run, number), make_bytes=wanted.size_bytes)
    except StoreError as error:
        raise NoStandInError(error.clause) from None


def _seed(store: Store, wanted: ScratchRequest) -> None:
    for chunk in chunks(shown(wanted)):
        store.write(chunk.start_bytes, read_around(wanted, chunk.start_bytes, chunk.size_bytes))


def have_partitions(node: str, slots: Iterable[Slot]) -> None:
    """See that the kernel has these partitions of a stand-in: one built without a reader for its kind of
    table takes them from libblkid. Those of a table that was erased, which the kernel still has of the drive,
    it is told of one by one. Raises Failed."""
    slots = tuple(slots)
    tell_of(node, (slot.number for slot in slots))
    there = partition_nodes(node)
    for slot in slots:
        if partition_path(node, slot.number) not in there:
            place = (slot.start_bytes // KERNEL_SECTOR_BYTES, slot.size_bytes // KERNEL_SECTOR_BYTES)
            run_command(("addpart", node, str(slot.number), *map(str, place)), seconds=RELEASE_SECONDS)


def free_bytes(folder: Path) -> int:
    """How much room there is in a folder."""
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def blocker(folder: Path, sizes_bytes: Iterable[int]) -> str:
    """Why no stand-ins for drives of these sizes can be had in a folder, as a clause; empty where they can.
    Leaves nothing there."""
    if not Path(CONTROL).exists():
        load_loop()
    try:
        os.close(os.open(CONTROL, os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        return str(record.NO_LOOPS(why=str(error.strerror)))
    try:
        # Without a name: several threads may ask at once.
        with TemporaryFile(dir=folder) as file:
            file.truncate(max(sizes_bytes))
    except OSError as error:
        return str(record.TOO_LARGE_WHY(folder=str(folder), why=str(error.strerror)))
    return ""
