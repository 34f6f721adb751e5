"""Conversion methods as offered to the user, and the findings that prevent them."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from wizard.ext4 import blockers
from wizard.ext4.assessment import Situation
from wizard.ext4.operations import compare_seconds
from wizard.model.ext import ExtFacts
from wizard.model.finding import Finding, FindingCommand, Severity
from wizard.model.said import Message, Sentence, t
from wizard.plan.changes import Migration, Way

RULES = (
    blockers.in_use,
    blockers.state_findings,
    blockers.kind_findings,
    blockers.programs,
    blockers.room_inside,
    blockers.boot_path,
    blockers.at_boot,
    blockers.nothing_to_do,
)

WRITING = frozenset(way for way in Way if way.converts)
BLOCKED_METHODS: Mapping[str, frozenset[Way]] = {
    "migrate-barred": frozenset(Way),
    "migrate-programs-missing": WRITING,
    "migrate-programs-old": WRITING,
    "migrate-full": frozenset({Way.FULL}),
    "migrate-nothing-at-boot": frozenset({Way.MOUNT}),
    "migrate-light-complete": frozenset({Way.LIGHT}),
    "migrate-complete": frozenset({Way.FULL}),
}
"""Conversion methods that a finding blocks. Other dangers block all that write to the filesystem."""

REPAIRABLE = frozenset({"migrate-errors", "migrate-damaged", "migrate-half-done"})
"""Findings that no longer block a writing method once the user consents to repairs."""


def obstacles_of(situation: Situation) -> tuple[Finding, ...]:
    """Return all findings with their possible commands, most severe first."""
    found = [finding for rule in RULES for finding in rule(situation)]
    order = list(Severity)
    return tuple(
        replace(
            one,
            subject=situation.device,
            commands=tuple(each for each in one.commands if _is_possible(situation, each, found)),
        )
        for one in sorted(found, key=lambda finding: order.index(finding.severity))
    )


def against(situation: Situation, way: Way, *, repairs: bool = False) -> Finding | None:
    """Return the first finding that blocks a method, or None."""
    found = obstacles_of(situation)
    return next((one for one in found if _blocks(one, way, repairs=repairs)), None)


def _blocks(finding: Finding, way: Way, *, repairs: bool) -> bool:
    danger = WRITING if finding.severity is Severity.DANGER else frozenset()
    return way in BLOCKED_METHODS.get(finding.code, danger) and not (repairs and finding.code in REPAIRABLE)


def _is_possible(situation: Situation, command: FindingCommand, found: Sequence[Finding]) -> bool:
    """Return False for a conversion that another finding blocks, for a missing tool, and for a device in
    use."""
    match command.argv:
        case ("diskwright", "migrate", _, "--way", way, *options):
            return not any(_blocks(one, Way(way), repairs="--repair" in options) for one in found)
        case (program, *_):
            in_use = situation.mounts or situation.opened or situation.is_root
            return program not in situation.missing and not (command.unused and in_use)
    return False


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
UNDO = t("Undo restores the old filesystem bit for bit, until you keep the new one or mount it for writing.")
ONLY_EXT4 = t("Afterwards only an ext4 driver can mount the filesystem.")
EITHER_LINE = t("The file contains either the old or the new line, never a mix.")
"""After a power cut during an edit of fstab."""


def is_damaged(before: ExtFacts) -> bool:
    """Return True if the superblock records errors or an unfinished operation."""
    return before.has_errors or before.recorded_errors > 0 or bool(before.half_done)


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
            "All files are compared before and after ({time:time} in total): content, holes, owner, "
            "permissions, times, links, extended attributes.",
            time=compare_seconds(migration.before, migration.drive.rotational),
        )
    else:
        yield t(
            "Files are not compared individually; --manifest enables this. e2fsck checks the whole "
            "filesystem."
        )
    if migration.repairs:
        yield t("Damage found by e2fsck may be repaired.")
    yield undo_sentence(migration.way)
    yield ONLY_EXT4


def undo_sentence(way: Way) -> Message:
    """Describe the effect of undo, and until when undo is possible."""
    return UNDO if way.converts else t("Undo restores the file.")


INSPECT_RESULT = Sentence(
    "To inspect the result, run `mount -o ro,noload {device} /mnt`, and `umount "
    "/mnt` before undo. Mounting for writing, without these options, makes undo "
    "impossible."
)
"""How to inspect the result without making undo impossible."""
