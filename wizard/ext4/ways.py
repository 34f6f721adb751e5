"""What the ways and means of a migration are called, the same on every face."""

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
    "Undoing brings the old filesystem back to the bit, until you keep the new one or mount it for writing."
)

TITLES: Mapping[Way, Message] = {
    Way.MOUNT: t("Mount as ext4"),
    Way.LIGHT: t("New files only"),
    Way.FULL: t("Everything"),
    Way.FRESH: t("A fresh ext4"),
}
SUMMARIES: Mapping[Way, Message] = {
    Way.MOUNT: t("The ext4 driver mounts it as it is; nothing on the disk is changed."),
    Way.LIGHT: t("Files that are written from now on get what ext4 has; the old ones stay as they are."),
    Way.FULL: t("All files, directories and metadata are brought to ext4, where they lie."),
    Way.FRESH: t("A new ext4 is made on another volume, and everything is copied there and compared."),
}
_MEANS: Mapping[Means, Message] = {
    Means.TRANSACTION: t(
        "On a copy-on-write snapshot: the filesystem itself is changed only when all "
        "is done and checked there. A power cut costs nothing."
    ),
    Means.DIRECT: t(
        "On the filesystem itself, with undo files of e2fsprogs. They do not cover a "
        "power cut: have a backup."
    ),
    Means.FILES: t("Only a file of the system is changed, which is replaced in one go."),
    Means.COPY: t("The old filesystem is only read."),
}
MEANS: Mapping[Means, str] = {means: str(said) for means, said in _MEANS.items()}
BETWEEN: Mapping[Means, Message] = {
    Means.TRANSACTION: t(
        "The filesystem is still the old one, or half committed. Half committed, it "
        "cannot be mounted until `diskwright resume` finishes it or `diskwright "
        "undo` undoes it."
    ),
    Means.DIRECT: t(
        "The filesystem may be damaged, and the undo files may be useless: that is what the backup is for."
    ),
    Means.FILES: t("The file is the old one or the new one, never half of each."),
    Means.COPY: t("The old filesystem has all files as before; the copy is begun anew."),
}
"""What a power cut would leave between two steps."""

POWER: Mapping[Means, Message] = {
    Means.TRANSACTION: t(
        "If the power goes: the old filesystem is there, or `diskwright resume` "
        "finishes the new one. It is never mounted half done."
    ),
    Means.DIRECT: t(
        "If the power goes, the filesystem can be damaged beyond the undo files' "
        "help. Without a backup, files can be lost."
    ),
    Means.FILES: t(
        "If the power goes: nothing on the disk has changed. The file of the system "
        "is the old one or the new one."
    ),
    Means.COPY: t("If the power goes: the old filesystem has everything, and the copy is made anew."),
}
"""What a power cut would do."""

BACK: Mapping[Means, Message] = {
    Means.TRANSACTION: BACK_TO_THE_BIT,
    Means.DIRECT: BACK_TO_THE_BIT,
    Means.FILES: t("Undoing puts the file back as it was."),
    Means.COPY: t("The old filesystem stays as it is and needs no undoing; the copy can be made anew."),
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
        return t(
            "Nothing is lost: everything is only being read yet, and nothing was written to the filesystem."
        )
    return step.power if step else BETWEEN[migration.means]


def how_sentences(migration: Migration) -> tuple[Message, ...]:
    """How it is made safe, where the room for that is, and what is compared and repaired."""
    said = [_MEANS[migration.means]]
    folder = migration.store or migration.undo_dir
    if folder:
        said.append(
            t(
                "It takes up to {room:size} in {folder}, until you keep or undo it.",
                room=migration.room_bytes,
                folder=printable(folder, 200),
            )
        )
    if migration.manifest:
        said.append(
            t(
                "Every file is compared before and after: content, holes, owner, rights, "
                "times, links, extended attributes."
            )
        )
    elif migration.way in COMPARED:
        said.append(t("Files are not compared one by one; e2fsck checks the filesystem as a whole."))
    if migration.repairs:
        said.append(t("Damage that e2fsck finds may be repaired."))
    return tuple(said)


def risk_sentences(migration: Migration) -> tuple[Message, ...]:
    """What may happen to the files, by a power cut among others, and until when there is a way back."""
    driver = (
        ()
        if migration.way in (Way.FRESH, Way.MOUNT)
        else (t("Afterwards only an ext4 driver can mount it."),)
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
            yield t(
                "Nothing on the disk becomes better: files are mapped block by block, and "
                "small inodes end in January 2038."
            )
        case Way.LIGHT:
            yield t(
                "Files that are there already stay as they are. Older systems, and the types "
                "ext2 and ext3, can no longer mount it."
            )
        case Way.FULL:
            yield t(
                "Every file's entry is written anew. Older systems, and the types ext2 and "
                "ext3, can no longer mount it."
            )
            yield t(
                "It stays unlike one that is made anew: tables in every group, and old "
                "files' times of making are unknown."
            )
        case Way.FRESH:
            yield t(
                "Another volume with room for {used:size} and more is needed, and must hold nothing.",
                used=used_bytes(situation.ext),
            )
    if means is Means.DIRECT:
        yield not_covered(situation)


def _undone(way: Way, means: Means) -> Message:
    if way is Way.MOUNT:
        return t("At any time: the old line of fstab goes back.")
    if way is Way.FRESH:
        return t("At any time: the old filesystem stays as it is.")
    return (
        t(
            "To the bit, until it is kept or mounted for writing. After a power cut in "
            "the middle, resume it or undo it."
        )
        if means is Means.TRANSACTION
        else t(
            "To the bit by undo files, until it is kept or mounted for writing, if the "
            "power stays on meanwhile."
        )
    )


def _default(situation: Situation, offers: dict[Way, WayOffer]) -> tuple[Way | None, Message]:
    can = {way for way, offer in offers.items() if not offer.obstacle}
    if Way.FULL in can and offers[Way.FULL].means is Means.TRANSACTION:
        return Way.FULL, t(
            "It brings everything that this filesystem allows, and nothing reaches the "
            "drive before it is proven."
        )
    if Way.LIGHT in can and offers[Way.LIGHT].means is Means.TRANSACTION:
        return Way.LIGHT, t(
            "It brings what is possible here, and nothing reaches the drive before it is proven."
        )
    if Way.LIGHT in can:
        return Way.LIGHT, t(
            "A power cut cannot be covered here, and this way writes next to nothing, so "
            "that little can go wrong."
        )
    if Way.FULL in can:
        return Way.FULL, t(
            "It brings what this filesystem still lacks. A power cut cannot be covered "
            "here: make a backup first."
        )
    if Way.MOUNT in can:
        return Way.MOUNT, t(
            "It changes nothing on the disk, and what stands against the others does not stand against it."
        )
    if Way.FRESH in can and situation.target is not None:
        return Way.FRESH, t("It only reads this filesystem.")
    if not operations_for(Way.FULL, situation.ext):
        return None, t("It has everything that it can have without being made anew.")
    return None, t("No way is possible as the filesystem stands; the findings say why.")
