"""The four ways side by side, as they are told to a person before choosing: what each brings, costs, and
takes."""

from collections.abc import Iterator, Sequence

from wizard.migrate.estimates import operation_seconds, room_bytes, used_bytes
from wizard.migrate.make import NOT_COVERED, means_of, why_direct
from wizard.migrate.obstacles.found_all import against, obstacles_of
from wizard.migrate.operations import all_operations, fresh_operations, operations_for
from wizard.migrate.situation import Situation
from wizard.migrate.steps import migration_steps
from wizard.migrate.told.gains import gains_of
from wizard.model.migration import Means, MigrationOperation, Offer, Prospect, Way
from wizard.model.units import format_capacity

NO_UUID = "00000000-0000-0000-0000-000000000000"
"""Stands in an offer of a fresh filesystem for the one that is drawn when it is chosen."""


def prospect_of(situation: Situation) -> Prospect:
    """What is found, the four ways, and the one that is proposed."""
    offers = tuple(_offer(situation, way) for way in Way)
    default, why = _default(situation, {offer.way: offer for offer in offers})
    return Prospect(situation.device, situation.ext, obstacles_of(situation), offers, default, why)


def _offer(situation: Situation, way: Way) -> Offer:
    before, means = situation.ext, means_of(situation, way)
    operations = _operations(situation, way)
    finding = against(situation, way)
    steps = migration_steps(operations, situation.device, before, situation.drive, means)
    return Offer(
        way=way,
        means=means,
        gains=gains_of(operations, before),
        costs=tuple(_costs(situation, way, means)),
        undone=_undone(way, means),
        seconds=round(
            sum(
                operation_seconds(step.operation, before, rotational=situation.drive.rotational)
                for step in steps
            ),
            1,
        ),
        room_bytes=used_bytes(before) if way is Way.FRESH else room_bytes(operations, before, means),
        obstacle=f"{finding.sentence} {finding.remedy}" if finding else "",
        obstacle_code=finding.code if finding else "",
    )


def _operations(situation: Situation, way: Way) -> Sequence[MigrationOperation]:
    if way is Way.FRESH:
        target = situation.target.device if situation.target else "/dev/null"
        return fresh_operations(situation.ext, target, NO_UUID)
    return all_operations(situation, way)


def _costs(situation: Situation, way: Way, means: Means) -> Iterator[str]:
    match way:
        case Way.MOUNT:
            yield (
                "Nothing on the disk becomes better: files are noted block by block, and small inodes end in "
                "January 2038."
            )
        case Way.LIGHT:
            yield (
                "Files that are there already stay as they are. Older systems, and the types ext2 and ext3, "
                "can no longer mount it."
            )
        case Way.FULL:
            yield (
                "Every file's entry is written anew. Older systems, and the types ext2 and ext3, can no "
                "longer mount it."
            )
            yield (
                "It stays unlike one that is made anew: tables in every group, and old files' times of "
                "making are unknown."
            )
        case Way.FRESH:
            yield (
                f"Another volume with room for {format_capacity(used_bytes(situation.ext))} and more is "
                "needed, and must hold nothing."
            )
    if means is Means.DIRECT:
        yield f"{why_direct(situation)} {NOT_COVERED}"


def _undone(way: Way, means: Means) -> str:
    if way is Way.MOUNT:
        return "At any time: the old line of fstab goes back."
    if way is Way.FRESH:
        return "At any time: the old filesystem stays as it is."
    if means is Means.TRANSACTION:
        return (
            "To the bit, until it is kept or mounted for writing; a power cut in the middle is resumed or "
            "taken back."
        )
    return (
        "To the bit by undo files, until it is kept or mounted for writing, and as long as the power stays "
        "on meanwhile."
    )


def _default(situation: Situation, offers: dict[Way, Offer]) -> tuple[Way | None, str]:
    can = {way for way, offer in offers.items() if not offer.obstacle}
    if Way.FULL in can and offers[Way.FULL].means is Means.TRANSACTION:
        return (
            Way.FULL,
            "It brings everything that this filesystem allows, and nothing reaches the drive before it is "
            "proven.",
        )
    if Way.LIGHT in can and offers[Way.LIGHT].means is Means.TRANSACTION:
        return Way.LIGHT, "It brings what can be had here, and nothing reaches the drive before it is proven."
    if Way.LIGHT in can:
        return (
            Way.LIGHT,
            "A power cut cannot be covered here, and this way writes next to nothing, so that little can go "
            "wrong.",
        )
    if Way.FULL in can:
        return (
            Way.FULL,
            "It brings what this filesystem still lacks. A power cut cannot be covered here: make a backup "
            "first.",
        )
    if Way.MOUNT in can:
        return (
            Way.MOUNT,
            "It changes nothing on the disk, and what stands against the others does not stand against it.",
        )
    if Way.FRESH in can and situation.target is not None:
        return Way.FRESH, "It only reads this filesystem."
    if not operations_for(Way.FULL, situation.ext):
        return None, "It has everything that it can have without being made anew."
    return None, "Nothing can be done as it stands; what is found says why."
