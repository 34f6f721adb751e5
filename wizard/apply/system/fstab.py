"""The file that says what is mounted at boot: one line more, out again, or changed, with everything else to the byte."""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.run.journal import sync_folder
from wizard.layout.commands import fstab_line
from wizard.layout.subvolumes import mounted_subvolume
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.names import printable
from wizard.model.plan import NO_PLACE, AddFstabLine

NEW_FILE_MODE = 0o644


@dataclass(frozen=True, slots=True)
class Line:
    """One entry. `number` counts the file's lines from 1; `kind` is the type of filesystem that it names."""

    number: int
    source: str
    mount_point: str
    options: tuple[str, ...]
    kind: str

    def names(self, tags: Mapping[str, str | None]) -> bool | None:
        """Whether its source is one of these tags (UUID, LABEL, PARTUUID, PARTLABEL) with that value; None where it is no tag."""
        tag, _, value = self.source.partition("=")
        if tag not in tags:
            return None
        return tags[tag] is not None and str(tags[tag]).lower() == value.strip('"').lower()


def parse(text: str, where: str) -> tuple[Line, ...]:
    """The entries of an fstab; raises BadInput with the number of a line that mount(8) could not read either."""
    lines = []
    for number, text_line in enumerate(text.split("\n"), 1):
        fields = text_line.split()
        if not fields or fields[0].startswith("#"):
            continue
        passes = fields[4:6]
        if len(fields) < 3 or not all(field.isdigit() for field in passes if not field.startswith("#")):
            raise BadInput(f"{where}, line {number} is no entry that mount can read: {printable(text_line, 80)!r}. Put it right first.")
        options = tuple(fields[3].split(",")) if len(fields) > 3 else ()
        lines.append(Line(number, _unescaped(fields[0]), _unescaped(fields[1]), options, fields[2]))
    return tuple(lines)


def conflict(lines: tuple[Line, ...], operation: AddFstabLine) -> str | None:
    """A sentence where an entry already speaks of the mount point, or of the filesystem and the same subvolume of it; else None."""
    for line in lines:
        if operation.mount_point != NO_PLACE and _plain(line.mount_point) == _plain(operation.mount_point):
            return f"line {line.number} already mounts {printable(line.source, 60)} at {printable(line.mount_point, 60)}"
        same = line.source.removeprefix("UUID=").strip('"').lower() == operation.uuid.lower()
        if same and mounted_subvolume(line.options) == mounted_subvolume(operation.options):
            return f"line {line.number} already speaks of the filesystem {operation.uuid}"
    return None


def with_line(text: str, line: str) -> str:
    """The file with one line more at its end."""
    return text + ("\n" if text and not text.endswith("\n") else "") + line + "\n"


def without_line(text: str, line: str) -> str:
    """The file without that line, which is compared whole; every other line as it was."""
    return "".join(kept for kept in text.splitlines(keepends=True) if kept.rstrip("\n") != line)


def check_fstab(path: Path, operations: tuple[AddFstabLine, ...]) -> None:
    """Raises BadInput or Refused where the lines could not be added; an fstab that is missing is an empty one."""
    if not operations:
        return
    check_writable(path, "no file of mounts at boot")
    text = read_fstab(path)
    lines = parse(text, str(path))
    for operation in operations:
        if fstab_line(operation) in text.splitlines():
            continue
        if found := conflict(lines, operation):
            raise Refused(f"{path}, {found}. Nothing was written. Remove that line or choose another mount point.")


def check_writable(path: Path, otherwise: str) -> None:
    """Raises Refused where the file, or one in its place, cannot be written; `otherwise` is what a thing that is no file is not."""
    real = path.resolve()
    if real.exists() and not real.is_file():
        raise Refused(f"{printable(str(path), 200)} is {otherwise}. Nothing was written.")
    if not os.access(real.parent, os.W_OK) or (real.exists() and not os.access(real, os.W_OK)):
        raise Refused(f"{real} cannot be written here. Nothing was written.")


def kept_as(path: Path, run_name: str) -> Path:
    """Where the file is kept as it was before a run changed it: beside it."""
    real = path.resolve()
    return real.with_name(f"{real.name}.diskwright-{run_name}")


def read_fstab(path: Path) -> str:
    """The file's text, empty where there is none; bytes that are no UTF-8 survive."""
    try:
        return path.resolve().read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from None


def add_line(path: Path, operation: AddFstabLine, keep: Path) -> str:
    """Add the operation's line and give it, keeping the old file as `keep`. Repeatable: a line that is there is not added again."""
    line = fstab_line(operation)
    text = read_fstab(path)
    if line not in text.splitlines():
        if found := conflict(parse(text, str(path)), operation):
            raise Failed(f"{path}, {found}. It was not there when this run began. The file was not changed.")
        append(path, line, keep)
    return line


def append(path: Path, line: str, keep: Path) -> None:
    """Add the line at the end, keeping the old file as `keep`. Raises Failed."""
    text = read_fstab(path)
    rewrite(path, text, with_line(text, line), keep)


def rewrite(path: Path, text: str, wanted: str, keep: Path) -> None:
    """Put `wanted` in the place of `text`, which the file holds and which is kept as `keep`; raises Failed unless it then reads so."""
    if not keep.exists():
        _write(keep, text, path.resolve() if path.exists() else None)
    replace_file(path, wanted)
    if read_fstab(path) != wanted:
        raise Failed(f"{path} does not read as it was written.")


def line_back(path: Path, old: str, new: str) -> str:
    """Put `old` in the place of the line `new`, and only that: others may have been added since. A sentence on how the file stands then.

    Raises Failed where it does not read so.
    """
    lines = read_fstab(path).split("\n")
    if lines.count(new) != 1 or old in lines:
        stands = "has its old line" if old in lines else "was changed since, and is left as it is"
        return f"{printable(str(path), 200)} {stands}."
    lines[lines.index(new)] = old
    wanted = "\n".join(lines)
    replace_file(path, wanted)
    if read_fstab(path) != wanted:
        raise Failed(f"{printable(str(path), 200)} does not read as it was written.")
    return f"{printable(str(path), 200)} has its old line again."


def remove_line(path: Path, operation: AddFstabLine, keep: Path) -> bool:
    """Take the operation's line out again; whether it was there."""
    return take_out(path, fstab_line(operation), keep)


def take_out(path: Path, line: str, keep: Path) -> bool:
    """Take the line out again; whether it was there. A file that nobody else changed gets its old bytes back."""
    text = read_fstab(path)
    if line not in text.splitlines():
        return False
    old = read_fstab(keep) if keep.exists() else None
    replace_file(path, old if old is not None and with_line(old, line) == text else without_line(text, line))
    return True


def replace_file(path: Path, text: str) -> None:
    """Put `text` in the place of the file, or of the file a link leads to, in one move; owner and mode stay."""
    real = path.resolve()
    beside = real.with_name(f".{real.name}.diskwright-{os.getpid()}")
    try:
        _write(beside, text, real if real.exists() else None)
        beside.rename(real)
        sync_folder(real.parent)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise Failed(f"{real} could not be replaced: {error.strerror}. It is as it was.") from None


def _write(path: Path, text: str, like: Path | None) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        if like is not None:
            kept = like.stat()
            os.fchown(fd, kept.st_uid, kept.st_gid)
            os.fchmod(fd, kept.st_mode & 0o7777)
            _copy_attributes(like, fd)
        else:
            os.fchmod(fd, NEW_FILE_MODE)
        file.flush()
        os.fsync(fd)


def _copy_attributes(source: Path, fd: int) -> None:
    """SELinux labels and access lists live in extended attributes."""
    with suppress(OSError):
        for name in os.listxattr(source):
            with suppress(OSError):
                os.setxattr(fd, name, os.getxattr(source, name))


def _unescaped(field: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field)


def _plain(path: str) -> str:
    return path.rstrip("/") or "/"
