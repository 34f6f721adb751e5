"""Conversion methods as offered to the user, with the same names in all interfaces."""

import shlex
from collections.abc import Iterator, Mapping, Sequence

from wizard.ext4.assessment import Situation
from wizard.ext4.blockers import WRITING, against, obstacles_of
from wizard.ext4.duration import compare_seconds, gains_of, operation_seconds, room_bytes
from wizard.ext4.make import means_of
from wizard.ext4.operations import all_operations, operations_for
from wizard.ext4.system_checks import as_message, as_text
from wizard.model.errors import printable
from wizard.model.ext import ExtFacts
from wizard.model.migration import Means, Migration, Prospect, SetFstabType, Way, WayOffer
from wizard.model.said import Message, t

BACK_TO_THE_BIT = t(
    "Undo restores the old filesystem bit for bit, until you keep the new one or mount it for writing."
)

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
_MEANS_TEXTS: Mapping[Means, Message] = {
    Means.TRANSACTION: t(
        "Works on a copy-on-write scratch copy. The filesystem is changed only after all "
        "steps are complete and checked. A power cut loses no data."
    ),
    Means.FILES: t("Changes only a system file, in one atomic replacement."),
}
MEANS: Mapping[Means, str] = {means: str(said) for means, said in _MEANS_TEXTS.items()}
BETWEEN: Mapping[Means, Message] = {
    Means.TRANSACTION: t(
        "The filesystem is either old or half committed. If half committed, it "
        "cannot be mounted until `diskwright resume` or `diskwright undo` has "
        "finished."
    ),
    Means.FILES: t("The file is either old or new, never a mix."),
}
"""State after a power cut between two steps."""

POWER: Mapping[Means, Message] = {
    Means.TRANSACTION: t(
        "After a power cut, the old filesystem is intact or `diskwright resume` "
        "finishes the new one. A partial conversion is never mounted."
    ),
    Means.FILES: t("A power cut changes no data on disk. The system file is either old or new."),
}
"""Consequences of a power cut."""

BACK: Mapping[Means, Message] = {
    Means.TRANSACTION: BACK_TO_THE_BIT,
    Means.FILES: t("Undo restores the file."),
}
"""How long undo is possible."""


def is_damaged(before: ExtFacts) -> bool:
    """Return True if the superblock records errors or an unfinished operation."""
    return before.has_errors or before.recorded_errors > 0 or bool(before.half_done)


def offer_of(prospect: Prospect, way: Way) -> WayOffer | None:
    """Return the offer for a method."""
    return next((offer for offer in prospect.offers if offer.way is way), None)


def power_words(migration: Migration, number: int | None, told: str, *, begun: bool = True) -> Message | str:
    """Describe the consequences of a power cut during step `number`, counted from 1. None means between two
    steps, or before the first if not `begun`.

    `told`: the transaction's own description, or empty.
    """
    step = migration.steps[number - 1] if number is not None and 0 < number <= len(migration.steps) else None
    if told and (step is None or not isinstance(step.operation, SetFstabType)):
        return told
    if not begun:
        return t("No data is lost: the conversion is still reading and has not changed the filesystem.")
    return step.power if step else BETWEEN[migration.means]


def how_sentences(migration: Migration) -> tuple[Message, ...]:
    """Describe protection, space, comparison and repairs."""
    sentences = [_MEANS_TEXTS[migration.means]]
    if folder := migration.store:
        sentences.append(
            t(
                "Uses up to {room:size} in {folder}, until you keep or undo the conversion.",
                room=migration.room_bytes,
                folder=folder,
            )
        )
    if migration.manifest:
        sentences.append(
            t(
                "All files are compared before and after: content, holes, owner, "
                "permissions, times, links, extended attributes."
            )
        )
    elif migration.way in WRITING:
        sentences.append(t("Files are not compared individually; e2fsck checks the whole filesystem."))
    if migration.repairs:
        sentences.append(t("Damage found by e2fsck may be repaired."))
    return tuple(sentences)


def risk_sentences(migration: Migration) -> tuple[Message, ...]:
    """Describe the risks for files, including power cuts, and how long undo is possible."""
    driver = (
        () if migration.way is Way.MOUNT else (t("Afterwards only an ext4 driver can mount the filesystem."),)
    )
    return (POWER[migration.means], BACK[migration.means], *driver)


def confirm_command(migration: Migration, file: str = "FILE") -> str:
    """Return the command with which root applies a saved plan."""
    named = shlex.quote(file) if file != "FILE" else file
    token = shlex.quote(printable(migration.drive.token))
    return " ".join(("sudo", "diskwright", "apply", named, "--confirm", token))


def prospect_of(situation: Situation) -> Prospect:
    """Return findings, the three methods, and the recommended one."""
    offers = tuple(_offer(situation, way) for way in Way)
    default, why = _default(situation, offers)
    found = tuple(map(as_text, obstacles_of(situation)))
    return Prospect(situation.device, situation.ext, found, offers, default, str(why))


def _offer(situation: Situation, way: Way) -> WayOffer:
    before, rotational = situation.ext, situation.drive.rotational
    operations = all_operations(situation, way)
    finding = against(situation, way)
    seconds = sum(operation_seconds(one, before, rotational=rotational) for one in operations)
    return WayOffer(
        way=way,
        means=means_of(way),
        gains=gains_of(operations, before),
        costs=tuple(map(str, _costs(way))),
        undone=str(_undo_text(way)),
        seconds=round(seconds, 1),
        compare_seconds=round(compare_seconds(before, rotational), 1) if way in WRITING else 0.0,
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


def _undo_text(way: Way) -> Message:
    if way is Way.MOUNT:
        return t("At any time, by restoring the old fstab line.")
    return t(
        "Bit for bit, until kept or mounted for writing. After a power cut during "
        "the conversion, resume or undo."
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
