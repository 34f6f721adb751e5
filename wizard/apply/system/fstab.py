"""Parse fstab and crypttab, and add lines. All other bytes of the files stay the same."""

import os
import re
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from wizard.apply.system.edited_file import edit, read_text
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.ext import ExtFacts
from wizard.model.layout import NO_PLACE
from wizard.model.machine import Partition, Signature
from wizard.model.said import Message, Sentence, failing, t
from wizard.operations.containers import AddCrypttabLine
from wizard.operations.fstab import STARTS_ALL_THE_SAME, is_entry, with_line
from wizard.operations.mounts import AddFstabLine, mounted_subvolume
from wizard.plan.plan import Plan
from wizard.plan.request.roles import MOST_BYTES, content_fault
from wizard.probe.host.sysfs import unescaped

_LINK = re.compile(r"/dev/disk/by-(uuid|label|partuuid|partlabel)/([^/]+)")
_BYTE = re.compile(r"\\x([0-9a-f]{2})")
"""udev's escape for characters that are unsafe in file names, such as a space."""

Tags = frozenset[tuple[str, str]]
"""Tags that can name a device in fstab(5) and crypttab(5), with the value."""


def tags_of(contents: Iterable[Signature | ExtFacts], part: Partition | None) -> Tags:
    """Return the tags of a device with these contents."""
    pairs = [pair for one in contents for pair in (("UUID", one.uuid), ("LABEL", one.label))]
    pairs += [("PARTUUID", part.part_uuid), ("PARTLABEL", part.name)] if part else []
    return frozenset((name, value) for name, value in pairs if value)


class FstabEntry(Struct, frozen=True, kw_only=True):
    """`number`: of the line, from 1. `source`: the device as written."""

    number: int
    source: str
    options: tuple[str, ...]

    @property
    def may_stop(self) -> bool:
        """True if the boot waits for the device and may fail without it."""
        return not STARTS_ALL_THE_SAME.intersection(self.options)

    @property
    def overwrites(self) -> bool:
        """True if the device is overwritten at every boot."""
        return False

    @property
    def tag(self) -> tuple[str, str] | None:
        """The tag and value of the source, also of a link in /dev/disk, or None."""
        if link := _LINK.fullmatch(self.source):
            return link[1].upper(), _BYTE.sub(lambda byte: chr(int(byte[1], 16)), link[2])
        tag, equals, value = self.source.partition("=")
        return (tag, value.strip("\"'")) if equals and "/" not in tag else None

    def names(self, tags: Tags) -> bool | None:
        """Return True if the source is among these tags. None for a device path."""
        if self.tag is None:
            return None
        name, value = self.tag
        # Links in /dev/disk and libblkid have UUIDs in lower case; labels differ by case.
        same = str.lower if name.endswith("UUID") else str
        return any(name == other and same(value) == same(known) for other, known in tags)

    def means(self, node: str, tags: Tags) -> bool:
        """Return True if the source is this device, by tag or by path."""
        if self.tag is not None and self.tag[0] in {name for name, _ in tags}:
            return bool(self.names(tags))
        return self.path.startswith("/") and os.path.realpath(self.path) == node

    @property
    def path(self) -> str:
        """The source as a path, for a tag udev's link."""
        if self.tag is not None and not self.source.startswith("/"):
            return f"/dev/disk/by-{self.tag[0].lower()}/{self.tag[1]}"
        return self.source


CMDLINE = Path("/proc/cmdline")


def started_with() -> list[tuple[str, FstabEntry]]:
    """Return the words of the kernel command line, with the device that each may name."""
    words: list[str] = []
    with suppress(OSError):
        words = CMDLINE.read_text(errors="replace").split()
    return [(word, boot_entry(1, word)) for word in words]


def boot_entry(number: int, setting: str) -> FstabEntry:
    """Return the device in a setting such as resume=UUID=... The boot continues without."""
    return FstabEntry(number=number, source=setting.partition("=")[2].strip("\"'"), options=("nofail",))


class Line(FstabEntry, frozen=True, kw_only=True):
    """An entry of fstab. `text`: the whole line. `kind`: the filesystem type."""

    text: str
    mount_point: str
    kind: str


def parse(text: str, where: str) -> tuple[Line, ...]:
    """Parse fstab. Raises BadInput for a line that mount(8) cannot read."""
    lines = []
    for number, row in enumerate(text.split("\n"), 1):
        fields = row.split()
        if not fields or fields[0].startswith("#"):
            continue
        if not is_entry(row):
            raise BadInput(
                t(
                    "{file}, line {line} is not an entry mount can read: {text!r}. Fix this line first.",
                    file=where,
                    line=number,
                    text=row,
                )
            )
        options = tuple(fields[3].split(",")) if len(fields) > 3 else ()
        lines.append(
            Line(
                number=number,
                text=row,
                source=unescaped(fields[0]),
                options=options,
                mount_point=unescaped(fields[1]),
                kind=fields[2],
            )
        )
    return tuple(lines)


def read_lines(path: Path) -> tuple[Line, ...]:
    """Read and parse fstab; a missing file counts as empty. Raises BadInput."""
    return parse(read_text(path), str(path))


ALREADY = Sentence("line {line} already uses {name} for {device}")


MADE_ANEW = frozenset({"swap", "tmp"})
"""These create swap or a filesystem at every boot, regardless of existing data (crypttab(5))."""


class Opening(FstabEntry, frozen=True, kw_only=True):
    """`name`: below /dev/mapper. `key`: the key file, or empty."""

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


def conflict(lines: Iterable[Line | Opening], operation: AddFstabLine | AddCrypttabLine) -> Message | None:
    """Return a clause if an entry already has the mount point or name, the filesystem and subvolume, or the
    container."""
    wanted, subvolume = (
        (operation.mount_point, mounted_subvolume(operation.options))
        if isinstance(operation, AddFstabLine)
        else (operation.name, None)
    )
    for line in lines:
        name = line.mount_point if isinstance(line, Line) else line.name
        # Paths compare without slashes at the end.
        if Path(name) == Path(wanted) and wanted != NO_PLACE:
            return ALREADY(line=line.number, name=name, device=line.source)
        is_same = line.names(frozenset({("UUID", operation.uuid)}))
        if is_same and subvolume in (None, mounted_subvolume(line.options)):
            return ALREADY(line=line.number, name=name, device=f"UUID={operation.uuid}")
    return None


def _conflict_in(path: Path, text: str, operation: AddFstabLine | AddCrypttabLine) -> Message | None:
    """Return why a missing line cannot be added, as a clause."""
    if operation.line in text.split("\n"):
        return None
    if isinstance(operation, AddCrypttabLine):
        return conflict(parse_crypttab(text), operation)
    return conflict(parse(text, str(path)), operation)


def check_lines(path: Path, operations: Sequence[AddFstabLine | AddCrypttabLine]) -> None:
    """Raises BadInput or Refused if the lines cannot be added."""
    if not operations:
        return
    check_writable(path)
    text = read_text(path)
    for operation in operations:
        if found := _conflict_in(path, text, operation):
            raise Refused(
                t(
                    "{file}, {conflict}. Nothing was written. Remove that line or choose another name or "
                    "mount point.",
                    file=path,
                    conflict=found,
                )
            )


def check_writable(path: Path) -> None:
    """Raises Refused if the file cannot be written or replaced."""
    real = path.resolve()
    if real.exists() and not real.is_file():
        raise Refused(t("{file} is not a regular file. Nothing was written.", file=path))
    if not os.access(real.parent, os.W_OK) or (real.exists() and not os.access(real, os.W_OK)):
        raise Refused(t("{file} is not writable here. Nothing was written.", file=real))


def add_line(path: Path, operation: AddFstabLine | AddCrypttabLine, keep: Path) -> None:
    """Add the operation's line, unless present. The old file is kept as `keep`. Raises Failed."""

    def change(text: str) -> str:
        if found := _conflict_in(path, text, operation):
            raise Failed(
                t(
                    "{file}, {conflict}. This line is new since the run began. The file was not edited.",
                    file=path,
                    conflict=found,
                )
            )
        return text if operation.line in text.split("\n") else with_line(text, operation.line)

    edit(path, change, keep)


def key_of(plan: Plan) -> bytes | None:
    """Return the key that opens the plan's containers. Raises as `read_key`."""
    return read_key(Path(plan.key_file)) if plan.key_file else None


def read_key(path: Path) -> bytes:
    """Raises Refused if a key file is unreadable, not a valid key, a symbolic link, or accessible to users
    other than root."""
    shown = str(path)
    with failing(UNREADABLE, Refused, file=shown):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(fd, "rb") as file:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode) or status.st_uid != 0 or status.st_mode & 0o077:
                raise Refused(
                    t(
                        "The key {file} belongs to {uid} with mode {mode}. Keys must be regular files that "
                        "only root owns and reads.",
                        file=shown,
                        uid=status.st_uid,
                        mode=stat.filemode(status.st_mode),
                    )
                )
            content = file.read(MOST_BYTES + 1)
    if fault := content_fault(content):
        raise Refused(t("The key {file} {fault}.", file=shown, fault=fault))
    return content
