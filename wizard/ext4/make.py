"""Build the conversion to show, confirm and run. Pure."""

from collections.abc import Iterator, Sequence

from wizard.ext4 import blockers as words
from wizard.ext4.assessment import Folder, Situation
from wizard.ext4.blockers import against, obstacles_of, refusal
from wizard.ext4.check import check_migration
from wizard.ext4.duration import compare_seconds, fingerprint_seconds, gains_of, room_bytes
from wizard.ext4.operations import all_operations
from wizard.ext4.steps import migration_steps
from wizard.ext4.system_checks import as_message
from wizard.model.errors import Refused
from wizard.model.finding import Severity
from wizard.model.migration import Means, Migration, MigrationOperation, Way
from wizard.model.said import Message, join, t


def make_migration(
    situation: Situation, way: Way, *, manifest: bool = False, repairs: bool = False
) -> Migration:
    """Return the conversion. Raises Refused or BadInput with the finding that blocks it."""
    if finding := against(situation, way, repairs=repairs):
        raise refusal(finding)
    operations = all_operations(situation, way, repairs=repairs)
    means = means_of(situation, way)
    room = room_bytes(operations, situation.ext, means)
    folder = folder_of(situation, means)
    if folder is not None and folder.free_bytes < room:
        message = t(
            "{folder} has {free:size} free, and undo data may need {room:size}. Choose a "
            "folder with more space.",
            folder=folder.path,
            free=folder.free_bytes,
            room=room,
        )
        raise Refused(join(message, words.NOTHING_WRITTEN))
    migration = Migration(
        drive=situation.drive,
        device=situation.device,
        before=situation.ext,
        way=way,
        means=means,
        steps=migration_steps(operations, situation.device, situation.ext, situation.drive, means),
        store=situation.store.path if means is Means.TRANSACTION else "",
        undo_dir=situation.undo_dir.path if means is Means.DIRECT else "",
        room_bytes=room,
        manifest=manifest,
        repairs=repairs,
        gains=gains_of(operations, situation.ext),
        doubts=tuple(doubts_of(situation, way, means, operations, manifest=manifest)),
    )
    check_migration(migration, str(t("The conversion")))
    return migration


def means_of(situation: Situation, way: Way) -> Means:
    """Return the protection used here: a transaction if possible."""
    if way is Way.MOUNT:
        return Means.FILES
    return Means.DIRECT if situation.no_snapshots or situation.store.fault else Means.TRANSACTION


def folder_of(situation: Situation, means: Means) -> Folder | None:
    """Return the folder for replaced data, or None if no data is replaced."""
    return {Means.TRANSACTION: situation.store, Means.DIRECT: situation.undo_dir}.get(means)


def not_covered(situation: Situation) -> Message:
    """Return why a transaction is not possible, and the consequences."""
    why = (
        t("{why}.", why=situation.no_snapshots)
        if situation.no_snapshots
        else t(
            "{folder} cannot store the snapshot: {fault}.",
            folder=situation.store.path,
            fault=situation.store.fault,
        )
    )
    return join(
        words.NO_TRANSACTION,
        why,
        t(
            "Power cuts are not covered: changes go directly to the filesystem, and undo "
            "files may be useless afterwards. Make a backup first."
        ),
    )


def doubts_of(
    situation: Situation, way: Way, means: Means, operations: Sequence[MigrationOperation], *, manifest: bool
) -> Iterator[Message | str]:
    """Yield sentences to read before running these operations."""
    if means is Means.DIRECT:
        yield not_covered(situation)
        if seconds := fingerprint_seconds(
            operations, situation.ext, means, situation.drive.rotational, compares=manifest
        ):
            yield t(
                "All of {device} is read for its fingerprint before the first step, and "
                "again on undo. Each read takes {time:time}.",
                device=situation.device,
                time=seconds,
            )
    if means in (Means.DIRECT, Means.TRANSACTION):
        yield t("Undo is possible until you keep the result or mount the filesystem for writing.")
    if manifest:
        yield t(
            "Comparing all files before and after takes {time:time} in total.",
            time=compare_seconds(situation.ext, situation.drive.rotational),
        )
    elif way is Way.FULL:
        yield t("File contents are not compared before and after; --manifest enables this.")
    for finding in obstacles_of(situation):
        if finding.severity in (Severity.WARNING, Severity.INFO) and finding.code not in SILENT:
            yield as_message(finding)


SILENT = frozenset({"migrate-light-complete", "migrate-complete", "migrate-nothing-at-boot"})
"""Findings that only affect the choice of method."""
