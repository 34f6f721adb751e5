"""State of a conversion's filesystem: phase, first bytes before and after, and present device."""

import shutil
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from wizard.apply.block.devices import SYS_BLOCK, read_bytes, size_bytes
from wizard.apply.engine.record import Phase, load_record
from wizard.apply.engine.stores import FOLDER
from wizard.apply.run.backup_store import read_kept, replace_document
from wizard.apply.run.journal import begun_steps, read_entries
from wizard.apply.run.load import load_migration
from wizard.apply.settings.existing_filesystem import drive_of
from wizard.documents.codec import from_json, parse_document
from wizard.ext4.assessment import DECIDING, FIRST_BYTES, block_mounting
from wizard.ext4.superblock import START_BYTES, read_ext
from wizard.model.errors import WHERE_USED, BadInput, Failed, Refused
from wizard.model.said import Sentence, t
from wizard.plan.conversion import Migration
from wizard.probe.host.sysfs import node_of

THERE_TWICE = Sentence("Filesystem {uuid} is attached {times} times: {devices:list}. Nothing was written.")

SCHEMA, FILE = "diskwright.filesystem/1", "filesystem.json"
EARLIER = ("transaction.json", "snapshot.json", "direct.json")
"""Written by earlier versions instead."""

NEW, OLD = "new.img", "old.img"
"""Files in the folder of the stores: the scratch copy's writes, and the device's old bytes."""

TO_REHEARSE = frozenset({None, Phase.REHEARSING, Phase.LEFT})
"""Phases in which the steps run from the start, on a new scratch copy."""


class Head(Enum):
    """State of the superblock, which decides whether the filesystem can be mounted.

    HIDDEN: not mountable. OTHER: written by another program.
    """

    OLD = "old"
    NEW = "new"
    HIDDEN = "barred"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ConvertedFilesystem:
    """Filesystem with this UUID, on a device of this size, whose change is saved.

    `old_first` and `new_first` are the first bytes of the filesystem before and after, in hexadecimal.
    `folder`: folder of the saved change with earlier versions, empty if in the run's own.
    """

    uuid: str
    size_bytes: int
    old_first: str
    new_first: str
    folder: str = field(default="", metadata=WHERE_USED)

    @property
    def old(self) -> bytes:
        """First bytes of the old filesystem."""
        return bytes.fromhex(self.old_first)

    @property
    def new(self) -> bytes:
        """First bytes of the new filesystem."""
        return bytes.fromhex(self.new_first)

    def head(self, first: bytes) -> Head:
        """Return the state that these first bytes of a filesystem show."""
        found = first[DECIDING]
        if found in (block_mounting(self.old)[DECIDING], block_mounting(self.new)[DECIDING]):
            return Head.HIDDEN
        return {self.old[DECIDING]: Head.OLD, self.new[DECIDING]: Head.NEW}.get(found, Head.OTHER)


def save_filesystem(run: Path, filesystem: ConvertedFilesystem) -> None:
    """Write the file atomically and durably. Raises Failed; then the previous one remains."""
    replace_document(run / FILE, SCHEMA, filesystem)


def load_filesystem(run: Path) -> ConvertedFilesystem | None:
    """Return the filesystem whose change a run saved, or None. Raises BadInput if the file is damaged, or the
    run is from an earlier version."""
    if (text := read_kept(run / FILE)) is not None:
        return from_json(parse_document(text, SCHEMA, str(run / FILE)), ConvertedFilesystem, str(run / FILE))
    if any((run / name).exists() for name in EARLIER):
        raise BadInput(
            t(
                "An earlier version of diskwright started the run {run}. Only that version "
                "can resume or undo it.",
                run=run.name,
            )
        )
    return None


def filesystem_of(run: Path) -> ConvertedFilesystem:
    """Return the filesystem whose change a run saved. Raises BadInput like `load_filesystem`, and without a
    change."""
    if (found := load_filesystem(run)) is None:
        raise BadInput(t("The run {run} has not saved a change.", run=run.name))
    return found


def saved_in(run: Path) -> Path:
    """Return the folder of a run's saved change."""
    found = load_filesystem(run)
    return Path(found.folder) if found and found.folder else run / FOLDER


def phase_of(run: Path) -> Phase | None:
    """Return the phase of a run's change to the filesystem, or None before the rehearsal. Raises BadInput."""
    load_filesystem(run)
    record = load_record(run)
    return record.phase if record else None


def has_started(run: Path) -> bool:
    """Return True if a step was started according to the journal, or to the record if the journal is
    incomplete."""
    return bool(phase_of(run) or begun_steps(read_entries(run)))


def drop_folder(folder: Path) -> None:
    """Delete the folder of the stores. Ignores errors."""
    shutil.rmtree(folder, ignore_errors=True)


def is_filesystem_of(filesystem: ConvertedFilesystem, device: str) -> bool:
    """Return True if a device has this size and this UUID, in a superblock that may be hidden."""
    try:
        return size_bytes(device) == filesystem.size_bytes and _uuid_on(device) == filesystem.uuid
    except Failed:
        return False


def locate(run: Path) -> str:
    """Return the device that contains the run's filesystem now. Raises Refused if not exactly one does."""
    filesystem = filesystem_of(run)
    found = [node for node in nodes_holding(filesystem.uuid) if is_filesystem_of(filesystem, node)]
    if not found:
        raise Refused(t("The filesystem {uuid} was not found. Nothing was written.", uuid=filesystem.uuid))
    if len(found) > 1:
        raise Refused(THERE_TWICE(uuid=filesystem.uuid, times=len(found), devices=tuple(found)))
    return found[0]


def nodes_holding(uuid: str) -> list[str]:
    """Return the devices with this UUID in the superblock, which may be hidden."""
    nodes = (node_of(entry.name) for entry in sorted(SYS_BLOCK.iterdir()))
    return [node for node in nodes if _uuid_on(node) == uuid]


def _uuid_on(node: str) -> str | None:
    try:
        facts = read_ext(read_bytes(node, 0, FIRST_BYTES)[START_BYTES:])
    except Failed:
        return None
    return facts.uuid if facts else None


def migration_now(run: Path) -> Migration:
    """Return the run's conversion. The device of an unfinished change is found by UUID and size.

    If the device is missing, the planned names stay, and later checks report it. Raises BadInput if the run
    cannot be read.
    """
    migration, filesystem = load_migration(run), load_filesystem(run)
    if (
        filesystem is None
        or phase_of(run) in (Phase.UNDONE, Phase.KEPT)
        or is_filesystem_of(filesystem, migration.device)
    ):
        return migration
    try:
        device = locate(run)
    except Refused:
        return migration
    return replace(migration, device=device, drive=replace(migration.drive, path=drive_of(device)))
