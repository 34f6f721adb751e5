"""Run conversion steps on a snapshot of the device.

The device changes only after every step is verified. During the commit it cannot be mounted.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from wizard.apply.conversion.commit import drop_folder, load_snapshotted, phase_of, snapshotted_of
from wizard.apply.conversion.direct import Direct, mounted_since
from wizard.apply.conversion.guard import check_as_looked_at
from wizard.apply.conversion.transaction import Transaction, may_start
from wizard.apply.conversion.verify import (
    MigratingSite,
    device_checks,
    keep_manifest,
    manifest_checks,
    operate,
)
from wizard.apply.engine.record import UNTOUCHED, Phase
from wizard.apply.run.journal import was_done
from wizard.apply.run.progress_log import noting
from wizard.model.errors import Refused
from wizard.model.migration import CheckFiles, Means, OnDevice
from wizard.model.run import Check
from wizard.model.said import Sentence, t

STORE_USED = Sentence("{used:exact} of the snapshot store is used; {device} is unchanged.")


@dataclass(frozen=True, slots=True)
class Transacted:
    """Run that works on a snapshot of the device."""

    site: MigratingSite

    @property
    def node(self) -> str:
        """Node of the snapshot while the run works on it, else of the device."""
        return self._transaction.work if self._is_at_work else self._device

    @property
    def _is_verified(self) -> bool:
        """True if the result was verified, so that the snapshot was closed."""
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
        """Abandon an incomplete snapshot, since the state after an interrupted step is unknown."""
        if self._is_at_work:
            self._transaction.abandon()

    def prepare(self) -> None:
        """Create the snapshot."""
        if may_start(self.site.run):
            check_as_looked_at(self.site.migration)
            site, store = self.site, Path(self.site.migration.store)
            # The other half is for the replaced blocks.
            room = site.migration.room_bytes // 2
            Transaction.begin(
                site.run, self._device, store, site.journal, room_bytes=room, drive_locks=site.drive_locks
            )

    def is_done(self, step: int) -> bool:
        """Return True if the snapshot, which contains all steps, is closed."""
        return self._is_verified

    def make(self, operation: OnDevice, step: int) -> str:
        """Run a step on the snapshot, and return a result message. Raises Failed."""
        change = self._transaction
        # Repairs by a check, such as a journal replay, come before the comparison.
        if not isinstance(operation, CheckFiles):
            keep_manifest(change.work, self.site)
        message = operate(operation, change.work, replace(self.site, step=step))
        return f"{message} {STORE_USED(used=change.check(), device=self._device)}"

    def checks(self) -> Iterator[Check]:
        """Yield the checks of the snapshot. A closed snapshot has passed all of them."""
        if not self._is_verified:
            yield from device_checks(self.node, self.site)
            yield from manifest_checks(self.node, self.site)

    def commit(self) -> str:
        """Write the result to the device, or continue an interrupted commit. Return a result message.

        Raises Failed or Refused.
        """
        change = self._transaction
        change.commit(noting(self.site.run))
        message = (
            Sentence("{device} contains the result checked on the snapshot, read back from the drive.")
            if change.is_as_put()
            else Sentence(
                "{device} contains the result checked on the snapshot. The device was "
                "written to after the commit."
            )
        )
        return str(message(device=self._device))

    def check_resumable(self) -> None:
        """Does nothing: each phase checks the device, and a committed filesystem may be in use."""

    def check_untouched(self) -> None:
        """Raises Refused if the filesystem was mounted for writing since the commit."""
        if self._phase in (Phase.RELEASING, Phase.RELEASED) and self._transaction.was_used():
            raise Refused(mounted_since(self._device, self.site.run, finish=not was_done(self.site.run)))

    def check_kept(self) -> None:
        """Raises Refused or Failed if the saved blocks are damaged or do not fit the device."""
        if self._phase is not None:
            self._transaction.check_kept()

    def undo(self) -> str:
        """Restore the replaced blocks, and return a result message. Can be repeated. Raises Failed or
        Refused."""
        phase = self._phase
        if phase is not None:
            self._transaction.undo(noting(self.site.run))
        if phase is None or phase in UNTOUCHED:
            return str(
                t(
                    "{device} contains no changes: all work was on a snapshot, which is gone.",
                    device=self._device,
                )
            )
        if self._phase is Phase.LEFT or not self._transaction.is_as_put():
            return str(
                t(
                    "{device} contains the old filesystem without any of the changes. Later "
                    "writes prevent a bit-for-bit comparison.",
                    device=self._device,
                )
            )
        return str(
            t(
                "{device} is restored. All replaced blocks were read back and match bit for bit.",
                device=self._device,
            )
        )

    def drop(self) -> str:
        """Delete the undo data, and return a result message. Raises Failed."""
        folder = Path(snapshotted_of(self.site.run).folder)
        freed = sum(file.stat().st_blocks * 512 for file in folder.glob("*"))
        if self._phase is Phase.RELEASED:
            self._transaction.keep()
        drop_folder(folder)
        return str(t("Deleted the undo data and freed {freed:exact}.", freed=freed))


class Workspace(Protocol):
    """Steps are run, checked, then committed, and undone or kept. Each method can be repeated after an
    interruption."""

    def release(self) -> None:
        """Remove from the device what only a run in progress needs. Raises Failed."""

    def prepare(self) -> None:
        """Prepare the first step, or the next one after an interruption. Raises Failed or Refused."""

    def is_done(self, step: int) -> bool:
        """Return True if a step on the filesystem, counted from 1, is done."""

    def make(self, operation: OnDevice, step: int) -> str:
        """Run a step, and return a result message. Raises Failed."""

    def checks(self) -> Iterable[Check]:
        """Return the checks before the commit. Raises Failed or BadInput if the filesystem cannot be read."""

    def commit(self) -> str:
        """Write the checked result to the device. Return a result message, empty if the result is there
        already. Raises Failed."""

    def check_resumable(self) -> None:
        """Raises Refused if another program changed the device since, so that resuming would do damage."""

    def check_untouched(self) -> None:
        """Raises Refused if another program changed the device since, so that undo would do damage."""

    def check_kept(self) -> None:
        """Raises Refused or Failed if the undo data cannot restore the old contents. Called before any
        change."""

    def undo(self) -> str:
        """Restore the old contents and verify them. Return a result message. Raises Failed."""

    def drop(self) -> str:
        """Delete the undo data, and return a result message. Raises Failed."""


@dataclass(frozen=True, slots=True)
class FilesAlone:
    """Run that changes only files, not the device."""

    node: str

    def release(self) -> None:
        """Does nothing."""

    def prepare(self) -> None:
        """Does nothing."""

    def is_done(self, step: int) -> bool:
        """Never called: no step is on the device."""
        raise AssertionError(step)

    def make(self, operation: OnDevice, step: int) -> str:
        """Never called: no step is on the device."""
        raise AssertionError(operation, step)

    def checks(self) -> Iterable[Check]:
        """Return no checks."""
        return ()

    def commit(self) -> str:
        """Does nothing."""
        return ""

    def check_resumable(self) -> None:
        """Does nothing: a filesystem in use may change."""

    def check_untouched(self) -> None:
        """Does nothing: a filesystem in use may change."""

    def check_kept(self) -> None:
        """Does nothing: the run has no undo data."""

    def undo(self) -> str:
        """Return a message: the device is unchanged."""
        return str(t("{device} was not written to.", device=self.node))

    def drop(self) -> str:
        """Return a message: the run has no undo data."""
        return str(t("No undo data for {device}, which was not changed.", device=self.node))


def ground_of(site: MigratingSite) -> Workspace:
    """Return the workspace of a run."""
    match site.migration.means:
        case Means.DIRECT:
            return Direct(site)
        case Means.TRANSACTION:
            return Transacted(site)
        case Means.FILES:
            return FilesAlone(site.migration.device)
