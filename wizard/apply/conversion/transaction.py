"""Change a filesystem as a transaction on a copy-on-write snapshot.

The change is made and verified on the snapshot, then written to the drive by the engine's exchange. Undo is
exact, bit for bit.

The snapshot's store is a redo log with everything that was written. It is immutable once the snapshot is
removed. The kernel's snapshot-merge is not used: it consumes the store and needs the device mapper after a
reboot. It also needs a second snapshot for the replaced data, which could fill up halfway. The exchange
writes only real differences. A rescue system without the device mapper can resume and undo it.
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
    Committing,
    Head,
    Snapshotted,
    drop_folder,
    load_snapshotted,
    phase_of,
    save_snapshotted,
    snapshotted_of,
)
from wizard.apply.conversion.look import drive_of
from wizard.apply.conversion.messages import ENDED
from wizard.apply.engine.held_drive import HeldDrive
from wizard.apply.engine.record import UNTOUCHED, Phase, Record, load_record, save_record
from wizard.apply.run.journal import Journal, begun_steps, read_entries
from wizard.apply.run.load import load_migration
from wizard.apply.run.progress_log import Progress
from wizard.apply.run.runs import is_roots_alone, refuse_open_folder
from wizard.apply.steps.step_context import journalled
from wizard.ext4.assessment import FIRST_BYTES, is_barred
from wizard.ext4.superblock import START_BYTES, read_ext
from wizard.model.errors import DiskwrightError, Failed, Refused, printable
from wizard.model.migration import Migration
from wizard.model.said import Sentence, t
from wizard.probe.host.sysfs import node_of

# Beginning it.

# Finding it again.
THERE_TWICE = Sentence("Filesystem {uuid} is attached {times} times: {devices:list}. Nothing was written.")

# Putting it on the device.

# Taking it back.


PREFIX = "diskwright-"
COMMAND_SECONDS = 120.0


def store_of(store: Path, run_name: str) -> Path:
    """The folder in `store` that is a run's own."""
    return store.absolute() / f"{PREFIX}{run_name}"


class Transaction:
    """One transaction of a run. Made by `begin`, found again by `reopen`. The caller holds the drive's lock;
    `drive_locks` are handed to the commands that are run.
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
        """Put a snapshot over the filesystem on `device`, its store in the folder `store`, of which
        `room_bytes` are taken at once.

        Raises Refused or Failed; the drive has not changed then, and will not until `commit`.
        """
        if not may_begin(run):
            raise Refused(
                t("The run {run} has already started the change. Nothing was written.", run=run.name)
            )
        first = read_bytes(device, 0, FIRST_BYTES)
        facts = read_ext(first[START_BYTES:])
        if facts is None:
            raise Refused(
                t(
                    "{device} contains no filesystem of this kind. Nothing was written.",
                    device=printable(device),
                )
            )
        if is_barred(first):
            raise Refused(
                t(
                    "{device} is in the middle of another run's change: resume or undo that run. "
                    "Nothing was written.",
                    device=printable(device),
                )
            )
        refuse_open_folder(store)
        folder = store_of(store, run.name)
        try:
            for missing in reversed([above for above in (folder, *folder.parents) if not above.exists()]):
                missing.mkdir(mode=0o700)
        except OSError as error:
            shown = printable(str(folder), 200)
            raise Refused(
                t(
                    "Cannot create {folder}: {why}. Nothing was written.",
                    folder=shown,
                    why=str(error.strerror),
                )
            ) from None
        if not is_roots_alone(folder):
            raise Refused(
                t(
                    "{folder} is not exclusively root's. Nothing was written.",
                    folder=printable(str(folder), 200),
                )
            )
        save_snapshotted(run, Snapshotted(facts.uuid, size_bytes(device), str(folder), first.hex()))
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
        """The run's transaction, also after a reboot, when `device` may have another name; raises Refused
        where it is another."""
        if not is_filesystem_of(snapshotted_of(run), device):
            raise Refused(
                t(
                    "{device} does not contain the filesystem of the run {run}. Nothing was written.",
                    device=printable(device),
                    run=run.name,
                )
            )
        return cls(run, device, journal, drive_locks)

    @property
    def phase(self) -> Phase:
        """Where it stands, by what is on its medium."""
        return phase_of(self._run) or Phase.REHEARSING

    @property
    def _is_at_work(self) -> bool:
        return self.phase is Phase.REHEARSING and snapshotted_of(self._run).is_at_work

    @property
    def work(self) -> str:
        """The snapshot's node, on which everything is done; raises Failed where it is gone, as after a
        reboot, or is no longer valid."""
        node = self._snapshot().node() if self._is_at_work else None
        if node is None:
            raise Failed(
                t("The snapshot is lost. The drive is unchanged; the work on the snapshot starts over.")
            )
        self.check()
        return node

    def check(self) -> int:
        """How many bytes of the store are used; raises Failed where the snapshot is no longer valid, as when
        its folder ran full."""
        return self._snapshot().used_bytes()

    def abandon(self) -> None:
        """Give it up: the snapshot and its store go, and the drive has not changed by one bit. It can be
        begun again. Raises Refused where the drive has changed."""
        if self.phase not in UNTOUCHED:
            raise Refused(
                t(
                    "The change is {phase}: it can be resumed or undone, not abandoned. Nothing was written.",
                    phase=self.phase.value,
                )
            )
        snapshotted = snapshotted_of(self._run)
        # In this order there is room again before anything is written.
        self._snapshot().take_down()
        drop_folder(Path(snapshotted.folder))
        save_snapshotted(self._run, replace(snapshotted, closed=False))
        save_record(self._run, Record(Phase.REHEARSING, waits=False))

    def commit(self, on_progress: Progress = lambda share: None) -> None:
        """Put what was done on the snapshot on the drive; goes on wherever an earlier commit was cut off.
        Raises Refused or Failed; then it can be asked for again, or `undo`."""
        if self._is_at_work:
            self._seal()
        with self._committing(HeldDrive) as committing:
            committing.commit(on_progress)

    def undo(self, on_progress: Progress = lambda share: None) -> None:
        """Take the change back to the bit, from wherever it stands. Raises Refused where the filesystem was
        used since."""
        if self.phase is Phase.REHEARSING:
            self.abandon()
            save_record(self._run, Record(Phase.UNDONE, waits=False))
            return
        with self._committing(HeldDrive) as committing:
            committing.undo(on_progress)

    def check_kept(self) -> None:
        """Raises Refused or Failed where a change that has reached the drive could not be undone. Writes
        nothing."""
        if self.phase not in (*UNTOUCHED, Phase.UNDONE, Phase.LEFT, Phase.KEPT):
            with self._committing() as committing:
                committing.check_kept()

    def was_used(self) -> bool:
        """Whether somebody has written to the filesystem since it was committed or taken back, as its
        superblock tells."""
        with self._committing() as committing:
            return committing.head is Head.OTHER

    def is_as_put(self) -> bool:
        """Whether what was written last, by which it is committed or taken back, is read from the drive to
        the bit."""
        with self._committing() as committing:
            return committing.is_as_put

    def keep(self) -> None:
        """Give up the way back, and with it the room that it takes. Raises Refused unless the change is
        committed."""
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

    def _seal(self) -> None:
        """Close the store, which then holds everything that was written to the snapshot."""
        snapshot = self._snapshot()
        forget_caches(self.work)
        written = snapshot.chunks_written()
        snapshot.take_down()
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
    def _committing(self, by: type[DeviceMedium] = DeviceMedium) -> Iterator[Committing]:
        with by(self._device) as medium:
            yield Committing(self._run, self._device, medium, self._journal.add)

    def _snapshot(self) -> Snapshot:
        store = Path(snapshotted_of(self._run).folder) / WORK
        return Snapshot(f"{PREFIX}{self._run.name}", self._device, store, self._tell)

    def _tell(self, argv: Sequence[str]) -> str:
        result = journalled(argv, self._journal, 0, COMMAND_SECONDS, self._drive_locks)
        if result.status:
            ended = ENDED(program=argv[0], status=result.status)
            raise Failed(f"{ended} {result.last_words}")
        return result.output


def may_begin(run: Path) -> bool:
    """Whether the run has no transaction, or one that was given up."""
    begun, phase = load_snapshotted(run), phase_of(run)
    if begun is None or phase is Phase.LEFT:
        return True
    return phase is Phase.REHEARSING and not Path(begun.folder).exists()


def is_filesystem_of(snapshotted: Snapshotted, device: str) -> bool:
    """Whether a device is as large as the transaction's, and its superblock, barred or not, has the same
    UUID."""
    try:
        if size_bytes(device) != snapshotted.size_bytes:
            return False
        facts = read_ext(read_bytes(device, 0, FIRST_BYTES)[START_BYTES:])
    except Failed:
        return False
    return facts is not None and facts.uuid == snapshotted.uuid


def locate(run: Path) -> str:
    """The device that the run's transaction is on, whatever the kernel calls it now; raises Refused where it
    is missing, or there twice."""
    snapshotted = snapshotted_of(run)
    found = [node for node in nodes_holding(snapshotted.uuid) if is_filesystem_of(snapshotted, node)]
    if not found:
        raise Refused(t("The filesystem {uuid} was not found. Nothing was written.", uuid=snapshotted.uuid))
    if len(found) > 1:
        uuid, devices = snapshotted.uuid, tuple(found)
        raise Refused(THERE_TWICE(uuid=uuid, times=len(found), devices=devices))
    return found[0]


def nodes_holding(uuid: str) -> list[str]:
    """The devices whose superblock, barred or not, has this UUID; snapshots of transactions are none of
    them."""
    return [
        node
        for node in (node_of(entry.name) for entry in sorted(SYS_BLOCK.iterdir()) if not _is_own(entry))
        if _uuid_on(node) == uuid
    ]


def _uuid_on(node: str) -> str | None:
    try:
        facts = read_ext(read_bytes(node, 0, FIRST_BYTES)[START_BYTES:])
    except Failed:
        return None
    return facts.uuid if facts else None


def _is_own(entry: Path) -> bool:
    """Whether it is a transaction's snapshot, which looks like the filesystem itself."""
    try:
        return (entry / "dm/name").read_text().startswith(PREFIX)
    except OSError:
        return False


def has_begun(run: Path) -> bool:
    """Whether a step was begun: so says the journal, or what is kept beside it to take the step back, should
    the journal be cut off."""
    direct = undo_files.load_record(run)
    return bool(begun_steps(read_entries(run)) or (direct and direct.marks) or load_snapshotted(run))


def migration_now(run: Path) -> Migration:
    """The migration; where it is a transaction that is under way, or was given up and can be begun again, on
    the device that has its filesystem, by UUID and size. One that is not there keeps its names, and whoever
    looks at it says so. Raises BadInput where the run cannot be read.
    """
    migration, snapshotted = load_migration(run), load_snapshotted(run)
    if (
        snapshotted is None
        or phase_of(run) in (Phase.UNDONE, Phase.KEPT)
        or is_filesystem_of(snapshotted, migration.device)
    ):
        return migration
    try:
        device = locate(run)
    except Refused:
        return migration
    return replace(
        migration, device=device, drive=replace(migration.drive, path=drive_of(kernel_name(device)))
    )
