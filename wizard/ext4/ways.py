"""Conversion methods as offered to the user, with the same names in all interfaces."""

from collections.abc import Iterator, Mapping, Sequence

from wizard.ext4.assessment import Situation
from wizard.ext4.blockers import against, obstacles_of
from wizard.ext4.document import gains_of, migration_steps
from wizard.ext4.duration import compare_seconds, room_bytes
from wizard.ext4.operations import all_operations, operations_for
from wizard.ext4.system_findings import as_message, as_text
from wizard.model.ext import ExtFacts
from wizard.model.said import Message, t
from wizard.plan.conversion import Migration, Prospect, Way, WayOffer

NEW_INSTEAD = t("A new ext4 can also have grouped tables, another number of inodes, and less fragmentation.")

TITLES: Mapping[Way, Message] = {
    Way.MOUNT: t("Mount as ext4"),
    Way.LIGHT: t("New files only"),
    Way.FULL: t("Everything"),
}
SUMMARIES: Mapping[Way, Message] = {
    Way.MOUNT: t("Mounts with the ext4 driver; no changes on disk."),
    Way.LIGHT: t("New files use ext4 features; old files remain unchanged."),
    Way.FULL: t("Converts all files, folders and metadata to ext4 in place."),
}
HOW = t(
    "Works on a copy-on-write scratch copy. The filesystem is changed only after all "
    "steps are complete and checked. A power cut loses no data."
)
EITHER_LINE = t("The file contains either the old or the new line, never a mix.")
"""After a power cut during an edit of fstab."""


def is_damaged(before: ExtFacts) -> bool:
    """Return True if the superblock records errors or an unfinished operation."""
    return before.has_errors or before.recorded_errors > 0 or bool(before.half_done)


def offer_of(prospect: Prospect, way: Way) -> WayOffer | None:
    """Return the offer for a method."""
    return next((offer for offer in prospect.offers if offer.way is way), None)


def power_words(migration: Migration, number: int | None, told: str) -> Message | str:
    """Describe the consequences of a power cut during step `number`, counted from 1, None if no step runs.

    `told`: the run's own description, empty before the first step.
    """
    edits_fstab = number is not None and number > len(migration.on_device)
    if edits_fstab or not migration.way.converts:
        return EITHER_LINE
    return told or t("No data is lost: the conversion is still reading and has not changed the filesystem.")


def how_sentences(migration: Migration) -> Iterator[Message]:
    """Describe protection, space, comparison, repairs, and how long undo is possible."""
    if not migration.way.converts:
        yield EITHER_LINE
        yield undo_sentence(migration.way)
        return
    yield HOW
    yield t(
        "Uses up to {room:size} in the folder for runs, until you keep or undo the conversion.",
        room=migration.room_bytes,
    )
    if migration.manifest:
        yield t(
            "All files are compared before and after: content, holes, owner, permissions, times, links, "
            "extended attributes."
        )
    else:
        yield t("Files are not compared individually; e2fsck checks the whole filesystem.")
    if migration.repairs:
        yield t("Damage found by e2fsck may be repaired.")
    yield undo_sentence(migration.way)
    yield t("Afterwards only an ext4 driver can mount the filesystem.")


def undo_sentence(way: Way) -> Message:
    """Return how long undo is possible, and what it restores."""
    if not way.converts:
        return t("Undo restores the file.")
    return t(
        "Undo restores the old filesystem bit for bit, until you keep the new one or mount it for writing."
    )


def look_sentence(device: str) -> Message:
    """Return how to inspect the result without making undo impossible."""
    return t(
        "To inspect the result, run `mount -o ro,noload {device} /mnt`, and `umount "
        "/mnt` before undo. Mounting for writing, without these options, makes undo "
        "impossible.",
        device=device,
    )


def prospect_of(situation: Situation) -> Prospect:
    """Return findings, the three methods, and the recommended one."""
    offers = tuple(_offer(situation, way) for way in Way)
    default, why = _default(situation, offers)
    found = tuple(map(as_text, obstacles_of(situation)))
    return Prospect(situation.device, situation.ext, found, offers, default, str(why))


def _offer(situation: Situation, way: Way) -> WayOffer:
    before = situation.ext
    operations = all_operations(situation, way)
    finding = against(situation, way)
    steps = migration_steps(operations, situation.device, before, situation.drive)
    return WayOffer(
        way=way,
        gains=gains_of(operations, before),
        costs=tuple(map(str, _costs(way))),
        undone=str(undo_sentence(way)),
        seconds=round(sum(step.seconds for step in steps), 1),
        compare_seconds=round(compare_seconds(before, situation.drive.rotational), 1)
        if way.converts
        else 0.0,
        room_bytes=room_bytes(operations, before),
        obstacle=str(as_message(finding)) if finding else "",
        obstacle_code=finding.code if finding else "",
    )


def _costs(way: Way) -> Iterator[Message]:
    match way:
        case Way.MOUNT:
            yield t("No improvement on disk: files use block maps, and small inodes end in January 2038.")
        case Way.LIGHT:
            yield t(
                "Existing files remain unchanged. Older systems, and the types ext2 and "
                "ext3, can no longer mount the filesystem."
            )
        case Way.FULL:
            yield t(
                "All file entries are rewritten. Older systems, and the types ext2 and ext3, "
                "can no longer mount the filesystem."
            )
            yield t(
                "Differences from a new filesystem remain: tables in every group, and "
                "unknown creation times of old files."
            )


def _default(situation: Situation, offers: Sequence[WayOffer]) -> tuple[Way | None, Message]:
    possible = {offer.way for offer in offers if not offer.obstacle}
    if Way.FULL in possible:
        return Way.FULL, t(
            "Adds all features this filesystem allows, and writes to the drive only after verification."
        )
    if Way.LIGHT in possible:
        return Way.LIGHT, t("Adds the possible features, and writes to the drive only after verification.")
    if Way.MOUNT in possible:
        return Way.MOUNT, t(
            "Changes no data on disk, and the obstacles to the other conversions do not apply."
        )
    if not operations_for(Way.FULL, situation.ext):
        return None, t("The filesystem has all features possible without recreation.")
    return None, t("No conversion is possible for the filesystem as is; see the findings.")
