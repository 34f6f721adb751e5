"""Scratch copies of a run's drives: sparse files behind loop devices, with copies of all signatures.

If a filesystem is resized, the copy is copy-on-write and shows all of it (`writable_copy`).

A blank copy does not behave like the drive. Tools clear old signatures only if they see them. Examples are an
older XFS (mkfs.xfs), and an md superblock at the end (mkswap). So both ends of the drive and of every old and
new volume are copied. Backup signatures are copied too, and the pages at the edges of each change, which a
neighbour shares.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile

from msgspec import Struct

from wizard.apply.block import devices, extents, scratch_device
from wizard.apply.engine import stores, writable_copy
from wizard.apply.engine.signatures import copies_on
from wizard.apply.run.process import UNWRITTEN
from wizard.apply.steps.step_context import alone_on
from wizard.apply.system.mounts import read_mounts
from wizard.model.errors import Failed, partition_path
from wizard.model.layout import Slot
from wizard.model.machine import Extent
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, failing, rounded_up
from wizard.probe.host.sysfs import node_of
from wizard.process.program import run as run_command

_run = partial(run_command, seconds=60.0)
CONTAINER, LVM = "CRYPT-", "LVM-"
"""Prefixes of device-mapper UUIDs: devices of cryptsetup, and LVM volumes."""


@contextmanager
def mapped_without_udev(run_folder: Path, nodes: Sequence[str], names: Sequence[str]) -> Iterator[None]:
    """Make udev ignore device-mapper devices with these names, and remove all devices on these scratch copies
    at the end. Raises Failed.

    udev ignores a scratch copy while it is locked. A mapped device survives a killed process, and keeps the
    unlocked scratch copy in use. So the rule covers both.
    """
    with ExitStack() as after:
        for name in names:
            scratch_device.ignore_mapped(name, run_folder.name)
            after.callback(scratch_device.stop_ignoring, name)
        after.callback(_tear_down, nodes)
        yield


def _tear_down(nodes: Sequence[str]) -> None:
    """Unmount and remove the device-mapper devices on these scratch copies, upper ones first. Raises Failed
    if one is in use."""
    for node, name, uuid in _mapped_devices(nodes):
        unmount((f"/dev/mapper/{name}", node))
        if uuid.startswith(CONTAINER):
            _run(("cryptsetup", "close", name))
    if any(uuid.startswith(LVM) for *_, uuid in _mapped_devices(nodes)):
        # LVM also removes its links.
        _run(alone_on(nodes, ("vgchange", "--activate", "n")), accept=range(256))
    for _, name, _ in _mapped_devices(nodes):
        # LVM skips volumes with missing or incomplete metadata.
        _run(("dmsetup", "remove", "--retry", name))


def _mapped_devices(nodes: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return node, name and UUID of the device-mapper devices on scratch copies, each once, upper ones
    first."""
    found: dict[Path, None] = {}
    for node in nodes:
        for part in (node, *devices.partition_nodes(node)):
            found |= dict.fromkeys(_holders(devices.sysfs_folder(part)))
    rows = []
    for folder in found:
        name, uuid = ((folder / "dm" / file).read_text().strip() for file in ("name", "uuid"))
        rows.append((f"/dev/{folder.name}", name, uuid))
    return rows


def _holders(folder: Path) -> Iterator[Path]:
    for entry in sorted((folder / "holders").glob("*")):
        holder = devices.SYS_BLOCK / entry.name
        yield from _holders(holder)
        if (holder / "dm").is_dir():
            yield holder


HEAD_BYTES, TAIL_BYTES = 5 * MIB, MIB
"""Parts of a drive or volume. libblkid's signatures begin in the head or end in the tail."""


class ScratchRequest(Struct, frozen=True):
    """Drive to make a scratch copy of.

    `volumes` are the old and new volumes that are not preserved, `allowed` all places that may change,
    `extra` other places that tools read, such as table records. `others` are preserved partitions, which
    other programs may write to: the copy is not compared there, and the changes are ignored. `resized`: node
    of a partition that the copy shows completely, or empty.
    """

    path: str
    size_bytes: int
    block_bytes: int
    volumes: tuple[Extent, ...]
    allowed: tuple[Extent, ...]
    extra: tuple[Extent, ...] = ()
    others: tuple[Extent, ...] = ()
    resized: str = ""


class SparseCopy(Struct, frozen=True):
    """Scratch copy at `node`, with everything that it shows in a file."""

    node: str

    def check(self) -> None:
        """Do nothing: no process serves this copy."""

    def written(self) -> None:
        """Flush all writes. Everything in the file may differ from the drive."""
        devices.forget_caches(self.node)


def shown(wanted: ScratchRequest) -> tuple[Extent, ...]:
    """Return the ranges to copy from the drive to the scratch copy, in whole pages. Reads the drive."""
    places = list(wanted.extra)
    for volume in (Extent(0, wanted.size_bytes), *wanted.volumes):
        head, tail = min(HEAD_BYTES, volume.size_bytes), min(TAIL_BYTES, volume.size_bytes)
        places += (Extent(volume.start_bytes, head), Extent(volume.end_bytes - tail, tail))
        places += copies_on(wanted.path, volume)
    # A neighbour shares the pages at the edges of each change.
    edges = (edge for place in wanted.allowed for edge in (place.start_bytes, place.end_bytes))
    places += (Extent(edge, 1) for edge in edges)
    return extents.merged(places, extents.GRAIN_BYTES, wanted.size_bytes)


@contextmanager
def scratch_copies_of(
    run: Path, drives: Sequence[ScratchRequest]
) -> Iterator[tuple[SparseCopy | writable_copy.WritableCopy, ...]]:
    """Yield scratch copies of these drives, in order. The files remain.

    Raises NoScratchDeviceError if none is available, and Failed.
    """
    with failing(UNWRITTEN, file=run / stores.FOLDER):
        (run / stores.FOLDER).mkdir(mode=0o700, exist_ok=True)
    release_left(run)
    copies: list[SparseCopy | writable_copy.WritableCopy] = []
    with ExitStack() as stack:
        for number, wanted in enumerate(drives):
            file = stores.new_file(run, number)
            if wanted.resized:
                hidden = _whole_pages(wanted.others)
                copy = writable_copy.scratch_copy_of(wanted.path, file, part=wanted.resized, hidden=hidden)
                copies.append(stack.enter_context(copy))
                continue
            try:
                store = stack.enter_context(stores.Store(file, make_bytes=wanted.size_bytes))
            except stores.FullError:
                raise
            except Failed as error:
                raise scratch_device.NoScratchDeviceError(str(error)) from None
            extents.copy(shown(wanted), partial(devices.read_range, wanted.path), store.write)
            node = stack.enter_context(scratch_device.attached(store.fd, wanted.block_bytes))
            copies.append(SparseCopy(node))
        for copied in copies:
            devices.reread_table(copied.node, anew=True)
        yield tuple(copies)


def _whole_pages(places: Iterable[Extent]) -> Iterator[Extent]:
    """Yield the whole pages within these places, which no place around them shares."""
    for place in sorted(places, key=lambda one: one.start_bytes):
        start = rounded_up(place.start_bytes, extents.GRAIN_BYTES)
        end = place.end_bytes // extents.GRAIN_BYTES * extents.GRAIN_BYTES
        yield Extent(start, max(0, end - start))


def release_left(run: Path) -> None:
    """Remove scratch copies that a killed process of this run left, and unmount everything on them. Raises
    Failed."""
    left = {node: (node, *devices.partition_nodes(node)) for node in leftover_nodes(run)}
    # Autoclear removes unused loop devices, so these are in use.
    _tear_down([*left])
    for parts in left.values():
        for part in parts:
            # An md array would keep the scratch copy in use.
            for holder in (devices.sysfs_folder(part) / "holders").glob("md*"):
                _run(("mdadm", "--stop", node_of(holder.name)))
    for node, parts in left.items():
        unmount(parts)
        _run(("losetup", "--detach", node), accept=range(256))


def unmount(nodes: Collection[str]) -> None:
    """Unmount these devices everywhere. Raises Failed."""
    for mounted in reversed(read_mounts()):
        if mounted.source in nodes:
            _run(("umount", mounted.mount_point))


def forget_btrfs(node: str) -> None:
    """Make the kernel forget a scratch Btrfs: the filesystem on the drive will have the same UUID."""
    with suppress(Failed):
        _run(("btrfs", "device", "scan", "--forget", node))


def leftover_nodes(run: Path) -> Iterator[str]:
    """Yield the nodes of scratch copies that this run left."""
    for entry in sorted(devices.SYS_BLOCK.glob("loop*/loop/backing_file")):
        node = f"/dev/{entry.parent.parent.name}"
        # Other programs' loop devices can disappear during the loop.
        with suppress(OSError):
            file = entry.read_text().rstrip("\n").removesuffix(" (deleted)")
            served = file == "/" and scratch_device.loop_name(node) == writable_copy.name_of(
                stores.new_file(run, 0)
            )
            if served or Path(file).parent == run / stores.FOLDER:
                yield node


def have_partitions(node: str, slots: Iterable[Slot]) -> None:
    """Make the kernel add these partitions of a scratch copy. Raises Failed.

    If the kernel cannot read this kind of table, partx reads it with libblkid. Partitions of an erased table
    are added one by one.
    """
    slots = tuple(slots)
    devices.add_partitions(node, (slot.number for slot in slots))
    existing = devices.partition_nodes(node)
    for slot in slots:
        if partition_path(node, slot.number) not in existing:
            place = (slot.start_bytes // KERNEL_SECTOR_BYTES, slot.size_bytes // KERNEL_SECTOR_BYTES)
            _run(("addpart", node, str(slot.number), *map(str, place)))


def blocker(folder: Path, sizes_bytes: Iterable[int]) -> str:
    """Return why scratch copies of these sizes cannot be made in a folder, as a clause, or an empty string.
    Leaves no file."""
    if why := scratch_device.unavailable(scratch_device.CONTROL):
        return str(why)
    try:
        # An unnamed file, since several threads may check at once.
        with TemporaryFile(dir=folder) as file:
            file.truncate(max(sizes_bytes))
    except OSError as error:
        return str(scratch_device.UNAVAILABLE(node=folder, why=error))
    return ""
