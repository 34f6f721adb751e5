"""Where a migration is carried out: on the device itself, on a snapshot of it, or in files alone. The run is
the same for all."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from wizard.apply.migration.on_device.direct import Direct
from wizard.apply.migration.steps import MigratingSite, OnGround
from wizard.apply.migration.to_fresh.copy import Copying
from wizard.apply.migration.transacted import Transacted
from wizard.model.documents.migration import Means
from wizard.model.journal import Check
from wizard.model.said import t


class Ground(Protocol):
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
        return str(t("Nothing was kept of {device}, since nothing on it was changed.", device=self.node))


def ground_of(site: MigratingSite) -> Ground:
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
