"""The file that says which encrypted containers are opened at boot: one line more, or that line out again, as
with fstab."""

from pathlib import Path

from wizard.apply.system import words
from wizard.apply.system.edited_file import edit, kept_as, read_text
from wizard.apply.system.fstab import check_writable, take_out
from wizard.layout.changes.lines import with_line
from wizard.layout.steps.commands import crypttab_line
from wizard.model.errors import Failed, Refused
from wizard.model.names import printable
from wizard.model.operations.encryption import AddCrypttabLine
from wizard.model.said import Said


def crypttab_conflict(text: str, operation: AddCrypttabLine) -> Said | None:
    """A clause where a line already has the name or the container; None where none has. Pure."""
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split()
        if len(fields) < 2 or fields[0].startswith("#"):
            continue
        if fields[0] == operation.name:
            return words.OPENS(line=number, device=printable(fields[1], 60), name=printable(fields[0], 60))
        if fields[1].removeprefix("UUID=").strip('"').lower() == operation.uuid.lower():
            return words.HAS_CONTAINER(line=number, uuid=operation.uuid)
    return None


def check_crypttab(path: Path, operations: tuple[AddCrypttabLine, ...]) -> None:
    """Raises BadInput or Refused where the lines could not be added; a file that is missing is an empty
    one."""
    if not operations:
        return
    check_writable(path, words.NO_CRYPTTAB())
    text = read_text(path)
    for operation in operations:
        if crypttab_line(operation) not in text.splitlines() and (
            found := crypttab_conflict(text, operation)
        ):
            raise Refused(words.REMOVE_LINE(file=str(path), conflict=found))


def add_to_crypttab(path: Path, operation: AddCrypttabLine, run_name: str) -> str:
    """Add the operation's line and give it, keeping the old file beside it. Repeatable: a line that is there
    is not added again."""
    line = crypttab_line(operation)

    def change(text: str) -> str:
        if line in text.split("\n"):
            return text
        if found := crypttab_conflict(text, operation):
            raise Failed(words.NOT_THERE_BEFORE(file=str(path), conflict=found))
        return with_line(text, line)

    edit(path, change, kept_as(path, run_name))
    return line


def take_from_crypttab(path: Path, operation: AddCrypttabLine, run_name: str) -> bool:
    """Take the operation's line out again; whether it was there."""
    return take_out(path, crypttab_line(operation), kept_as(path, run_name))
