"""Compare one drive, or the drives of one volume, with the request, and find the changes. Read-only."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from wizard.apply.ensure.compare_mounts import Using, Where, using_of
from wizard.apply.ensure.converge import Aim, reaching_faults, together_faults
from wizard.apply.ensure.leftover import DesiredPlan, Leftover, leftover
from wizard.apply.plan.job import measure
from wizard.apply.plan.start import why_direct
from wizard.apply.run.runs import runs_folder
from wizard.apply.system.crypttab import key_of
from wizard.model.changes import Changes
from wizard.model.ensure import Match, Shape, WantedDrive
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.machine import Drive, Machine
from wizard.model.plan import NO_PLACE, Plan
from wizard.model.said import Message, reason_of, t, tn
from wizard.plan.desired_state.differences import (
    layout_differences,
    may_replace,
    replace_value,
    shape_of,
    shapes_wanted,
)
from wizard.plan.desired_state.document import drive_meant
from wizard.plan.planner import Mode
from wizard.plan.raid.striping import parts_of
from wizard.plan.refusals import refuse_content, unread_content
from wizard.plan.request.subvolumes import places_of
from wizard.probe.machine import probe_machine


class DriveState(StrEnum):
    """AS_WANTED: nothing is to be done. MAKE: the plan leads there. USE: it is there, and is to be mounted or
    noted in fstab. RESUME: a run that does it was cut off. REFUSED: nothing may be done."""

    AS_WANTED = "as-wanted"
    MAKE = "make"
    USE = "use"
    RESUME = "resume"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class DriveAssessment:
    """What was seen. `said` are the differences, and where it is refused why; `drives` those that are meant,
    in the document's order, none where that is not clear. `before` and `after` are theirs. `plan` and
    `changes` are what would be done, `run` what would be gone on with.

    `replaces`: what the drives hold would be lost, which the document allows. `replace` is what it would have
    to say for that, where that is all that is missing.
    """

    wanted: WantedDrive
    standing: DriveState
    said: tuple[Message | str, ...] = ()
    drives: tuple[Drive, ...] = ()
    before: tuple[Shape, ...] = ()
    after: tuple[Shape, ...] = ()
    plan: Plan | None = None
    changes: Changes | None = None
    run: Path | None = None
    replaces: bool = False
    replace: str = ""

    @property
    def drive(self) -> Drive | None:
        """The first of them; None where it is not clear which are meant."""
        return self.drives[0] if self.drives else None

    @property
    def paths(self) -> tuple[str, ...]:
        """The nodes of the drives."""
        return tuple(drive.path for drive in self.drives)

    @property
    def name(self) -> str:
        """What the drive is called in messages."""
        return self.wanted.name or (self.drive.path if self.drive else str(t("a drive")))


def look_at(wanted: WantedDrive, where: Where) -> DriveAssessment:
    """How the drives that are meant stand; what stands against it is in what is said."""
    try:
        machine, drives = meant(wanted.matches)
    except DiskwrightError as error:
        return DriveAssessment(wanted, DriveState.REFUSED, (reason_of(error),))
    try:
        return _looked(Aim(wanted, machine, drives, where))
    except DiskwrightError as error:
        return DriveAssessment(wanted, DriveState.REFUSED, (reason_of(error),), drives, _shapes(drives))


def _looked(aim: Aim) -> DriveAssessment:
    drives = aim.drives
    if unread := next((drive for drive in drives if unread_content(drive)), None):
        raise Refused(
            t(
                "Some contents of {drive} are unreadable, so the drive may not be empty. See "
                "`diskwright inspect`.",
                drive=unread.path,
            )
        )
    ideal = aim.ideal()
    key_of(ideal)
    seen = DriveAssessment(
        aim.wanted, DriveState.REFUSED, (), drives, after=shapes_wanted(ideal, places_in(ideal))
    )
    asked = DesiredPlan(ideal, aim.requests, aim.wanted.replace)
    left = leftover(asked, drives, aim.where.journal_dir)
    if left is not None:
        return _left(seen, left)
    for drive in drives:
        if drive.waiting is not None and drive.waiting.bare:
            refuse_content(drive, chosen=False)
    seen = replace(seen, before=_shapes(drives))
    if all(drive.is_empty for drive in drives):
        return _made(seen, aim.planned(None), aim.where)
    differences = layout_differences(ideal, *drives)
    if not differences:
        return _together(seen, ideal, aim)
    if reaching := reaching_faults(drives):
        return replace(seen, said=(*differences, *reaching))
    seen = replace(seen, said=differences)
    held = tuple(drive for drive in drives if not drive.is_empty)
    if not may_replace(aim.wanted.replace, held, _others(drives, held)):
        value = replace_value(*held)
        paths = tuple(drive.path for drive in held)
        told = (
            t(
                "replace names another drive, or older contents of {drive:and}; for the "
                'current contents: replace = "{value}"',
                drive=paths,
                value=value,
            )
            if aim.wanted.replace
            else tn(
                '{drive:and} has other contents, destroyed only if the file has: replace = "{value}"',
                '{drive:and} have other contents, destroyed only if the file has: replace = "{value}"',
                drive=paths,
                value=value,
                count=len(paths),
            )
        )
        return replace(seen, said=(*differences, told), replace=value)
    return _made(replace(seen, replaces=True), aim.planned(Mode.REPLACE), aim.where)


def _together(seen: DriveAssessment, ideal: Plan, aim: Aim) -> DriveAssessment:
    """Drives whose tables and labels are as wanted: what is otherwise then is never replaced, since it may be
    a fault of what holds everybody's files."""
    if faults := together_faults(ideal, aim.drives):
        return replace(
            seen,
            said=(
                *faults,
                t(
                    "fix this manually: {drive:and} may contain the requested volumes, so no "
                    "data is replaced",
                    drive=seen.paths,
                ),
            ),
        )
    return _used(seen, using_of(ideal, aim.requests, aim.drives, aim.where))


def _left(seen: DriveAssessment, left: Leftover) -> DriveAssessment:
    standing = DriveState.RESUME if left.resumes else DriveState.REFUSED
    return replace(seen, standing=standing, said=(left.said,), run=left.run, before=_shapes(seen.drives))


def _made(seen: DriveAssessment, plan: Plan, where: Where) -> DriveAssessment:
    """What is to be made: tried out first, so that bytes that nobody recognises are not taken for nothing."""
    paths, folder = plan.paths, runs_folder(where.journal_dir)
    if why := why_direct(plan, folder):
        return replace(
            seen,
            said=(
                t(
                    "Cannot rehearse this on {drive:and}: {why}. Use `plan` and `apply`, which "
                    "explain the consequences.",
                    drive=paths,
                    why=why,
                ),
            ),
        )
    room = measure(plan, folder, where.environment)
    if not room.fits:
        return replace(seen, said=(room.said,))
    lost = tuple(
        drive for drive, blank in zip(seen.drives, room.blanks, strict=True) if not (blank and drive.is_empty)
    )
    if lost and not may_replace(seen.wanted.replace, lost, _others(seen.drives, lost)):
        value = replace_value(*lost)
        unknown = tuple(drive.path for drive in lost if drive.is_empty)
        return replace(
            seen,
            said=(
                *room.unknown,
                tn(
                    '{drive:and} has unrecognised data. To overwrite it: replace = "{value}"',
                    '{drive:and} have unrecognised data. To overwrite it: replace = "{value}"',
                    drive=unknown,
                    value=value,
                    count=len(unknown),
                ),
            ),
            replace=value,
        )
    said = seen.said or (
        tn(
            "{drive:and} is blank; the volumes will be created",
            "{drive:and} are blank; the volume across them will be created",
            drive=paths,
            count=len(paths),
        ),
    )
    return replace(
        seen,
        standing=DriveState.MAKE,
        said=said,
        plan=plan,
        after=shapes_wanted(plan, places_in(plan)),
        replaces=not room.blank,
    )


def _others(drives: Sequence[Drive], without: Sequence[Drive]) -> tuple[Drive, ...]:
    return tuple(drive for drive in drives if drive not in without)


def _used(seen: DriveAssessment, using: Using) -> DriveAssessment:
    seen = replace(seen, before=_shapes(seen.drives, using.places))
    if using.faults:
        return replace(seen, said=using.faults)
    if using.changes is not None:
        return replace(seen, standing=DriveState.USE, said=using.needs, changes=using.changes)
    return replace(seen, standing=DriveState.AS_WANTED, after=seen.before)


def _shapes(drives: Sequence[Drive], places: dict[str, tuple[str, ...]] | None = None) -> tuple[Shape, ...]:
    return tuple(shape_of(drive, places or {}) for drive in drives)


def places_in(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Where what is made is mounted; a Btrfs on several drives is so by each, what is encrypted by its
    container."""
    shown: dict[str, tuple[str, ...]] = {
        volume.encryption.device if volume.encryption else volume.path: places
        for volume in plan.volumes
        if volume.mount_point != NO_PLACE and (places := places_of(volume.mount_point, volume.subvolumes))
    }
    if plan.stripe and plan.stripe.kind == "btrfs":
        drives = [member.drive for member in plan.members]
        return dict.fromkeys(parts_of(drives), shown.get(plan.volumes[0].path, ()))
    return shown


def meant(matches: Sequence[Match]) -> tuple[Machine, tuple[Drive, ...]]:
    """The machine, and for each match the one drive that it means, all different; where every path is named,
    no other drive is looked at. Raises Refused."""
    named = [match.path for match in matches if match.path is not None]
    machine = probe_machine() if len(named) < len(matches) else None
    known = {drive.path: drive for drive in machine.drives} if machine else {}
    links: dict[str, str] = {}
    for path in named:
        alone = _probed(path)
        # By whatever link it was named: the prober has followed it.
        links[path] = alone.drives[0].path
        known.setdefault(links[path], alone.drives[0])
        machine = machine or alone
    assert machine is not None
    drives = tuple(_drive(match, links, tuple(known.values())) for match in matches)
    paths = [drive.path for drive in drives]
    if twice := next((path for path in paths if paths.count(path) > 1), None):
        raise Refused(t("Two matches select {drive}. Each match must select a different drive.", drive=twice))
    return replace(machine, drives=tuple(known.values())), drives


def _probed(path: str) -> Machine:
    try:
        return probe_machine([path])
    except BadInput as error:
        raise Refused(str(error)) from None


def _drive(match: Match, links: dict[str, str], known: tuple[Drive, ...]) -> Drive:
    if match.path is None:
        return drive_meant(match, known)
    path = links[match.path]
    return drive_meant(replace(match, path=path), tuple(drive for drive in known if drive.path == path))
