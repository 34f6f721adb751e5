"""How one drive stands to what is wanted of it, and what would lead there. Looks; nothing is written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from uuid import uuid4

from wizard.apply.ensure import words
from wizard.apply.ensure.leftover import Leftover, leftover
from wizard.apply.ensure.using import Using, Where, mounted_as_there, using_of
from wizard.apply.plan.measure import measure
from wizard.apply.plan.start import why_direct
from wizard.apply.run.runs import runs_folder
from wizard.apply.system.key_file import key_of
from wizard.apply.system.places import fixed_fstab, taken_places, usual_places
from wizard.apply.tune.left_at_boot import with_lines_left
from wizard.layout.ensured.differences import (
    as_it_is,
    emptied,
    layout_differences,
    may_replace,
    replace_value,
    shape_of,
    shape_wanted,
    with_makers,
)
from wizard.layout.ensured.document import requests_of
from wizard.layout.ensured.matching import drive_meant
from wizard.layout.planner import Mode
from wizard.layout.requested import plan_requested
from wizard.layout.room.refusals import refuse_content, unread_content
from wizard.layout.wishes.using import Usual
from wizard.layout.wishes.wish import Arrangement, Request
from wizard.model.documents.changes import Changes
from wizard.model.documents.ensure import Match, Shape, WantedDrive
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.machine import Drive, Machine
from wizard.model.plan import Plan
from wizard.model.said import Said, reason_of
from wizard.probe.host.people import caller
from wizard.probe.machine import probe_machine


class Standing(StrEnum):
    """AS_WANTED: nothing is to be done. MAKE: the plan leads there. USE: it is there, and is to be mounted or
    noted in fstab. RESUME: a run that does it was cut off. REFUSED: nothing may be done."""

    AS_WANTED = "as-wanted"
    MAKE = "make"
    USE = "use"
    RESUME = "resume"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen. `said` are the differences, and where it is refused why; `drive` None where none, or
    several, are meant. `plan` and `changes` are what would be done, `run` what would be gone on with.

    `replaces`: what the drive holds would be lost, which the document allows. `replace` is what it would have
    to say for that, where that is all that is missing.
    """

    wanted: WantedDrive
    standing: Standing
    said: tuple[Said | str, ...] = ()
    drive: Drive | None = None
    before: Shape | None = None
    after: Shape | None = None
    plan: Plan | None = None
    changes: Changes | None = None
    run: Path | None = None
    replaces: bool = False
    replace: str = ""

    @property
    def name(self) -> str:
        """What the drive is called in messages."""
        return self.wanted.name or (self.drive.path if self.drive else str(words.UNNAMED()))


def look_at(wanted: WantedDrive, where: Where) -> Look:
    """How the drive that is meant stands; what stands against it is in what is said."""
    try:
        machine, drive = meant(wanted.match)
    except DiskwrightError as error:
        return Look(wanted, Standing.REFUSED, (reason_of(error),))
    try:
        return _looked(wanted, machine, drive, where)
    except DiskwrightError as error:
        return Look(wanted, Standing.REFUSED, (reason_of(error),), drive, shape_of(drive, {}))


def meant(match: Match) -> tuple[Machine, Drive]:
    """The machine, and the one drive that is meant; where its path is named, no other is looked at. Raises
    Refused."""
    if match.path is None:
        machine = probe_machine()
        return machine, drive_meant(match, machine.drives)
    try:
        machine = probe_machine([match.path])
    except BadInput as error:
        raise Refused(str(error)) from None
    # By whatever link it was named: the prober has followed it.
    return machine, drive_meant(replace(match, path=machine.drives[0].path), machine.drives)


def _looked(wanted: WantedDrive, machine: Machine, drive: Drive, where: Where) -> Look:
    if unread_content(drive):
        raise Refused(words.UNREAD(drive=drive.path))
    requests, arrangement = requests_of(wanted), Arrangement(wanted.table)

    def planned(mode: Mode | None) -> Plan:
        made = plan_requested(
            machine, drive, requests, mode, _draw, _usual(where), wanted.danger, arrangement
        )
        return with_lines_left(made, (drive,), where.environment.fstab)

    ideal = _ideal(wanted, machine, drive, requests, where)
    key_of(ideal)
    seen = Look(wanted, Standing.REFUSED, (), drive, after=shape_wanted(ideal, _places(ideal)))
    left = leftover(ideal, drive, where.journal_dir)
    if left is not None:
        return _left(seen, left)
    if drive.waiting is not None and drive.waiting.bare:
        refuse_content(drive, chosen=False)
    if drive.is_empty:
        return _made(replace(seen, before=shape_of(drive, {})), planned(None), where)
    differences = layout_differences(ideal, drive)
    if not differences:
        return _used(seen, using_of(ideal, requests, drive, where))
    seen = replace(seen, before=shape_of(drive, {}), said=differences)
    if not may_replace(wanted.replace, drive):
        value = replace_value(drive)
        told = words.OTHERWISE if not wanted.replace else words.OTHER_REPLACE
        return replace(seen, said=(*differences, told(drive=drive.path, value=value)), replace=value)
    return _made(replace(seen, replaces=True), planned(Mode.REPLACE), where)


def _ideal(
    wanted: WantedDrive, machine: Machine, drive: Drive, requests: Sequence[Request], where: Where
) -> Plan:
    """The plan that the drive would get if it were blank, with what is there where nothing else is said."""

    def planned(asked: Sequence[Request]) -> Plan:
        there, usual = mounted_as_there(asked, drive, where), _usual(where)
        able, arrangement = with_makers(machine), Arrangement(wanted.table)
        return plan_requested(able, emptied(drive), there, None, _draw, usual, wanted.danger, arrangement)

    try:
        return planned(as_it_is(requests, drive))
    except DiskwrightError:
        # What is there cannot be what is wanted, such as an ext4 where a system starts from.
        return planned(requests)


def _left(seen: Look, left: Leftover) -> Look:
    assert seen.drive is not None
    standing = Standing.RESUME if left.resumes else Standing.REFUSED
    return replace(seen, standing=standing, said=(left.said,), run=left.run, before=shape_of(seen.drive, {}))


def _made(seen: Look, plan: Plan, where: Where) -> Look:
    """What is to be made: tried out first, so that bytes that nobody recognises are not taken for nothing."""
    drive, folder = plan.drive.path, runs_folder(where.journal_dir)
    if why := why_direct(plan, folder):
        return replace(seen, said=(words.DIRECT(drive=drive, why=why),))
    room = measure(plan, folder, where.environment)
    if not room.fits:
        return replace(seen, said=(room.said,))
    assert seen.drive is not None
    if not room.blank and not (seen.replaces or may_replace(seen.wanted.replace, seen.drive)):
        value = replace_value(seen.drive)
        return replace(seen, said=(words.NOT_ZERO(drive=drive, value=value),), replace=value)
    said = seen.said or (words.BLANK(drive=drive),)
    return replace(
        seen,
        standing=Standing.MAKE,
        said=said,
        plan=plan,
        after=shape_wanted(plan, _places(plan)),
        replaces=not room.blank,
    )


def _used(seen: Look, using: Using) -> Look:
    assert seen.drive is not None
    seen = replace(seen, before=shape_of(seen.drive, using.places))
    if using.faults:
        return replace(seen, said=using.faults)
    if using.changes is not None:
        return replace(seen, standing=Standing.USE, said=using.needs, changes=using.changes)
    return replace(seen, standing=Standing.AS_WANTED, after=seen.before)


def _places(plan: Plan) -> dict[str, tuple[str, ...]]:
    return {volume.path: (volume.mount_point,) for volume in plan.volumes if volume.mount_point}


def _usual(where: Where) -> Usual:
    places, fstab = usual_places(), where.environment.fstab
    return Usual(caller(), places, taken_places(places, fstab), fixed_fstab(fstab))


def _draw() -> str:
    return str(uuid4())
