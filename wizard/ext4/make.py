"""Build the conversion to show, confirm and run. Pure, except for the UUID of a new filesystem."""

from collections.abc import Callable, Iterator, Sequence
from uuid import uuid4

from wizard.ext4 import carry as words
from wizard.ext4.assessment import Folder, Situation
from wizard.ext4.carry import against, obstacles_of, refusal
from wizard.ext4.check import check_migration
from wizard.ext4.duration import compare_seconds, fingerprint_seconds, gains_of, room_bytes
from wizard.ext4.operations import all_operations, fresh_operations, renamed
from wizard.ext4.steps import migration_steps
from wizard.ext4.system_checks import told_of
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.finding import Severity
from wizard.model.migration import MakeFresh, Means, Migration, MigrationOperation, Way
from wizard.model.said import Message, join, t


def _random_uuid() -> str:
    return str(uuid4())


def make_migration(
    situation: Situation,
    way: Way,
    *,
    manifest: bool = False,
    repairs: bool = False,
    draw_uuid: Callable[[], str] = _random_uuid,
) -> Migration:
    """Return the conversion. Raises Refused or BadInput with the finding that blocks it."""
    if finding := against(situation, way, repairs=repairs):
        raise refusal(finding)
    operations = _wanted_operations(situation, way, repairs=repairs, draw_uuid=draw_uuid)
    means = means_of(situation, way)
    room = room_bytes(operations, situation.ext, means)
    folder = folder_of(situation, means)
    if folder is not None and folder.free_bytes < room:
        message = t(
            "{folder} has {free:size} free, and undo data may need {room:size}. Choose a "
            "folder with more space.",
            folder=printable(folder.path, 200),
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
        doubts=doubts_of(situation, way, means, operations, manifest=manifest),
        target=situation.target.drive if way is Way.FRESH and situation.target else None,
    )
    check_migration(migration, str(t("The conversion")))
    return migration


def doubts_of(
    situation: Situation, way: Way, means: Means, operations: Sequence[MigrationOperation], *, manifest: bool
) -> tuple[Message | str, ...]:
    """Return sentences to read before running these operations."""
    return (
        *_doubts(situation, way, means, operations, manifest=manifest),
        *_manual_changes(situation, operations),
    )


def _wanted_operations(
    situation: Situation, way: Way, *, repairs: bool, draw_uuid: Callable[[], str] = _random_uuid
) -> tuple[MigrationOperation, ...]:
    """Return all operations of the method. Raises BadInput for a fresh filesystem without a target."""
    if way is not Way.FRESH:
        return all_operations(situation, way, repairs=repairs)
    if situation.target is None:
        raise BadInput(
            join(
                t("Name an empty volume for the fresh ext4 with --to."),
                words.NOTHING_WRITTEN,
            )
        )
    target = situation.target.device
    return fresh_operations(situation.ext, target, draw_uuid())


def means_of(situation: Situation, way: Way) -> Means:
    """Return the protection used here: a transaction if possible."""
    if way is Way.MOUNT:
        return Means.FILES
    if way is Way.FRESH:
        return Means.COPY
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
            folder=printable(situation.store.path, 200),
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


def _manual_changes(situation: Situation, operations: Sequence[MigrationOperation]) -> Iterator[Message]:
    """Yield mount points that still refer to the old filesystem after a fresh one is created, to be changed
    by hand after checking the copy."""
    text, file = situation.fstab_text.split("\n"), printable(situation.fstab, 200)
    for operation in (operation for operation in operations if isinstance(operation, MakeFresh)):
        lines = [
            (line.number, " ".join(renamed(text[line.number - 1], operation.uuid).split()))
            for line in situation.lines
        ]
        if lines:
            new = tuple(
                t(
                    "line {number} of {file} to `{line}`",
                    number=number,
                    file=file,
                    line=printable(line, 1000),
                )
                for number, line in lines
            )
            yield t(
                "Boot still mounts {device}: check the copy first, then change {lines:and}.",
                device=situation.device,
                lines=new,
            )
        else:
            yield t(
                "{file} has no line for {device}, so the copy is not mounted at boot either. "
                "Its name is UUID={uuid}.",
                file=file,
                device=situation.device,
                uuid=operation.uuid,
            )


def _doubts(
    situation: Situation, way: Way, means: Means, operations: Sequence[MigrationOperation], *, manifest: bool
) -> Iterator[Message | str]:
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
            yield told_of(finding)


SILENT = frozenset({"migrate-light-complete", "migrate-complete", "migrate-nothing-at-boot"})
"""Findings that only affect the choice of method."""
