"""The line of fstab that has the filesystem mounted as ext4 from then on: put in its place, and taken
back."""

from pathlib import Path

from wizard.apply.system import fstab
from wizard.apply.system.edited_file import kept_as, read_text
from wizard.apply.tune.how import How, Standing
from wizard.layout.changes.lines import digest_of_text
from wizard.model.documents.migration import Migration, SetFstabType
from wizard.model.errors import Failed
from wizard.model.names import printable
from wizard.model.said import t


def line_operations(migration: Migration) -> tuple[SetFstabType, ...]:
    """The lines that a migration changes."""
    return tuple(step.operation for step in migration.steps if isinstance(step.operation, SetFstabType))


def type_standing(operation: SetFstabType, migration: Migration) -> Standing:
    """How one of a migration's lines stands: a line that is to be changed stands in the very file that was
    looked at, but for the migration's other lines. Raises BadInput where the file cannot be read.
    """
    lines = read_text(Path(operation.file)).split("\n")
    if lines.count(operation.new) == 1 and operation.old not in lines:
        return Standing(How.AFTER, t("the new line is there once, and the old one no longer"))
    before = lines.copy()
    for other in line_operations(migration):
        if before[other.number - 1 : other.number] == [other.new]:
            before[other.number - 1] = other.old
    if (
        lines[operation.number - 1 : operation.number] == [operation.old]
        and digest_of_text("\n".join(before)) == operation.digest
    ):
        return Standing(How.BEFORE, t("the line is as it was"))
    return Standing(How.OTHER, t("{file} was changed", file=printable(operation.file, 200)))


def set_type(operation: SetFstabType, migration: Migration, run_name: str) -> str:
    """Put the new line in the place of the old one; a sentence. Repeatable. Raises Failed where the file is
    another by now."""
    path = Path(operation.file)
    found = type_standing(operation, migration)
    if found.how is How.OTHER:
        raise Failed(
            t("It was not changed, since somebody else has changed it meanwhile: {seen}.", seen=found.seen)
        )
    if found.how is How.BEFORE:
        fstab.new_line_in(path, operation.number, operation.old, operation.new, kept_as(path, run_name))
    return str(
        t(
            "Line {number} of {file} is the new one.",
            number=operation.number,
            file=printable(operation.file, 200),
        )
    )


def old_type_back(operation: SetFstabType) -> str:
    """Change only this line back; a sentence on how the file stands then."""
    return fstab.line_back(Path(operation.file), operation.old, operation.new)
