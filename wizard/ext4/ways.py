"""Conversion methods as offered to the user, with the same names in all interfaces."""

import shlex
from collections.abc import Iterator, Mapping, Sequence

from wizard.ext4.assessment import Situation
from wizard.ext4.carry import against, obstacles_of
from wizard.ext4.duration import gains_of, operation_seconds, room_bytes, used_bytes
from wizard.ext4.make import means_of, not_covered
from wizard.ext4.operations import all_operations, fresh_operations, operations_for
from wizard.ext4.steps import migration_steps
from wizard.ext4.system_checks import as_text, told_of
from wizard.model.errors import printable
from wizard.model.ext import ExtFacts
from wizard.model.migration import Means, Migration, MigrationOperation, Prospect, SetFstabType, Way, WayOffer
from wizard.model.said import Message, t

BACK_TO_THE_BIT = t(
    "Undo restores the old filesystem bit for bit, until you keep the new one or mount it for writing."
)

TITLES: Mapping[Way, Message] = {
    Way.MOUNT: t("Mount as ext4"),
    Way.LIGHT: t("New files only"),
    Way.FULL: t("Everything"),
    Way.FRESH: t("Fresh ext4"),
}
SUMMARIES: Mapping[Way, Message] = {
    Way.MOUNT: t("Mounts with the ext4 driver; no changes on disk."),
    Way.LIGHT: t("New files use ext4 features; old files remain unchanged."),
    Way.FULL: t("Converts all files, folders and metadata to ext4 in place."),
    Way.FRESH: t("Creates an ext4 on another volume, copies all files there and compares them."),
}
_MEANS: Mapping[Means, Message] = {
    Means.TRANSACTION: t(
        "Works on a copy-on-write snapshot. The filesystem is changed only after all "
        "steps are complete and checked. A power cut loses no data."
    ),
    Means.DIRECT: t(
        "Works on the filesystem directly, with e2fsprogs undo files. They do not "
        "cover a power cut: have a backup."
    ),
    Means.FILES: t("Changes only a system file, in one atomic replacement."),
    Means.COPY: t("The old filesystem is only read."),
}
MEANS: Mapping[Means, str] = {means: str(said) for means, said in _MEANS.items()}
BETWEEN: Mapping[Means, Message] = {
    Means.TRANSACTION: t(
        "The filesystem is either old or half committed. If half committed, it "
        "cannot be mounted until `diskwright resume` or `diskwright undo` has "
        "finished."
    ),
    Means.DIRECT: t(
        "The filesystem may be damaged, and the undo files may be useless: this is why you need the backup."
    ),
    Means.FILES: t("The file is either old or new, never a mix."),
    Means.COPY: t("The old filesystem is only read and loses no data; the copy restarts."),
}
"""What a power cut would leave between two steps."""

POWER: Mapping[Means, Message] = {
    Means.TRANSACTION: t(
        "After a power cut, the old filesystem is intact or `diskwright resume` "
        "finishes the new one. A partial conversion is never mounted."
    ),
    Means.DIRECT: t(
        "A power cut can damage the filesystem beyond the help of undo files. "
        "Without a backup, files can be lost."
    ),
    Means.FILES: t("A power cut changes no data on disk. The system file is either old or new."),
    Means.COPY: t("After a power cut, the old filesystem is complete and the copy restarts."),
}
"""What a power cut would do."""

BACK: Mapping[Means, Message] = {
    Means.TRANSACTION: BACK_TO_THE_BIT,
    Means.DIRECT: BACK_TO_THE_BIT,
    Means.FILES: t("Undo restores the file."),
    Means.COPY: t("The old filesystem remains unchanged and needs no undo; the copy can be repeated."),
}
"""Until when there is a way back."""

COMPARED = frozenset({Way.LIGHT, Way.FULL})
"""Ways on which comparing every file is a choice: one changes nothing on the disk, the other always
compares."""


def is_damaged(before: ExtFacts) -> bool:
    """Whether the filesystem says itself that something in it is wrong, or was begun and not finished."""
    return before.has_errors or before.recorded_errors > 0 or bool(before.half_done)


def offer_of(prospect: Prospect, way: Way) -> WayOffer | None:
    """The offer for a way."""
    return next((offer for offer in prospect.offers if offer.way is way), None)


def power_words(migration: Migration, number: int | None, told: str, *, begun: bool = True) -> Message | str:
    """What would become of everything if the power went while step `number`, from 1, is done; None between
    two steps, or before the first where none was `begun`.

    `told` is what the transaction itself says of that, empty where there is none.
    """
    step = migration.steps[number - 1] if number is not None and 0 < number <= len(migration.steps) else None
    if told and (step is None or not isinstance(step.operation, SetFstabType)):
        return told
    if not begun:
        return t("No data is lost: the conversion is still reading and has not changed the filesystem.")
    return step.power if step else BETWEEN[migration.means]


def how_sentences(migration: Migration) -> tuple[Message, ...]:
    """How it is made safe, where the room for that is, and what is compared and repaired."""
    said = [_MEANS[migration.means]]
    folder = migration.store or migration.undo_dir
    if folder:
        said.append(
            t(
                "Uses up to {room:size} in {folder}, until you keep or undo the conversion.",
                room=migration.room_bytes,
                folder=printable(folder, 200),
            )
        )
    if migration.manifest:
        said.append(
            t(
                "All files are compared before and after: content, holes, owner, "
                "permissions, times, links, extended attributes."
            )
        )
    elif migration.way in COMPARED:
        said.append(t("Files are not compared individually; e2fsck checks the whole filesystem."))
    if migration.repairs:
        said.append(t("Damage found by e2fsck may be repaired."))
    return tuple(said)


def risk_sentences(migration: Migration) -> tuple[Message, ...]:
    """What may happen to the files, by a power cut among others, and until when there is a way back."""
    driver = (
        ()
        if migration.way in (Way.FRESH, Way.MOUNT)
        else (t("Afterwards only an ext4 driver can mount the filesystem."),)
    )
    return (POWER[migration.means], BACK[migration.means], *driver)


def confirm_command(migration: Migration, file: str = "FILE") -> str:
    """The command by which root carries out what was saved in a file."""
    named = shlex.quote(file) if file != "FILE" else file
    token = shlex.quote(printable(migration.written.token))
    return " ".join(("sudo", "diskwright", "apply", named, "--confirm", token))


NO_UUID = "00000000-0000-0000-0000-000000000000"
"""Stands in an offer of a fresh filesystem for the one that is drawn when it is chosen."""


def prospect_of(situation: Situation) -> Prospect:
    """What is found, the four ways, and the one that is proposed."""
    offers = tuple(_offer(situation, way) for way in Way)
    default, why = _default(situation, {offer.way: offer for offer in offers})
    found = tuple(map(as_text, obstacles_of(situation)))
    return Prospect(situation.device, situation.ext, found, offers, default, str(why))


def _offer(situation: Situation, way: Way) -> WayOffer:
    before, means = situation.ext, means_of(situation, way)
    operations = _operations(situation, way)
    finding = against(situation, way)
    steps = migration_steps(operations, situation.device, before, situation.drive, means)
    return WayOffer(
        way=way,
        means=means,
        gains=gains_of(operations, before),
        costs=tuple(map(str, _costs(situation, way, means))),
        undone=str(_undone(way, means)),
        seconds=round(
            sum(
                operation_seconds(step.operation, before, rotational=situation.drive.rotational)
                for step in steps
            ),
            1,
        ),
        room_bytes=used_bytes(before) if way is Way.FRESH else room_bytes(operations, before, means),
        obstacle=str(told_of(finding)) if finding else "",
        obstacle_code=finding.code if finding else "",
    )


def _operations(situation: Situation, way: Way) -> Sequence[MigrationOperation]:
    if way is Way.FRESH:
        target = situation.target.device if situation.target else "/dev/null"
        return fresh_operations(situation.ext, target, NO_UUID)
    return all_operations(situation, way)


def _costs(situation: Situation, way: Way, means: Means) -> Iterator[Message]:
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
        case Way.FRESH:
            yield t(
                "Requires another empty volume with more than {used:size}.",
                used=used_bytes(situation.ext),
            )
    if means is Means.DIRECT:
        yield not_covered(situation)


def _undone(way: Way, means: Means) -> Message:
    if way is Way.MOUNT:
        return t("At any time, by restoring the old fstab line.")
    if way is Way.FRESH:
        return t("At any time: the old filesystem remains unchanged.")
    return (
        t(
            "Bit for bit, until kept or mounted for writing. After a power cut during "
            "the conversion, resume or undo."
        )
        if means is Means.TRANSACTION
        else t(
            "Bit for bit with undo files, until kept or mounted for writing, if no power "
            "cut occurs during the conversion."
        )
    )


def _default(situation: Situation, offers: dict[Way, WayOffer]) -> tuple[Way | None, Message]:
    can = {way for way, offer in offers.items() if not offer.obstacle}
    if Way.FULL in can and offers[Way.FULL].means is Means.TRANSACTION:
        return Way.FULL, t(
            "Adds all features this filesystem allows, and writes to the drive only after verification."
        )
    if Way.LIGHT in can and offers[Way.LIGHT].means is Means.TRANSACTION:
        return Way.LIGHT, t("Adds the possible features, and writes to the drive only after verification.")
    if Way.LIGHT in can:
        return Way.LIGHT, t(
            "Power cuts cannot be covered here. This conversion writes very little, so little can go wrong."
        )
    if Way.FULL in can:
        return Way.FULL, t(
            "Adds the missing features. Power cuts cannot be covered here: make a backup first."
        )
    if Way.MOUNT in can:
        return Way.MOUNT, t(
            "Changes no data on disk, and the obstacles to the other conversions do not apply."
        )
    if Way.FRESH in can and situation.target is not None:
        return Way.FRESH, t("Only reads this filesystem.")
    if not operations_for(Way.FULL, situation.ext):
        return None, t("The filesystem has all features possible without recreation.")
    return None, t("No conversion is possible for the filesystem as is; see the findings.")
