"""What is looked at after a migration: that it is sound, has what was promised, and that it is still the same
filesystem."""

import re
from collections.abc import Iterator

from wizard.apply.block.ext_superblock import facts_on
from wizard.apply.migration import words
from wizard.apply.migration.fstab_step import type_standing
from wizard.apply.migration.looking.grub import grub_checks
from wizard.apply.migration.looking.own_fstab import own_checks
from wizard.apply.migration.steps import MigratingSite
from wizard.apply.tune.how import How
from wizard.migrate.steps import proof
from wizard.migrate.told.operations import promises
from wizard.migrate.words.steps import SOUND
from wizard.model.documents.migration import (
    AddChecksums,
    AddJournal,
    ConvertFiles,
    CopyFiles,
    MakeFresh,
    MigrationStep,
    SetFeatures,
    SetFstabType,
    WidenBlockNumbers,
    WidenInodes,
)
from wizard.model.ext import ExtFacts
from wizard.model.journal import Check
from wizard.model.said import joined, t

_DEPTHS = re.compile(r"Extent depth histogram: ([\d/]+)")
_COUNTS = {
    "files": re.compile(r"(\d+) regular files?"),
    "folders": re.compile(r"(\d+) director(?:y|ies)\n"),
    "links": re.compile(r"(\d+) symbolic links? \((\d+) fast symbolic links?\)"),
}


def device_checks(node: str, site: MigratingSite) -> Iterator[Check]:
    """What is to hold of the filesystem on `node`, each thing once. Raises Failed where it cannot be read."""
    migration = site.migration
    checker, *rest = proof(node)
    looked = site.command((checker, "-v", *rest), accept=range(256))
    yield Check(
        str(SOUND),
        looked.status == 0,
        looked.last_words if looked.status else str(words.WAS_ENDED(program=checker, status=0)),
    )
    now = facts_on(node)
    kept = (now.uuid, now.label, now.block_bytes, now.blocks, now.inodes)
    was = (
        migration.before.uuid,
        migration.before.label,
        migration.before.block_bytes,
        migration.before.blocks,
        migration.before.inodes,
    )
    yield Check(
        str(t("It is the same filesystem: its UUID, its label and its sizes are what they were.")),
        kept == was,
        f"UUID {now.uuid}",
    )
    for step in migration.steps:
        if (check := _promise(step, now, looked.output)) is not None:
            yield check
    yield from own_checks(node, migration)
    yield from grub_checks(node, site.command)


def _promise(step: MigrationStep, now: ExtFacts, said: str) -> Check | None:
    """Whether what a step promised besides a sound filesystem holds."""
    operation = step.operation
    if isinstance(operation, MakeFresh | CopyFiles | SetFstabType):
        return None
    what = joined(promises(operation))
    match operation:
        case AddJournal():
            wanted: tuple[str, ...] = ("has_journal",)
        case SetFeatures(features=features):
            wanted = features
        case WidenBlockNumbers():
            wanted = ("64bit",)
        case AddChecksums():
            wanted = ("metadata_csum",)
        case WidenInodes(inode_bytes=size):
            return Check(
                what, now.inode_bytes == size, str(t("inodes have {bytes} bytes", bytes=now.inode_bytes))
            )
        case ConvertFiles():
            mapped, all_of_them = extent_share(said)
            return Check(
                what,
                mapped == all_of_them,
                str(
                    t(
                        "{mapped} of {files} files and folders are mapped by extents",
                        mapped=mapped,
                        files=all_of_them,
                    )
                ),
            )
        case _:
            return None
    missing = [feature for feature in wanted if feature not in now.features]
    seen = (
        t("it lacks {features:list}", features=tuple(missing))
        if missing
        else t("it has {features:list}", features=wanted)
    )
    return Check(what, not missing, str(seen))


def extent_share(said: str) -> tuple[int, int]:
    """How many of the files, folders and long links are mapped by extents, and how many there are, as `e2fsck
    -v` counts them."""
    depths = _DEPTHS.search(said)
    mapped = sum(map(int, depths[1].split("/"))) if depths else 0
    counted = {name: pattern.search(said) for name, pattern in _COUNTS.items()}
    links = counted["links"]
    plain = sum(int(found[1]) for name in ("files", "folders") if (found := counted[name]))
    return mapped, plain + (int(links[1]) - int(links[2]) if links else 0)


def file_checks(site: MigratingSite) -> Iterator[Check]:
    """What is to hold of fstab. Raises BadInput where it cannot be read."""
    for step in site.migration.steps:
        if isinstance(step.operation, SetFstabType):
            found = type_standing(step.operation, site.migration)
            yield Check(" ".join(step.holds), found.how is How.AFTER, str(found.seen))
