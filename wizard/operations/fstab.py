"""Lines of fstab: editing them as text, and the operation that does. All other bytes stay the same."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from wizard.model.requests import Attach, Detach, SetLabel, SetOptions, Tune
from wizard.model.said import Message, Sentence, Sentences, t, tn
from wizard.operations import rules
from wizard.operations.operation import Context, Setting, Subject
from wizard.operations.settings import Relabel, difference

STARTS_ALL_THE_SAME = frozenset({"nofail", "noauto"})
"""Options with which the boot does not wait for missing devices (systemd.mount(5), crypttab(5))."""

LINES_THERE = Sentences("{file} has the old line.", "{file} has the old lines.")
CHANGED_SINCE = Sentence("{file} was changed since and is left unchanged.")


class LineEdit(Struct, frozen=True):
    """Replace line `number`, which reads `old`, by `new`. `old` None appends a line (number 0); `new` None
    deletes one."""

    number: int
    old: str | None
    new: str | None


class EditFstab(Setting):
    """Change these lines of `file`. `digest` is the SHA-256 of the whole file as found."""

    file: str
    digest: str
    lines: tuple[LineEdit, ...]

    requests = (Tune, SetLabel, Attach, Detach, SetOptions)
    turn = 3
    needs_drive = False
    mounts = True

    aims = Sentence("the new lines appear once, without old lines")

    @property
    def edits_boot(self) -> bool:
        return any(edit.new is not None for edit in self.lines)

    @property
    def edited_file(self) -> str:
        return self.file

    def foreign(self, fstab: Path, rules: Path) -> Message | None:
        if Path(self.file) == fstab:
            return None
        return t(
            "These changes are for {file}, not for {fstab}: add --fstab {file} if you mean that system.",
            file=self.file,
            fstab=fstab,
        )

    def sentence(self, context: Context) -> Message:
        file, count = self.file, len(self.lines)
        if all(edit.old is None for edit in self.lines):
            return t("Mount at every boot: add one line to {file}.", file=file)
        if all(edit.new is None for edit in self.lines):
            return tn(
                "Stop mounting at boot: remove one line from {file}.",
                "Stop mounting at boot: remove {count} lines from {file}.",
                file=file,
                count=count,
            )
        edit = self.lines[0]
        old, new = ((line or "").split() for line in (edit.old, edit.new))
        is_other = len(old) < 4 or len(old) != len(new) or [*old[:3], *old[4:]] != [*new[:3], *new[4:]]
        if count == 1 and not is_other:
            return t(
                "Change the options of {place} in {file} from {old} to {new}.",
                place=old[1],
                file=file,
                new=new[3],
                old=old[3],
            )
        return tn("Change one line of {file}.", "Change {count} lines of {file}.", file=file, count=count)

    def edits(self, context: Context) -> tuple[str, ...]:
        head = (f"--- a{self.file}", f"+++ b{self.file}")
        return (*head, *(line for edit in self.lines for line in _difference(edit)))

    def undo_text(self, context: Context) -> str:
        file = Path(self.file).name
        return str(t("The lines of {file} are restored; a copy of the old file is saved.", file=file))

    @property
    def is_plausible(self) -> bool:
        """True if path and digest have their form, and there are lines."""
        return (
            self.file.startswith("/")
            and self.file.isprintable()
            and len(self.digest) == 64
            and bool(self.lines)
        )

    def fits(self, subject: Subject) -> bool:
        return self.is_plausible and all(_fits(edit, subject) for edit in self.lines)

    def file_difference(self, context: Context, fstab: str) -> tuple[str, ...]:
        return difference(self.file, fstab, self.edited(fstab) or fstab)

    def added_options(self, filesystem: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple(
            (filesystem if fields[2] == "auto" else fields[2], _added(edit))
            for edit in self.lines
            if edit.new is not None
            for fields in (edit.new.split(),)
        )

    def edited(self, text: str) -> str | None:
        """Return the edited text, or None if the text differs from when the edit was planned."""
        if digest_of_text(text) != self.digest:
            return None
        lines: list[str | None] = [*text.split("\n")]
        for edit in self.lines:
            if edit.old is None:
                continue
            if lines[edit.number - 1 : edit.number] != [edit.old]:
                return None
            lines[edit.number - 1] = edit.new
        changed = "\n".join(line for line in lines if line is not None)
        for edit in self.lines:
            if edit.old is None and edit.new is not None:
                changed = with_line(changed, edit.new)
        return changed

    def is_edited(self, text: str) -> bool:
        """Return True if every new line is present once and every old line is gone."""
        lines = text.split("\n")
        return all(
            (edit.new is None or lines.count(edit.new) == 1) and (edit.old is None or edit.old not in lines)
            for edit in self.lines
        )

    def restored(self, text: str) -> str:
        """Return the text with the old lines restored. Other lines may have been added since, and lines
        changed by others are left alone."""
        lines = text.split("\n")
        for edit in self.lines:
            if edit.old is not None and edit.old in lines:
                continue
            if edit.new is None:
                lines.insert(edit.number - 1, edit.old or "")
            elif lines.count(edit.new) == 1:
                at = lines.index(edit.new)
                lines[at : at + 1] = [] if edit.old is None else [edit.old]
        result = "\n".join(lines)
        # A missing newline at the end was added before an appended line.
        short = result.removesuffix("\n")
        return short if digest_of_text(short) == self.digest else result


def edit_of(file: str, text: str, *lines: LineEdit) -> EditFstab:
    """Return the edit of these lines of a file with this text."""
    return EditFstab(file, digest_of_text(text), lines)


def _difference(edit: LineEdit) -> tuple[str, ...]:
    if edit.old is None:
        return (str(t("@@ at its end @@")), f"+{edit.new}")
    place = f"@@ -{edit.number} +{edit.number} @@"
    return (place, f"-{edit.old}", *([f"+{edit.new}"] if edit.new is not None else []))


def _fits(edit: LineEdit, subject: Subject) -> bool:
    if not all(is_entry(line) for line in (edit.old, edit.new) if line is not None):
        return False
    if edit.old == edit.new or (edit.old is None) is not (edit.number == 0) or edit.number < 0:
        return False
    match subject.wanted:
        case SetLabel():
            new = next((one.new for one in subject.settings if isinstance(one, Relabel)), "")
            return (
                edit.old is not None
                and edit.new == with_source(edit.old, by_label(new))
                and "label" in edit.old.split()[0].lower()
            )
        case Attach():
            return edit.old is None
        case Detach():
            return edit.new is None
        case _:
            # Only options change, and the new ones are harmless.
            old, changed = (edit.old or "").split(), (edit.new or "").split()
            added = _added(edit)
            # The ext4 driver also mounts ext2 and ext3, so check the dangerous options of all filesystems.
            dangers = [rules.dangers_in(added, kind) for kind in rules.DANGERS]
            is_safe = not rules.mount_options_fault(added) and not any(dangers)
            is_same = changed[:3] == old[:3] and changed[4:] == old[4:]
            return bool(old) and len(changed) >= 4 and is_same and is_safe


def is_entry(line: str) -> bool:
    """Return True if mount(8) can read the line as an entry of fstab."""
    fields = line.split()
    passes = all(field.isdigit() for field in fields[4:6] if not field.startswith("#"))
    return len(fields) >= 3 and not fields[0].startswith("#") and "\n" not in line and passes


def _added(edit: LineEdit) -> tuple[str, ...]:
    old, new = ((line or "").split()[3:4] for line in (edit.old, edit.new))
    kept = [option for field in old for option in field.split(",")]
    return tuple(option for field in new for option in field.split(",") if option not in kept)


def digest_of_text(text: str) -> str:
    """Return the SHA-256 of a file's text, in hexadecimal, over its original bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def with_line(text: str, line: str) -> str:
    """Append a line to the text."""
    return text + ("\n" if text and not text.endswith("\n") else "") + line + "\n"


def with_source(line: str, source: str) -> str:
    """Replace the first field of an fstab line, and preserve all other bytes."""
    body = line.lstrip()
    first = body.split()[0]
    return line[: len(line) - len(body)] + source + body[len(first) :]


def with_fields(line: str, fields: Mapping[int, str]) -> str:
    """Replace fields of an fstab line, counted from 0, and preserve the blanks between. Missing fields are
    appended."""
    pieces = re.findall(r"\s+|\S+", line)
    places = [at for at, piece in enumerate(pieces) if not piece.isspace()]
    for number, value in sorted(fields.items()):
        if number < len(places):
            pieces[places[number]] = value
        else:
            pieces += [" ", value]
            places.append(len(pieces) - 1)
    return "".join(pieces)


def by_label(label: str) -> str:
    """Return the first field of a line for a filesystem with this label."""
    return f"LABEL={fstab_escaped(label)}"


def fstab_escaped(text: str) -> str:
    """Escape blanks, backslash and # in octal, as getmntent(3) decodes."""
    return "".join(f"\\{ord(char):03o}" if char in " \t\n\\#" else char for char in text)
