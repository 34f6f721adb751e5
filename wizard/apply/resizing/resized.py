"""Another size for any filesystem on a stand-in: it is shown, checked, resized and checked again."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wizard.apply.block.extents import clipped, gaps
from wizard.apply.resizing import btrfs, ext, ntfs, xfs
from wizard.apply.resizing.in_use import is_filled
from wizard.apply.resizing.showing import Show, Showing
from wizard.apply.resizing.words import MOVES_FILES, NOT_CLEAN, refusal
from wizard.apply.steps.step_context import Site
from wizard.apply.steps.subvolumes import at_private_place
from wizard.filesystems.kind import Growing
from wizard.filesystems.registry import KINDS
from wizard.layout.steps.commands import commands_of
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.plan import Resizing
from wizard.model.said import t


@dataclass(frozen=True, slots=True)
class Resizer:
    """How a filesystem is shown on a stand-in, and how many bytes it has by what its program said. What can
    move files tells where none are afterwards: `writable_now`."""

    show: Show
    held_bytes: Callable[[Resizing, str, Site], int]
    writable_now: Show | None = None


_EXT = Resizer(ext.show, ext.held_bytes, ext.writable_now)
RESIZERS = {
    "ext2": _EXT,
    "ext3": _EXT,
    "ext4": _EXT,
    "xfs": Resizer(xfs.show, xfs.held_bytes),
    "ntfs": Resizer(ntfs.show, ntfs.held_bytes, ntfs.writable_now),
    "btrfs": Resizer(btrfs.show, btrfs.held_bytes, btrfs.writable_now),
}


def resize_filesystem(operation: Resizing, site: Site) -> str:
    """Check it, resize it, check it again; a sentence on what came of it. Raises Failed."""
    device, growing = operation.device, KINDS[operation.filesystem].growing
    if not site.rehearsed or growing is None:
        raise Failed(str(t("{device} is only resized on a stand-in first.", device=device)))
    _check_clean(device, growing, site)
    said = _resize(operation, growing, site)
    held = RESIZERS[operation.filesystem].held_bytes(operation, said, site)
    _check_clean(device, growing, site)
    if not is_filled(held, operation.size_bytes):
        raise Failed(refusal(t("The filesystem on {device} does not fill its partition.", device=device)))
    return str(
        t(
            "The filesystem on {device} has {held} bytes now, and its own check finds it clean.",
            device=device,
            held=held,
        )
    )


def check_files_stay(operation: Resizing, showing: Showing, seen: Sequence[Extent]) -> None:
    """Raises Failed where a program moved what the stand-in does not show. `seen` is where it could write, in
    order and apart: what lies elsewhere before the new end is in files, and has to be after it."""
    writable_now = RESIZERS[operation.filesystem].writable_now
    if writable_now is None:
        return
    stays = showing.within(0, min(showing.size_bytes, showing.volume.size_bytes))
    files = clipped((stays,), gaps(seen, showing.volume.end_bytes))
    if next(clipped(tuple(files), writable_now(showing)), None) is not None:
        raise Failed(refusal(MOVES_FILES(program=commands_of(operation)[-1][0], device=operation.device)))


def _resize(operation: Resizing, growing: Growing, site: Site) -> str:
    if not growing.mounted:
        return "".join(_said(argv, site) for argv in commands_of(operation))
    with at_private_place(operation, site) as (_place, commands):
        return "".join(_said(argv, site) for argv in commands)


def _said(argv: tuple[str, ...], site: Site) -> str:
    result = site.command(argv)
    return result.output + result.errors


def _check_clean(device: str, growing: Growing, site: Site) -> None:
    if site.command((*growing.check, device), accept=range(256)).status:
        raise Failed(refusal(NOT_CLEAN(device=device, command=shlex.join((*growing.check, device)))))
