"""A new ext4 with everything of an old filesystem in it: made where nothing was, filled, read back from the
drive and compared.

The old one is only read: it is mounted for reading alone, where nobody sees it. A copy that was begun and not
finished is begun anew.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.block.devices import forget_caches, open_exclusively
from wizard.apply.manifest.copying import copy_tree
from wizard.apply.manifest.differences import differences
from wizard.apply.manifest.look import LOST_AND_FOUND
from wizard.apply.manifest.manifest import AFTER, BEFORE, Meter, take_manifest, used_bytes
from wizard.apply.manifest.mount_read_only import mounted_alone, mounted_read_only
from wizard.apply.steps.wipe import list_signatures
from wizard.filesystems.kind import Argv
from wizard.migrate.ext.superblock import START_BYTES, SUPERBLOCK_BYTES, read_ext
from wizard.migrate.steps import proof
from wizard.model.documents.migration import MakeFresh
from wizard.model.errors import Failed
from wizard.model.ext import ExtFacts
from wizard.model.names import printable
from wizard.model.said import Sentence, in_a_row, t

NOT_TOUCHED = Sentence("{target} was not touched: {why}.")

READ_SHARE, COPIED_SHARE = 0.3, 0.75
"""Roughly which part of the work is done when the old one was read, and when it was copied."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """The new filesystem: what is made by which `commands`, from the old one on `source`.

    `command` runs one of them and raises Failed where it ends badly; `folder` is where manifests are kept.
    """

    make: MakeFresh
    commands: tuple[Argv, ...]
    source: str
    command: Callable[[Sequence[str]], object]
    folder: Path


def make_fresh(fresh: Fresh) -> str:
    """Make it; a sentence on what is there then. Raises Failed, also for a target that holds anything else
    than what we made before."""
    make = fresh.make
    check_target(make, fresh.source)
    for argv in fresh.commands:
        fresh.command(argv)
    forget_caches(make.target)
    if not is_made(make):
        raise Failed(t("{target} does not hold the ext4 that was to be made.", target=make.target))
    return str(t("{target} holds a new ext4 with the UUID {uuid}.", target=make.target, uuid=make.uuid))


def is_made(make: MakeFresh) -> bool:
    """Whether the target holds the very ext4 that was to be made. Raises Failed where it cannot be read."""
    found = _read(make.target)
    return found is not None and (found.kind, found.uuid, found.label) == ("ext4", make.uuid, make.label)


def copy_files(
    fresh: Fresh, *, workers: int = 2, on_progress: Callable[[float], None] = lambda _share: None
) -> str:
    """Copy everything into it and compare; a sentence on that. `on_progress` hears which part is done, from 0
    to 1. Raises Failed."""
    if not _is_ready(fresh.make):
        make_fresh(fresh)
    before, after, target = fresh.folder / BEFORE, fresh.folder / AFTER, fresh.make.target
    # In one mount: as long as it lasts, nobody can mount the old one to write to it.
    with mounted_read_only(fresh.source) as old:
        taken = take_manifest(
            old, before, workers=workers, on_progress=lambda share: on_progress(share * READ_SHARE)
        )
        with mounted_alone(target) as new:
            _refuse_too_small(old, new, target)
            meter = Meter(
                used_bytes(old), lambda share: on_progress(READ_SHARE + share * (COPIED_SHARE - READ_SHARE))
            )
            copy_tree(old, new, meter.add)
    # What was written has to come from the drive again, not from memory.
    forget_caches(target)
    fresh.command(proof(target))
    with mounted_read_only(target) as new:
        take_manifest(
            new,
            after,
            workers=workers,
            on_progress=lambda share: on_progress(COPIED_SHARE + share * (1 - COPIED_SHARE)),
        )
    if found := differences(before, after, inode_numbers=False):
        raise Failed(in_a_row(t("The copy on {target} is not the same:", target=target), *found))
    said = t(
        "{target} holds everything that {source} does. {entries:,d} files, folders "
        "and links with {size:size} of content were read back and are the same.",
        target=target,
        source=fresh.source,
        entries=taken.entries,
        size=taken.read_bytes,
    )
    return str(said)


def check_target(make: MakeFresh, source: str) -> None:
    """Raises Failed unless the target is another device than `source`, nobody's, and empty, or holds what
    this very migration made: the UUID was drawn for it.
    """
    target = make.target
    try:
        same = Path(target).stat().st_rdev == Path(source).stat().st_rdev
    except OSError as error:
        raise Failed(NOT_TOUCHED(target=target, why=str(error.strerror))) from None
    if same:
        raise Failed(NOT_TOUCHED(target=target, why=t("it is the old filesystem itself")))
    if reason := open_exclusively(target):
        raise Failed(NOT_TOUCHED(target=target, why=reason))
    kinds = {kind for kind, _ in list_signatures(target)}
    ours = kinds == {"ext4"} and is_made(make)
    if kinds and not ours:
        held = t("it holds {kinds:list}", kinds=tuple(sorted(printable(kind) for kind in kinds)))
        raise Failed(NOT_TOUCHED(target=target, why=held))


def _read(device: str) -> ExtFacts | None:
    try:
        with Path(device).open("rb", buffering=0) as file:
            file.seek(START_BYTES)
            return read_ext(file.read(SUPERBLOCK_BYTES))
    except OSError as error:
        raise Failed(t("{device} cannot be read: {why}.", device=device, why=str(error.strerror))) from None


def _is_ready(make: MakeFresh) -> bool:
    """Whether what was made is there, with nothing copied yet. What an earlier process left in the middle
    cannot be mounted as it is."""
    if not is_made(make):
        return False
    try:
        with mounted_read_only(make.target) as top:
            return {os.fsencode(path.name) for path in top.iterdir()} <= {LOST_AND_FOUND}
    except Failed:
        return False


def _refuse_too_small(old: Path, new: Path, target: str) -> None:
    wanted, room = os.statvfs(old), os.statvfs(new)
    needed, free = used_bytes(old), room.f_bfree * room.f_frsize
    if needed > free:
        raise Failed(
            t(
                "{target} has {free:size} free, and {needed:size} are to be copied.",
                target=target,
                free=free,
                needed=needed,
            )
        )
    if (files := wanted.f_files - wanted.f_ffree) > room.f_ffree:
        raise Failed(
            t(
                "{target} has room for {free:,d} files, and {needed:,d} are to be copied.",
                target=target,
                free=room.f_ffree,
                needed=files,
            )
        )
