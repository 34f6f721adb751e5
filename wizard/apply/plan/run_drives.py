"""The drives of a run: identify them by what the run left there, find them under new names, and find later
runs on them."""

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from itertools import product
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.block.extents import DeviceMedium
from wizard.apply.engine import survey
from wizard.apply.engine.checks import COMPLETE, side_of
from wizard.apply.engine.record import GOING_BACK, UNTOUCHED, Phase, load_record, save_record
from wizard.apply.plan import identity_check
from wizard.apply.run import kinds, runs
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.journal import begun_steps, read_entries
from wizard.apply.run.process import refused
from wizard.apply.run.progress_log import either
from wizard.model.errors import BadInput, DiskwrightError
from wizard.model.geometry import Identity
from wizard.model.layout import Member
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, t
from wizard.plan.plan import Plan
from wizard.probe.machine import probe_drive

TWICE = Sentence("Two drives claim to be the same drive of this run; one is {drive}.")

OVER = UNTOUCHED | {Phase.UNDONE, Phase.LEFT}
"""Phases in which the drives contain nothing of the run. A run that has not written yet must find its drives
under the names that the user confirmed."""


Relocated = tuple[Drive, Message]
"""A drive of the run under another name, and a sentence on how it was identified."""


class KnownDrives(Struct, frozen=True):
    """The drives of a rehearsed run, identified by what the run left there."""

    run: Path
    plan: Plan

    def probe(self) -> tuple[Drive, ...]:
        """Probe the drives. Raises Refused if one is another drive."""
        drives = identity_check.probe_members(self.plan, self.where)
        for member, drive in zip(self.plan.members, drives, strict=True):
            if self._fault(member, drive):
                other = Sentence(
                    "{drive} may be another drive: it lacks the data from the run {run}. {where}"
                )
                where = self.where(member.drive, None)
                raise refused(other(drive=member.drive.path, run=self.run.name, where=where))
        return drives

    def where(self, identity: Identity, resized: Drive | None) -> Message:
        """Locate a missing drive of the run. For a drive whose size changed, describe what to do."""
        run = self.run.name
        if resized is not None:
            return t(
                "No data of the run {run} is lost: restore the drive's size to {bytes} "
                "bytes, then run {commands}.",
                run=run,
                bytes=identity.size_bytes,
                commands=self._commands,
            )
        member = next(member for member in self.plan.members if member.drive == identity)
        if (drive := next(self._found(member), None)) is None:
            return t(
                "The drive of the run {run} is not attached under another name either: reattach the drive.",
                run=run,
            )
        return t(
            "The drive of the run {run} is now {now}; no data of the run is lost. Detach "
            "{now} and any drive at {known}. Reattach the drive as {known}, then run "
            "{commands}.",
            run=run,
            now=drive.path,
            known=identity.path,
            commands=self._commands,
        )

    def relocated(self, member: Member) -> Relocated | None:
        """Find a drive of the run under a new name. Return None if it is still at its known node, or not
        attached. Raises Refused if several drives match."""
        known = member.drive
        with suppress(DiskwrightError):
            if self._fault(member, probe_drive(known.path, seconds=LOOK_SECONDS), whole=True) is None:
                return None
        found = tuple(self._found(member))
        if len(found) > 1:
            several = Sentence(
                "{drives:and} could each be the drive of the run {run}, formerly {known}. Detach all "
                "but the right one."
            )
            drives = tuple(one.path for one in found)
            raise refused(several(drives=drives, run=self.run.name, known=known.path))
        if not found:
            return None
        why = (
            t("the serial number or WWN matches")
            if identity_check.tells_who_it_is(known)
            else t("the contents match those the run left there")
        )
        said = t(
            "The drive {known} is now {drive}: {why}. The run continues there.",
            why=why,
            known=known.path,
            drive=found[0].path,
        )
        return found[0], said

    def _found(self, member: Member) -> Iterator[Drive]:
        return identity_check.find_drives(
            member.drive, lambda drive: self._fault(member, drive, whole=True) is None
        )

    def _fault(self, member: Member, drive: Drive, *, whole: bool = False) -> Message | None:
        """Return why a drive is not the run's, as a clause, or None. Raises Failed or BadInput if the
        drive is unreadable.

        A drive with a serial number or WWN must have only the content that the run left. Without them, most
        places must match, or with `whole` all of them.
        """
        return identity_check.drive_fault(
            member.drive, drive, partial(self._is_left_there, member, drive, whole)
        )

    def _is_left_there(self, member: Member, drive: Drive, whole: bool) -> bool | None:
        record, number = load_record(self.run), self.plan.members.index(member)
        if record is None or not record.changes:
            return None
        if record.phase is Phase.KEPT:
            # The drive is in use: compare only the UUIDs that the plan created, since files may have changed.
            identities = list(self.plan.drives)
            identities[number] = replace(member.drive, path=drive.path)
            moved = self.plan.on_drives(tuple(identities))
            made = {device for step in moved.steps for device in step.operation.made}
            if not made:
                return None
            return not made.isdisjoint(drive.nodes) and not any(identity_check.made_differences(moved, drive))
        is_identified = identity_check.tells_who_it_is(member.drive)
        with DeviceMedium(drive.path) as medium, ExitStack() as files:
            side = side_of(self.run, number, record.changes[number], medium, files)
            if whole and not is_identified:
                phases = {Phase.HIDDEN: side.change.barred_digest, Phase.RELEASED: side.change.new_digest}
                if record.phase in phases:
                    return side.holds(phases[record.phase])
                if record.phase in (Phase.SAVED, Phase.UNKNOWN):
                    is_own = survey.content_of(side) is not survey.Content.FOREIGN
                    return is_own and survey.count_blocks(side).is_known
                return (
                    side.is_old_intact() and side.is_new_intact() and survey.find_foreign_block(side) is None
                )
            found = survey.count_blocks(side)
        return found.is_known or not found.other if is_identified else found.old + found.new >= found.other

    @property
    def _commands(self) -> Message | str:
        record = load_record(self.run)
        phase = record.phase if record else None
        ways = ("undo",) if phase in GOING_BACK else ("keep", "undo") if phase in COMPLETE else ("resume",)
        return either(runs.command_on(way, self.run) for way in ways)


def find_relocated(run: Path, *, undoing: bool = False) -> dict[Identity, Relocated]:
    """Find drives of a rehearsed run under new names. Raises Refused if several drives match. `undoing` also
    searches if the record shows no write, since it may be older than the drives."""
    record = load_record(run)
    if record is None or record.phase in OVER - ({Phase.SAVED} if undoing else set()):
        return {}
    drives = KnownDrives(run, runs.load_plan(run))
    return {member.drive: found for member in drives.plan.members if (found := drives.relocated(member))}


def settle_drives(run: Path, *, undoing: bool = False) -> tuple[Message, ...]:
    """Update the run's device names, and return a sentence for each change. Requires the run's lock. Raises
    Refused and Failed."""
    found = find_relocated(run, undoing=undoing)
    if not found:
        return ()
    record = load_record(run)
    assert record is not None
    now = {
        known: replace(known, path=drive.path, by_id=drive.by_id, diskseq=drive.diskseq)
        for known, (drive, _) in found.items()
    }
    known = tuple(now.get(drive, drive) for drive in runs.load_plan(run).drives)
    paths = [one.path for one in known]
    if len({*paths}) < len(paths):
        twice = max(paths, key=paths.count)
        raise refused(TWICE(drive=twice))
    runs.save_drives(run, known, found=runs.is_found(run))
    changes = tuple(replace(change, path=one.path) for change, one in zip(record.changes, known, strict=True))
    if record.phase is not Phase.UNKNOWN:
        save_record(run, replace(record, changes=changes))
    return tuple(said for _, said in found.values())


def check_holds_plan(run: Path, plan: Plan) -> None:
    """Raises Refused unless the drives of a kept run are the same and contain what it created."""
    for drive in identity_check.probe_members(plan, KnownDrives(run, plan).where):
        if found := tuple(identity_check.made_differences(plan, drive)):
            raise refused(
                t(
                    "{drive} changed after the run ended: {differences:semicolons}.",
                    drive=drive.path,
                    differences=found,
                )
            )


def later_runs(run: Path) -> tuple[Path, ...]:
    """Return the later plans of the same folder that wrote to a drive of this run and were not undone."""
    found = kinds.PLAN.found(run.parent)
    return (
        tuple(later for later in found[found.index(run) + 1 :] if _overwrote(later, run))
        if run in found
        else ()
    )


def _overwrote(later: Path, run: Path) -> bool:
    with suppress(BadInput):
        record = load_record(later)
        has_written = record.phase not in OVER if record else begun_steps(read_entries(later))
        pairs = product(runs.load_plan(run).drives, runs.load_plan(later).drives) if has_written else ()
        return any(_is_same(known, one) for known, one in pairs)
    return False


def over_later(run: Path) -> Message | None:
    """Return why undo must not overwrite later changes, or None if no later run made them."""
    if not (later := later_runs(run)):
        return None
    return t(
        "The run {later} set up the drive after {run}. Undoing {run} would destroy "
        "the result of {later}. The saved bytes remain in {folder}.",
        run=run.name,
        later=later[0].name,
        folder=run,
    )


def _is_same(one: Identity, other: Identity) -> bool:
    """Return True if two runs name the same drive. Without identifiers this may be wrong for drives in a
    dock; then too much is refused."""
    if identity_check.tells_who_it_is(one) and identity_check.tells_who_it_is(other):
        return (one.serial, one.wwn, one.size_bytes) == (other.serial, other.wwn, other.size_bytes)
    return (one.boot_id, one.diskseq, one.path) == (other.boot_id, other.diskseq, other.path)
