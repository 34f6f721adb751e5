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
from wizard.apply.plan.same_drive import identity_difference, is_same_attachment, tells_who_it_is
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
            _refuse_stranger(run, record, number, member.drive)
    return tuple(found)


def _refuse_stranger(run: Path, record: Record, number: int, known: Identity) -> None:
    """Raises Refused where what is at the drive's place can be another one, which tells no number either."""
    try:
        drive = probe_drive(known.path, seconds=LOOK_SECONDS)
    except DiskwrightError:
        return
    if identity_difference(known, drive) is not None or is_same_attachment(known, drive):
        return
    if record.phase is Phase.KEPT or not _holds(run, record, number, drive.path, _most_is_known):
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
    """Whether the drive is where the run knows it."""
    try:
        drive = probe_drive(known.path, seconds=LOOK_SECONDS)
    except DiskwrightError:
        return False
    if known.diskseq is not None and is_same_attachment(known, drive):
        return identity_difference(known, drive) is None
    return _why(run, record, number, known, drive) is not None


def _found(run: Path, record: Record, number: int, plan: Plan) -> Elsewhere | None:
    known = plan.members[number].drive
    found = []
    for path in list_drive_paths(all_devices=True):
        if path == known.path:
            continue
        try:
            drive = probe_drive(path, seconds=5.0)
            why = _why(run, record, number, known, drive)
        except DiskwrightError:
            continue
        if why:
            found.append(Elsewhere(known, drive, why))
    if len(found) > 1:
        paths, was = tuple(one.drive.path for one in found), printable(known.path)
        raise Refused(words.SEVERAL(drives=paths, run=run.name, known=was))
    return found[0] if found else None


def _why(run: Path, record: Record, number: int, known: Identity, drive: Drive) -> Said | None:
    """By what a drive is known as the run's, as a clause; None where it is not."""
    if identity_difference(known, drive) is not None:
        return None
    if tells_who_it_is(known):
        is_known = record.phase is Phase.KEPT or _holds(run, record, number, drive.path, _can_be_the_one)
        return words.SAME_NUMBER() if is_known else None
    if record.phase is Phase.KEPT:
        plan = load_plan(run)
        return words.HOLDS_LEFT() if contains_made(plan, number, drive) else None
    holds = _holds(run, record, number, drive.path, partial(_is_as_left, record.phase))
    return words.HOLDS_LEFT() if holds else None


def _holds(run: Path, record: Record, number: int, node: str, is_the_one: Callable[[Side], bool]) -> bool:
    """Whether a drive is the run's by its content; false, too, where that cannot be read."""
    change = record.changes[number]
    try:
        with DeviceMedium(node) as medium, ExitStack() as files:
            return is_the_one(side_of(run, number, change, medium, files))
    except (BadInput, Failed):
        return False


def _can_be_the_one(side: Side) -> bool:
    """Whether what the drive holds does not speak against it."""
    found = likeness(side)
    return found.is_known or not found.other


def _most_is_known(side: Side) -> bool:
    found = likeness(side)
    return found.old + found.new >= found.other


def _is_as_left(phase: Phase, side: Side) -> bool:
    """Whether the drive holds in every place what it can hold at this phase."""
    change = side.change
    if phase is Phase.BARRED:
        return side.holds(change.barred_digest)
    if phase is Phase.RELEASED:
        return side.holds(change.new_digest)
    if phase in (Phase.SAVED, Phase.UNKNOWN):
        return content_of(side) is not Content.FOREIGN and likeness(side).is_known
    return side.keeps_old() and side.keeps_new() and stray(side) is None
