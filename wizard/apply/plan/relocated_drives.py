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
from wizard.model.errors import DiskwrightError, Refused, printable
from wizard.model.geometry import Identity
from wizard.model.machine import Drive
from wizard.model.plan import Plan
from wizard.model.said import Message, Sentence, t
from wizard.probe.machine import list_drive_paths, probe_drive

# Another drive than the plan's; `where` says what to do.

# What tells two drives apart: clauses of the sentences above.

# Where the plan's drive is, and what to do.

# Where a run's drive is, and what to do.
MAYBE_ANOTHER = Sentence(
    "{drive} may be another drive: it lacks the data from the run {run}. {where} Nothing was written."
)

# A run's drive that was found by another name.


OVER = UNTOUCHED | {Phase.UNDONE, Phase.LEFT}
"""Nothing of the run is on its drives. One that was not begun yet is begun anew: which drive it is to write
to was shown by its name."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A drive that the run knows as `known`, and as which drive it was found."""

    known: Identity
    drive: Drive
    why: Message

    @property
    def said(self) -> Message:
        """Both names, and how it is known to be the one."""
        return t(
            "The drive {known} is now {drive}: {why}. The run continues there.",
            known=printable(self.known.path),
            drive=self.drive.path,
            why=self.why,
        )

    @property
    def sentence(self) -> str:
        """The same in words."""
        return str(self.said)


def elsewhere(run: Path, *, undoing: bool = False) -> tuple[Elsewhere, ...]:
    """The drives of a rehearsed run that are not where they were and were found by another name; only looks.
    When `undoing`, also those of a run that has not written by its record, which can be older than the drive.
    Raises Refused where several could be the one.
    """
    record = load_record(run)
    if record is None or record.phase in OVER - ({Phase.SAVED} if undoing else set()):
        return ()
    plan = load_plan(run)
    found = []
    for number in range(len(plan.members)):
        if _is_there(run, plan, number):
            continue
        if (one := _found(run, plan, number)) is not None:
            found.append(one)
        elif record.phase is not Phase.SAVED and _is_replaced(run, plan, number):
            path = plan.members[number].drive.path
            raise Refused(MAYBE_ANOTHER(drive=path, run=run.name, where=t("Attach the run's drive.")))
    return tuple(found)


def settle_drives(run: Path, *, undoing: bool = False) -> tuple[Message, ...]:
    """Have the run know its drives by the names that they have now; a sentence for each that has another.
    Needs the run's lock. Raises Refused and Failed.
    """
    found = elsewhere(run, undoing=undoing)
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
    """Whether the drive is at the node where the run knows it."""
    known = plan.members[number].drive
    try:
        drive = probe_drive(known.path, seconds=LOOK_SECONDS)
        return drive_fault(known, drive, partial(shows_run, run, plan, number, drive, whole=True)) is None
    except DiskwrightError:
        return False


def _is_replaced(run: Path, plan: Plan, number: int) -> bool:
    """Whether the drive at that node has the same numbers, and may be another one."""
    known = plan.members[number].drive
    try:
        drive = probe_drive(known.path, seconds=LOOK_SECONDS)
        fault = drive_fault(known, drive, partial(shows_run, run, plan, number, drive))
    except DiskwrightError:
        return False
    return fault is not None and identity_difference(known, drive) is None


def _found(run: Path, plan: Plan, number: int) -> Elsewhere | None:
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
            found.append(Elsewhere(known, drive, why))
    if len(found) > 1:
        paths, was = tuple(one.drive.path for one in found), printable(known.path)
        raise Refused(
            t(
                "{drives:and} could each be the drive of the run {run}, formerly {known}. "
                "Detach all but the right one. Nothing was written.",
                drives=paths,
                run=run.name,
                known=was,
            )
        )
    return found[0] if found else None
