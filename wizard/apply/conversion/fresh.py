"""Copy an old filesystem to a new ext4 on an empty device, and compare the copy.

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
"""Approximate progress after reading the old filesystem, and after copying."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """New filesystem made by `commands`, for the files on `source`.

    `command` runs a command and raises Failed on an error. `folder` contains the manifests.
    """

    make: MakeFresh
    commands: tuple[Argv, ...]
    source: str
    command: Callable[[Sequence[str]], object]
    folder: Path


def make_fresh(fresh: Fresh) -> str:
    """Make the new filesystem and return a result message.

    Raises Failed, also if the target contains anything except the result of an earlier attempt.
    """
    make = fresh.make
    check_target(make, fresh.source)
    for argv in fresh.commands:
        fresh.command(argv)
    forget_caches(make.target)
    if not is_made(make):
        raise Failed(t("{target} does not contain the planned ext4.", target=make.target))
    return str(t("{target} contains a new ext4 with UUID {uuid}.", target=make.target, uuid=make.uuid))


def is_made(make: MakeFresh) -> bool:
    """Return True if the target contains the planned ext4. Raises Failed if the target cannot be read."""
    found = _read(make.target)
    return found is not None and (found.kind, found.uuid, found.label) == ("ext4", make.uuid, make.label)


def copy_files(
    fresh: Fresh, *, workers: int = 2, on_progress: Callable[[float], None] = lambda _share: None
) -> str:
    """Copy all files and compare them. Return a result message.

    `on_progress` receives the completed share, from 0 to 1. Raises Failed.
    """
    if not _is_ready(fresh.make):
        make_fresh(fresh)
    before, after, target = fresh.folder / BEFORE, fresh.folder / AFTER, fresh.make.target
    # Keep the old filesystem mounted until the copy is done, so that nobody can mount it for writing.
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
    # Read the copy from the drive, not from memory.
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
    message = t(
        "{target} contains all files of {source}. {entries:,d} files, folders and "
        "links ({size:size}) were read back and match.",
        target=target,
        source=fresh.source,
        entries=taken.entries,
        size=taken.read_bytes,
    )
    return str(message)


def check_target(make: MakeFresh, source: str) -> None:
    """Raises Failed unless the target is an unused device other than `source`, and empty or made by this
    conversion, which has a unique UUID."""
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
        contents = t(
            "the target contains {kinds:list}", kinds=tuple(sorted(printable(kind) for kind in kinds))
        )
        raise Failed(NOT_TOUCHED(target=target, why=contents))


def _read(device: str) -> ExtFacts | None:
    try:
        with Path(device).open("rb", buffering=0) as file:
            file.seek(START_BYTES)
            return read_ext(file.read(SUPERBLOCK_BYTES))
    except OSError as error:
        raise Failed(t("Cannot read {device}: {why}.", device=device, why=str(error.strerror))) from None


def _is_ready(make: MakeFresh) -> bool:
    """Return True if the new filesystem exists and is still empty.

    After an interrupted copy, mounting may fail, which counts as not ready.
    """
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


def _made_of(migration: Migration) -> MakeFresh:
    """Return the operation that makes the new filesystem of a conversion."""
    return next(step.operation for step in migration.steps if isinstance(step.operation, MakeFresh))


@dataclass(frozen=True, slots=True)
class Copying:
    """Run that makes a new filesystem and copies all files."""

    site: MigratingSite

    def release(self) -> None:
        """Does nothing: the old filesystem is only read."""

    def prepare(self) -> None:
        """Does nothing."""

    def is_done(self, step: int) -> bool:
        """Return True if a step is done according to the journal."""
        return step in done_steps(read_entries(self.site.run))

    def make(self, operation: OnGround, step: int) -> str:
        """Make the filesystem or copy the files. Return a result message.

        An interrupted copy starts over. Raises Failed.
        """
        site = replace(self.site, step=step)
        migration = site.migration
        made = next(each for each in migration.steps if isinstance(each.operation, MakeFresh))
        fresh = Fresh(_made_of(migration), made.commands, migration.device, site.command, site.run)
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
        """Yield the checks of the new and the old filesystem. Raises Failed or BadInput if one cannot be
        read."""
        site = self.site
        migration, make = site.migration, _made_of(site.migration)
        for step in migration.steps:
            what = " ".join(step.holds)
            if isinstance(step.operation, MakeFresh):
                yield Check(what, is_made(make), f"UUID {facts_on(make.target).uuid}")
            if isinstance(step.operation, CopyFiles):
                found = differences(site.run / BEFORE, site.run / AFTER, inode_numbers=False)
                yield Check(what, not found, joined(found) or str(t("both manifests match")))
        checked = site.command(proof(make.target), accept=range(256))
        yield Check(
            str(SOUND),
            checked.status == 0,
            checked.last_words
            if checked.status
            else str(t("{program} ended with status {status}", program="e2fsck", status=checked.status)),
        )
        same = facts_on(migration.device) == migration.before
        seen = t("the superblock is unchanged") if same else t("the superblock changed during the copy")
        yield Check(str(t("{device} was only read.", device=migration.device)), same, str(seen))

    def commit(self) -> str:
        """Does nothing: the result is already on the target."""
        return ""

    def check_resumable(self) -> None:
        """Does nothing: the copy restarts, and only on the filesystem that this run created."""

    def check_kept(self) -> None:
        """Does nothing: nothing is saved for undo."""

    def check_untouched(self) -> None:
        """Does nothing: the old filesystem is only read, so changes by other programs do no harm."""

    def take_back(self) -> str:
        """Raises Refused: a copy needs no undo."""
        raise Refused(no_way_back(self.site.migration))

    def drop(self) -> str:
        """Raises Refused: nothing is saved for undo."""
        raise Refused(nothing_to_keep(self.site.migration))


def no_way_back(migration: Migration) -> Message:
    """Return why a copy cannot be undone."""
    target = _made_of(migration).target
    command = " ".join(("wipefs", "--all", target))
    return t(
        "No undo needed: {device} was only read, and {target} was empty before. "
        "`{command}` empties {target} again.",
        device=migration.device,
        target=target,
        command=command,
    )


def nothing_to_keep(migration: Migration) -> Message:
    """Return why a copy cannot be kept."""
    return t(
        "Keep does not apply: {device} was only read, and the copy on {target} remains.",
        device=migration.device,
        target=_made_of(migration).target,
    )


def copied(migration: Migration) -> Message:
    """Return the message of a complete run."""
    make = _made_of(migration)
    return t(
        "{target} is an ext4 copy of {device}; all checks passed. {device} was only "
        "read. Mount the copy by UUID={uuid} in place of the old filesystem.",
        target=make.target,
        device=migration.device,
        uuid=make.uuid,
    )
