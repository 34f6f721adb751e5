"""Change a filesystem as a transaction on a copy-on-write snapshot.

The change is made and verified on the snapshot, then written to the drive by the engine's exchange. Undo is
exact, bit for bit.

The snapshot's store is a redo log of all writes. It is immutable once the snapshot is removed. The kernel's
snapshot-merge is not used: it consumes the store and needs the device mapper after a reboot. It also needs a
second snapshot for the replaced data, which could fill up halfway. The exchange writes only real differences.
A rescue system without the device mapper can resume and undo it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from wizard.apply.block.devices import SYS_BLOCK, forget_caches, kernel_name, read_bytes, size_bytes
from wizard.apply.block.extents import DeviceMedium, block_bytes
from wizard.apply.block.snapshot import CHUNK_BYTES, Snapshot, read_cow_store
from wizard.apply.conversion import undo_files
from wizard.apply.conversion.commit import (
    WORK,
    Committer,
    Head,
    SnapshotState,
    drop_folder,
    load_snapshotted,
    phase_of,
    save_snapshotted,
    snapshotted_of,
)
from wizard.apply.conversion.look import drive_of
from wizard.apply.engine.held_drive import HeldDrive
from wizard.apply.engine.record import UNTOUCHED, Phase, Record, load_record, save_record
from wizard.apply.run.journal import Journal, begun_steps, read_entries
from wizard.apply.run.load import load_migration
from wizard.apply.run.progress_log import Progress
from wizard.apply.run.runs import is_root_only, refuse_open_folder
from wizard.apply.steps.step_context import journalled
from wizard.ext4.assessment import FIRST_BYTES, is_mounting_blocked
from wizard.ext4.superblock import START_BYTES, read_ext
from wizard.model.errors import DiskwrightError, Failed, Refused
from wizard.model.migration import Migration
from wizard.model.said import Sentence, t
from wizard.probe.host.sysfs import node_of

THERE_TWICE = Sentence("Filesystem {uuid} is attached {times} times: {devices:list}. Nothing was written.")


PREFIX = "diskwright-"
COMMAND_SECONDS = 120.0


def store_of(store: Path, run_name: str) -> Path:
    """Return a run's own folder in `store`."""
    return store.absolute() / f"{PREFIX}{run_name}"


class Transaction:
    """Transaction of a run, started by `begin` or found by `reopen`.

    The caller holds the drive's lock. Commands inherit `drive_locks`.
    """

    def __init__(self, run: Path, device: str, journal: Journal, drive_locks: Sequence[int] = ()) -> None:
        self._run, self._device, self._journal, self._drive_locks = run, device, journal, tuple(drive_locks)

    @classmethod
    def begin(
        cls,
        run: Path,
        device: str,
        store: Path,
        journal: Journal,
        *,
        room_bytes: int = 0,
        drive_locks: Sequence[int] = (),
    ) -> Transaction:
        """Create a snapshot of the filesystem on `device`, with its store in the folder `store`. `room_bytes`
        of the store are allocated now.

        Raises Refused or Failed. The drive is unchanged then, and until `commit`.
        """
        if not may_start(run):
            raise Refused(
                t("The run {run} has already started the change. Nothing was written.", run=run.name)
            )
        first = read_bytes(device, 0, FIRST_BYTES)
        facts = read_ext(first[START_BYTES:])
        if facts is None:
            raise Refused(
                t(
                    "{device} contains no filesystem of this kind. Nothing was written.",
                    device=device,
                )
            )
        if is_mounting_blocked(first):
            raise Refused(
                t(
                    "{device} is in the middle of another run's change: resume or undo that run. "
                    "Nothing was written.",
                    device=device,
                )
            )
        refuse_open_folder(store)
        folder = store_of(store, run.name)
        try:
            for missing in reversed([above for above in (folder, *folder.parents) if not above.exists()]):
                missing.mkdir(mode=0o700)
        except OSError as error:
            shown = str(folder)
            raise Refused(
                t(
                    "Cannot create {folder}: {why}. Nothing was written.",
                    folder=shown,
                    why=str(error.strerror),
                )
            ) from None
        if not is_root_only(folder):
            raise Refused(
                t(
                    "{folder} is not exclusively root's. Nothing was written.",
                    folder=str(folder),
                )
            )
        save_snapshotted(run, SnapshotState(facts.uuid, size_bytes(device), str(folder), first.hex()))
        save_record(run, Record(Phase.REHEARSING, waits=False))
        made = cls(run, device, journal, drive_locks)
        try:
            _, physical_bytes = block_bytes(device)
            made._snapshot().make(room_bytes, max(CHUNK_BYTES, physical_bytes))
        except DiskwrightError:
            made.abandon()
            raise
        return made

    @classmethod
    def reopen(cls, run: Path, device: str, journal: Journal, drive_locks: Sequence[int] = ()) -> Transaction:
        """Return the run's transaction. After a reboot, `device` may have another name.

        Raises Refused if the device contains another filesystem.
        """
        if not _is_filesystem_of(snapshotted_of(run), device):
            raise Refused(
                t(
                    "{device} does not contain the filesystem of the run {run}. Nothing was written.",
                    device=device,
                    run=run.name,
                )
            )
        return cls(run, device, journal, drive_locks)

    @property
    def phase(self) -> Phase:
        """Recorded phase of the transaction."""
        return phase_of(self._run) or Phase.REHEARSING

    @property
    def _is_at_work(self) -> bool:
        return self.phase is Phase.REHEARSING and snapshotted_of(self._run).is_at_work

    @property
    def work(self) -> str:
        """Node of the snapshot. Raises Failed if the snapshot is lost, as after a reboot, or invalid."""
        node = self._snapshot().node() if self._is_at_work else None
        if node is None:
            raise Failed(
                t("The snapshot is lost. The drive is unchanged; the work on the snapshot starts over.")
            )
        self.check()
        return node

    def check(self) -> int:
        """Return the used bytes of the store. Raises Failed if the snapshot is invalid, as on a full
        volume."""
        return self._snapshot().used_bytes()

    def abandon(self) -> None:
        """Delete the snapshot and its store, to begin again later. The drive is unchanged.

        Raises Refused if the drive was changed.
        """
        if self.phase not in UNTOUCHED:
            raise Refused(
                t(
                    "The change is {phase}: it can be resumed or undone, not abandoned. Nothing was written.",
                    phase=self.phase.value,
                )
            )
        snapshotted = snapshotted_of(self._run)
        # Free space before anything is written.
        self._snapshot().tear_down()
        drop_folder(Path(snapshotted.folder))
        save_snapshotted(self._run, replace(snapshotted, closed=False))
        save_record(self._run, Record(Phase.REHEARSING, waits=False))

    def commit(self, on_progress: Progress = lambda share: None) -> None:
        """Write the changes on the snapshot to the drive, or continue an interrupted commit.

        Raises Refused or Failed. Then call it again, or `undo`.
        """
        if self._is_at_work:
            self._close_store()
        with self._committing(HeldDrive) as committing:
            committing.commit(on_progress)

    def undo(self, on_progress: Progress = lambda share: None) -> None:
        """Undo the change, bit for bit, from any phase. Raises Refused if the filesystem was used since."""
        if self.phase is Phase.REHEARSING:
            self.abandon()
            save_record(self._run, Record(Phase.UNDONE, waits=False))
            return
        with self._committing(HeldDrive) as committing:
            committing.undo(on_progress)

    def check_kept(self) -> None:
        """Raises Refused or Failed if a change on the drive could not be undone. Writes nothing."""
        if self.phase not in (*UNTOUCHED, Phase.UNDONE, Phase.LEFT, Phase.KEPT):
            with self._committing() as committing:
                committing.check_kept()

    def was_used(self) -> bool:
        """Return True if the superblock shows a write since the commit or undo."""
        with self._committing() as committing:
            return committing.head is Head.OTHER

    def is_as_put(self) -> bool:
        """Return True if the deciding block is exactly as the commit or undo wrote it."""
        with self._committing() as committing:
            return committing.is_as_put

    def keep(self) -> None:
        """Delete the undo data and free its space. Raises Refused unless the change is committed."""
        record = load_record(self._run)
        if record is None or record.phase not in (Phase.RELEASED, Phase.KEPT):
            raise Refused(
                t(
                    "The change is {phase}, so no result is waiting. Nothing was written.",
                    phase=self.phase.value,
                )
            )
        save_record(self._run, replace(record, phase=Phase.KEPT))
        drop_folder(Path(snapshotted_of(self._run).folder))

    def _close_store(self) -> None:
        """Remove the snapshot, and check that the store has all chunks that were written."""
        snapshot = self._snapshot()
        forget_caches(self.work)
        written = snapshot.chunks_written()
        snapshot.tear_down()
        snapshot.synced()
        snapshotted = snapshotted_of(self._run)
        found = len(read_cow_store(snapshot.store, snapshotted.size_bytes).numbers)
        if found != written:
            raise Failed(
                t(
                    "The snapshot store has {found} chunks, but the kernel counted {counted}. "
                    "The drive is unchanged.",
                    found=found,
                    counted=written,
                )
            )
        save_snapshotted(self._run, replace(snapshotted, closed=True))

    @contextmanager
    def _committing(self, by: type[DeviceMedium] = DeviceMedium) -> Iterator[Committer]:
        with by(self._device) as medium:
            yield Committer(self._run, self._device, medium, self._journal.add)

    def _snapshot(self) -> Snapshot:
        store = Path(snapshotted_of(self._run).folder) / WORK
        return Snapshot(f"{PREFIX}{self._run.name}", self._device, store, self._run_command)

    def _run_command(self, argv: Sequence[str]) -> str:
        result = journalled(argv, self._journal, 0, COMMAND_SECONDS, self._drive_locks)
        if result.status:
            ended = t("{program} ended with status {status}:", program=argv[0], status=result.status)
            raise Failed(f"{ended} {result.last_words}")
        return result.output


def may_start(run: Path) -> bool:
    """Return True if the run has no transaction or an abandoned transaction."""
    snapshotted, phase = load_snapshotted(run), phase_of(run)
    if snapshotted is None or phase is Phase.LEFT:
        return True
    return phase is Phase.REHEARSING and not Path(snapshotted.folder).exists()


def _is_filesystem_of(snapshotted: SnapshotState, device: str) -> bool:
    """Return True if a device has the size and the UUID of the transaction, in a superblock that may be
    hidden."""
    try:
        if size_bytes(device) != snapshotted.size_bytes:
            return False
        facts = read_ext(read_bytes(device, 0, FIRST_BYTES)[START_BYTES:])
    except Failed:
        return False
    return facts is not None and facts.uuid == snapshotted.uuid


def locate(run: Path) -> str:
    """Return the device that contains the run's filesystem now. Raises Refused if not exactly one does."""
    snapshotted = snapshotted_of(run)
    found = [node for node in nodes_holding(snapshotted.uuid) if _is_filesystem_of(snapshotted, node)]
    if not found:
        raise Refused(t("The filesystem {uuid} was not found. Nothing was written.", uuid=snapshotted.uuid))
    if len(found) > 1:
        uuid, devices = snapshotted.uuid, tuple(found)
        raise Refused(THERE_TWICE(uuid=uuid, times=len(found), devices=devices))
    return found[0]


def nodes_holding(uuid: str) -> list[str]:
    """Return the devices with this UUID in the superblock, which may be hidden, without snapshots of
    transactions."""
    return [
        node
        for node in (node_of(entry.name) for entry in sorted(SYS_BLOCK.iterdir()) if not _is_snapshot(entry))
        if _uuid_on(node) == uuid
    ]


def _uuid_on(node: str) -> str | None:
    try:
        facts = read_ext(read_bytes(node, 0, FIRST_BYTES)[START_BYTES:])
    except Failed:
        return None
    return facts.uuid if facts else None


def _is_snapshot(entry: Path) -> bool:
    """Return True for a transaction's snapshot, which looks like the filesystem."""
    try:
        return (entry / "dm/name").read_text().startswith(PREFIX)
    except OSError:
        return False


def has_started(run: Path) -> bool:
    """Return True if a step was started according to the journal, or to the undo data if the journal is
    incomplete."""
    direct = undo_files.load_record(run)
    return bool(begun_steps(read_entries(run)) or (direct and direct.marks) or load_snapshotted(run))


def migration_now(run: Path) -> Migration:
    """Return the run's conversion. The device of an unfinished or abandoned transaction is found by UUID and
    size.

    If the device is missing, the planned names stay, and later checks report it. Raises BadInput if the run
    cannot be read.
    """
    migration, snapshotted = load_migration(run), load_snapshotted(run)
    if (
        snapshotted is None
        or phase_of(run) in (Phase.UNDONE, Phase.KEPT)
        or _is_filesystem_of(snapshotted, migration.device)
    ):
        return migration
    try:
        device = locate(run)
    except Refused:
        return migration
    return replace(
        migration, device=device, drive=replace(migration.drive, path=drive_of(kernel_name(device)))
    )
