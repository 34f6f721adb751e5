"""Create and validate documents of conversions."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from wizard.documents import codec
from wizard.ext4 import ways
from wizard.ext4.assessment import Situation
from wizard.ext4.blockers import ALL_FEATURES
from wizard.ext4.operations import (
    OLD_TYPES,
    all_operations,
    compare_seconds,
    operations_for,
    retyped,
    room_bytes,
)
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import Severity
from wizard.model.said import Message, join, t
from wizard.operations.ext4 import SetOwnFstabType
from wizard.operations.fstab import LineEdit, is_entry
from wizard.operations.operation import Context, Setting
from wizard.operations.rules import drive_faults, is_device_path, is_uuid
from wizard.plan.changes import Migration, MigrationOperation, Prospect, Way, WayOffer
from wizard.plan.plan import Step, steps_of

AGAIN = codec.RECREATE(command="migrate")
NOTHING_WRITTEN = t("Nothing was written.")


def make_migration(
    situation: Situation, way: Way, *, manifest: bool = False, repairs: bool = False
) -> Migration:
    """Return the conversion to show, confirm and run. Raises Refused or BadInput with the finding that blocks
    it."""
    if finding := ways.against(situation, way, repairs=repairs):
        message = f"{finding.sentence} {finding.advice} {NOTHING_WRITTEN}"
        # Without danger, the method only does not suit the filesystem.
        raise Refused(message) if finding.severity is Severity.DANGER else BadInput(message)
    planned = _planned(situation, way, repairs=repairs)
    migration = replace(planned, manifest=manifest, doubts=tuple(doubts_of(situation)))
    MIGRATIONS.check(migration, str(t("The conversion")))
    return migration


def _planned(situation: Situation, way: Way, *, repairs: bool = False) -> Migration:
    steps = tuple(map(Step, all_operations(situation, way, repairs=repairs)))
    planned = Migration(situation.drive, situation.device, situation.ext, way, steps, repairs=repairs)
    return with_current_texts(planned)


def doubts_of(situation: Situation) -> Iterator[Message]:
    """Yield sentences to read before a conversion, except those that only affect the choice of method."""
    for finding in ways.obstacles_of(situation):
        if finding.severity is not Severity.DANGER and finding.code not in ways.BLOCKED_METHODS:
            yield join(finding.sentence, finding.advice)


COLLECTS = t("Writes are collected before allocation (delayed allocation), unlike with the older drivers.")


def prospect_of(situation: Situation) -> Prospect:
    """Return findings, the three methods, and the recommended one."""
    offers = tuple(_offer(situation, way) for way in Way)
    default, why = _default(situation, offers)
    # With text instead of messages, as in `diskwright.prospect/1`.
    found = tuple(
        replace(one, sentence=str(one.sentence), why=str(one.why), remedy=str(one.remedy))
        for one in ways.obstacles_of(situation)
    )
    return Prospect(situation.device, situation.ext, found, offers, default, str(why))


def _offer(situation: Situation, way: Way) -> WayOffer:
    planned, finding = _planned(situation, way), ways.against(situation, way)
    return WayOffer(
        way=way,
        gains=planned.gains,
        costs=tuple(map(str, COSTS[way])),
        undone=str(ways.undo_sentence(way)),
        seconds=round(sum(step.seconds for step in planned.steps), 1),
        compare_seconds=round(compare_seconds(planned.before, planned.drive.rotational), 1)
        if way.converts
        else 0.0,
        room_bytes=planned.room_bytes,
        obstacle=str(join(finding.sentence, finding.advice)) if finding else "",
        obstacle_code=finding.code if finding else "",
    )


COSTS = {
    Way.MOUNT: (t("No improvement on disk: files use block maps, and small inodes end in January 2038."),),
    Way.LIGHT: (ways.ONLY_EXT4,),
    Way.FULL: (
        ways.ONLY_EXT4,
        t(
            "Differences from a new filesystem remain: tables in every group, and "
            "unknown creation times of old files."
        ),
    ),
}


def _default(situation: Situation, offers: Sequence[WayOffer]) -> tuple[Way | None, Message]:
    possible = {offer.way for offer in offers if not offer.obstacle}
    if writing := next((way for way in (Way.FULL, Way.LIGHT) if way in possible), None):
        return writing, t("Adds all possible features, and writes to the drive only after verification.")
    if Way.MOUNT in possible:
        return Way.MOUNT, t(
            "Changes no data on disk, and the obstacles to the other conversions do not apply."
        )
    if not operations_for(Way.FULL, situation.ext):
        return None, ALL_FEATURES(device=situation.device)
    return None, t("No conversion is possible for the filesystem as is; see the findings.")


def with_current_texts(migration: Migration) -> Migration:
    """Recompute everything derived from the operations of a valid conversion: texts, commands, gains and
    space."""
    before, device, drive = migration.before, migration.device, migration.drive
    operations = tuple(step.operation for step in migration.steps)
    steps, gains = list[Step[MigrationOperation]](), list[Message]()
    for one in operations:
        if isinstance(one, Setting):
            steps += steps_of((one,), Context(drive))
            gains.append(COLLECTS)
            continue
        gains += one.gains(before)
        steps.append(
            Step(
                one,
                sentence=str(one.sentence(device)),
                commands=one.commands(device),
                edits=one.edits(),
                undo=str(ways.UNDO),
                holds=tuple(map(str, one.holds)),
                seconds=one.seconds(before, rotational=drive.rotational),
            )
        )
    return replace(
        migration,
        steps=tuple(steps),
        room_bytes=room_bytes(operations, before),
        gains=tuple(dict.fromkeys(map(str, gains))),
    )


def _faults(migration: Migration) -> Iterator[str]:
    before = migration.before
    yield from drive_faults(migration.drive)
    if not is_device_path(migration.device):
        yield "device"
    # Impossible superblock values.
    if not is_uuid(before.uuid):
        yield "before.uuid"
    if before.block_bytes not in (1 << bits for bits in range(10, 17)) or before.inode_bytes not in (
        1 << bits for bits in range(7, 17)
    ):
        yield "before.block_bytes"
    counts = (
        before.blocks,
        before.blocks_per_group,
        before.inodes,
        before.inodes_per_group,
        before.desc_bytes,
    )
    if not all(0 < count < 1 << 48 for count in counts) or not 0 <= before.free_blocks <= before.blocks:
        yield "before"
    if not _are_planned(migration):
        yield "steps"


def _are_planned(migration: Migration) -> bool:
    own, edits = migration.own_lines, migration.settings
    wanted = operations_for(migration.way, migration.before, repairs=migration.repairs)
    edited = [line for edit in edits for line in edit.lines]
    return (
        bool(migration.steps)
        and tuple(step.operation for step in migration.steps) == (*wanted, *own, *edits)
        and (bool(wanted) or not own)
        and len(edits) <= 1
        and len({line.number for line in own}) == len(own)
        and len({line.number for line in edited}) == len(edited)
        and len({line.digest for line in own}) <= 1
        and all(0 <= line.offset < migration.before.block_bytes and line.block >= 0 for line in own)
        and all(map(_is_retyped, own))
        and all(map(_is_retyped, edited))
        and all(len(line.digest) == 64 for line in own)
        and all(edit.is_plausible for edit in edits)
    )


def _is_retyped(line: SetOwnFstabType | LineEdit) -> bool:
    """Return True if a line of fstab changes from an older type to ext4, and nothing else."""
    old = line.old or ""
    return line.number > 0 and is_entry(old) and old.split()[2] in OLD_TYPES and line.new == retyped(old)


def _as_supported(body: codec.JSON) -> codec.JSON:
    """Drop the storage of undo data, and edit all lines of fstab in one step. Raises BadInput for conversions
    without a scratch copy, by version 1.0."""
    if body.get("way") == "fresh" or body.get("means") == "direct":
        raise BadInput(
            t(
                "This conversion works without a scratch copy: with a new ext4, or with e2fsprogs undo "
                "files. Only the version of diskwright that made it can apply, resume or undo it."
            )
        )
    kept = {name: value for name, value in body.items() if name not in ("undo_dir", "store", "means")}
    steps = body.get("steps")
    if not isinstance(steps, list):
        return kept
    others, lines = list[object](), list[codec.JSON]()
    for step in steps:
        match step:
            case {"operation": {"kind": "set-fstab-type", "number": _, "old": _, "new": _} as line}:
                lines.append(line)
            case _:
                others.append(step)
    if lines:
        edits = [{name: line[name] for name in ("number", "old", "new")} for line in lines]
        edit = {name: lines[0].get(name) for name in ("file", "digest")}
        others.append({"operation": {"kind": "edit-fstab", **edit, "lines": edits}})
    return {**kept, "steps": others}


MIGRATIONS = codec.Sealed(
    "diskwright.migration/2",
    Migration,
    AGAIN,
    _faults,
    with_current_texts,
    {"diskwright.migration/2": _as_supported},
)
