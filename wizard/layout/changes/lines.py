"""Lines of fstab put in the place of others, added or taken away, and all of it back: pure work on the file's
text."""

import hashlib
import re
from collections.abc import Mapping, Sequence

from wizard.filesystems.registry import KINDS, MADE
from wizard.layout.steps.commands import fstab_escaped
from wizard.model.documents.changes import EditFstab, LineEdit
from wizard.model.plan import AddFstabLine


def digest_of_text(text: str) -> str:
    """SHA-256 of a file's bytes as they are read for an edit, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def edited(operation: EditFstab, text: str) -> str | None:
    """The text with its lines changed; None where it is not the one that was found."""
    return _edited(operation, text) if digest_of_text(text) == operation.digest else None


def is_edited(operation: EditFstab, text: str) -> bool:
    """Whether every line reads as it is to: each new one is there once, and no old one."""
    lines = text.split("\n")
    return all(
        (edit.new is None or lines.count(edit.new) == 1) and (edit.old is None or edit.old not in lines)
        for edit in operation.lines
    )


def restored(operation: EditFstab, text: str) -> str:
    """The text with its old lines, and only those: others may have been added since. A line that somebody
    else has changed is left to them."""
    lines = text.split("\n")
    for edit in reversed(operation.lines):
        _restore(edit, lines)
    back = "\n".join(lines)
    # A file without a line end at its end had one given to it, before the line that was added.
    short = back.removesuffix("\n")
    return short if digest_of_text(short) == operation.digest else back


def with_line(text: str, line: str) -> str:
    """The file with one line more at its end."""
    return text + ("\n" if text and not text.endswith("\n") else "") + line + "\n"


def _edited(operation: EditFstab, text: str) -> str | None:
    lines: list[str | None] = [*text.split("\n")]
    for edit in operation.lines:
        if edit.old is None:
            continue
        if lines[edit.number - 1 : edit.number] != [edit.old]:
            return None
        lines[edit.number - 1] = edit.new
    changed = "\n".join(line for line in lines if line is not None)
    for edit in operation.lines:
        if edit.old is None and edit.new is not None:
            changed = with_line(changed, edit.new)
    return changed


def _restore(edit: LineEdit, lines: list[str]) -> None:
    if edit.old is not None and edit.old in lines:
        return
    if edit.new is None:
        lines.insert(edit.number - 1, edit.old or "")
    elif lines.count(edit.new) == 1:
        at = lines.index(edit.new)
        lines[at : at + 1] = [] if edit.old is None else [edit.old]


def with_source(line: str, source: str) -> str:
    """A line of fstab with another first field; every other byte as it was."""
    body = line.lstrip()
    first = body.split()[0]
    return line[: len(line) - len(body)] + source + body[len(first) :]


def with_fields(line: str, fields: Mapping[int, str]) -> str:
    """A line of fstab with other fields, counted from 0; the blanks between them as they were. Fields that
    it does not have come at its end."""
    pieces = re.findall(r"\s+|\S+", line)
    places = [at for at, piece in enumerate(pieces) if not piece.isspace()]
    for number, value in sorted(fields.items()):
        if number < len(places):
            pieces[places[number]] = value
        else:
            pieces += [" ", value]
            places.append(len(pieces) - 1)
    return "".join(pieces)


def line_of(uuid: str, place: str, filesystem: str, name: str, options: Sequence[str]) -> AddFstabLine:
    """The line that mounts a `filesystem`, by libblkid's name, at a place by the kernel's `name` for it, with
    the pass of fsck that suits it."""
    kind = KINDS[filesystem]
    rules = kind.relabelling.rules if kind.relabelling else ""
    made = MADE.get(rules or kind.name)
    return AddFstabLine(uuid, place, name, tuple(options), made.fsck_pass if made else 0)


def by_label(label: str) -> str:
    """The first field of a line that names its filesystem by this label."""
    return f"LABEL={fstab_escaped(label)}"
