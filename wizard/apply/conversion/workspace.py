"""Run conversion steps on a snapshot of the device.

The device changes only after every step is verified. During the commit it cannot be mounted.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from wizard.apply.conversion.commit import drop_folder, load_snapshotted, phase_of, snapshotted_of
from wizard.apply.conversion.direct import Direct, mounted_since
from wizard.apply.conversion.fresh import Copying
from wizard.apply.conversion.guard import check_as_looked_at
from wizard.apply.conversion.transaction import Transaction, may_begin
from wizard.apply.conversion.undo_files import ELSEWHERE
from wizard.apply.conversion.verify import (
    MigratingSite,
    OnGround,
    device_checks,
    keep_manifest,
    manifest_checks,
    operate,
)
from wizard.apply.engine.record import UNTOUCHED, Phase
from wizard.apply.run.journal import was_done
from wizard.apply.run.progress_log import noting
from wizard.model.errors import Failed, Refused
from wizard.model.ext import Check
from wizard.model.migration import CheckFiles, CopyFiles, MakeFresh, Means
from wizard.model.said import Sentence, t

STORE_USED = Sentence("{used:exact} of the snapshot store is used; {device} is unchanged.")


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
            Sentence("{device} contains the result checked on the snapshot, read back from the drive.")
            if change.is_as_put()
            else Sentence(
                "{device} contains the result checked on the snapshot. The device was "
                "written to after the commit."
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
        """Give up the way back, and the room that it takes; a sentence on that. Raises Failed."""
        folder = Path(snapshotted_of(self.site.run).folder)
        freed = sum(file.stat().st_blocks * 512 for file in folder.glob("*"))
        if self._phase is Phase.RELEASED:
            self._transaction.keep()
        drop_folder(folder)
        return str(t("Deleted the undo data and freed {freed:exact}.", freed=freed))


class Workspace(Protocol):
    """Steps are made, looked at, then committed; and taken back or dropped. All of it may be repeated after
    it was cut off."""

    def release(self) -> None:
        """Let go of the device: nothing that only a run at work needs is left on it. Raises Failed."""

    def prepare(self) -> None:
        """What comes before the first step, and before going on after a process that was cut off. Raises
        Failed or Refused."""

    def is_done(self, step: int) -> bool:
        """Whether a step on the filesystem, which counts from 1, is done."""

    def make(self, operation: OnGround, step: int) -> str:
        """Carry out a step; a sentence on it. Raises Failed."""

    def checks(self) -> Iterable[Check]:
        """What is to hold before it is committed. Raises Failed or BadInput where it cannot be looked at."""

    def commit(self) -> str:
        """Have the device hold what was made and looked at; a sentence, empty where it does already. Raises
        Failed."""

    def check_resumable(self) -> None:
        """Raises Refused where somebody else changed the device since the run left it, so that going on would
        do harm."""

    def check_untouched(self) -> None:
        """Raises Refused where somebody else changed the device since the run left it, so that taking back
        would do harm."""

    def check_kept(self) -> None:
        """Raises Refused or Failed where what is kept for taking back would not bring back what was: asked
        before anything is changed."""

    def take_back(self) -> str:
        """Have the device hold what it held before, and prove it; a sentence on that. Raises Failed."""

    def drop(self) -> str:
        """Give up what is kept for taking back; a sentence on that. Raises Failed."""


@dataclass(frozen=True, slots=True)
class FilesAlone:
    """Nothing on the device is changed."""

    node: str

    def release(self) -> None:
        """There is nothing on it."""

    def prepare(self) -> None:
        """Nothing comes before."""

    def is_done(self, step: int) -> bool:
        """There is no such step."""
        raise AssertionError(step)

    def make(self, operation: OnGround, step: int) -> str:
        """There is no such step."""
        raise AssertionError(operation, step)

    def checks(self) -> Iterable[Check]:
        """There is nothing to check on it."""
        return ()

    def commit(self) -> str:
        """There is nothing to commit."""
        return ""

    def check_resumable(self) -> None:
        """A filesystem in use may change."""

    def check_untouched(self) -> None:
        """A filesystem in use may change."""

    def check_kept(self) -> None:
        """Nothing is kept."""

    def take_back(self) -> str:
        """A sentence on the device."""
        return str(t("{device} was not written to.", device=self.node))

    def drop(self) -> str:
        """A sentence on the device."""
        return str(t("No undo data for {device}, which was not changed.", device=self.node))


def ground_of(site: MigratingSite) -> Workspace:
    """Where the run of this site works."""
    match site.migration.means:
        case Means.DIRECT:
            return Direct(site)
        case Means.TRANSACTION:
            return Transacted(site)
        case Means.FILES:
            return FilesAlone(site.migration.device)
        case Means.COPY:
            return Copying(site)
