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
from wizard.migrate.words import offers as words
from wizard.model.documents.migration import Means, MigrationOperation, Offer, Prospect, Way
from wizard.model.said import Said

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
            yield words.MOUNT_COSTS()
        case Way.LIGHT:
            yield words.LIGHT_COSTS()
        case Way.FULL:
            yield words.FULL_COSTS()
            yield words.FULL_STAYS()
        case Way.FRESH:
            yield words.FRESH_COSTS(used=used_bytes(situation.ext))
    if means is Means.DIRECT:
        yield not_covered(situation)


def _undone(way: Way, means: Means) -> Said:
    if way is Way.MOUNT:
        return words.MOUNT_UNDONE()
    if way is Way.FRESH:
        return words.FRESH_UNDONE()
    return words.UNDONE() if means is Means.TRANSACTION else words.DIRECT_UNDONE()


def _default(situation: Situation, offers: dict[Way, Offer]) -> tuple[Way | None, Said]:
    can = {way for way, offer in offers.items() if not offer.obstacle}
    if Way.FULL in can and offers[Way.FULL].means is Means.TRANSACTION:
        return Way.FULL, words.FULL_WHY()
    if Way.LIGHT in can and offers[Way.LIGHT].means is Means.TRANSACTION:
        return Way.LIGHT, words.LIGHT_WHY()
    if Way.LIGHT in can:
        return Way.LIGHT, words.LIGHT_DIRECT_WHY()
    if Way.FULL in can:
        return Way.FULL, words.FULL_DIRECT_WHY()
    if Way.MOUNT in can:
        return Way.MOUNT, words.MOUNT_WHY()
    if Way.FRESH in can and situation.target is not None:
        return Way.FRESH, words.FRESH_WHY()
    if not operations_for(Way.FULL, situation.ext):
        return None, words.COMPLETE()
    return None, words.NONE()
