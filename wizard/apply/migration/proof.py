"""Every file of a filesystem before and after its migration, compared where that was asked for."""

from collections.abc import Iterator

from wizard.apply.manifest.differences import differences
from wizard.apply.manifest.manifest import AFTER, BEFORE, Manifest, take_manifest
from wizard.apply.manifest.mount_read_only import mounted_read_only
from wizard.apply.migration.looking.own_fstab import own_operations_of
from wizard.apply.migration.steps import MigratingSite
from wizard.apply.run.progress import noting
from wizard.migrate.steps import OWN_FSTAB
from wizard.model.documents.migration import Means, Migration
from wizard.model.journal import Check, Event
from wizard.model.said import joined, t
from wizard.model.units import format_duration

ENTRY_BYTES = 160
"""What an entry takes in a manifest, packed, at most; of a system's files it was 67."""


def manifests_bytes(migration: Migration) -> int:
    """The room in a run's folder for the manifests that a migration takes."""
    if not migration.manifest and migration.means is not Means.COPY:
        return 0
    return 2 * ENTRY_BYTES * (migration.before.inodes - migration.before.free_inodes)


def keep_manifest(node: str, site: MigratingSite) -> None:
    """Take the manifest of what is there before the first change, once, where it was asked for. Raises
    Failed."""
    if not site.migration.manifest or (site.run / BEFORE).exists():
        return
    taken = _take(node, site, BEFORE)
    said = t(
        "Every file was read before the first change: {entries} entries in {duration}.",
        entries=taken.entries,
        duration=format_duration(taken.seconds),
    )
    site.journal.add(Event.SAVED, str(said))


def manifest_checks(node: str, site: MigratingSite) -> Iterator[Check]:
    """Whether every file is the same as before, where that was asked for. Raises Failed or BadInput."""
    if not site.migration.manifest:
        return
    taken = _take(node, site, AFTER)
    # None of the ways that work in place gives a file another inode.
    found = differences(
        site.run / BEFORE, site.run / AFTER, inode_numbers=True, rewritten=_rewritten(site.migration)
    )
    seen = joined(found) or str(
        t("{entries} entries are the same, to the byte, the hole and the attribute", entries=taken.entries)
    )
    yield Check(str(t("Every file, folder and link is what it was before.")), not found, seen)


def _rewritten(migration: Migration) -> frozenset[bytes]:
    """The file whose content the migration itself changes, by its path from the top; what it is to hold is
    checked by itself."""
    return frozenset({OWN_FSTAB.lstrip("/").encode()} if own_operations_of(migration) else ())


def _take(node: str, site: MigratingSite, file: str) -> Manifest:
    with mounted_read_only(node) as place:
        return take_manifest(place, site.run / file, on_progress=noting(site.run))
