"""Build the conversion to show, confirm and run. Pure."""

from collections.abc import Iterator

from wizard.ext4 import blockers as words
from wizard.ext4.assessment import Situation
from wizard.ext4.blockers import against, obstacles_of, refusal
from wizard.ext4.check import check_migration
from wizard.ext4.duration import compare_seconds, gains_of, room_bytes
from wizard.ext4.operations import all_operations
from wizard.ext4.steps import migration_steps
from wizard.ext4.system_checks import as_message
from wizard.model.errors import Refused
from wizard.model.finding import Severity
from wizard.model.migration import Means, Migration, Way
from wizard.model.said import Message, join, t


def make_migration(
    situation: Situation, way: Way, *, manifest: bool = False, repairs: bool = False
) -> Migration:
    """Return the conversion. Raises Refused or BadInput with the finding that blocks it."""
    if finding := against(situation, way, repairs=repairs):
        raise refusal(finding)
    operations = all_operations(situation, way, repairs=repairs)
    room, store = room_bytes(operations, situation.ext), situation.store
    if store.free_bytes < room:
        message = t(
            "{folder} has {free:size} free, and the scratch copy may need {room:size}. Choose a "
            "folder with more space.",
            folder=store.path,
            free=store.free_bytes,
            room=room,
        )
        raise Refused(join(message, words.NOTHING_WRITTEN))
    migration = Migration(
        drive=situation.drive,
        device=situation.device,
        before=situation.ext,
        way=way,
        means=means_of(way),
        steps=migration_steps(operations, situation.device, situation.ext, situation.drive),
        store="" if way is Way.MOUNT else store.path,
        room_bytes=room,
        manifest=manifest,
        repairs=repairs,
        gains=gains_of(operations, situation.ext),
        doubts=tuple(doubts_of(situation, way, manifest=manifest)),
    )
    check_migration(migration, str(t("The conversion")))
    return migration


def means_of(way: Way) -> Means:
    """Return how a method is protected."""
    return Means.FILES if way is Way.MOUNT else Means.TRANSACTION


def doubts_of(situation: Situation, way: Way, *, manifest: bool) -> Iterator[Message | str]:
    """Yield sentences to read before a conversion."""
    if way is not Way.MOUNT:
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
