"""Add one line to crypttab, which opens containers at boot, or remove it."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.system import fstab
from wizard.apply.system.edited_file import edit, kept_as, read_text
from wizard.apply.system.fstab import FstabEntry, check_writable, take_out
from wizard.model.errors import Failed, Refused, printable
from wizard.model.operations import AddCrypttabLine
from wizard.model.plan import Plan
from wizard.model.said import Message, t
from wizard.plan.request.roles import MOST_BYTES, content_fault
from wizard.plan.settings.possible import with_line
from wizard.plan.steps.commands import crypttab_line
from wizard.probe.host.uses import unescaped

MADE_ANEW = frozenset({"swap", "tmp"})
"""Options with which each start makes swap or a filesystem there, over whatever it finds (crypttab(5))."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening(FstabEntry):
    """One entry of crypttab: what its source is open as, below /dev/mapper, and the file with its key; empty
    where it names none."""

    name: str
    key: str

    @property
    def overwrites(self) -> bool:
        """Where it makes swap, or what /tmp is, anew."""
        made_anew = any(option.partition("=")[0] in MADE_ANEW for option in self.options)
        return made_anew and "noauto" not in self.options


def parse_crypttab(text: str) -> tuple[Opening, ...]:
    """The entries; what is none is passed over, as a start does. Pure."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split()
        if len(fields) < 2 or fields[0].startswith("#"):
            continue
        key, options = (*fields[2:4], "", "")[:2]
        found.append(
            Opening(
                number=number,
                source=unescaped(fields[1]),
                options=tuple(options.split(",")),
                name=unescaped(fields[0]),
                key=key,
            )
        )
    return tuple(found)


def crypttab_conflict(text: str, operation: AddCrypttabLine) -> Message | None:
    """A clause where a line already has the name or the container; None where none has. Pure."""
    for line in parse_crypttab(text):
        if line.name == operation.name:
            return t(
                "line {line} already opens {device} as {name}",
                line=line.number,
                device=printable(line.source, 60),
                name=printable(line.name, 60),
            )
        if line.names({"UUID": operation.uuid}):
            return t("line {line} already names the container {uuid}", line=line.number, uuid=operation.uuid)
    return None


def check_crypttab(path: Path, operations: tuple[AddCrypttabLine, ...]) -> None:
    """Raises BadInput or Refused where the lines could not be added; a file that is missing is an empty
    one."""
    if not operations:
        return
    check_writable(path, t("not a crypttab file"))
    text = read_text(path)
    for operation in operations:
        if crypttab_line(operation) not in text.splitlines() and (
            found := crypttab_conflict(text, operation)
        ):
            raise Refused(
                t(
                    "{file}, {conflict}. Nothing was written. Remove that line.",
                    file=str(path),
                    conflict=found,
                )
            )


def add_to_crypttab(path: Path, operation: AddCrypttabLine, run_name: str) -> str:
    """Add the operation's line and give it, keeping the old file beside it. Repeatable: a line that is there
    is not added again."""
    line = crypttab_line(operation)

    def change(text: str) -> str:
        if line in text.split("\n"):
            return text
        if found := crypttab_conflict(text, operation):
            raise Failed(fstab.NOT_THERE_BEFORE(file=str(path), conflict=found))
        return with_line(text, line)

    edit(path, change, kept_as(path, run_name))
    return line


def take_from_crypttab(path: Path, operation: AddCrypttabLine, run_name: str) -> bool:
    """Take the operation's line out again; whether it was there."""
    return take_out(path, crypttab_line(operation), kept_as(path, run_name))


def key_of(plan: Plan) -> bytes | None:
    """What opens the plan's containers; None where no file does. Raises as `read_key` does."""
    return read_key(Path(plan.key_file)) if plan.key_file else None


def read_key(path: Path) -> bytes:
    """All that is in the file. Raises Refused where it is no file of root's alone, is no key, or cannot be
    read; a link is none."""
    shown = printable(str(path), 200)
    try:
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(opened, "rb") as file:
            kind = os.fstat(opened)
            if not stat.S_ISREG(kind.st_mode):
                raise Refused(t("The key {file} is not a regular file.", file=shown))
            if kind.st_uid != 0 or kind.st_mode & 0o077:
                mode = f"{stat.S_IMODE(kind.st_mode):o}"
                raise Refused(
                    t(
                        "The key {file} belongs to {uid} with mode {mode}; only root may own or read it.",
                        file=shown,
                        uid=kind.st_uid,
                        mode=mode,
                    )
                )
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Refused(t("Cannot read the key {file}: {why}.", file=shown, why=error.strerror or "")) from None
    if fault := content_fault(content):
        raise Refused(t("The key {file} {fault}.", file=shown, fault=fault))
    return content
