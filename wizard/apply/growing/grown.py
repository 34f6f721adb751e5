"""Growing any filesystem on a stand-in: it is shown, checked, grown and checked again."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass

from wizard.apply.growing import btrfs, ext, xfs
from wizard.apply.growing.in_use import is_filled
from wizard.apply.growing.showing import Show
from wizard.apply.growing.words import GROWN, NEVER_DIRECT, NOT_CLEAN, NOT_FILLED, refusal
from wizard.apply.steps.step_context import Site
from wizard.apply.steps.subvolumes import at_private_place
from wizard.filesystems.kind import Growing
from wizard.filesystems.registry import KINDS
from wizard.layout.steps.commands import commands_of
from wizard.model.errors import Failed
from wizard.model.plan import GrowFilesystem


@dataclass(frozen=True, slots=True)
class Grower:
    """How a filesystem is shown on a stand-in, and how many bytes it has by what its program said."""

    show: Show
    held_bytes: Callable[[str, str, Site], int]


_EXT = Grower(ext.show, ext.held_bytes)
GROWERS = {
    "ext2": _EXT,
    "ext3": _EXT,
    "ext4": _EXT,
    "xfs": Grower(xfs.show, xfs.held_bytes),
    "btrfs": Grower(btrfs.show, btrfs.held_bytes),
}


def grow_filesystem(operation: GrowFilesystem, site: Site) -> str:
    """Check it, grow it, check it again; a sentence on what came of it. Raises Failed."""
    device, growing = operation.device, KINDS[operation.filesystem].growing
    if not site.rehearsed or growing is None:
        raise Failed(str(NEVER_DIRECT(device=device)))
    _check_clean(device, growing, site)
    said = _grow(operation, growing, site)
    held = GROWERS[operation.filesystem].held_bytes(device, said, site)
    _check_clean(device, growing, site)
    if not is_filled(held, operation.size_bytes):
        raise Failed(refusal(NOT_FILLED(device=device)))
    return str(GROWN(device=device, held=held))


def _grow(operation: GrowFilesystem, growing: Growing, site: Site) -> str:
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
