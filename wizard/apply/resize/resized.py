"""Resize any filesystem on a scratch copy: copy metadata, check, resize and check again."""

import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext

from msgspec import Struct

from wizard.apply.block.extents import clipped, gaps
from wizard.apply.resize import btrfs, ext, metadata, ntfs, xfs
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.steps.filesystem import at_private_place
from wizard.apply.steps.step_context import NOT_REHEARSED, StepContext
from wizard.filesystems.kind import Growing
from wizard.filesystems.registry import KINDS
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import Message, t
from wizard.operations.filesystem import Resize
from wizard.process.program import run

EXT = re.compile(r"(?m)^Block count:\s+(\d+)\n(?:.*\n)*?Block size:\s+(\d+)$")
XFS = re.compile(r"(?m)^data\s+=\s*bsize=(\d+)\s+blocks=(\d+)")
BTRFS = re.compile(r"(?m)^\s*devid\s+(\d+)\s+size (\d+)\s")


class MountedSize(Struct, frozen=True):
    """The size of a mounted filesystem on its device. `member` is the device ID in a Btrfs."""

    size_bytes: int
    member: int = 1


def held_in_use(filesystem: str, device: str, place: str) -> MountedSize:
    """Return the size of a mounted filesystem from its own tool. Raises Failed if unknown, or if it spans
    several devices."""
    command, pattern = {
        "xfs": (("xfs_growfs", "-n", place), XFS),
        "btrfs": (("btrfs", "filesystem", "show", "--raw", place), BTRFS),
    }.get(filesystem, (("dumpe2fs", "-h", device), EXT))
    found = pattern.findall(run(command, seconds=LOOK_SECONDS).output)
    if not found:
        raise Failed(metadata.NOT_TOLD(program=command[0], what=("size", device)))
    first, second = map(int, found[0])
    if filesystem != "btrfs":
        return MountedSize(first * second)
    if len(found) > 1:
        raise Failed(metadata.DEVICES(devices=len(found)))
    return MountedSize(second, member=first)


def is_filled(held_bytes: int, size_bytes: int) -> bool:
    """Return True if the filesystem fills its device as far as possible. The last block group may be too
    small to use."""
    return size_bytes * 9 // 10 <= held_bytes <= size_bytes


class Resizer(Struct, frozen=True):
    """How to copy a filesystem's metadata to a scratch copy, and to get its size from a tool's output.
    `writable_now` returns places without file data afterwards, for tools that can move files."""

    show: metadata.Show
    held_bytes: Callable[[Resize, str, StepContext], int]
    writable_now: metadata.Show | None = None


_EXT = Resizer(ext.show, ext.held_bytes, ext.writable_now)
RESIZERS = {
    "ext2": _EXT,
    "ext3": _EXT,
    "ext4": _EXT,
    "xfs": Resizer(xfs.show, xfs.held_bytes),
    "ntfs": Resizer(ntfs.show, ntfs.held_bytes, ntfs.writable_now),
    "btrfs": Resizer(btrfs.show, btrfs.held_bytes, btrfs.writable_now),
}


def resize_filesystem(operation: Resize, context: StepContext) -> Message:
    """Check, resize and check the filesystem again. Return a summary. Raises Failed."""
    device, growing = operation.device, KINDS[operation.filesystem].growing
    if not context.rehearsed or growing is None:
        raise Failed(NOT_REHEARSED(device=device))
    _check_clean(device, growing, context)
    with at_private_place(operation, context) if growing.mounted else nullcontext():
        commands = operation.inside() if growing.mounted else operation.commands()
        results = [context.command(argv) for argv in commands]
    output = "".join(result.output + result.errors for result in results)
    held = RESIZERS[operation.filesystem].held_bytes(operation, output, context)
    _check_clean(device, growing, context)
    if not is_filled(held, operation.size_bytes):
        raise metadata.refused(t("The filesystem on {device} does not fill the partition.", device=device))
    return t("The filesystem on {device} now has {held} bytes and passes a check.", device=device, held=held)


def check_files_stay(operation: Resize, showing: metadata.Showing, seen: Sequence[Extent]) -> None:
    """Raises Failed if a tool moved file data that is missing from the scratch copy. `seen` are places
    without file data before the resize, sorted and disjoint."""
    writable_now = RESIZERS[operation.filesystem].writable_now
    if writable_now is None:
        return
    stays = showing.within(0, min(showing.size_bytes, showing.volume.size_bytes))
    files = clipped((stays,), gaps(seen, showing.volume.end_bytes))
    if next(clipped(tuple(files), writable_now(showing)), None) is not None:
        raise metadata.refused(
            metadata.MOVES_FILES(program=operation.commands()[-1][0], device=operation.device)
        )


def _check_clean(device: str, growing: Growing, context: StepContext) -> None:
    if context.command((*growing.check, device), accept=range(256)).status:
        raise metadata.not_clean(device, *growing.check)
