"""The drives of a rehearsed run that have other names now: found by what they say of themselves, or by what
the run wrote or kept of them; and the run told so."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from wizard.apply.block.medium import DeviceMedium
from wizard.apply.engine.record import UNTOUCHED, Phase, Record, load_record, save_record
from wizard.apply.engine.sides import side_of
from wizard.apply.engine.survey import Content, Side, content_of, likeness, stray
from wizard.apply.plan.resume import contains_made
from wizard.apply.plan.same_drive import drive_fault, identity_difference, tells_who_it_is
from wizard.apply.plan.words import drives as words
from wizard.apply.run.environment import LOOK_SECONDS
from wizard.apply.run.runs import is_found, load_plan, save_drives
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.identity import Identity
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.model.said import Said
from wizard.probe.machine import list_drive_paths, probe_drive

OVER = UNTOUCHED | {Phase.UNDONE, Phase.LEFT}
"""Nothing of the run is on its drives. One that was not begun yet is begun anew: which drive it is to write
to was shown by its name."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A drive that the run knows as `known`, and as which drive it was found."""

    known: Identity
    drive: Drive
    why: Said

    @property
    def said(self) -> Said:
        """Both names, and how it is known to be the one."""
        return words.FOUND_AS(known=printable(self.known.path), drive=self.drive.path, why=self.why)

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
    for number, member in enumerate(plan.members):
        if _is_there(run, record, number, member.drive):
            continue
        if (one := _found(run, record, number, plan)) is not None:
            found.append(one)
        elif record.phase is not Phase.SAVED:
            _check_known_node(run, record, number, member.drive)
    return tuple(found)


def _check_known_node(run: Path, record: Record, number: int, known: Identity) -> None:
    """Raise Refused if the drive at the known node may be another one with the same numbers, or none."""
    try:
        drive = probe_drive(known.path, seconds=LOOK_SECONDS)
    except DiskwrightError:
        return
    if identity_difference(known, drive) is not None:
        return
    if drive_fault(known, drive, partial(_resembles, run, record, number, drive)):
        raise Refused(words.MAYBE_ANOTHER(drive=drive.path, run=run.name, where=words.ATTACH_IT()))


def settle_drives(run: Path, *, undoing: bool = False) -> tuple[Said, ...]:
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
        raise Refused(words.TWO_AS_ONE())
    save_drives(run, known, found=is_found(run))
    changes = tuple(replace(change, path=one.path) for change, one in zip(record.changes, known, strict=True))
    if record.phase is not Phase.UNKNOWN:
        save_record(run, replace(record, changes=changes))
    return tuple(one.said for one in found)


def _as_now(known: Identity, drive: Drive) -> Identity:
    return replace(known, path=drive.path, by_id=drive.by_id, diskseq=drive.diskseq)


def _is_there(run: Path, record: Record, number: int, known: Identity) -> bool:
    """Whether the drive is at the node where the run knows it."""
    try:
        drive = probe_drive(known.path, seconds=LOOK_SECONDS)
    except DiskwrightError:
        return False
    return drive_fault(known, drive, partial(_is_as_left, run, record, number, drive)) is None


def _found(run: Path, record: Record, number: int, plan: Plan) -> Elsewhere | None:
    known = plan.members[number].drive
    found = []
    for path in list_drive_paths(all_devices=True):
        if path == known.path:
            continue
        try:
            drive = probe_drive(path, seconds=5.0)
            fault = drive_fault(known, drive, partial(_is_as_left, run, record, number, drive))
        except DiskwrightError:
            continue
        if fault is None:
            why = words.SAME_NUMBER() if tells_who_it_is(known) else words.HOLDS_LEFT()
            found.append(Elsewhere(known, drive, why))
    if len(found) > 1:
        paths, was = tuple(one.drive.path for one in found), printable(known.path)
        raise Refused(words.SEVERAL(drives=paths, run=run.name, known=was))
    return found[0] if found else None


def _is_as_left(run: Path, record: Record, number: int, drive: Drive) -> bool | None:
    """Whether a drive contains what the run left. Without a number of its own, each place must; with one,
    nothing may contradict it. None if the run is kept and made nothing that has a UUID."""
    plan = load_plan(run)
    if record.phase is Phase.KEPT:
        return contains_made(plan, number, drive)
    by = _is_possible if tells_who_it_is(plan.members[number].drive) else partial(_is_whole, record.phase)
    return _compare(run, record, number, drive, by)


def _resembles(run: Path, record: Record, number: int, drive: Drive) -> bool:
    """Whether most of what can be compared on a drive is the run's."""
    return record.phase is not Phase.KEPT and _compare(run, record, number, drive, _most_is_known)


def _compare(run: Path, record: Record, number: int, drive: Drive, by: Callable[[Side], bool]) -> bool:
    """Compare a drive with the run's bytes; false, too, if it cannot be read."""
    try:
        with DeviceMedium(drive.path) as medium, ExitStack() as files:
            return by(side_of(run, number, record.changes[number], medium, files))
    except (BadInput, Failed):
        return False


def _is_possible(side: Side) -> bool:
    found = likeness(side)
    return found.is_known or not found.other


def _most_is_known(side: Side) -> bool:
    found = likeness(side)
    return found.old + found.new >= found.other


def _is_whole(phase: Phase, side: Side) -> bool:
    """Whether the drive contains in every place what it can contain in this phase."""
    change = side.change
    if phase is Phase.BARRED:
        return side.holds(change.barred_digest)
    if phase is Phase.RELEASED:
        return side.holds(change.new_digest)
    if phase in (Phase.SAVED, Phase.UNKNOWN):
        return content_of(side) is not Content.FOREIGN and likeness(side).is_known
    return side.keeps_old() and side.keeps_new() and stray(side) is None
