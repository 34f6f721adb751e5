"""The fstab of a system on the filesystem itself that is migrated: looked at beforehand, changed on whatever
node, and checked."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from wizard.apply.block.devices import forget_caches
from wizard.apply.migration.looking.debugfs_read import LARGEST_BYTES, Inside, seen_inside, text_inside
from wizard.apply.system.fstab import Line, parse
from wizard.apply.tune.how import How
from wizard.layout.changes.lines import digest_of_text
from wizard.migrate.situation import BootLine, OwnFstab
from wizard.migrate.steps import OWN_FSTAB, operation_commands
from wizard.model.documents.migration import Migration, SetOwnFstabType
from wizard.model.errors import BadInput, Failed
from wizard.model.ext import ExtFacts
from wizard.model.journal import Check
from wizard.model.said import Said, t
from wizard.tools.program import Result

ROOT = "/"
FOLDER = "/etc"
LINKS = Path("/dev/disk")


def own_fstab(node: str, ext: ExtFacts, tags: Mapping[str, str | None]) -> OwnFstab | None:
    """The file on the filesystem of a node, which nobody has mounted; None where it has none, or cannot be
    looked into."""
    try:
        seen = seen_inside(node, (FOLDER, OWN_FSTAB))
        if OWN_FSTAB not in seen:
            return None
        if fault := _fault(seen[FOLDER], seen[OWN_FSTAB]):
            return OwnFstab(fault=str(fault))
        text = text_inside(node, OWN_FSTAB)
        lines = tuple(
            BootLine(line.number, line.kind, line.mount_point)
            for line in parse(text, OWN_FSTAB)
            if _is_of(line, node, tags)
        )
    except (BadInput, Failed) as error:
        return OwnFstab(fault=str(t("it cannot be read ({why})", why=str(error))))
    return OwnFstab(text, lines, str(t("the journal may hold a newer one")) if ext.needs_recovery else "")


def _fault(folder: Inside, file: Inside) -> Said | None:
    if folder.kind != "directory" or file.kind != "regular":
        return t("it is no file of its own but a {kind}, in a {folder}", kind=file.kind, folder=folder.kind)
    if file.links > 1:
        return t("it has {links} names (hard links)", links=file.links)
    return t("it is larger than any such file") if file.size_bytes > LARGEST_BYTES else None


def _is_of(line: Line, node: str, tags: Mapping[str, str | None]) -> bool:
    """Whether a line of a system that does not run is for the filesystem that it lies on. What a device was
    called by that system, such as /dev/sda1, tells nothing here; but what it mounts as its root is the
    filesystem itself.
    """
    if (named := line.names(tags)) is not None:
        return named
    source = Path(line.source)
    return line.mount_point == ROOT if not source.is_relative_to(LINKS) else str(source.resolve()) == node


def own_operations_of(migration: Migration) -> tuple[SetOwnFstabType, ...]:
    """The lines of the filesystem's own fstab that a migration changes."""
    return tuple(step.operation for step in migration.steps if isinstance(step.operation, SetOwnFstabType))


def own_standing(operation: SetOwnFstabType, migration: Migration, node: str) -> How:
    """How the line stands on a node, in the very file that was looked at but for what the migration changes;
    raises Failed."""
    lines = text_inside(node, OWN_FSTAB).split("\n")
    before = lines.copy()
    for each in own_operations_of(migration):
        if before[each.number - 1 : each.number] == [each.new]:
            before[each.number - 1] = each.old
    if digest_of_text("\n".join(before)) != operation.digest:
        return How.OTHER
    return How.AFTER if lines[operation.number - 1] == operation.new else How.BEFORE


def set_own_type(
    operation: SetOwnFstabType,
    migration: Migration,
    node: str,
    command: Callable[..., Result],
    undo_file: str,
) -> str:
    """Change the line on a node; a sentence. Raises Failed where the file is another than was looked at, or
    does not read so afterwards."""
    if own_standing(operation, migration, node) is not How.BEFORE:
        raise Failed(
            t(
                "{file} on {device} is not what was looked at. Look at it again with `diskwright migrate`.",
                file=OWN_FSTAB,
                device=migration.device,
            )
        )
    for argv in operation_commands(operation, node, undo_file):
        command(argv)
    forget_caches(node)
    if own_standing(operation, migration, node) is not How.AFTER:
        raise Failed(t("{file} on {node} does not read as it was to be written.", file=OWN_FSTAB, node=node))
    return str(t("Done on {node}.", node=node))


def own_checks(node: str, migration: Migration) -> Iterator[Check]:
    """Whether each of these lines stands as it is to. Raises Failed where the file cannot be read."""
    for step in migration.steps:
        if isinstance(step.operation, SetOwnFstabType):
            holds = own_standing(step.operation, migration, node) is How.AFTER
            yield Check(" ".join(step.holds), holds, step.operation.new)
