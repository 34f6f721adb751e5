"""The four ways side by side, as they are told to a person before choosing: what each brings, costs, and
takes."""

from collections.abc import Iterator, Sequence

from wizard.migrate.estimates import operation_seconds, room_bytes, used_bytes
from wizard.migrate.make import means_of, not_covered
from wizard.migrate.obstacles.finding import as_text, told_of
from wizard.migrate.obstacles.found_all import against, obstacles_of
from wizard.migrate.operations import all_operations, fresh_operations, operations_for
from wizard.migrate.situation import Situation
from wizard.migrate.steps import migration_steps
from wizard.migrate.told.gains import gains_of
from wizard.model.documents.migration import Means, MigrationOperation, Offer, Prospect, Way
from wizard.model.said import Said, t

NO_UUID = "00000000-0000-0000-0000-000000000000"
"""Stands in an offer of a fresh filesystem for the one that is drawn when it is chosen."""


def prospect_of(situation: Situation) -> Prospect:
    """What is found, the four ways, and the one that is proposed."""
    offers = tuple(_offer(situation, way) for way in Way)
    default, why = _default(situation, {offer.way: offer for offer in offers})
    found = tuple(map(as_text, obstacles_of(situation)))
    return Prospect(situation.device, situation.ext, found, offers, default, str(why))


def _offer(situation: Situation, way: Way) -> Offer:
    before, means = situation.ext, means_of(situation, way)
    operations = _operations(situation, way)
    finding = against(situation, way)
    steps = migration_steps(operations, situation.device, before, situation.drive, means)
    return Offer(
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


def _costs(situation: Situation, way: Way, means: Means) -> Iterator[Said]:
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


def _undone(way: Way, means: Means) -> Said:
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


def _default(situation: Situation, offers: dict[Way, Offer]) -> tuple[Way | None, Said]:
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
