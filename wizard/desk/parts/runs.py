"""What the open runs mean for a drive: which are its own, and what cannot be done meanwhile. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wizard.desk.places.words import drives as words
from wizard.desk.view import Text
from wizard.model.machine import Drive
from wizard.model.said import t
from wizard.services.session import OpenRun

if TYPE_CHECKING:
    from wizard.services.contract import Services

RUNNING = "running"


def runs_on(runs: Iterable[OpenRun], drive: Drive, device: str = "") -> tuple[OpenRun, ...]:
    """Those that work on a partition or on its drive; without a partition, on any of the drive."""
    mine = {drive.path, *(part.path for part in drive.partitions)}
    if device and device != drive.path:
        mine = {drive.path, device}
    return tuple(run for run in runs if mine & set(run.drives))


def waits(run: OpenRun) -> bool:
    """Whether all is done, and only a word is missing."""
    return run.state != RUNNING and "keep" in run.ways


def impediment(services: Services, runs: Iterable[OpenRun], drive: Drive) -> Text:
    """Why a drive cannot be set up: a run on it first, which may itself have locked the drive."""
    return why_not_now(runs_on(runs, drive)) or services.impediment(drive)


def why_not_now(runs: Iterable[OpenRun]) -> Text:
    """Why nothing else may be written where these runs work; empty where it may. One that ended early is no
    reason: where it cannot be undone, the drive could never be set up."""
    found = tuple(runs)
    if any(run.state == RUNNING for run in found):
        return words.IS_CHANGED
    if any(map(waits, found)):
        return t("It waits: K keeps it, U undoes it.")
    return ""
