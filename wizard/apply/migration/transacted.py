"""A migration as a transaction: each step on a snapshot of the device, which changes only when all of it was
looked at, and then cannot be mounted until it is whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.apply.engine.record import UNTOUCHED, Phase
from wizard.apply.migration.guard import check_as_looked_at
from wizard.apply.migration.on_device.direct import mounted_since
from wizard.apply.migration.on_device.words import ELSEWHERE
from wizard.apply.migration.proof import keep_manifest, manifest_checks
from wizard.apply.migration.steps import MigratingSite, OnGround, operate
from wizard.apply.migration.verify import device_checks
from wizard.apply.run.journal import was_done
from wizard.apply.run.progress import noting
from wizard.apply.transaction.snapshotted import drop_folder, load_snapshotted, phase_of, snapshotted_of
from wizard.apply.transaction.transaction import Transaction, may_begin
from wizard.model.documents.migration import CheckFiles, CopyFiles, MakeFresh
from wizard.model.errors import Failed, Refused
from wizard.model.journal import Check
from wizard.model.said import Sentence, t

STORE_USED = Sentence("{used:exact} of the snapshot's store are used; {device} has not changed.")


@dataclass(frozen=True, slots=True)
class Transacted:
    """A run that works on a snapshot of the device."""

    site: MigratingSite

    @property
    def node(self) -> str:
        """The snapshot's; the device itself once that holds what was made."""
        return self._transaction.work if self._is_at_work else self._device

    @property
    def _proven(self) -> bool:
        """What was made was looked at before its snapshot was closed."""
        snapshotted = load_snapshotted(self.site.run)
        over = (Phase.UNDONE, Phase.LEFT, Phase.KEPT)
        return snapshotted is not None and snapshotted.closed and self._phase not in over

    @property
    def _device(self) -> str:
        return self.site.migration.device

    @property
    def _phase(self) -> Phase | None:
        return phase_of(self.site.run)

    @property
    def _is_at_work(self) -> bool:
        snapshotted = load_snapshotted(self.site.run)
        return self._phase is Phase.REHEARSING and snapshotted is not None and snapshotted.is_at_work

    @property
    def _transaction(self) -> Transaction:
        return Transaction.reopen(self.site.run, self._device, self.site.journal, self.site.drive_locks)

    def release(self) -> None:
        """Give up a snapshot that is not complete, with what was done there: what a step that was cut off
        leaves is known to nobody."""
        if self._is_at_work:
            self._transaction.abandon()

    def prepare(self) -> None:
        """Make the snapshot."""
        if may_begin(self.site.run):
            check_as_looked_at(self.site.migration)
            site, store = self.site, Path(self.site.migration.store)
            # The other half is for what is replaced.
            room = site.migration.room_bytes // 2
            Transaction.begin(
                site.run, self._device, store, site.journal, room_bytes=room, drive_locks=site.drive_locks
            )

    def is_done(self, step: int) -> bool:
        """Whether a step is done for good: none is before the snapshot, with all of them, is closed."""
        return self._proven

    def make(self, operation: OnGround, step: int) -> str:
        """Carry out a step on the snapshot; a sentence on it. Raises Failed."""
        if isinstance(operation, MakeFresh | CopyFiles):
            raise Failed(ELSEWHERE(step=step, device=self._device))
        change = self._transaction
        # What a check puts right, such as a journal that was not empty, belongs to what is compared.
        if not isinstance(operation, CheckFiles):
            keep_manifest(change.work, self.site)
        said = operate(operation, change.work, replace(self.site, step=step))
        return f"{said} {STORE_USED(used=change.check(), device=self._device)}"

    def checks(self) -> Iterator[Check]:
        """What is to hold of the snapshot; nothing once it is closed, which it is only after all of it
        held."""
        if not self._proven:
            yield from device_checks(self.node, self.site)
            yield from manifest_checks(self.node, self.site)

    def commit(self) -> str:
        """Put what was made on the device; goes on where that was cut off. Raises Failed or Refused."""
        change = self._transaction
        change.commit(noting(self.site.run))
        said = (
            Sentence("{device} holds what was made and looked at on the snapshot, read again from the drive.")
            if change.is_as_put()
            else Sentence(
                "{device} holds what was made and looked at on the snapshot. It was written "
                "to since the last of it was put there."
            )
        )
        return str(said(device=self._device))

    def check_resumable(self) -> None:
        """Each phase looks for itself at what it finds, and what is committed may be in use."""

    def check_untouched(self) -> None:
        """Raises Refused where the filesystem was mounted for writing since it was committed."""
        if self._phase in (Phase.RELEASING, Phase.RELEASED) and self._transaction.was_used():
            raise Refused(mounted_since(self._device, self.site.run, finish=not was_done(self.site.run)))

    def check_kept(self) -> None:
        """Raises Refused or Failed where what was replaced is damaged, or does not fit what the device
        holds."""
        if self._phase is not None:
            self._transaction.check_kept()

    def take_back(self) -> str:
        """Put back what was replaced; may be repeated. Raises Failed or Refused."""
        phase = self._phase
        if phase is not None:
            self._transaction.undo(noting(self.site.run))
        if phase is None or phase in UNTOUCHED:
            return str(
                t(
                    "Nothing of it is on {device}: everything was done on a snapshot, which is gone.",
                    device=self._device,
                )
            )
        if self._phase is Phase.LEFT or not self._transaction.is_as_put():
            return str(
                t(
                    "{device} is the filesystem that it was: nothing of the change is on it. It "
                    "was written to since, so that it can no longer be compared bit for bit.",
                    device=self._device,
                )
            )
        return str(
            t(
                "{device} is what it was. All that was replaced was read again from the "
                "drive, and is the same bit for bit.",
                device=self._device,
            )
        )

    def drop(self) -> str:
        """Give up the way back, and the room that it takes; a sentence on that. Raises Failed."""
        folder = Path(snapshotted_of(self.site.run).folder)
        freed = sum(file.stat().st_blocks * 512 for file in folder.glob("*"))
        if self._phase is Phase.RELEASED:
            self._transaction.keep()
        drop_folder(folder)
        return str(t("What could have undone it is deleted, which freed {freed:exact}.", freed=freed))
