"""State of one pass through the wizard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from wizard.model.said import Sentence, t
from wizard.plan.request.plan_request import PLAIN

if TYPE_CHECKING:
    from wizard.host.services import Services
    from wizard.model.advice import Advice
    from wizard.model.finding import Diagnosis
    from wizard.model.machine import Drive, Machine, Partition
    from wizard.model.said import Message
    from wizard.plan.changes import Migration
    from wizard.plan.plan import Plan
    from wizard.plan.request.plan_request import Arrangement, Mode
    from wizard.plan.request.volume_request import VolumeSpec


class Session(Struct, frozen=True):
    """State passed from screen to screen. None means undecided.

    `part`: node of the only partition to format. `migration`: a planned conversion, which has other screens.
    """

    services: Services
    machine: Machine
    drive: Drive
    diagnosis: Diagnosis
    advice: Advice | None = None
    mode: Mode | None = None
    part: str | None = None
    specs: tuple[VolumeSpec, ...] = ()
    arrangement: Arrangement = PLAIN
    others: tuple[Drive, ...] = ()
    plan: Plan | None = None
    migration: Migration | None = None

    @property
    def on_drive(self) -> Message | str:
        """The drive, for the header of a screen."""
        return t("on {drive}", drive=self.drive.path)

    @property
    def spread(self) -> Message:
        """The drives: `/dev/sda and /dev/sdb, mirrored by md`, or one alone."""
        stripe = self.arrangement.stripe
        if stripe is None:
            return t("{drive} alone", drive=self.drive.path)
        layout = (
            Sentence("{drives:and}, mirrored by {by}")
            if stripe.mirrors
            else Sentence("{drives:and}, striped by {by}")
        )
        return layout(drives=tuple(drive.path for drive in self.drives), by=stripe.kind)

    def advise(self, workload: str, size_bytes: int | None = None) -> Advice:
        """Rank the filesystems for a workload on the drive."""
        from wizard.advice.ranking import advise

        profile, recording = self.services.profile(workload), self.diagnosis.recording
        return advise(self.machine, self.drive, recording, profile, size_bytes=size_bytes)

    @property
    def partition(self) -> Partition | None:
        """The partition to format, or None if the session covers the whole drive."""
        return self.drive.partition(self.part) if self.part else None

    @property
    def drives(self) -> tuple[Drive, ...]:
        """All selected drives, in order of selection."""
        return (self.drive, *self.others)
