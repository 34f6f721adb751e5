"""Add one line to crypttab, which opens containers at boot, or remove it."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.system import fstab
from wizard.apply.system.edited_file import edit, kept_as, read_text
from wizard.apply.system.fstab import FstabEntry, check_writable
from wizard.model.errors import Failed, Refused
from wizard.model.said import Message, t
from wizard.operations.containers import AddCrypttabLine
from wizard.operations.fstab import with_line
from wizard.plan.plan import Plan
from wizard.plan.request.roles import MOST_BYTES, content_fault
from wizard.probe.host.uses import unescaped

MADE_ANEW = frozenset({"swap", "tmp"})
"""Options that create swap or a filesystem at every boot, regardless of existing data (crypttab(5))."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening(FstabEntry):
    """An entry of crypttab: its name below /dev/mapper, and its key file, or an empty string."""

    name: str
    key: str

    @property
    def overwrites(self) -> bool:
        """True if swap or /tmp is created at every boot."""
        made_anew = any(option.partition("=")[0] in MADE_ANEW for option in self.options)
        return made_anew and "noauto" not in self.options


def parse_crypttab(text: str) -> tuple[Opening, ...]:
    """Parse the entries, skipping invalid ones, as the boot does. Pure."""
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
    """Return a clause if a line already has the name or the container, or None. Pure."""
    for line in parse_crypttab(text):
        if line.name == operation.name:
            return t(
                "line {line} already opens {device} as {name}",
                line=line.number,
                device=line.source,
                name=line.name,
            )
        if line.names(frozenset({("UUID", operation.uuid)})):
            return t("line {line} already names the container {uuid}", line=line.number, uuid=operation.uuid)
    return None


def check_crypttab(path: Path, operations: tuple[AddCrypttabLine, ...]) -> None:
    """Raises BadInput or Refused if the lines cannot be added. A missing file counts as empty."""
    if not operations:
        return
    check_writable(path, t("not a crypttab file"))
    text = read_text(path)
    for operation in operations:
        if operation.line not in text.splitlines() and (found := crypttab_conflict(text, operation)):
            raise Refused(
                t(
                    "{file}, {conflict}. Nothing was written. Remove that line.",
                    file=str(path),
                    conflict=found,
                )
            )


def add_to_crypttab(path: Path, operation: AddCrypttabLine, run_name: str) -> str:
    """Add the operation's line and return it, keeping a copy of the old file. Repeatable. Raises Failed."""
    line = operation.line

    def change(text: str) -> str:
        if line in text.split("\n"):
            return text
        if found := crypttab_conflict(text, operation):
            raise Failed(fstab.NOT_THERE_BEFORE(file=str(path), conflict=found))
        return with_line(text, line)

    edit(path, change, kept_as(path, run_name))
    return line


def key_of(plan: Plan) -> bytes | None:
    """Return the key that opens the plan's containers, or None without a key file. Raises as `read_key`
    does."""
    return read_key(Path(plan.key_file)) if plan.key_file else None


def read_key(path: Path) -> bytes:
    """Return the content of a key file. Raises Refused if it is unreadable, not a valid key, a symbolic link,
    or accessible to users other than root."""
    shown = str(path)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(fd, "rb") as file:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise Refused(t("The key {file} is not a regular file.", file=shown))
            if status.st_uid != 0 or status.st_mode & 0o077:
                mode = f"{stat.S_IMODE(status.st_mode):o}"
                raise Refused(
                    t(
                        "The key {file} belongs to {uid} with mode {mode}; only root may own or read it.",
                        file=shown,
                        uid=status.st_uid,
                        mode=mode,
                    )
                )
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Refused(t("Cannot read the key {file}: {why}.", file=shown, why=error.strerror or "")) from None
    if fault := content_fault(content):
        raise Refused(t("The key {file} {fault}.", file=shown, fault=fault))
    return content
