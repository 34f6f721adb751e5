"""Copy an old filesystem to a new ext4 on an empty device, read it back and compare.

The old filesystem is mounted read-only and privately. An interrupted copy starts over.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.apply.block.devices import facts_on, forget_caches, open_exclusively
from wizard.apply.conversion.verify import MigratingSite, OnGround
from wizard.apply.run.journal import done_steps, read_entries
from wizard.apply.run.progress_log import noting
from wizard.apply.steps.wipe import list_signatures
from wizard.apply.tree.copying import copy_tree
from wizard.apply.tree.differences import differences
from wizard.apply.tree.entry import LOST_AND_FOUND
from wizard.apply.tree.manifest import AFTER, BEFORE, Meter, take_manifest, used_bytes
from wizard.apply.tree.mount_read_only import mounted_alone, mounted_read_only
from wizard.ext4.operations import SOUND
from wizard.ext4.steps import proof
from wizard.ext4.superblock import START_BYTES, SUPERBLOCK_BYTES, read_ext
from wizard.filesystems.kind import Argv
from wizard.model.errors import Failed, Refused, printable
from wizard.model.ext import Check, ExtFacts
from wizard.model.migration import CopyFiles, MakeFresh, Migration
from wizard.model.said import Message, Sentence, join, joined, t

NOT_TOUCHED = Sentence("{target} was not changed: {why}.")

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
        raise Failed(t("{target} does not contain the planned ext4.", target=make.target))
    return str(t("{target} contains a new ext4 with UUID {uuid}.", target=make.target, uuid=make.uuid))


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
        raise Failed(join(t("The copy on {target} differs:", target=target), *found))
    said = t(
        "{target} contains all files of {source}. {entries:,d} files, folders and "
        "links ({size:size}) were read back and match.",
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
        raise Failed(NOT_TOUCHED(target=target, why=t("this is the old filesystem")))
    if reason := open_exclusively(target):
        raise Failed(NOT_TOUCHED(target=target, why=reason))
    kinds = {kind for kind, _ in list_signatures(target)}
    ours = kinds == {"ext4"} and is_made(make)
    if kinds and not ours:
        held = t("the target contains {kinds:list}", kinds=tuple(sorted(printable(kind) for kind in kinds)))
        raise Failed(NOT_TOUCHED(target=target, why=held))


def _read(device: str) -> ExtFacts | None:
    try:
        with Path(device).open("rb", buffering=0) as file:
            file.seek(START_BYTES)
            return read_ext(file.read(SUPERBLOCK_BYTES))
    except OSError as error:
        raise Failed(t("Cannot read {device}: {why}.", device=device, why=str(error.strerror))) from None


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
                "{target} has {free:size} free; the copy needs {needed:size}.",
                target=target,
                free=free,
                needed=needed,
            )
        )
    if (files := wanted.f_files - wanted.f_ffree) > room.f_ffree:
        raise Failed(
            t(
                "{target} can store {free:,d} more files; the copy needs {needed:,d}.",
                target=target,
                free=room.f_ffree,
                needed=files,
            )
        )


def made_of(migration: Migration) -> MakeFresh:
    """The operation that makes the fresh filesystem of a migration that has one."""
    return next(step.operation for step in migration.steps if isinstance(step.operation, MakeFresh))


@dataclass(frozen=True, slots=True)
class Copying:
    """A run that makes a fresh filesystem and copies everything into it."""

    site: MigratingSite

    def release(self) -> None:
        """Nothing is left on the old filesystem, which is only read."""

    def prepare(self) -> None:
        """Nothing comes before."""

    def is_done(self, step: int) -> bool:
        """Whether a step is done by the journal."""
        return step in done_steps(read_entries(self.site.run))

    def make(self, operation: OnGround, step: int) -> str:
        """Make the filesystem, or copy into it; a sentence. A copy that was cut off is begun anew. Raises
        Failed."""
        site = replace(self.site, step=step)
        migration = site.migration
        made = next(each for each in migration.steps if isinstance(each.operation, MakeFresh))
        fresh = Fresh(made_of(migration), made.commands, migration.device, site.command, site.run)
        match operation:
            case MakeFresh():
                return make_fresh(fresh)
            case CopyFiles():
                return copy_files(fresh, on_progress=noting(site.run, step))
            case _:
                raise Failed(
                    t(
                        "Step {step} would write to {device}, a read-only source.",
                        step=step,
                        device=migration.device,
                    )
                )

    def checks(self) -> Iterator[Check]:
        """What is to hold of the fresh filesystem and of the old one. Raises Failed or BadInput where
        something cannot be read."""
        site = self.site
        migration, make = site.migration, made_of(site.migration)
        for step in migration.steps:
            what = " ".join(step.holds)
            if isinstance(step.operation, MakeFresh):
                yield Check(what, is_made(make), f"UUID {facts_on(make.target).uuid}")
            if isinstance(step.operation, CopyFiles):
                found = differences(site.run / BEFORE, site.run / AFTER, inode_numbers=False)
                yield Check(what, not found, joined(found) or str(t("both manifests match")))
        looked = site.command(proof(make.target), accept=range(256))
        yield Check(
            str(SOUND),
            looked.status == 0,
            looked.last_words
            if looked.status
            else str(t("{program} ended with status {status}", program="e2fsck", status=looked.status)),
        )
        same = facts_on(migration.device) == migration.before
        seen = t("the superblock is unchanged") if same else t("the superblock changed during the copy")
        yield Check(str(t("{device} was only read.", device=migration.device)), same, str(seen))

    def commit(self) -> str:
        """It was made where it stays."""
        return ""

    def check_resumable(self) -> None:
        """Always resumable: the copy restarts, and only on the filesystem that this run created."""

    def check_kept(self) -> None:
        """Nothing is kept."""

    def check_untouched(self) -> None:
        """The old one is only read, so that nobody else's change to it matters."""

    def take_back(self) -> str:
        """There is no way, and no need; raises Refused."""
        raise Refused(no_way_back(self.site.migration))

    def drop(self) -> str:
        """There is nothing to keep; raises Refused."""
        raise Refused(nothing_to_keep(self.site.migration))


def no_way_back(migration: Migration) -> Message:
    """Why a copy is not taken back."""
    target = made_of(migration).target
    command = " ".join(("wipefs", "--all", target))
    return t(
        "No undo needed: {device} was only read, and {target} was empty before. "
        "`{command}` empties {target} again.",
        device=migration.device,
        target=target,
        command=command,
    )


def nothing_to_keep(migration: Migration) -> Message:
    """Why there is nothing to be kept of a copy."""
    return t(
        "Keep does not apply: {device} was only read, and the copy on {target} remains.",
        device=migration.device,
        target=made_of(migration).target,
    )


def copied(migration: Migration) -> Message:
    """How a run that did everything ends, in sentences."""
    make = made_of(migration)
    return t(
        "{target} is an ext4 copy of {device}; all checks passed. {device} was only "
        "read. Mount the copy by UUID={uuid} in place of the old filesystem.",
        target=make.target,
        device=migration.device,
        uuid=make.uuid,
    )
