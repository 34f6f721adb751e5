"""Write the documents of a run durably, with backup copies."""

import json
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from wizard.apply.run import journal, process
from wizard.documents import codec
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, DiskwrightError, Failed
from wizard.model.machine import Extent, Machine
from wizard.model.said import MIB, failing, t
from wizard.probe.facts import SCHEMA
from wizard.probe.machine import load_machine, survey
from wizard.process.program import remember

T = TypeVar("T")


def write_durably(path: Path, data: bytes, flags: int) -> None:
    """Write a file with O_TRUNC or O_APPEND and sync it. Raises OSError."""
    with process.opened(path, os.O_WRONLY | os.O_CREAT | flags, 0o600) as fd:
        while data:
            data = data[os.write(fd, data) :]
        os.fsync(fd)


def replace_durably(file: Path, data: bytes) -> None:
    """Replace a file atomically and sync it. Raises OSError."""
    new = file.with_name(f"{file.name}.new")
    write_durably(new, data, os.O_TRUNC | os.O_NOFOLLOW)
    new.replace(file)
    journal.sync_folder(file.parent)


def replace_document(file: Path, schema: str, value: object) -> None:
    """Replace a document atomically and sync it. Raises Failed."""
    replace_text(file, codec.render_document(schema, value))


def replace_text(file: Path, text: str) -> None:
    """Replace a text file atomically and sync it. Raises Failed."""
    with failing(process.UNWRITTEN, file=file):
        replace_durably(file, text.encode())


def read_kept(file: Path) -> str | None:
    """Return the text of a run's file, or None if missing. Raises BadInput."""
    try:
        return remember(file.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(UNREADABLE(file=file, why=str(error))) from None


def read_file(path: Path) -> str:
    """Read a run's file. Raises BadInput."""
    try:
        return remember(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(UNREADABLE(file=path, why=str(error))) from None


def load_document(file: Path, schema: str, wanted: type[T]) -> T | None:
    """Return a document that `replace_document` wrote, or None if missing. Raises BadInput."""
    text = read_kept(file)
    return None if text is None else codec.parse_document(text, schema, wanted, str(file))


def text_of(file: Path) -> str | None:
    """Return the text of a run's file, or None if missing or unreadable."""
    with suppress(BadInput):
        return read_kept(file)
    return None


def mark_durably(path: Path) -> None:
    """Create an empty file if it does not exist, and sync its folder. Raises Failed."""
    with failing(process.UNWRITTEN, file=path):
        write_durably(path, b"", os.O_APPEND)
        journal.sync_folder(path.parent)


def table_places(
    size_bytes: int, head: bytes, block_bytes: int, kept: Sequence[Extent]
) -> tuple[Extent, ...]:
    """Return every region that writing a partition table can touch, except the preserved partitions `kept`.

    The first and last MiB contain the table and the backup. `head` is the start of the drive. If its GPT was
    created on a smaller drive, the backup header is in the middle, where libparted clears it when creating a
    new table.
    """
    ends = [Extent(0, min(MIB, size_bytes)), Extent(max(0, size_bytes - MIB), min(MIB, size_bytes))]
    places = [piece for end in ends for piece in end.without(kept)]
    header = head[block_bytes : block_bytes + 92]
    if header[:8] == b"EFI PART":
        copy = int.from_bytes(header[32:40], "little") * block_bytes
        if copy + block_bytes <= size_bytes:
            places.append(Extent(copy, block_bytes))
    return tuple(places)


NAMES = ("plan.json", "run.json", "rehearsed.json", "drives.json")
LARGEST_BYTES = 256 * MIB


def save_backup(run: Path) -> None:
    """Copy the run's documents to both backup files and sync them. Raises Failed."""
    for file in (run / name for name in journal.BACKUPS):
        try:
            texts = {name: (run / name).read_text("utf-8") for name in NAMES if (run / name).exists()}
            replace_durably(file, json.dumps(texts).encode())
        except (OSError, UnicodeDecodeError) as error:
            raise Failed(process.UNWRITTEN(file=file, why=str(error))) from None


def drop_backup(run: Path) -> None:
    """Delete the backup files of a run that can no longer be finished or undone."""
    for name in journal.BACKUPS:
        (run / name).unlink(missing_ok=True)


def backed_up(run: Path, name: str) -> str | None:
    """Return the copy of a document, or None if both copies are lost or damaged. Prefer a copy with the plan
    that the record names, or else with the same plan as the run."""
    copies = [texts for file in journal.BACKUPS if (texts := _read(run / file))]
    plan, recorded = text_of(run / "plan.json"), journal.raw_record(run).get("of_plan")
    copies.sort(
        key=lambda texts: (
            digest_of_text(texts.get("plan.json", "")) != recorded,
            texts.get("plan.json") != plan,
        )
    )
    return next((texts[name] for texts in copies if name in texts), None)


def _read(path: Path) -> dict[str, str]:
    """Return the documents in a backup file; empty if it is damaged or not a regular file."""
    try:
        # Without O_NONBLOCK, opening a named pipe blocks until there is a writer.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            is_regular = stat.S_ISREG(os.fstat(fd).st_mode)
            texts = json.loads(file.read(LARGEST_BYTES)) if is_regular else None
    except (OSError, ValueError, RecursionError):
        return {}
    found = texts.items() if isinstance(texts, dict) else ()
    return {name: text for name, text in found if isinstance(text, str)}


def digest_of_text(text: str) -> str:
    """Return the SHA-256 that identifies a plan in the record of a run."""
    return sha256(text.encode()).hexdigest()


LOOK_SECONDS = 60.0
"""Drives can respond slowly right after a long mkfs, or when memory is short."""

OWN_FSTAB = Path("/etc/fstab")


class Environment(Struct, frozen=True):
    """The fstab, drives and patience of a run.

    `only` limits the drives the run may touch; None allows all. `patience_seconds` is added to ten times the
    estimate of each command.
    """

    fstab: Path = OWN_FSTAB
    only: frozenset[str] | None = None
    patience_seconds: float = 1800.0

    def check_allowed(self, drives: Iterable[str]) -> None:
        """Raises Refused if one of the drives is off limits for the run."""
        for drive in drives:
            if self.only is not None and drive not in self.only:
                raise process.refused(t("This run may not touch {drive}.", drive=drive))

    @property
    def crypttab(self) -> Path:
        """The crypttab next to `fstab`."""
        return self.fstab.with_name("crypttab")

    @property
    def rules(self) -> Path:
        """The folder of local udev rules next to `fstab`; see udev(7)."""
        return self.fstab.parent / "udev/rules.d"

    @property
    def is_running_system(self) -> bool:
        """Return True if `fstab` belongs to the running system. Timers are only enabled there."""
        return self.fstab == OWN_FSTAB


ANY = Environment()
"""This system, with all drives."""


FILE = "facts.json"


def keep_facts(run: Path, paths: Sequence[str]) -> None:
    """Save the raw facts about the drives. Ignores failures."""
    with suppress(DiskwrightError, OSError):
        text = codec.render_document(SCHEMA, survey(paths, seconds=LOOK_SECONDS))
        write_durably(run / FILE, text.encode(), os.O_EXCL)


def kept_machine(run: Path) -> Machine | None:
    """Return the machine as probed when the run started, or None. Raises BadInput."""
    return load_machine(run / FILE) if (run / FILE).is_file() else None
