"""Save the change of a scratch copy, commit and undo it with the engine's exchange, and report its state.

One block of the superblock decides. While the filesystem is hidden, the superblock cannot be mounted or
repaired, but still identifies the filesystem.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from shutil import rmtree
from threading import Thread

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.block import extents
from wizard.apply.block.devices import NO_EXT, SYS_BLOCK, read_bytes, size_bytes
from wizard.apply.engine import stores
from wizard.apply.engine.changes import kept
from wizard.apply.engine.checks import LeftError
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.record import (
    HALF,
    KEPT_IN,
    RESUMES_RUN,
    Phase,
    Record,
    SavedSignature,
    load_record,
    save_record,
)
from wizard.apply.engine.survey import Content, Proof
from wizard.apply.run import journal, kinds
from wizard.apply.run.backup_store import load_document, replace_document
from wizard.apply.run.job import Rollback, RollbackState
from wizard.apply.run.process import NOTHING_WRITTEN
from wizard.apply.run.progress_log import Progress, part_of
from wizard.apply.run.runs import run_argument
from wizard.apply.settings.existing_filesystem import drive_of
from wizard.documents.files import UNREADABLE
from wizard.ext4 import assessment
from wizard.ext4.superblock import START_BYTES, read_ext
from wizard.ext4.ways import UNDO
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.machine import Extent
from wizard.model.run import Event
from wizard.model.said import Sentence, join, t
from wizard.plan.changes import Migration
from wizard.probe.host.sysfs import node_of

OTHER_FILESYSTEM = Sentence("{device} does not contain the filesystem {uuid}.")

SCHEMA, FILE = "diskwright.filesystem/1", "filesystem.json"
EARLIER = ("snapshot.json", "direct.json")
"""Written by version 1.0 instead."""

TO_REHEARSE = frozenset({None, Phase.REHEARSING, Phase.LEFT})
"""Phases in which the steps run from the start, on a new scratch copy."""


class ConvertedFilesystem(Struct, frozen=True):
    """Filesystem with this UUID, on a device of this size, whose change is saved. `old_first` and `new_first`
    are the first bytes of the filesystem before and after, in hexadecimal."""

    uuid: str
    size_bytes: int
    old_first: str
    new_first: str

    @property
    def old(self) -> bytes:
        """First bytes of the old filesystem."""
        return bytes.fromhex(self.old_first)

    @property
    def new(self) -> bytes:
        """First bytes of the new filesystem."""
        return bytes.fromhex(self.new_first)

    def head(self, first: bytes) -> Content:
        """Return the state of the superblock in these first bytes, which decides about mounting. FOREIGN if
        another program wrote it."""
        heads = {self.old: Content.OLD, self.new: Content.NEW}
        heads |= {assessment.block_mounting(one): Content.HIDDEN for one in heads}
        deciding = {one[assessment.DECIDING]: head for one, head in heads.items()}
        return deciding.get(first[assessment.DECIDING], Content.FOREIGN)


Note = Callable[..., object]
"""Writes a message to the journal, with the observed output: `Journal.add`."""


def save_change(
    run: Path,
    device: str,
    drive: extents.Medium,
    written: Iterable[Extent],
    note: Note,
    progress: Progress,
) -> None:
    """Save the changes on a scratch copy, and the old bytes of these blocks, durably in the run's folder,
    which contains the store with the `written` pages. The device is only read. Raises Failed."""
    touched = extents.merged(written, 1, drive.size_bytes)
    first = new_first = drive.read(0, assessment.FIRST_BYTES)
    facts = read_ext(first[START_BYTES:])
    if facts is None:
        raise Failed(join(NO_EXT(node=device), NOTHING_WRITTEN))
    block = assessment.deciding_block(drive.logical_block_bytes)
    with (
        stores.Store(stores.new_file(run, 0), grow=True) as new,
        stores.Store(stores.old_file(run, 0), make_bytes=drive.size_bytes) as old,
    ):
        if any(extents.clipped(touched, (Extent(0, assessment.FIRST_BYTES),))):
            new_first = new.read(0, assessment.FIRST_BYTES)
        new.put(0, new_first)
        new.sync()
        old_mark, new_mark = (
            SavedSignature(
                block.start, block.stop - block.start, instead=assessment.block_mounting(one)[block].hex()
            )
            for one in (first, new_first)
        )
        change = kept(
            device,
            drive,
            touched,
            new.read,
            old,
            (old_mark,),
            (new_mark,),
            blank=False,
            progress=progress,
        )
    filesystem = ConvertedFilesystem(facts.uuid, drive.size_bytes, first.hex(), new_first.hex())
    replace_document(run / FILE, SCHEMA, filesystem)
    save_record(run, Record(Phase.SAVED, (change,), waits=False))
    note(
        Event.SAVED,
        t(
            "Saved the old contents of the blocks that will change, {size:exact}, in {folder}.",
            size=change.changed_bytes,
            folder=run / stores.FOLDER,
        ),
    )


class Committer(Exchange):
    """Exchange on `medium`, opened from `device`, for a run with a saved change."""

    def __init__(self, run: Path, device: str, medium: extents.Medium, note: Note) -> None:
        self._filesystem, self._note = filesystem_of(run), note
        record = load_record(run)
        if record is not None and any(change.path != device for change in record.changes):
            # The device has a new name since the start of the run.
            changes = tuple(replace(change, path=device) for change in record.changes)
            save_record(run, replace(record, changes=changes))
        super().__init__(run, [medium])
        (self._side,) = self.sides

    def commit(self, progress: Progress) -> None:
        """Continue the commit from any phase to RELEASED. Can be repeated. Raises Refused if another program
        changed the device, Failed on errors."""
        if self.record.phase is Phase.SAVED and self._first() != self._filesystem.old:
            # Give up the change before the first write to the device.
            self._enter(Phase.LEFT)
            delete_saved(self._run)
            raise Refused(
                t(
                    "The filesystem is left alone: it was modified since, for example by a read-write mount. "
                    "Nothing was written."
                )
            )
        self._refuse_foreign_superblock()
        if self.record.phase is Phase.RELEASING and self.head is Content.FOREIGN:
            # The deciding block was written just before a power cut, and the filesystem was used since.
            self._enter(Phase.RELEASED)
            return
        if self.record.phase in (Phase.SAVED, Phase.CLEARING, Phase.REPLACING):
            hidden = t("From here on, the filesystem cannot be mounted until the change is done.")
            half = HALF(drives=self._side.change.path, command="resume")
            self._note(Event.SAVED, join(hidden, half))
            super().commit(part_of(progress, 0.0, 0.8))
            seen = t("{size:exact} read back", size=self._side.change.changed_bytes)
            self._note(Event.VERIFIED, t("The drive matches the data written"), output=str(seen))
        self.release(part_of(progress, 0.8, 1.0))

    def undo(self, progress: Progress) -> Proof | None:
        """Restore the old filesystem, bit for bit. If it was already restored and used again, the phase
        becomes LEFT. Raises like `commit`."""
        proof = None
        if self.record.phase not in (Phase.UNDONE, Phase.LEFT):
            self._refuse_foreign_superblock()
            with suppress(LeftError):
                proof = super().undo(progress)
        delete_saved(self._run)
        return proof

    @property
    def head(self) -> Content:
        """State of the superblock on the device."""
        return self._filesystem.head(self._first())

    @property
    def is_as_put(self) -> bool:
        """True if the deciding block is exactly as the commit or the undo wrote it."""
        put = self._filesystem.old if self.record.phase is Phase.UNDONE else self._filesystem.new
        block = assessment.deciding_block(self._side.medium.logical_block_bytes)
        return self._first()[block] == put[block]

    def _first(self) -> bytes:
        return self._side.medium.read(0, assessment.FIRST_BYTES)

    def _refuse_foreign_superblock(self) -> None:
        """Raises Refused unless the superblock is from this run, or from the same filesystem after use. The
        engine would accept any other as used.

        An unreadable block is accepted: a power cut can leave it half written.
        """
        try:
            first = self._first()
        except Failed:
            return
        old, new, head = self._filesystem.old, self._filesystem.new, self._filesystem.head(first)
        match self.record.phase:
            case Phase.REPLACING | Phase.HIDDEN | Phase.REPLACING_BACK:
                fits = head is Content.HIDDEN
            case Phase.RELEASING:
                fits = head in (Content.HIDDEN, Content.NEW) or assessment.is_used_one(first, new, old)
            case Phase.RELEASING_BACK:
                fits = head in (Content.HIDDEN, Content.OLD) or assessment.is_used_one(first, old, new)
            case _:
                fits = True
        if not fits:
            raise Refused(
                join(
                    t(
                        "During the change, another program wrote to the superblock, which was "
                        "blocked against mounting. Nothing was written."
                    ),
                    KEPT_IN(folder=self._folder),
                )
            )


def load_filesystem(run: Path) -> ConvertedFilesystem | None:
    """Return the filesystem whose change a run saved, or None. Raises BadInput if the file is damaged or from
    an earlier version."""
    if (found := load_document(run / FILE, SCHEMA, ConvertedFilesystem)) is not None:
        return found
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
    """Return the filesystem whose change a run saved. Raises BadInput."""
    if (found := load_filesystem(run)) is None:
        raise BadInput(t("The run {run} has not saved a change.", run=run.name))
    return found


def phase_of(run: Path) -> Phase | None:
    """Return the phase of a run's change, or None before the rehearsal. Raises BadInput."""
    load_filesystem(run)
    record = load_record(run)
    return record.phase if record else None


def has_started(run: Path) -> bool:
    """Return True if a step was started according to the journal, or to the record if the journal is
    incomplete."""
    return bool(phase_of(run) or journal.begun_steps(journal.read_entries(run)))


def delete_saved(run: Path) -> None:
    """Delete the saved change, and the scratch copy. Ignores errors."""
    rmtree(run / stores.FOLDER, ignore_errors=True)


def is_filesystem_of(filesystem: ConvertedFilesystem, device: str) -> bool:
    """Return True if a device has this size and this UUID, in a superblock that may be hidden."""
    try:
        return size_bytes(device) == filesystem.size_bytes and uuid_on(device) == filesystem.uuid
    except Failed:
        return False


def locate(run: Path) -> list[str]:
    """Return the devices that contain the run's filesystem now. Raises BadInput."""
    filesystem = filesystem_of(run)
    return [node for node in nodes_holding(filesystem.uuid) if is_filesystem_of(filesystem, node)]


def nodes_holding(uuid: str) -> list[str]:
    """Return the devices with this UUID in the superblock, which may be hidden."""
    found = []
    for entry in sorted(SYS_BLOCK.iterdir()):
        with suppress(Failed):
            if uuid_on(node := node_of(entry.name)) == uuid:
                found.append(node)
    return found


def uuid_on(node: str) -> str | None:
    """Return the UUID in the superblock, which may be hidden, or None without one. Raises Failed."""
    facts = read_ext(read_bytes(node, 0, assessment.FIRST_BYTES)[START_BYTES:])
    return facts.uuid if facts else None


def migration_now(run: Path) -> Migration:
    """Return the run's conversion, with the device of an unfinished change found by UUID and size. A device
    that is missing or attached twice keeps its planned name. Raises BadInput."""
    migration, filesystem = kinds.MIGRATION.load(run), load_filesystem(run)
    if (
        filesystem is None
        or phase_of(run) in (Phase.UNDONE, Phase.KEPT)
        or is_filesystem_of(filesystem, migration.device)
    ):
        return migration
    match locate(run):
        case [device]:
            return replace(migration, device=device, drive=replace(migration.drive, path=drive_of(device)))
    return migration


BY_UUID = Path("/dev/disk/by-uuid")
LOOK_SECONDS = 10.0
"""Time for a sleeping drive to spin up. A list of runs does not wait longer for a drive."""


def undo_state(run: Path, migration: Migration) -> RollbackState | None:
    """Return the possibility of undo, or None if later use of the filesystem is irrelevant. Raises
    BadInput."""
    # Undo data of other phases does not depend on mounts for writing.
    if phase_of(run) not in (Phase.RELEASING, Phase.RELEASED):
        return None
    device, uuid = migration.device, migration.before.uuid
    link, found, whys = BY_UUID / uuid, b"", list[object]()
    for node in dict.fromkeys((device, *((str(link.resolve()),) if link.exists() else ()))):
        try:
            found = _read(node)
        except Failed as error:
            whys.append(error)
            continue
        facts = read_ext(found[START_BYTES:])
        if facts is not None and facts.uuid == uuid:
            break
        whys.append(OTHER_FILESYSTEM(device=node, uuid=uuid))
    else:
        unknown = t("It is unknown if undo is still possible.")
        return RollbackState(Rollback.UNKNOWN, f"{whys[0]} {unknown}")
    filesystem = filesystem_of(run)
    left = read_ext(filesystem.new[START_BYTES:])
    # Mount times have a resolution of one second. Within the same second, the mount count decides.
    if left is not None and (facts.mounted != left.mounted or facts.mounts > left.mounts):
        since = facts.mounted
    elif filesystem.head(found) is Content.FOREIGN:
        since = 0
    else:
        return RollbackState(Rollback.OPEN, str(UNDO))
    closed = t("{device} was written to since, so undo is no longer possible.", device=device)
    if since:
        closed = t(
            "{device} was mounted for writing on {when:moment}, so undo is no longer possible.",
            device=device,
            when=datetime.fromtimestamp(since, UTC).isoformat(),
        )
    command = (
        t("`diskwright keep {run}` frees the space used by undo data.", run=run_argument(run))
        if journal.was_done(run)
        else RESUMES_RUN(command="resume", run=run_argument(run))
    )
    return RollbackState(Rollback.CLOSED, str(join(closed, command)), since)


def _read(node: str) -> bytes:
    """Read through the page cache, like a mounted filesystem. Raises Failed, also for a drive that does not
    respond."""
    answers: SimpleQueue[bytes | OSError] = SimpleQueue()

    def look() -> None:
        try:
            with Path(node).open("rb", buffering=0) as device:
                answers.put(device.read(assessment.FIRST_BYTES))
        except OSError as error:
            answers.put(error)

    Thread(target=look, daemon=True).start()
    try:
        answer = answers.get(timeout=LOOK_SECONDS)
    except Empty:
        raise Failed(t("{node} does not respond.", node=node)) from None
    if isinstance(answer, OSError):
        raise Failed(UNREADABLE(file=node, why=answer))
    return answer
