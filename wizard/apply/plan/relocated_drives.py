"""Find the drives of a rehearsed run under new names, and update the run.

Drives are identified by their reported identity, or by bytes that the run wrote or saved.
"""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from wizard.apply.engine.record import UNTOUCHED, Phase, load_record, save_record
from wizard.apply.plan.identity_check import drive_fault, identity_difference, shows_run, tells_who_it_is
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.runs import is_found, load_plan, save_drives
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.geometry import Identity
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, t
from wizard.plan.plan import Plan
from wizard.probe.machine import list_drive_paths, probe_drive

MAYBE_ANOTHER = Sentence(
    "{drive} may be another drive: it lacks the data from the run {run}. {where} Nothing was written."
)


OVER = UNTOUCHED | {Phase.UNDONE, Phase.LEFT}
"""Phases in which the drives contain nothing of the run. A run that has not written yet must find its drives
under the names that the user confirmed."""


@dataclass(frozen=True, slots=True)
class RelocatedDrive:
    """A drive of the run, as `known` and as found under another name."""

    known: Identity
    drive: Drive
    why: Message

    @property
    def said(self) -> Message:
        """Describe both names, and how the drive was identified."""
        return t(
            "The drive {known} is now {drive}: {why}. The run continues there.",
            known=self.known.path,
            drive=self.drive.path,
            why=self.why,
        )

    @property
    def sentence(self) -> str:
        """The description as text."""
        return str(self.said)


def find_relocated(run: Path, *, undoing: bool = False) -> tuple[RelocatedDrive, ...]:
    """Find drives of a rehearsed run under new names. Read-only. Raises Refused if several drives match.

    With `undoing`, also searches if the record shows no write, since it may be older than the drives.
    """
    record = load_record(run)
    if record is None or record.phase in OVER - ({Phase.SAVED} if undoing else set()):
        return ()
    plan = load_plan(run)
    found = []
    for number in range(len(plan.members)):
        if _is_there(run, plan, number):
            continue
        if (one := _find(run, plan, number)) is not None:
            found.append(one)
        elif record.phase is not Phase.SAVED and _is_replaced(run, plan, number):
            path = plan.members[number].drive.path
            raise Refused(MAYBE_ANOTHER(drive=path, run=run.name, where=t("Attach the run's drive.")))
    return tuple(found)


def settle_drives(run: Path, *, undoing: bool = False) -> tuple[Message, ...]:
    """Update the run's device names, and return a sentence for each change. Requires the run's lock. Raises
    Refused and Failed."""
    found = find_relocated(run, undoing=undoing)
    if not found:
        return ()
    plan, record = load_plan(run), load_record(run)
    assert record is not None
    now = {one.known.path: one.drive for one in found}
    known = tuple(
        _as_now(member.drive, now[member.drive.path]) if member.drive.path in now else member.drive
        for member in plan.members
    )
    if len({one.path for one in known}) < len(known):
        raise Refused(t("Two drives of the run would be the same drive. Nothing was written."))
    save_drives(run, known, found=is_found(run))
    changes = tuple(replace(change, path=one.path) for change, one in zip(record.changes, known, strict=True))
    if record.phase is not Phase.UNKNOWN:
        save_record(run, replace(record, changes=changes))
    return tuple(one.said for one in found)


def _as_now(known: Identity, drive: Drive) -> Identity:
    return replace(known, path=drive.path, by_id=drive.by_id, diskseq=drive.diskseq)


def _is_there(run: Path, plan: Plan, number: int) -> bool:
    """Return True if the drive is still at its known node."""
    known = plan.members[number].drive
    try:
        drive = probe_drive(known.path, seconds=LOOK_SECONDS)
        return drive_fault(known, drive, partial(shows_run, run, plan, number, drive, whole=True)) is None
    except DiskwrightError:
        return False


def _is_replaced(run: Path, plan: Plan, number: int) -> bool:
    """Return True if the drive at the known node has the same identifiers, but may be another drive."""
    known = plan.members[number].drive
    try:
        drive = probe_drive(known.path, seconds=LOOK_SECONDS)
        fault = drive_fault(known, drive, partial(shows_run, run, plan, number, drive))
    except DiskwrightError:
        return False
    return fault is not None and identity_difference(known, drive) is None


def _find(run: Path, plan: Plan, number: int) -> RelocatedDrive | None:
    known = plan.members[number].drive
    found = []
    for path in list_drive_paths(all_devices=True):
        if path == known.path:
            continue
        try:
            drive = probe_drive(path, seconds=5.0)
            fault = drive_fault(known, drive, partial(shows_run, run, plan, number, drive, whole=True))
        except DiskwrightError:
            continue
        if fault is None:
            why = (
                t("the serial number or WWN matches")
                if tells_who_it_is(known)
                else t("the contents match those the run left there")
            )
            found.append(RelocatedDrive(known, drive, why))
    if len(found) > 1:
        paths, former = tuple(one.drive.path for one in found), known.path
        raise Refused(
            t(
                "{drives:and} could each be the drive of the run {run}, formerly {known}. "
                "Detach all but the right one. Nothing was written.",
                drives=paths,
                run=run.name,
                known=former,
            )
        )
    return found[0] if found else None
